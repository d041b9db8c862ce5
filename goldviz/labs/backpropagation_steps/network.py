"""The network of *Backpropagation, step by step*: drawn numbers with two digits, and what a person changed of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from goldviz.labs.backpropagation_steps.settings import BackpropagationSteps, parsed
from goldviz.models.feedforward.activations import ACTIVATIONS, IDENTITY, Activation
from goldviz.training.seeds import DATA, WEIGHTS, stream

WIDEST = 8
MOST_SAMPLES = 4
BIAS_SPREAD = 0.1


@dataclass(frozen=True)
class Network:
    """Weights, biases and nonlinearities of every layer, and the samples with their targets; float64.

    The targets are numbers for the squared error, and for the cross-entropy one of the classes each, as a row of zeros
    with a one.
    """

    weights: list[Float[Tensor, "unit before"]]
    biases: list[Float[Tensor, " unit"]]
    activations: list[Activation]
    inputs: Float[Tensor, "sample feature"]
    targets: Float[Tensor, "sample output"]


def sizes(settings: BackpropagationSteps) -> list[int]:
    """Numbers of the input and of every layer."""
    return [settings.inputs, *[settings.width] * (settings.layers - 1), settings.outputs]


def drawn(settings: BackpropagationSteps) -> Network:
    """The network before anybody changed a number.

    All is drawn as large as it may become, so that a wider network keeps the draws that it had. Two digits make the
    formulas on the page exact.
    """
    sides = sizes(settings)
    layers = [stream(settings.seed, WEIGHTS + layer) for layer in range(settings.layers)]
    weights = [_normal(generator, WIDEST, WIDEST) for generator in layers]
    biases = [_normal(generator, WIDEST) for generator in layers]
    return Network(
        [
            _two_digits(weight[:after, :before] * settings.gain / math.sqrt(before))
            for weight, before, after in zip(weights, sides, sides[1:], strict=False)
        ],
        [_two_digits(BIAS_SPREAD * bias[:after]) for bias, after in zip(biases, sides[1:], strict=True)],
        _activations(settings),
        *_samples(settings),
    )


def changed(settings: BackpropagationSteps) -> Network:
    """The network with the numbers that were changed in it."""
    network = drawn(settings)
    classes = network.targets.argmax(1)
    places = {
        **{f"w{layer}": weight for layer, weight in enumerate(network.weights, 1)},
        **{f"b{layer}": bias for layer, bias in enumerate(network.biases, 1)},
        **{f"x{sample}": inputs for sample, inputs in enumerate(network.inputs, 1)},
    }
    if settings.loss == "squared":
        places |= {f"y{sample}": targets for sample, targets in enumerate(network.targets, 1)}
    for place, value in parsed(settings.edits).items():
        name, *index = place.split(".")
        if name[0] == "t":
            _reclassify(classes, int(name[1:]), int(value), settings.outputs)
        elif name in places and _inside(places[name], index):
            places[name][tuple(int(at) - 1 for at in index)] = value
    if settings.loss == "squared":
        return network
    return replace(network, targets=_one_hot(classes, settings.outputs))


def _reclassify(classes: Int[Tensor, " sample"], sample: int, value: int, outputs: int) -> None:
    if sample <= len(classes) and value <= outputs:
        classes[sample - 1] = value - 1


def _inside(values: Tensor, index: list[str]) -> bool:
    return all(int(at) <= size for at, size in zip(index, values.shape, strict=True))


def _activations(settings: BackpropagationSteps) -> list[Activation]:
    inner = ACTIVATIONS[settings.activation](settings.slope)
    outer = inner if settings.loss == "squared" and settings.last == "same" else IDENTITY
    return [inner] * (settings.layers - 1) + [outer]


def _samples(settings: BackpropagationSteps) -> tuple[Tensor, Tensor]:
    generator = stream(settings.seed, DATA)
    inputs = _normal(generator, MOST_SAMPLES, WIDEST)
    targets = torch.rand(MOST_SAMPLES, WIDEST, generator=generator, dtype=torch.float64)
    rows = targets[: settings.samples, : settings.outputs]
    return (
        _two_digits(inputs[: settings.samples, : settings.inputs]),
        _two_digits(rows) if settings.loss == "squared" else _one_hot(rows.argmax(1), settings.outputs),
    )


def _one_hot(classes: Int[Tensor, " sample"], count: int) -> Float[Tensor, "sample output"]:
    return torch.nn.functional.one_hot(classes, count).double()


def _normal(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _two_digits(values: Tensor) -> Tensor:
    # Through Python's floats, whose nearest to 0.31 is what JavaScript reads.
    return torch.tensor([round(value, 2) for value in values.flatten().tolist()], dtype=torch.float64).view(
        values.shape
    )
