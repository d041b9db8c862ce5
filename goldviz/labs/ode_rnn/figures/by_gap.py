"""What each gap of *ODE-RNN*'s probe sequence costs: the jump at its end, the solver's work and its error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import times
from goldviz.figures.chart import Panel, at, axis, changed, dots, figure, panel, rule
from goldviz.figures.frames import Words
from goldviz.figures.limits import Quantity, Values
from goldviz.figures.marks import ChannelLike, Dots
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive, setting_of
from goldviz.labs.ode_rnn.choices import method_of
from goldviz.labs.ode_rnn.figures.probe import as_of, gaps_before, legend_lines, longest_gap, time_unit

WITHOUT_GAP = "One observation alone has no gap before it."


def _of_gaps(ds: Run) -> Values:
    gaps = gaps_before(ds) if ds.sizes.get("observation") and "probe_time" in ds else np.array([])
    return np.asarray(np.log10(gaps[gaps > 0]))


def _wide(low: float, high: float) -> tuple[float, float]:
    """Log10 limits with room for whole markers, half a decade apart at least."""
    room = max(0.06 * (high - low), (0.5 - (high - low)) / 2)
    return low - room, high + room


def _gap_axis(plot: Plot) -> Mapping[str, Any]:
    low, high = plot.limit("gap")
    places = [step * 10.0**decade for decade in range(int(np.floor(low)), int(np.ceil(high)) + 1) for step in (1, 2, 5)]
    ticks = [place for place in places if low <= np.log10(place) <= high]
    return {"type": "log", "range": (low, high), "tickvals": ticks, "ticktext": [f"{place:g}" for place in ticks]}


def _titled(plot: Plot) -> Mapping[str, Any]:
    return {"title_text": f"Gap before the observation ({as_label(time_unit(plot.ds))})"}


def _longest(plot: Plot) -> float | None:
    """The longest gap of training, where it lies on the axis."""
    longest, (low, high) = longest_gap(plot.ds), plot.limit("gap")
    return longest if np.isfinite(longest) and low < np.log10(longest) < high else None


by_gap = partial(
    figure,
    instead=lambda ds: WITHOUT_GAP if ds.sizes["observation"] < 2 else "",
    limits={"gap": Quantity(_of_gaps, _wide)},
    over="gap",
    hover="closest",
)


def _gaps(plot: Plot) -> Array:
    """The gap before each observation but the first, which has none."""
    return _after_first(plot.ds["probe_time"].copy(data=gaps_before(plot.ds)))


def _sizes(plot: Plot) -> Array:
    """Jumps by those gaps, without times at which nothing was seen."""
    sizes = finite(plot.now["jump"])
    if "probe_value" in plot.ds:
        sizes = sizes.where(plot.ds["probe_value"].notnull().any("channel"))
    return sizes.isel(observation=slice(1, None))


def _against_gaps(plot: Plot, of: ChannelLike, network: str, hover: str, told: NDArray[Any], size: int) -> Dots:
    style = plot.look_of(network)
    more, marker = {"customdata": told}, {"opacity": 0.85}
    looks: dict[str, Any] = {"name": style.label, "colour": network, "symbol": style.symbol}
    return dots(of, x=_gaps, **looks, size=size, marker=marker, hover=hover, more=more)


def _jumps(plot: Plot) -> Sequence[Dots]:
    hover = "observation %{{customdata}}<br>gap %{{x:.3g}}, jump %{{y:.3g}}<extra>{}</extra>"
    told = plot.ds["observation"].values[1:]
    return [
        _against_gaps(plot, at(_sizes, network=name), name, hover.format(plot.look_of(name).label), told, size=9)
        for name in plot.networks
    ]


def _correlations(plot: Plot) -> Words:
    rows, gaps = _sizes(plot).transpose(..., "observation"), gaps_before(plot.ds)[1:]
    ranks = [rank_correlation(gaps, one) for one in rows.values.reshape(-1, len(gaps))]
    correlations = rows.isel(observation=0).copy(data=np.reshape(ranks, rows.shape[:-1]))
    return plot.each(correlations, _signed, within="Rank correlation with the gap: {}.")


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def rank_correlation(x: NDArray[np.floating], y: NDArray[np.floating]) -> float:
    """Spearman's rank correlation of the pairs without NaN; NaN for fewer than three, or if all x or all y are equal.

    >>> rank_correlation(np.array([1.0, 2.0, 4.0]), np.array([5.0, 6.0, 60.0]))
    1.0
    """
    usable = np.isfinite(x) & np.isfinite(y)
    first, second = _ranks(x[usable]), _ranks(y[usable])
    if usable.sum() < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return round(float(np.corrcoef(first, second)[0, 1]), 12)


def _ranks(values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Ranks from 0, equal values sharing the mean of theirs."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count + 1) / 2)[place])


def _costs(plot: Plot) -> Sequence[Panel]:
    ds = plot.ds
    steps = ds["step_size"].values if "step_size" in ds else np.full(ds.sizes["observation"], np.nan)
    told = np.stack([ds["observation"].values, steps], axis=-1)[1:].astype(np.float32)
    hover = "before observation %{customdata[0]:.0f}<br>gap %{x:.3g}: %{y:.3~g}"
    hover += "<br>steps of %{customdata[1]:.3g}<extra></extra>" if "step_size" in ds else "<extra></extra>"
    count, error = (
        _against_gaps(plot, changed(name, _after_first), "ode_rnn", hover, told, size=10)
        for name in ("interval_evaluations", "interval_error")
    )
    return [panel(count, y=axis("Evaluations")), panel(error, y=axis("Distance"), x=axis(told=_titled))]


def _after_first(values: Array) -> Array:
    return values.isel(observation=slice(1, None)).astype(np.float32)


def _hidden(plot: Plot) -> Words:
    def said(error: Array) -> str:
        count = int(error.isnull().sum())
        return f"Not on the log axis: {count} of {error.size} (exactly 0 or not finite)." if count else ""

    return plot.say(said, positive(as_of(plot, "interval_error")["interval_error"].isel(observation=slice(1, None))))


def _method(plot: Plot) -> str:
    solver_name = setting_of(plot.ds, "solver")
    if solver_name is None:
        return ""
    method = method_of(str(solver_name))
    if method.adaptive:
        return f"{method.words}, tolerance {times(float(setting_of(plot.ds, 'tolerance')))}."
    return f"{method.words}, steps of at most {float(setting_of(plot.ds, 'step_cap')):.3g}."


# A network that knows how things go on is moved less; where jumps grow with the gap, its knowledge runs out. The first
# observation meets an empty state and has no gap.
JUMPS = by_gap(
    "jumps",
    "How much news is an observation?",
    _jumps,
    rule(x=_longest, foot="longest gap in training"),
    needs=("jump", "probe_time"),
    shows="The size of each jump, by the gap before it.",
    x=axis(scale="free", told=lambda plot: {**_gap_axis(plot), **_titled(plot)}),
    y=axis("Size of the jump", "jump", scale="zero"),
    notes=(_correlations,),
    legend="under",
    legend_lines=legend_lines,
)

# The error is the distance between the state at the gap's end and a solution refined in double precision. With one
# step for every gap it grows as a high power of the gap; a cap on the steps makes long gaps cost more instead.
SOLVER = by_gap(
    "solver",
    "What does a long gap cost?",
    _costs,
    rule(x=_longest, foot="longest gap in training"),
    needs=("interval_evaluations", "interval_error", "probe_time"),
    shows="Evaluations of the field in each gap, and the distance from a refined solution.",
    x=axis(scale="free", told=_gap_axis),
    axes=(axis(None, "interval_evaluations", scale="zero"), axis(None, "interval_error", scale="log")),
    notes=(_hidden,),
    lead=_method,
    height=560,
    legend="none",
)
