"""What training does over the epochs: the loss, and what depth does to it."""

from __future__ import annotations

from goldviz.diagnostics.findings import times
from goldviz.figures.draft import Figure
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive
from goldviz.figures.smoothed import smoothed_curves
from goldviz.labs.depth_gradients.figures.quantities import figure


@figure("Do the networks learn?", needs=("loss",),
        shows="The training loss over the epochs, and the test loss at the end beside that of predicting zero.",
        cannot_show="Equal settings are not a fair contest: each network may want a learning rate of its "
        "own.")  # fmt: skip
def loss(plot: Plot) -> Figure:
    """Training loss over the epochs; after training, the test loss at the right, beside that of predicting zero.

    A curve that ends on the line of predicting zero has learned nothing that it can use on new samples.
    """
    smoothing = smoothed_curves(plot, "loss")
    tested = plot.test_losses()
    plot.step_grid()
    plot.loss_axis("loss", "Mean squared error")
    if not plot.lacks("zero_loss"):
        zero = float(finite(plot.ds["zero_loss"]).median())
        plot.reference(zero, f"predicting zero: {zero:.3f}", x=0)
    return plot.finish(smoothing, tested, plot.drawn())


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
