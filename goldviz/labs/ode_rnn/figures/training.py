"""How well *ODE-RNN*'s networks do over training: errors, bands, loss, gradients."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.figures import along_sequence
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive
from goldviz.labs.ode_rnn.figures.quantities import KINDS, figure, legend_below, lines_of

WORDS_OF_PANEL = 0.14
"""What a line of words takes of a panel's height."""


@figure(
    "Does it know how things go on?",
    needs=("error",),
    shows="The squared error on unseen sequences, after usual and longer gaps.",
    cannot_show="What a step of each network costs.",
)
def error(plot: Plot) -> Figure:
    """Mean squared error of the next value on fixed test sequences: gaps as in training, and longer ones, log axes.

    The dotted line is what forecasting zero scores. A network above it in the lower panel would do better to say
    nothing of gaps that it has not met.
    """
    parts = [("in range", "error", "Gaps as in training")]
    if not plot.lacks("long_gap_error"):
        parts.append(("long gap", "long_gap_error", "Longer gaps than any in training"))
    plot.panels([heading for _, _, heading in parts])
    for row, (_, name, _) in enumerate(parts, start=1):
        plot.curves(positive(plot.thinned(name)), row=row)
    plot.step_grid()
    plot.log_axis("error", "Squared error")
    for row, (horizon, name, _) in enumerate(parts, start=1):
        _zero_line(plot, horizon, row, positive(plot.thinned(name)))
    whole = plot.finish(plot.drawn(), height=600 if len(parts) == 2 else 430)
    return legend_below(whole, lines_of(plot.networks), below_headings=True)


def _zero_line(plot: Plot, horizon: str, row: int, curves: Array) -> None:
    """The line of forecasting zero, its words on the side where fewer curves pass."""
    value = float("nan") if plot.lacks("zero_error") else float(plot.ds["zero_error"].sel(horizon=horizon))
    if not (np.isfinite(value) and value > 0):
        return
    ink = plot.ink
    plot.figure.add_hline(y=value, row=row, line={"color": ink.muted, "width": 1.5, "dash": "dot"})
    axis = "" if row == 1 else str(row)
    low, high = plot.limit("error")
    steps = curves.dims[0]
    under = np.log10(curves.isel({steps: slice(curves.sizes[steps] // 2, None)}).values) - np.log10(value)
    room = WORDS_OF_PANEL * (high - low)
    above, below = ((under > 0) & (under < room)).sum(), ((under < 0) & (under > -room)).sum()
    plot.figure.add_annotation(
        text=f"predicting zero: {value:.3g}",
        x=1,
        xref="x domain",
        xanchor="right",
        y=np.log10(value),
        yref=f"y{axis}",
        yanchor="bottom" if above <= below else "top",
        font={"size": 13, "color": ink.muted},
        bgcolor=look.with_alpha(ink.background, 0.75),
        borderpad=1,
    )


@figure(
    "Are the bands honest?",
    needs=("coverage",),
    shows="The share of unseen values inside the 90 % band.",
    cannot_show="Where they fail.",
)
def coverage(plot: Plot) -> Figure:
    """Share of test values that fall inside the forecast's 90 % band, over training, with the line at 90 %.

    Below the line a network is surer than it may be; above it, its bands say less than it knows.
    """
    plot.curves(finite(plot.thinned("coverage")), hover="%{y:.1%}")
    plot.step_grid()
    plot.linear_axis("coverage", "Share inside", tickformat=".0%")
    plot.reference(0.9, "90 % promised", x=0)
    return legend_below(plot.finish(plot.drawn()), lines_of(plot.networks))


gradient_by_observation = along_sequence.state_gradient.of(
    figure,
    KINDS,
    "gradient_by_observation",
    shows="How long dL/dh is after each observation.",
)
"""Through each jump (document 001, eq. 33), and in the ODE-RNN also back through the flow between two (eq. 32)."""
