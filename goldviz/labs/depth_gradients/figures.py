"""The figures of the laboratory *Gradient flow in depth*, in the order in which a page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import times
from goldviz.figures import training_steps
from goldviz.figures.chart import Channel, axis, curves, figure, lines, offered, rule, series, so_far, thin
from goldviz.figures.diagram import Colour, Node, Part, Wire, chain, colour_quantities, diagram, of_layers
from goldviz.figures.elements import unseen
from goldviz.figures.frames import Words
from goldviz.figures.limits import Values, log10
from goldviz.figures.marks import Mark
from goldviz.figures.plot import Plot, unless, unless_zero
from goldviz.figures.reading import depth_of, first_below_highest, networks, positive
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import by_network, networks_svg, places_of_frames, polyline_svg
from goldviz.figures.training_steps import clip_of
from goldviz.labs.depth_gradients.settings import DepthGradients

COLOURS = (
    *of_layers("gradient_norm"),
    Colour("hidden_gradient_norm", "Gradient norm of the hidden state"),
    *of_layers("activation_std", "update_to_data", "gradient_to_data"),
    Colour("weight_norm", "Norm of the weights"),
    Colour("jacobian_gain", "Gain of the layer's Jacobian"),
    *of_layers("saturation", "dead_units"),
)
"""What may colour the networks' diagram."""


def measured_factor(hidden_gradient_norm: Array) -> Array:
    """Measured factor ||dL/dh_(l-1)|| / ||dL/dh_l|| of each block l (document 001, eq. 45), from the hidden states.

    Dimensions of ``hidden_gradient_norm`` with ``block`` (1 to depth) in place of ``hidden``; NaN where a norm
    is zero or not finite.
    """
    norms = positive(hidden_gradient_norm.astype(np.float64))
    below = norms.isel(hidden=slice(0, -1)).rename(hidden="block")
    above = norms.isel(hidden=slice(1, None)).rename(hidden="block")
    return below.assign_coords(block=above["block"]) / above


def decay_between_hidden(ds: Run, rates: Array) -> Array:
    """A run's decay rates between hidden layers: the input matrix and the read-out have another shape and stay out.

    The input matrix of a tied read-out even gets the gradients of both of its uses.
    """
    return rates.sel(layer=slice(1, depth_of(ds) - 1))


def _factors(ds: Run) -> Values:
    parts = [measured_factor(ds["hidden_gradient_norm"])] if "hidden_gradient_norm" in ds else []
    parts += [ds["jacobian_gain"]] if "jacobian_gain" in ds else []
    return np.concatenate([np.array([0.0]), *(log10(part).values.ravel() for part in parts)])


def _decays(ds: Run) -> Values:
    recorded = "decay_rate" in ds
    return np.append(decay_between_hidden(ds, ds["decay_rate"]).values if recorded else np.array([]), 0.0)


DECAY_BETWEEN_HIDDEN = Channel(
    "decay_rate",
    lambda plot: decay_between_hidden(plot.ds, plot.now["decay_rate"]),
    lambda plot: decay_between_hidden(plot.ds, plot.ds["decay_rate"]),
)


def _reach(plot: Plot) -> Words:
    """The answer: how much smaller the gradient is at layer 1 than where it is largest."""
    hidden = plot.now["gradient_norm"].astype(np.float64).sel(layer=slice(1, None))
    if hidden.sizes["layer"] < 2:
        return ""
    return plot.each(first_below_highest(hidden, "layer"), times, within="Largest norm / layer 1's: {}.")


def _deepest(plot: Plot) -> Words:
    losses = positive(plot.now["loss_by_depth"])
    deepest = (losses.isel(trained_depth=-1) / losses.min("trained_depth")).median("seed")
    return plot.each(deepest, times, within="Loss of the deepest over the best: {}.")


def _trained_depths(plot: Plot) -> dict[str, object]:
    depths = plot.ds["trained_depth"].values
    return {"tickmode": "array", "tickvals": depths, "ticktext": [str(depth) for depth in depths]}


def _no_gain(plot: Plot) -> str:
    """Why there is no block's average gain beside what was measured."""
    if missing := plot.lacks("jacobian_gain"):
        return missing
    is_here = np.isin(plot.now["jacobian_gain"]["histogram_epoch"].values, plot.ds["epoch"].values).all()
    return "" if is_here else "The gain was measured at no epoch that is here."


def _factor_and_gain(plot: Plot) -> Sequence[Mark]:
    """Each block's factor; open, where it was measured, the gain at the same epoch."""
    if _no_gain(plot):
        return [curves(lambda plot: measured_factor(plot.now["hidden_gradient_norm"]), hover="measured %{y:.3f}")]
    gains = plot.now["jacobian_gain"]
    epochs = gains["histogram_epoch"].values
    norms = plot.ds["hidden_gradient_norm"].sel(epoch=epochs).rename(epoch="histogram_epoch")
    looks = [(network, plot.look_of(network)) for network in plot.networks]
    return [
        curves(lambda _: measured_factor(norms), hover="measured %{y:.3f}"),
        *(
            lines(
                "jacobian_gain",
                by="network",
                looks=(series(network, f"{style.label}, expected", network, "dot"),),
                mode="lines+markers",
                width=1.2,
                hover="expected %{y:.3f}",
                legend=False,
                more={
                    "legendgroup": network,
                    "marker": {"symbol": f"{style.symbol}-open", "size": 10, "line": {"width": 2}},
                },
            )
            for network, style in looks
        ),
    ]


def parts_of(ds: Run) -> list[Part]:
    """Layers 0 to the depth, and the read-out, of every network of a run.

    A read-out that is tied to the input matrix has no matrix of its own, and so no numbers.
    """
    return [_part(network, depth_of(ds), int(ds["layer"].max())) for network in networks(ds)]


def _part(network: str, depth: int, last: int) -> Part:
    style = style_of(network)
    layers = [_layer(layer) for layer in range(depth + 1)]
    read_out = Node(
        "out",
        "read-out" if last > depth else "read-out, tied to the input layer",
        depth + 1,
        kind="layer" if last > depth else "end",
        at={"layer": depth + 1} if last > depth else {},
    )
    skips = [Wire(layer - 1, layer, "skip") for layer in range(1, depth + 1)] if network == "residual" else []
    nodes = [*layers, read_out]
    return Part(style.heading, nodes, [*chain(nodes), *skips], network, style.colour)


def _layer(layer: int) -> Node:
    if layer == 0:
        return Node("in", "input layer", 0, at={"layer": 0, "hidden": 0})
    return Node(str(layer), f"layer {layer}", layer, at={"layer": layer, "hidden": layer, "block": layer})


of_norms: dict[str, Any] = {
    "needs": ("gradient_norm",),
    "instead": unless_zero("gradient_norm", "Every gradient recorded so far is exactly 0: no weight is told to move."),
}

FIGURES, shared_limits = offered(
    DepthGradients,
    # Document 001, eq. 27, Annex 5.3, whose metric is the mean over the epochs. A flat curve: every layer is told about
    # as loudly what to change.
    figure(
        "gradient_by_layer",
        "Does the gradient reach the first layer?",
        curves("gradient_norm", hover="%{y:.3e}"),
        thin(so_far("gradient_norm"), lambda plot: plot.when("mean of epochs 1 to {}"), hover="%{y:.3e}"),
        rule(
            y=lambda plot: clip_of(plot.ds) or None,
            words=lambda plot: f"all together are clipped at {clip_of(plot.ds):.3g}",
            within=True,
        ),
        title="Does the gradient reach layer 1?",
        cannot_show="Whether gradients point the right way.",
        y=axis("Norm of dL/dW", scale="log"),
        notes=(_reach, lambda plot: unseen(plot.now["gradient_norm"].astype(np.float64), "layer")),
        lead="Dotted: mean so far.",
        **of_norms,
    ),
    training_steps.norm_map(
        "gradient_heat_map",
        "When does the gradient fade, and where?",
        "gradient_norm",
        "layer",
        hover="epoch %{x}, layer %{y}<br>norm 10<sup>%{z:.2f}</sup>",
        words="Norm of dL/dW",
        title="When does the gradient fade?",
        shows="The same lengths for every epoch, in the same colours.",
        height=560,
        **of_norms,
    ),
    partial(
        training_steps.loss.of,
        shows="The mean squared error on unseen samples, beside always answering 0. Thin: the training loss.",
    ),
    # Document 001, section 3.1. A deeper network could copy a shallower one and hand its output on, so a curve that
    # rises is a matter of training, not of what the network can represent: degradation (He et al. 2016).
    figure(
        "loss_by_depth",
        "Does depth help training?",
        curves("loss_by_depth"),
        needs=(),
        instead=unless(
            "This run trained one depth: set Shallower above 0, as ‘32 layers: the residual network learns’ does.",
            "loss_by_depth",
        ),
        cannot_show="Whether a deeper network wants another learning rate, or longer training.",
        x=axis(told=_trained_depths),
        notes=(_deepest,),
    ),
    # Annex 5.3. Constant values above zero add up to an exponential fall.
    figure(
        "decay_rate",
        "Where does the gradient shrink?",
        curves(DECAY_BETWEEN_HIDDEN, hover="%{y:.3f} nat"),
        rule(y=0, words="0: neither shrinks nor grows"),
        instead=lambda ds: "One hidden layer has no neighbour to compare with." if depth_of(ds) < 2 else "",
        shows="By how much the gradient shrinks or grows from one layer to the one below.",
        x=axis("From the layer above, back to layer"),
        y=axis(read=_decays),
    ),
    # Eq. 27, 45-48. A residual block's Jacobian is I + dF/dh, and its gain stays near 1; a plain one's is dF/dh alone.
    # Where the two curves part, the gradient points along directions that the block treats unlike the average.
    figure(
        "gradient_factor",
        "What does each block do to the gradient on its way back?",
        _factor_and_gain,
        rule(y=1, words="1: nothing lost"),
        title="What does each block keep?",
        needs=("hidden_gradient_norm",),
        shows="Each block's factor, beside its Jacobian's average gain (document 001, eq. 27, 48).",
        instead=lambda ds: "There is no block: the network has one hidden state." if ds.sizes["hidden"] < 2 else "",
        over="block",
        y=axis("Factor, from h(l) to h(l−1)", scale="log", read=_factors),
        notes=(lambda plot: _no_gain(plot) or "Filled: measured. Open: RMS gain of dh(l)/dh(l−1).",),
        seeds=True,
    ),
    # Document 001, 3.1.1. Of a residual block that is its branch beside its input, ||s F(h)|| / ||h||.
    figure(
        "state_change",
        "How far does each block move the state?",
        curves("state_change", hover="%{y:.1%} of its length"),
        rule(y=1, words="1: as far as the state is long"),
        title="Does a block refine or replace?",
        instead=unless_zero(
            "weight_norm", "Every weight is exactly 0, so every state is: a block moves it by no share."
        ),
    ),
    lambda make, _: diagram(
        make,
        parts_of,
        COLOURS,
        question="Where in the network?",
        shows="Both networks layer by layer. Choose a layer: other figures mark it.",
    ),
    more=colour_quantities(COLOURS),
)


def picture(ds: Run) -> str:
    """The home page's picture: the gradient's norm by layer, log scale, mean over the epochs so far."""
    label = "Gradient norm of each layer on a log scale, from the input on the left to the read-out on the right."
    if "gradient_norm" not in ds or ds["gradient_norm"].size == 0:
        return polyline_svg([], label=label)
    frames = [
        by_network(log10(ds["gradient_norm"].isel(epoch=slice(last + 1)).mean("epoch")).median("seed"))
        for last in places_of_frames(ds.sizes["epoch"])
    ]
    norms = {name: np.stack([frame[name] for frame in frames]) for name in frames[0]}
    return networks_svg(norms, label=label, axes=("layer", "gradient, log scale"))
