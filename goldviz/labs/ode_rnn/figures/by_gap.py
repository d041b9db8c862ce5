"""What each gap of *ODE-RNN*'s probe sequence costs: the jump at its end, the solver's work and its error."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import times
from goldviz.figures.chart import Channel, Panel, axis, changed, dots, figure, panel, rule
from goldviz.figures.frames import Words
from goldviz.figures.limits import Quantity, Values
from goldviz.figures.market import counting_log_axis
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive, setting_of
from goldviz.figures.theme import style_of
from goldviz.labs.ode_rnn.choices import method_of
from goldviz.labs.ode_rnn.figures.probe import as_of, gaps_before, legend_lines, longest_gap, time_unit

WITHOUT_GAP = "One observation alone has no gap before it."
SOLID = {"opacity": 0.85}


def _of_gaps(ds: Run) -> Values:
    gaps = gaps_before(ds) if ds.sizes.get("observation") and "probe_time" in ds else np.array([])
    return np.asarray(np.log10(gaps[gaps > 0]))


def _wide(low: float, high: float) -> tuple[float, float]:
    """Log10 limits with room for whole markers, half a decade apart at least."""
    room = max(0.06 * (high - low), (0.5 - (high - low)) / 2)
    return low - room, high + room


def _gap_axis(plot: Plot) -> Mapping[str, Any]:
    low, high = plot.limit("gap")
    title = {"title_text": f"Gap before the observation ({time_unit(plot.ds)})"}
    return {**counting_log_axis(10**low, 10**high), "range": (low, high), **title}


def _longest(plot: Plot) -> float | None:
    """The longest gap of training, where it lies on the axis."""
    longest, (low, high) = longest_gap(plot.ds), plot.limit("gap")
    return longest if np.isfinite(longest) and low < np.log10(longest) < high else None


LONGEST = rule(x=_longest, foot="longest gap in training")
by_gap = partial(
    figure,
    instead=lambda ds: WITHOUT_GAP if ds.sizes["observation"] < 2 else "",
    limits={"gap": Quantity(_of_gaps, _wide)},
    over="gap",
    x=axis("Gap before the observation", scale="free", told=_gap_axis),
    hover="closest",
)


def _after_first(values: Array) -> Array:
    """Without the first observation, which has no gap before it."""
    return values.isel(observation=slice(1, None)).astype(np.float32)


def _gaps(plot: Plot) -> Array:
    return _after_first(plot.ds["probe_time"].copy(data=gaps_before(plot.ds)))


def _sizes(plot: Plot) -> Array:
    """Jumps, without times at which nothing was seen."""
    sizes = finite(plot.now["jump"])
    if "probe_value" in plot.ds:
        sizes = sizes.where(plot.ds["probe_value"].notnull().any("channel"))
    return sizes.isel(observation=slice(1, None))


def _correlations(plot: Plot) -> Words:
    rows, gaps = _sizes(plot).transpose(..., "observation"), gaps_before(plot.ds)[1:]
    ranks = [rank_correlation(gaps, one) for one in rows.values.reshape(-1, len(gaps))]
    correlations = rows.isel(observation=0).copy(data=np.reshape(ranks, rows.shape[:-1]))
    signed = lambda value: f"{value:+.2f}".replace("-", "−")  # noqa: E731
    return plot.each(correlations, signed, within="Rank correlation with the gap: {}.")


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


def _told(plot: Plot) -> Mapping[str, Any]:
    """Which observation, and, of edited ones, how long the solver's steps before it were."""
    numbers = plot.ds["observation"].values[1:].tolist()
    steps = plot.ds["step_size"].values[1:].tolist() if "step_size" in plot.ds else []
    words = [f"<br>steps of {step:.3g}" for step in steps] or [""] * len(numbers)
    return {"customdata": [*zip(numbers, words, strict=True)]}


def _cost(name: str, title: str) -> Panel:
    style = style_of("ode_rnn")
    look: dict[str, Any] = {"name": style.label, "colour": "ode_rnn", "symbol": style.symbol, "size": 10}
    hover = "before observation %{customdata[0]}<br>gap %{x:.3g}: %{y:.3~g}%{customdata[1]}<extra></extra>"
    return panel(
        dots(changed(name, _after_first), x=_gaps, marker=SOLID, hover=hover, more=_told, **look), y=axis(title)
    )


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
    dots(
        Channel("jump", _sizes, _sizes),
        x=_gaps,
        by="network",
        size=9,
        marker=SOLID,
        hover="observation %{customdata}<br>gap %{x:.3g}, jump %{y:.3g}",
        more=lambda plot: {"customdata": plot.ds["observation"].values[1:]},
    ),
    LONGEST,
    needs=("jump", "probe_time"),
    notes=(_correlations,),
    legend="under",
    legend_lines=legend_lines,
)

# The error is the distance between the state at the gap's end and a solution refined in double precision. With one
# step for every gap it grows as a high power of the gap; a cap on the steps makes long gaps cost more instead.
SOLVER = by_gap(
    "solver",
    "What does a long gap cost?",
    _cost("interval_evaluations", "Evaluations"),
    _cost("interval_error", "Distance"),
    LONGEST,
    needs=("interval_evaluations", "interval_error", "probe_time"),
    notes=(_hidden,),
    lead=_method,
    height=560,
    legend="none",
)
