"""What training does in *Continuous depth*, step by step: loss, gradient, evaluations, the field itself."""

from __future__ import annotations

from goldviz.diagnostics.findings import SATURATED, percent
from goldviz.figures.draft import Figure
from goldviz.figures.elements import legend_above_headings
from goldviz.figures.plot import Plot
from goldviz.figures.reading import averaged, finite, positive
from goldviz.labs.continuous_depth.figures.quantities import ORDER_KEPT, figure, is_regression


@figure(
    "Is it learned, and is it a flow?",
    needs=("loss",),
    shows="The loss, and that of the same weights with the field followed exactly.",
)
def loss(plot: Plot) -> Figure:
    """Loss on unseen points over the steps, and dotted the loss of the same weights with the field followed exactly.

    Where the two part, the network has learned its solver's steps and not a flow. Thin: the training loss.
    """
    ds = plot.ds
    curves = positive(plot.averaged("loss"))
    has_test = not plot.lacks("test_loss")
    for network in plot.networks:
        style, middle = plot.look_of(network), curves.sel(network=network).median("seed")
        plot.figure.scatter(
            x=middle["step"].values,
            y=middle.values,
            name=f"{style.label}, training",
            mode="lines",
            legendgroup=network,
            showlegend=not has_test,
            opacity=0.45,
            hovertemplate="%{y:.4f}",
            line={"color": style.colour, "width": 1.2},
        )
        if has_test:
            plot.curve(positive(ds["test_loss"].sel(network=network)), network, hover="%{y:.4f}")
        if not plot.lacks("refined_test_loss"):
            exact = positive(ds["refined_test_loss"].sel(network=network))
            plot.line(exact, network, "exact flow", hover="%{y:.4f}", width=2)
    plot.step_grid()
    plot.log_axis("loss", "Loss")
    if is_regression(ds):
        plot.reference(ORDER_KEPT, "1/3: best that keeps the order")
    key = "Lines: unseen points. Dotted: exact flow." if has_test else ""
    return plot.finish(key, plot.drawn("Thin: training." if has_test else ""))


@figure(
    "What does the solver pay?",
    needs=("evaluations_forward", "evaluations_backward"),
    shows="How often a step asks for the field, forward and back.",
)
def evaluations(plot: Plot) -> Figure:
    """How often each step asked for the field, on the way forward and on the way back.

    An adaptive solver takes more steps where the field bends more, so the count tells how hard the flow has become. The
    way back through the solver asks for nothing: its steps were kept. The adjoint solves an equation of its own.
    """
    forward = plot.averaged("evaluations_forward")
    back, _ = averaged(plot.ds["evaluations_backward"], "step")
    any_evaluation = False
    for network in plot.networks:
        style = plot.look_of(network)
        plot.curve(forward.sel(network=network), network, hover="%{y:.0f}")
        own = back.sel(network=network)
        if bool((own > 0).any()):
            any_evaluation = True
            plot.figure.scatter(
                x=own["step"].values,
                y=own.median("seed").values,
                name=f"{style.label}, back",
                mode="lines",
                line={"color": style.colour, "dash": "dot", "width": 2},
                hovertemplate="back %{y:.0f}",
            )
    plot.step_grid()
    low, high = plot.limit("evaluations")
    plot.figure.update_yaxes(title_text="Evaluations of the field", range=(max(low, -0.02 * high), high))
    way = "" if any_evaluation else "Back: none."
    return plot.finish(plot.drawn(way))


@figure(
    "Does the field grow stiff?",
    needs=("field_stiffness", "field_saturation"),
    shows="How much the field stretches along the paths, and its saturated units.",
)
def field(plot: Plot) -> Figure:
    """The largest stretch |df/dh| along the paths, and the share of tanh units on a flat part, over training.

    Explicit solvers need steps of about one over the stretch, so a stiff field costs evaluations. A saturated unit
    passes almost no gradient.
    """
    plot.panels(["Largest stretch |df/dh| on the paths", "Tanh units on a flat part, |a| > 0.97"])
    plot.curves(positive(plot.thinned("field_stiffness")), row=1)
    plot.curves(finite(plot.thinned("field_saturation")), hover="%{y:.1%}", row=2)
    plot.step_grid()
    plot.log_axis("stiffness", "Stretch", row=1)
    plot.figure.update_yaxes(title_text="Share", tickformat=".0%", tickvals=[0, 0.5, 1], range=(-0.06, 1.06), row=2)
    line = {"color": plot.ink.muted, "width": 1.5, "dash": "dot"}
    plot.figure.add_hline(y=SATURATED, line=line, row=2, col=1)
    return legend_above_headings(plot.finish(plot.drawn(f"Dotted: {percent(SATURATED)}."), height=560))
