"""What training does over the epochs: the loss, and what depth does to it."""

from __future__ import annotations

from goldviz.diagnostics.findings import times
from goldviz.figures.draft import Figure
from goldviz.figures.plot import Plot, unless
from goldviz.figures.reading import finite, positive
from goldviz.figures.smoothed import behind, smoothed_curves
from goldviz.labs.depth_gradients.figures.quantities import figure


@figure(
    "Do the networks learn?",
    needs=("loss",),
    shows="The loss on unseen samples, beside always answering 0. Thin: the training loss.",
)
def loss(plot: Plot) -> Figure:
    """Loss on unseen samples over the epochs, the training loss thin behind it.

    A curve that ends on the line of predicting zero has learned nothing that it can use on new samples. Runs that
    recorded the training loss alone show it, with the test loss at the end.
    """
    notes = [smoothed_curves(plot, "loss"), plot.test_losses()] if plot.lacks("evaluation_loss") else [_unseen(plot)]
    plot.step_grid()
    plot.loss_axis("loss", "Mean squared error")
    if not plot.lacks("zero_loss"):
        zero = float(finite(plot.ds["zero_loss"]).median())
        plot.reference(zero, f"always 0: {zero:.2f}")
    return plot.finish(*notes, plot.drawn())


def _unseen(plot: Plot) -> str:
    """Draw what the networks make of unseen samples, over what they were trained on."""
    plot.curves(finite(plot.thinned("evaluation_loss")), hover="%{y:.4f}")
    behind(plot, finite(plot.ds["loss"]))
    return "Thin: training loss."


@figure(
    "Does depth help training?",
    instead=unless(
        "This run trained one depth: set Shallower above 0, as ‘32 layers: the residual network learns’ does.",
        "loss_by_depth",
    ),
    shows="The training loss of both networks at several depths.",
    cannot_show="Whether a deeper network wants another learning rate, or longer training.",
)
def loss_by_depth(plot: Plot) -> Figure:
    """Training loss against depth at one epoch (document 001, section 3.1), for the plain and the residual network.

    A deeper network could copy a shallower one and hand its output on, so a curve that rises is a matter of training,
    not of what the network can represent: degradation (He et al. 2016).
    """
    losses = positive(plot.now["loss_by_depth"])
    plot.curves(losses, hover="%{y:.4f}")
    plot.number_axis("trained_depth", "Layers", "%{x} layers")
    depths = plot.ds["trained_depth"].values
    plot.figure.update_xaxes(tickmode="array", tickvals=depths, ticktext=[str(depth) for depth in depths])
    plot.log_axis("loss_by_depth", "Training loss")
    deepest = (losses.isel(trained_depth=-1) / losses.min("trained_depth")).median("seed")
    answer = plot.each(deepest, times, within="Loss of the deepest over the best: {}.")
    return plot.finish(answer, plot.drawn(plot.step_in_words()))
