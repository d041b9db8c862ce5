"""What training does over the epochs: the loss, and the size of the steps."""

from __future__ import annotations

import numpy as np

from goldviz.diagnostics.findings import times
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.frames import Words
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive, single
from goldviz.labs.depth_gradients.figures.quantities import figure, layer_ticks

MOST_LINES = 20


@figure("Do the networks learn?", needs=("loss",),
        shows="The training loss over the epochs, and the test loss at the end beside that of predicting zero.",
        cannot_show="Equal settings are not a fair contest: each network may want a learning rate of its "
        "own.")  # fmt: skip
def loss(plot: Plot) -> Figure:
    """Training loss over the epochs; after training, the test loss at the right, beside that of predicting zero.

    A curve that ends on the line of predicting zero has learned nothing that it can use on new samples.
    """
    plot.curves(finite(plot.thinned("loss")), hover="%{y:.4f}")
    tested = plot.test_losses()
    plot.step_grid()
    plot.loss_axis("loss", "Mean squared error")
    if not plot.lacks("zero_loss"):
        zero = float(finite(plot.ds["zero_loss"]).median())
        plot.reference(zero, f"predicting zero: {zero:.3f}", x=0)
    return plot.finish(tested, plot.drawn())


@figure("Does depth help training?",
        shows="The training loss of both networks at several depths, trained alike and beside one another.",
        cannot_show="A depth that trains worse may want another learning rate, or longer training.")  # fmt: skip
def loss_by_depth(plot: Plot) -> Figure:
    """Training loss against depth at one epoch (document 001, section 3.1), for the plain and the residual network.

    A deeper network could copy a shallower one and hand its output on, so a curve that rises is a matter of training,
    not of what the network can represent: degradation (He et al. 2016).
    """
    if "loss" in plot.ds and "loss_by_depth" not in plot.ds:
        return plot.instead(
            "This run trained one depth. Set Shallower above 0, or start from ‘Break it: deeper is worse’."
        )
    if words := plot.lacks("loss_by_depth"):
        return plot.instead(words)
    losses = positive(plot.now["loss_by_depth"])
    plot.curves(losses, hover="%{y:.4f}")
    plot.number_axis("trained_depth", "Layers", "%{x} layers")
    depths = plot.ds["trained_depth"].values
    plot.figure.update_xaxes(tickmode="array", tickvals=depths, ticktext=[str(depth) for depth in depths])
    plot.log_axis("loss_by_depth", "Training loss")
    deepest = (losses.isel(trained_depth=-1) / losses.min("trained_depth")).median("seed")
    answer = plot.each(deepest, times, within="Loss of the deepest over the best: {}.")
    return plot.finish(answer, plot.drawn(plot.when("Epoch {}.")))


@figure("Are the steps the right size?", needs=("update_to_data",),
        shows="How large each step is beside the weights that it changes, layer by layer.",
        cannot_show="The line at 10⁻³ is a rule of thumb: a good ratio does not prove that the steps go the right "
        "way.")  # fmt: skip
def update_to_data(plot: Plot) -> Figure:
    """Spread of each step over the spread of the weights it changes, by layer, over the epochs, on a log axis.

    Near 10^-3 is the usual advice; far below, a layer hardly moves; far above, each step overwrites the weights.
    """
    ds = plot.ds
    layers = np.unique(np.linspace(0, ds.sizes["layer"] - 1, MOST_LINES).round().astype(int))
    ratios = positive(plot.thinned("update_to_data").isel(layer=layers)).median("seed")
    plot.panel_per_network()
    for row, network in enumerate(plot.networks, start=1):
        curves = single(ratios.sel(network=network).transpose("layer", "epoch").values)
        colours = look.depth_colours(len(layers), plot.theme)
        for colour, layer, curve in zip(colours, ratios["layer"].values, curves, strict=True):
            line = Scatter(
                x=ratios["epoch"].values, y=curve, mode="lines" if len(curve) > 1 else "markers",
                line={"color": colour, "width": 1.8}, showlegend=False, name=f"layer {layer}",
                hovertemplate=f"epoch %{{x}}, layer {layer}<br>%{{y:.2e}}<extra></extra>",
            )  # fmt: skip
            plot.add(line, row=row)
    carrier = Scatter(x=[None], y=[None], mode="markers", marker={"color": [0], "coloraxis": "coloraxis"})
    plot.add(carrier.update(showlegend=False, hoverinfo="skip"), row=1)
    plot.log_axis("update_to_data", "Ratio")
    plot.step_axis()
    plot.reference(1e-3, "10⁻³: usual advice")
    some = f"{len(layers)} of {ds.sizes['layer']} layers are drawn." if len(layers) < ds.sizes["layer"] else ""
    plot.finish(_typical(plot), plot.drawn(some), height=580, legend=False, hover="closest")
    ends = (int(ds["layer"].min()), int(ds["layer"].max()))
    colour_bar_below(plot.figure, ends, look.depth_colourscale(plot.theme), "Layer", **layer_ticks(ds, ends))
    return plot.figure


def _typical(plot: Plot) -> Words:
    middle = positive(plot.now["update_to_data"]).median(["seed", "layer"])
    return plot.each(middle, times, between=": ", after="; ", within="Median of the layers at epoch {step}, {}.")
