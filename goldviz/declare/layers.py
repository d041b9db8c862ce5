"""What the diagnostic plots of a network's layers need recorded: document 002, section 1.3.3.

A laboratory takes those of its choice into its ``variables``, with the dimensions that they have there: the growing one
first and the layers' last. :mod:`goldviz.diagnostics.layers` measures them under these names.
"""

from __future__ import annotations

from goldviz.declare.settings import Variable

Dims = tuple[str, ...]


def activations(dims: Dims) -> dict[str, Variable]:
    """What each layer puts out, in numbers."""
    return {
        "activation_mean": Variable(dims, "Mean of the layer's activations", kind="activation_mean"),
        "activation_std": Variable(
            dims, "Spread (standard deviation) of the layer's activations", kind="activation_std"
        ),
        "saturation": Variable(dims, "Share of activations on a flat part of the nonlinearity", kind="saturation"),
        "dead_units": Variable(dims, "Share of units that no sample activates", kind="dead_units"),
    }


def distributions(outputs: Dims, weights: Dims) -> dict[str, Variable]:
    """Shares per bin: of what the layers of ``outputs`` put out and of its gradient, and of weight gradients."""
    return {
        **activation_values(outputs),
        "gradient_histogram": Variable(
            (*outputs, "magnitude_bin"),
            "Share of the hidden state's gradient entries per bin",
            kind="gradient_histogram",
        ),
        **weight_gradients(weights),
    }


def activation_values(dims: Dims) -> dict[str, Variable]:
    """What each layer puts out, in shares per bin."""
    return {
        "activation_histogram": Variable(
            (*dims, "value_bin"), "Share of activations per bin", kind="activation_histogram"
        )
    }


def weight_gradients(dims: Dims) -> dict[str, Variable]:
    """How large the entries of each layer's weight gradient are, in shares per bin."""
    words = "Share of the weight matrix's gradient entries per bin"
    return {"weight_gradient_histogram": Variable((*dims, "magnitude_bin"), words, kind="weight_gradient_histogram")}


def gradient_norm(dims: Dims, of: str = "matrices") -> dict[str, Variable]:
    """How long each layer's gradient is; ``of`` says what of the layer it is taken over."""
    return {"gradient_norm": Variable(dims, f"Gradient norm of the layer's {of}", kind="gradient_norm_by_layer")}


def update_to_data(dims: Dims, name: str = "update_to_data") -> dict[str, Variable]:
    """How far a step moves each layer."""
    words = "Update-to-data ratio: spread of a step over spread of the weights"
    return {name: Variable(dims, words, kind="update_to_data_by_layer")}


def gradient_to_data(dims: Dims) -> dict[str, Variable]:
    """How large each layer's gradient is beside its weights, before an optimiser makes a step of it."""
    return {
        "gradient_to_data": Variable(
            dims,
            "Gradient-to-data ratio: spread of the gradient over spread of the weights",
            kind="gradient_to_data_by_layer",
        )
    }
