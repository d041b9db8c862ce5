"""Gradients against depth: norms by layer, norms over time, decay rates, and the factor of each block."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.diagnostics.findings import times
from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.elements import number_ticks, unseen, whole
from goldviz.figures.frames import Words, line
from goldviz.figures.plot import Plot, unless_zero
from goldviz.figures.reading import finite, first_below_highest, positive
from goldviz.figures.training_steps import clip_of
from goldviz.labs.depth_gradients.figures.quantities import decay_between_hidden, figure, layer_ticks
from goldviz.labs.depth_gradients.figures.quantities import gradient_factor as measured_factor

of_norms = partial(
    figure,
    needs=("gradient_norm",),
    instead=unless_zero("gradient_norm", "Every gradient recorded so far is exactly 0: no weight is told to move."),
)


@of_norms(
    "Does the gradient reach the first layer?",
    title="Does the gradient reach layer 1?",
    shows="The gradient's length at each weight matrix, now and on average.",
    cannot_show="Whether gradients point the right way.",
)
def gradient_by_layer(plot: Plot) -> Figure:
    """Norm of the gradient of every weight matrix at one epoch, on a log axis (document 001, eq. 27, Annex 5.3).

    A flat curve means that every layer is told about as loudly what to change; a curve that falls towards the
    input means that the first layers hardly learn. Dotted: the mean over the epochs so far, the document's metric.
    """
    now, so_far = plot.now["gradient_norm"].astype(np.float64), positive(plot.mean_so_far("gradient_norm"))
    plot.curves(positive(now), hover="%{y:.3e}")
    plot.lines(so_far, plot.when("mean of epochs 1 to {}"), hover="%{y:.3e}")
    _layer_axis(plot, "Layer")
    plot.log_axis("gradient_norm", "Norm of dL/dW")
    clip, (low, high) = clip_of(plot.ds), plot.limit("gradient_norm")
    if clip and low < np.log10(clip) < high:
        plot.reference(float(clip), f"all together are clipped at {clip:.3g}")
    dotted_words = line(plot.step_in_words(), "Dotted: mean so far.")
    zero_note = unseen(now, "layer")
    return plot.finish(_reach(plot, now), plot.drawn(dotted_words), zero_note)


def _layer_axis(plot: Plot, title: str) -> None:
    ends = plot.limit("layer")
    plot.figure.update_xaxes(title_text=title, range=ends, **layer_ticks(plot.ds, ends))
    plot.figure.update_xaxes(unifiedhovertitle_text="layer %{x}")
    plot.link("x", "layer")


def _reach(plot: Plot, now: Array) -> Words:
    """The answer: how much smaller the gradient is at layer 1 than where it is largest."""
    hidden = now.sel(layer=slice(1, None))
    if hidden.sizes["layer"] < 2:
        return ""
    return plot.each(first_below_highest(hidden, "layer"), times, within="Largest norm / layer 1's: {}.")


@of_norms(
    "When does the gradient fade, and where?",
    title="When does the gradient fade?",
    shows="The same lengths for every epoch, in the same colours.",
)
def gradient_heat_map(plot: Plot) -> Figure:
    """Norm of every weight matrix's gradient over the whole run, as log10 colour, one panel for each network.

    A dark bottom that spreads is a gradient that fades; the same colours hold for both networks. Grey: exactly
    zero, or not a finite number.
    """
    ticks = layer_ticks(plot.ds, plot.limit("layer"))
    hover = "epoch %{x}, layer %{y}<br>norm 10<sup>%{z:.2f}</sup>"
    return plot.log_map("gradient_norm", "layer", hover, "Norm of dL/dW", height=560, title="Layer", **ticks)


@figure(
    "Where does the gradient shrink?",
    needs=("decay_rate",),
    shows="By how much the gradient shrinks or grows from one layer to the one below.",
)
def decay_rate(plot: Plot) -> Figure:
    """log ||g_(l+1)|| - log ||g_l|| of neighbouring hidden layers' weight matrices (Annex 5.3), in nats, by layer l.

    Above zero the gradient shrinks on its way back from layer l+1 to l, below zero it grows. Constant values
    above zero add up to an exponential fall.
    """
    rates = finite(decay_between_hidden(plot.ds, plot.now["decay_rate"]))
    if rates.sizes["layer"] == 0:
        return plot.instead("One hidden layer has no neighbour to compare with.")
    plot.curves(rates, hover="%{y:.3f} nat")
    _layer_axis(plot, "From the layer above, back to layer")
    plot.linear_axis("decay_rate", "Decay rate (nat)")
    plot.reference(0, "0: neither shrinks nor grows")
    return plot.finish(plot.drawn(plot.step_in_words()))


@figure(
    "What does each block do to the gradient on its way back?",
    title="What does each block keep?",
    needs=("hidden_gradient_norm",),
    shows="Each block's factor, beside its Jacobian's average gain (document 001, eq. 27, 48).",
)
def gradient_factor(plot: Plot) -> Figure:
    """Measured ||dL/dh_(l-1)|| / ||dL/dh_l|| beside the root-mean-square gain of dh_l/dh_(l-1) (eq. 27, 45-48).

    For a residual block that Jacobian is I + dF/dh, and its gain stays near 1; for a plain one it is dF/dh alone.
    Where the two curves part, the gradient points along directions that the block treats unlike the average.
    """
    ds = plot.ds
    if ds.sizes["hidden"] < 2:
        return plot.instead("There is no block: the network has one hidden state.")
    missing = plot.lacks("jacobian_gain")
    norms, dim = plot.now["hidden_gradient_norm"], "epoch"
    if not missing and not np.isin(plot.now["jacobian_gain"]["histogram_epoch"].values, ds["epoch"].values).all():
        missing = "The gain was measured at no epoch that is here."
    if not missing:
        dim = "histogram_epoch"
        gains = plot.now["jacobian_gain"]
        norms = ds["hidden_gradient_norm"].sel(epoch=gains[dim].values).rename(epoch=dim)
    plot.curves(measured_factor(norms), hover="measured %{y:.3f}")
    for network in plot.networks if not missing else ():
        _add_predicted(plot, network, gains.sel(network=network))
    _block_axis(plot)
    plot.log_axis("gradient_factor", "Factor, from h(l) to h(l−1)")
    plot.reference(1, "1: nothing lost")
    key = "Filled: measured. Open: RMS gain of dh(l)/dh(l−1)."
    return plot.finish(missing or key, plot.drawn(plot.step_in_words(dim)))


def _block_axis(plot: Plot) -> None:
    ends = plot.limit("block")
    plot.figure.update_xaxes(
        title_text="Block l", unifiedhovertitle_text="block %{x}", range=ends, **number_ticks(*whole(ends), {})
    )
    plot.link("x", "layer")


@figure(
    "How far does each block move the state?",
    title="Does a block refine or replace?",
    needs=("state_change",),
    instead=unless_zero("weight_norm", "Every weight is exactly 0, so every state is: a block moves it by no share."),
    shows="How far each block moves its state, as a share of its length.",
)
def state_change(plot: Plot) -> Figure:
    """||h_l - h_(l-1)|| / ||h_(l-1)|| by block l, without dropout and noise (document 001, 3.1.1).

    Of a residual block that is its branch beside its input, ||s F(h)|| / ||h||; near 0 it keeps what it was given.
    A plain block that replaces its input by something unrelated moves it by about its own length or more.
    """
    changes = plot.now["state_change"]
    plot.curves(positive(changes), hover="%{y:.1%} of its length")
    _block_axis(plot)
    plot.log_axis("state_change", "Move, as a share of the state")
    plot.reference(1, "1: as far as the state is long")
    return plot.finish(plot.drawn(plot.step_in_words("histogram_epoch")))


def _add_predicted(plot: Plot, network: str, gain: Array) -> None:
    style = plot.look_of(network)
    open_curve = Scatter(
        x=gain["block"].values,
        y=plot.at_step(positive(gain).median("seed")),
        name=f"{style.label}, expected",
        legendgroup=network,
        showlegend=False,
        mode="lines+markers",
        line={"color": style.colour, "width": 1.2, "dash": "dot"},
        marker={"symbol": f"{style.symbol}-open", "size": 10, "line": {"width": 2}},
        hovertemplate="expected %{y:.3f}",
    )
    plot.add(open_curve)
