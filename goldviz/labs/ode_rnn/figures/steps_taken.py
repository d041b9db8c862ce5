"""Whether *ODE-RNN*'s solver is good enough for its field: refined errors, evaluations, stiffness, saturation."""

from __future__ import annotations

from goldviz.figures.draft import Figure
from goldviz.figures.elements import MARKERS_UP_TO
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive
from goldviz.labs.ode_rnn.figures.quantities import figure, legend_below, refined_ratio


@figure(
    "Is it an ODE that was learned, or the solver's map?",
    title="Is it an ODE that was learned?",
    needs=("refined_error", "error"),
    shows="The error with these steps and with steps four times as fine.",
    cannot_show="Which is nearer to the truth.",
)
def consistency(plot: Plot) -> Figure:
    """The ODE-RNN's error with the steps of training and with steps four times as fine, over training, and their ratio.

    If refining the steps changes the error by more than a tenth, the network has learned its solver's map and not an
    ODE (document 001, eq. 31-32).
    """
    plot.panels(["Error of the next value", "Refined error / error"])
    plot.curve(positive(plot.thinned("error").sel(network="ode_rnn")), "ode_rnn", row=1, hover="as trained %{y:.3~g}")
    refined_error = positive(plot.thinned("refined_error"))
    looks, style = refined_error["look"].values, plot.look_of("ode_rnn")
    plot.figure.scatter(
        x=looks,
        y=refined_error.median("seed").values,
        name="steps four times as fine",
        mode="lines+markers" if len(looks) <= MARKERS_UP_TO else "lines",
        line={"color": style.colour, "dash": "dot", "width": 2},
        marker={"symbol": "circle-open", "size": 9},
        hovertemplate="refined %{y:.3~g}",
        row=1,
    )
    plot.curve(positive(refined_ratio(plot.ds)).sel(look=looks), "ode_rnn", row=2)
    plot.step_grid()
    plot.log_axis("consistency", "Squared error", row=1)
    plot.log_axis("refined_ratio", "Ratio", row=2)
    for line in (1.1, 1 / 1.1):
        plot.figure.add_hline(y=line, row=2, line={"color": plot.ink.muted, "width": 1.5, "dash": "dot"})
    whole = plot.finish(plot.drawn("Dotted: ±10 %."), height=560)
    return legend_below(whole, 2, below_headings=True)


@figure(
    "Does the field grow stiff?",
    needs=("evaluations",),
    shows="Evaluations a step, how much the field stretches, and its saturated units.",
)
def evaluations(plot: Plot) -> Figure:
    """Evaluations of the field in each step, its largest stretching along the paths, and its saturated units.

    A solver that chooses its own steps takes more as the field grows stiff; one with fixed steps pays no more and errs.
    """
    has_looks = not plot.lacks("field_stiffness", "field_saturation")
    headings = ["Evaluations for a batch, forward"]
    headings += ["Spectral norm of df/dh, largest", "Share of saturated units"] if has_looks else []
    plot.panels(headings)
    plot.curve(plot.averaged("evaluations"), "ode_rnn", row=1, legend=False)
    thinning = plot.drawn()
    plot.linear_axis("evaluations", "Evaluations", row=1)
    if has_looks:
        plot.curve(positive(plot.thinned("field_stiffness")), "ode_rnn", row=2)
        plot.curve(finite(plot.thinned("field_saturation")), "ode_rnn", row=3, hover="%{y:.1%}")
        plot.log_axis("stiffness", "Norm", row=2)
        plot.linear_axis("saturation", "Share", tickformat=".0%", row=3)
    plot.step_grid()
    whole = plot.finish(thinning, height=620 if has_looks else 400, legend=False)
    return whole.update_layout(margin_t=whole.layout.margin.t + 14)
