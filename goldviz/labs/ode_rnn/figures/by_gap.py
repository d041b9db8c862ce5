"""What each gap of *ODE-RNN*'s probe sequence costs: the jump at its end, the solver's work and its error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import times
from goldviz.figures.draft import Figure
from goldviz.figures.frames import line
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive, single
from goldviz.figures.theme import style_of
from goldviz.labs.ode_rnn.choices import method_of
from goldviz.labs.ode_rnn.figures.quantities import (
    as_of,
    figure,
    gaps_before,
    legend_below,
    lines_of,
    longest_gap,
    setting_of,
    step_in_words,
    time_unit,
)

WITHOUT_GAP = "One observation alone has no gap before it."


@figure(
    "How much news is an observation?",
    needs=("jump", "probe_time"),
    shows="The size of each jump, by the gap before it.",
)
def jumps(plot: Plot) -> Figure:
    """How far each observation of the probe sequence moves the state, by the gap before it, at one look.

    A network that knows how things go on is moved less; where jumps grow with the gap, its knowledge runs out. The
    first observation meets an empty state and has no gap: it is left out, and so are times at which nothing was seen.
    """
    ds = plot.ds
    gaps = gaps_before(ds)[1:]
    if not gaps.size:
        return plot.instead(WITHOUT_GAP)
    sizes = finite(as_of(plot, "jump")["jump"])
    if "probe_value" in ds:
        sizes = sizes.where(ds["probe_value"].notnull().any("channel"))
    sizes = sizes.isel(observation=slice(1, None))
    for name in plot.networks:
        style = style_of(name)
        plot.figure.scatter(
            x=single(gaps),
            y=plot.at_step(sizes.sel(network=name)),
            mode="markers",
            name=style.label,
            customdata=ds["observation"].values[1:],
            marker={"symbol": style.symbol, "size": 9, "color": style.colour, "opacity": 0.85},
            hovertemplate=f"observation %{{customdata}}<br>gap %{{x:.3g}}, jump %{{y:.3g}}<extra>{style.label}</extra>",
        )
    _gap_axis(plot)
    _mark_longest(plot)
    plot.linear_axis("jump", "Size of the jump")
    rows = sizes.transpose(..., "observation")
    ranks = [rank_correlation(gaps, one) for one in rows.values.reshape(-1, len(gaps))]
    correlations = rows.isel(observation=0).copy(data=np.reshape(ranks, rows.shape[:-1]))
    answer = plot.each(correlations, _signed, within="Rank correlation with the gap: {}.")
    return legend_below(plot.finish(answer, step_in_words(plot), hover="closest"), lines_of(plot.networks))


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


@figure(
    "What does a long gap cost?",
    needs=("interval_evaluations", "interval_error", "probe_time"),
    shows="Evaluations of the field in each gap, and the distance from a refined solution.",
)
def solver(plot: Plot) -> Figure:
    """Evaluations of the field in each gap of the probe sequence, and the error they leave, by the gap, at one look.

    The error is the distance between the state at the gap's end and a solution refined in double precision. With one
    step for every gap it grows as a high power of the gap; a cap on the steps makes long gaps cost more instead.
    """
    ds = plot.ds
    gaps = gaps_before(ds)[1:]
    if not gaps.size:
        return plot.instead(WITHOUT_GAP)
    plot.panels(["Evaluations of the field", "Distance from a refined solution"])
    style = style_of("ode_rnn")
    now = as_of(plot, "interval_evaluations", "interval_error").isel(observation=slice(1, None))
    count, error = now["interval_evaluations"].astype(np.float32), positive(now["interval_error"])
    step = now["step_size"].values if "step_size" in now else np.full(len(gaps), np.nan)
    hover = np.stack([now["observation"].values, step], axis=-1).astype(np.float32)
    step_words = "<br>steps of %{customdata[1]:.3g}" if "step_size" in now else ""
    for row, values in enumerate((count, error), start=1):
        plot.figure.scatter(
            x=single(gaps),
            y=plot.at_step(values),
            mode="markers",
            name=style.label,
            customdata=hover,
            marker={"symbol": style.symbol, "size": 10, "color": style.colour, "opacity": 0.85},
            hovertemplate="before observation %{customdata[0]:.0f}<br>gap %{x:.3g}: %{y:.3~g}"
            + step_words
            + "<extra></extra>",
            row=row,
        )
    _gap_axis(plot, row=2)
    plot.linear_axis("interval_evaluations", "Evaluations", row=1)
    plot.log_axis("interval_error", "Distance", row=2)
    _mark_longest(plot)
    notes = [line(_method(ds), step_in_words(plot)), plot.say(_hidden, error)]
    plot.finish(*notes, height=560, legend=False, hover="closest")
    return plot.figure.update_layout(margin_t=plot.figure.layout.margin.t + 18)


def _hidden(error: Array) -> str:
    count = int(error.isnull().sum())
    return f"Not on the log axis: {count} of {error.size} (exactly 0 or not finite)." if count else ""


def _method(ds: Run) -> str:
    solver_name = setting_of(ds, "solver")
    if solver_name is None:
        return ""
    method = method_of(str(solver_name))
    if method.adaptive:
        return f"{method.words}, tolerance {times(float(setting_of(ds, 'tolerance')))}."
    return f"{method.words}, steps of at most {float(setting_of(ds, 'step_cap')):.3g}."


def _gap_axis(plot: Plot, row: int | None = None) -> None:
    low, high = plot.limit("gap")
    places = [step * 10.0**decade for decade in range(int(np.floor(low)), int(np.ceil(high)) + 1) for step in (1, 2, 5)]
    ticks = [place for place in places if low <= np.log10(place) <= high]
    plot.figure.update_xaxes(type="log", range=(low, high), tickvals=ticks, ticktext=[f"{place:g}" for place in ticks])
    plot.link("x", "gap")
    plot.figure.update_xaxes(title_text=f"Gap before the observation ({as_label(time_unit(plot.ds))})", row=row)


def _mark_longest(plot: Plot) -> None:
    """An upright line at the longest gap of training, where it lies on the axis."""
    longest, (low, high) = longest_gap(plot.ds), plot.limit("gap")
    if not (np.isfinite(longest) and low < np.log10(longest) < high):
        return
    plot.figure.add_vline(x=longest, line={"color": plot.ink.muted, "width": 1.5, "dash": "dot"})
    plot.figure.add_annotation(
        text="longest gap in training",
        x=np.log10(longest),
        y=0,
        yref="y domain",
        yanchor="bottom",
        xanchor="right",
        font={"size": 13, "color": plot.ink.muted},
    )
