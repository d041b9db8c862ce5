"""What claims, figures and the page tell of the numbers, each in one place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.measure import Measure, combined, measure
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


def growth(kind: str) -> Measure:
    """The power of the length with which a kind's multiplications grow, by formula."""

    def read(run: Run) -> float:
        lengths = run["series_length"].values
        late = lengths >= GROWTH_FROM
        return _power(run["multiplications"].sel(kind=kind).values[late], lengths[late])

    words = f"The power of the length with which the multiplications of {ATTENTIONS[kind].label} grow from 1,024 rows."
    return Measure(f"{kind}_growth", words, "", read)


def crossing(kind: str) -> Measure:
    """From which of the lengths on a kind needs fewer multiplications than full attention; infinite for none."""

    def read(run: Run) -> float:
        full, own = (run["multiplications"].sel(kind=name).values for name in ("full", kind))
        less = own < full
        places = [place for place in range(len(less)) if less[place:].all()]
        return float(run["series_length"].values[places[0]]) if places else math.inf

    words = f"The length from which {ATTENTIONS[kind].label} needs fewer multiplications than full attention."
    return Measure(f"{kind}_crossing", words, "rows", read)


def share_of_full(kind: str) -> Measure:
    """A kind's multiplications over those of full attention, at the longest series."""

    def read(run: Run) -> float:
        full, own = (run["multiplications"].sel(kind=name).values[-1] for name in ("full", kind))
        return float(own / full)

    words = f"The multiplications of {ATTENTIONS[kind].label} over those of full attention, at the longest series."
    return Measure(f"{kind}_share", words, "", read)


def held_growth(how: str, words: str) -> Measure:
    """The power of the length with which counted bytes grow, of attention carried out in this way."""

    def read(run: Run) -> float:
        return _power(run["held_bytes"].sel(held_by=how).values, run["held_length"].values)

    return Measure(f"{how}_held_growth", f"The power of the length with which bytes grow: {words}.", "", read)


GROWTHS = {kind: growth(kind) for kind in ATTENTIONS}
CROSSINGS = {kind: crossing(kind) for kind in ATTENTIONS if kind != "full"}
SHARES = {kind: share_of_full(kind) for kind in ATTENTIONS if kind != "full"}
map_held_growth = held_growth("map", "full attention that keeps its map")
kernel_held_growth = held_growth("kernel", "full attention in blocks")
log_sparse_held_growth = held_growth("log_sparse", "LogSparse with its keys alone")


@measure()
def mask_saves(run: Run) -> float:
    """The bytes of LogSparse as a mask over full attention, over those of full attention with its map."""
    bytes_held = run["held_bytes"].sel(held_length=run["held_length"].values[-1])
    return float(bytes_held.sel(held_by="mask").values / bytes_held.sel(held_by="map").values)


def _lost(run: Run, chosen_by: str) -> float:
    return float(run["error"].sel(chosen_by=chosen_by, asked=run.attrs["active"]).values)


@measure()
def lost_by_score(run: Run) -> float:
    """The error of ProbSparse with the u rows that its score chooses, over the norm of full attention's output."""
    return _lost(run, "score")


@measure()
def lost_by_chance(run: Run) -> float:
    """The error of ProbSparse with as many rows chosen at random, mean over draws."""
    return _lost(run, "chance")


@combined()
def lost_against_chance(run: Run) -> float:
    """The error with the rows that the score chooses, over that with as many random ones."""
    return lost_by_score(run) / lost_by_chance(run)


@measure()
def lost_by_log_sparse(run: Run) -> float:
    """The error of one LogSparse layer, over the norm of full attention's output."""
    return float(run["log_sparse_error"].values)


@measure("rows")
def rows_that_attend(run: Run) -> float:
    """How many rows attend."""
    return float(run["attends"].values.sum())


@measure("rows")
def rows(run: Run) -> float:
    """How many rows the series has."""
    return float(run.sizes["row"])


@measure("nat")
def off_from_even(run: Run) -> float:
    """The most by which s - ln i and KL(uniform || attention) differ, over the rows."""
    return float(np.abs(run["unevenness"].values - run["from_even"].values).max())


@measure("nat")
def off_to_even(run: Run) -> float:
    """The most by which s - ln i and KL(attention || uniform) differ, over the rows."""
    return float(np.abs(run["unevenness"].values - run["to_even"].values).max())


@measure()
def order_of_both_divergences(run: Run) -> float:
    """Rank correlation of KL(uniform || attention) and KL(attention || uniform) over the later half of the rows."""
    return _rank_correlation(_later_half(run, "from_even"), _later_half(run, "to_even"))


@measure()
def order_by_max_mean(run: Run) -> float:
    """Rank correlation of s - ln i and max minus mean over the later half of the rows."""
    return _rank_correlation(_later_half(run, "unevenness"), _later_half(run, "max_mean"))


@measure()
def rows_that_agree(run: Run) -> float:
    """The share of the u rows with the highest s - ln i that max minus mean chooses, too."""
    count = int(run.attrs["active"])
    exact, stand_in = (run[name].values.argsort()[-count:] for name in ("unevenness", "max_mean"))
    return len(np.intersect1d(exact, stand_in)) / count


@measure()
def order_by_top_weight(run: Run) -> float:
    """Rank correlation of s - ln i and a row's largest weight over the later half of the rows."""
    return _rank_correlation(_later_half(run, "unevenness"), _later_half(run, "top_weight"))


def _early(run: Run) -> np.ndarray:
    """Which rows stand before the row that was changed, (changed, row)."""
    return np.asarray(run["row"].values[None, :] < run["changed"].values[:, None])


def earlier_moved(kind: str, words: str) -> Measure:
    """The share of rows before the changed one whose output moves."""

    def read(run: Run) -> float:
        early = _early(run)
        moves = run["moves"].sel(probed=kind).values > MOVED
        return float((moves & early).sum() / early.sum())

    return Measure(
        f"{kind}_earlier_moved", f"The share of earlier rows that move when a row changes: {words}.", "", read
    )


EARLIER_MOVED = {
    name: earlier_moved(name, words)
    for name, words in (("full", "full"), ("log_sparse", "LogSparse"), ("prob_sparse", "ProbSparse as it is set"))
}
prob_sparse_earlier_moved = EARLIER_MOVED["prob_sparse"]


@measure("layers")
def layers_to_hear_all(run: Run) -> float:
    """LogSparse layers after which the last row hears the whole past."""
    return float(np.nanmax(run["layers_to_hear"].values))


@measure()
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
