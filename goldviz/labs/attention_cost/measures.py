"""What claims, figures and the page tell of the numbers, each in one place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.measure import each, measure
from goldviz.models.series.attention import ATTENTIONS

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

MOVED = 1e-9
"""A change of an output that is none of rounding."""
GROWTH_FROM = 1024
"""The length from which growth is told."""


def _power(values: np.ndarray, lengths: np.ndarray) -> float:
    """The power of the length with which something grew between the first and the last."""
    return float(np.log(values[-1] / values[0]) / np.log(lengths[-1] / lengths[0]))


def _rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's, of values without ties."""
    return float(np.corrcoef(first.argsort().argsort(), second.argsort().argsort())[0, 1])


def _later_half(run: Run, name: str) -> np.ndarray:
    """Of rows that see at least half of the keys, for what depends on how many keys a row sees."""
    return np.asarray(run[name].values[run.sizes["row"] // 2 :])


def _multiplications(run: Run, *kinds: str) -> list[np.ndarray]:
    return [run["multiplications"].sel(kind=kind).values for kind in kinds]


def _growth(run: Run, kind: str) -> float:
    lengths, [multiplications] = run["series_length"].values, _multiplications(run, kind)
    late = lengths >= GROWTH_FROM
    return _power(multiplications[late], lengths[late])


def _crossing(run: Run, kind: str) -> float:
    """From which of the lengths on a kind needs fewer multiplications than full attention; infinite for none."""
    full, own = _multiplications(run, "full", kind)
    less = own < full
    places = [place for place in range(len(less)) if less[place:].all()]
    return float(run["series_length"].values[places[0]]) if places else math.inf


def _share_of_full(run: Run, kind: str) -> float:
    full, own = _multiplications(run, "full", kind)
    return float(own[-1] / full[-1])


KINDS = {kind: attention.label for kind, attention in ATTENTIONS.items()}
SPARSE = {kind: label for kind, label in KINDS.items() if kind != "full"}
GROWTHS = each(
    KINDS,
    "{}_growth",
    "The power of the length with which the multiplications of {} grow from 1,024 rows.",
    _growth,
)
CROSSINGS = each(
    SPARSE,
    "{}_crossing",
    "The length from which {} needs fewer multiplications than full attention.",
    _crossing,
    "rows",
)
MASKED = {"full": "full attention", "log_sparse": "LogSparse", "prob_sparse": "ProbSparse as it is set"}
PAIRS_DRAWN = each(
    MASKED,
    "{}_pairs_drawn",
    "The pairs of rows that attention takes among the first rows: {}.",
    lambda run, kind: (run["looked_at"].sel(masked_by=kind).values == 1).sum(),
)
rows_drawn = measure(lambda run: run.sizes["query"], "rows")
"""How many rows the masks have."""


def distances_drawn(run: Run) -> list[int]:
    """How far before it the last row of LogSparse's mask looks, but at itself."""
    last = run["looked_at"].sel(masked_by="log_sparse").values[-1, ::-1]
    return [int(lag) for lag in np.flatnonzero(last) if lag]


active_rows_drawn = measure(
    lambda run: np.diagonal(run["looked_at"].sel(masked_by="prob_sparse").values == 1).sum(), "rows"
)
"""How many rows of ProbSparse's mask attend."""
SHARES = each(
    SPARSE,
    "{}_share",
    "The multiplications of {} over those of full attention, at the longest series.",
    _share_of_full,
)
HELD_GROWTHS = each(
    {
        "map": "full attention that keeps its map",
        "kernel": "full attention in blocks",
        "log_sparse": "LogSparse with its keys alone",
    },
    "{}_held_growth",
    "The power of the length with which bytes grow: {}.",
    lambda run, how: _power(run["held_bytes"].sel(held_by=how).values, run["held_length"].values),
)


@measure
def mask_saves(run: Run) -> float:
    """The bytes of LogSparse as a mask over full attention, over those of full attention with its map."""
    bytes_held = run["held_bytes"].sel(held_length=run["held_length"].values[-1])
    return float(bytes_held.sel(held_by="mask").values / bytes_held.sel(held_by="map").values)


def _lost(run: Run, chosen_by: str) -> float:
    return float(run["error"].sel(chosen_by=chosen_by, asked=run.attrs["active"]).values)


lost_by_score = measure(lambda run: _lost(run, "score"))
"""The error of ProbSparse with the u rows that its score chooses, over the norm of full attention's output."""
lost_by_chance = measure(lambda run: _lost(run, "chance"))
"""The error of ProbSparse with as many rows chosen at random, mean over draws."""
lost_against_chance = measure(lambda run: lost_by_score(run) / lost_by_chance(run))
"""The error with the rows that the score chooses, over that with as many random ones."""
lost_by_log_sparse = measure(lambda run: run["log_sparse_error"].values)
"""The error of one LogSparse layer, over the norm of full attention's output."""
rows_that_attend = measure(lambda run: run["attends"].values.sum(), "rows")
"""How many rows attend."""
rows = measure(lambda run: run.sizes["row"], "rows")
"""How many rows the series has."""
off_from_even = measure(lambda run: np.abs(run["unevenness"].values - run["from_even"].values).max(), "nat")
"""The most by which s - ln i and KL(uniform || attention) differ, over the rows."""
off_to_even = measure(lambda run: np.abs(run["unevenness"].values - run["to_even"].values).max(), "nat")
"""The most by which s - ln i and KL(attention || uniform) differ, over the rows."""
order_of_both_divergences = measure(
    lambda run: _rank_correlation(_later_half(run, "from_even"), _later_half(run, "to_even"))
)
"""Rank correlation of KL(uniform || attention) and KL(attention || uniform) over the later half of the rows."""
order_by_max_mean = measure(lambda run: _rank_correlation(_later_half(run, "unevenness"), _later_half(run, "max_mean")))
"""Rank correlation of s - ln i and max minus mean over the later half of the rows."""


@measure
def rows_that_agree(run: Run) -> float:
    """The share of the u rows with the highest s - ln i that max minus mean chooses, too."""
    count = int(run.attrs["active"])
    exact, stand_in = (run[name].values.argsort()[-count:] for name in ("unevenness", "max_mean"))
    return len(np.intersect1d(exact, stand_in)) / count


order_by_top_weight = measure(
    lambda run: _rank_correlation(_later_half(run, "unevenness"), _later_half(run, "top_weight"))
)
"""Rank correlation of s - ln i and a row's largest weight over the later half of the rows."""


def _early(run: Run) -> np.ndarray:
    """Which rows stand before the row that was changed, (changed, row)."""
    return np.asarray(run["row"].values[None, :] < run["changed"].values[:, None])


EARLIER_MOVED = each(
    {"full": "full", "log_sparse": "LogSparse", "prob_sparse": "ProbSparse as it is set"},
    "{}_earlier_moved",
    "The share of earlier rows that move when a row changes: {}.",
    lambda run, kind: ((run["moves"].sel(probed=kind).values > MOVED) & _early(run)).sum() / _early(run).sum(),
)
layers_to_hear_all = measure(lambda run: np.nanmax(run["layers_to_hear"].values), "layers")
"""LogSparse layers after which the last row hears the whole past."""


@measure
def cells_seen(run: Run) -> float:
    """The share of all pairs of a row and an earlier cell, or itself, that one LogSparse layer takes."""
    length = run.sizes["row"]
    return float(2 * run.attrs["cells"] / (length * (length + 1)))


def quicker_from(timings: Run, kind: str) -> float:
    """From which length on a kind took less time here than full attention; infinite for none."""
    full, own = (timings["seconds"].sel(timed=name).values for name in ("full", kind))
    lengths = timings["series_length"].values
    return next(
        (float(lengths[place]) for place in range(len(lengths)) if (own[place:] < full[place:]).all()), math.inf
    )


def fused_share(timings: Run) -> tuple[float, float]:
    """The longest series for which full attention was written out, map and all, and the fused kernel's time over its;
    NaN where it never was (document 002, section 3.3)."""
    kernel, with_map = (timings["seconds"].sel(timed=name).values for name in ("full", "full_map"))
    places = np.flatnonzero(np.isfinite(with_map))
    if not places.size:
        return math.nan, math.nan
    return float(timings["series_length"].values[places[-1]]), float(kernel[places[-1]] / with_map[places[-1]])
