"""What a step of training shows of a network layer by layer: the five diagnostic plots of document 002, section 1.3.3.

Any torch model can be watched. Its layers are named as :class:`Layer`, hooks take their outputs in the passes that are
measured, and every other step costs nothing::

    layers = [Layer.of("hidden", network.hidden), Layer.of("read-out", network.read_out)]
    with watching(layers) as seen:
        loss = cross_entropy(network(x), y)
    optimiser.zero_grad()
    loss.backward()
    seen.after_backward()  # before the gradient is clipped
    optimiser.step()
    shown = seen.after_step() | seen.distributions()

Each layer has one row: norms and spreads are over all entries of its weights, of whatever shape they are, and
distributions of an output over all its entries at the first samples. A module may take and return what it likes; of
several tensors in what it returns, packed sequences and mappings included, the first that holds real numbers is taken.

A model that keeps what its layers give needs no hooks: ``LayerStep(weights, outputs)``. The names of what is measured
are those of :mod:`goldviz.declare.layers`, and :mod:`goldviz.figures.layers` draws them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from goldviz.diagnostics.gradients import spread
from goldviz.diagnostics.histograms import MAGNITUDE_BINS, Bins
from goldviz.models.feedforward.activations import Activation

FLAT = 0.05
"""An activation sits on a flat part where phi' is below this share of its largest value."""
PROBE = 256
"""Distributions are of so many samples at most."""
ENTRIES_AT_ONCE = 100_000
"""Entries of weights that are measured together: more would not stay in the processor's cache."""

Measured = dict[str, Tensor]


@dataclass(frozen=True)
class Layer:
    """A layer under its name: the module whose output is looked at, and the parameters that count as its weights."""

    name: str
    module: nn.Module
    weights: tuple[nn.Parameter, ...]

    @classmethod
    def of(cls, name: str, module: nn.Module) -> Layer:
        """A module with its own matrices and tables; biases and gains, which have no spread to speak of, stay out."""
        return cls(name, module, tuple(weight for weight in module.parameters() if weight.ndim > 1))


@dataclass(frozen=True)
class MatrixStack:
    """The matrices of several layers in one parameter, (layer, row, column): each has a row of its own."""

    matrices: Tensor


class LayerStep:
    """One step of training: ask it after the backward pass, and again after the optimiser's step.

    ``weights`` holds each layer's parameters, of any shape, or several layers' as a :class:`MatrixStack`. One that two
    layers share counts in both, and one that a layer names twice counts once. A frozen parameter, and one that no
    gradient reaches, has a gradient of 0. ``outputs`` holds what each layer gave in the forward pass, (sample, ...)
    each, and several tensors where a layer was used several times, none where it was not used; the samples come first.
    """

    def __init__(
        self, weights: Iterable[Sequence[Tensor] | MatrixStack], outputs: Sequence[Sequence[Tensor]] = ()
    ) -> None:
        layers = [*weights]
        self.weights = [[one.matrices] if isinstance(one, MatrixStack) else _distinct(one) for one in layers]
        self._stacked = [len(one.matrices) if isinstance(one, MatrixStack) else 1 for one in layers]
        self.outputs: list[list[Tensor]] = [[] for _ in outputs or self.weights]
        for layer, group in enumerate(outputs):
            for output in group:
                self.saw(layer, output)

    def saw(self, layer: int, output: Tensor) -> None:
        """Note what a layer gave, so that its gradient is kept."""
        if output.requires_grad:
            output.retain_grad()
        self.outputs[layer].append(output)

    def after_backward(self) -> None:
        """Keep the weights and their gradient as they are: ask before the gradient is clipped."""
        self._before = _in_one([weight for layer in self.weights for weight in layer])
        self._slopes = _in_one([_slopes_of(weight) for layer in self.weights for weight in layer])

    def after_step(self) -> Measured:
        """What the step made of each layer's weights W, (layer) each.

        ``gradient_norm`` is ||dL/dW||, ``gradient_to_data`` spread(dL/dW) / spread(W), and ``update_to_data``
        spread(W_after - W_before) / spread(W_before), of which about 1e-3 is healthy. NaN or infinite where all weights
        of a layer are equal; both ratios are NaN for a layer without weights.
        """
        change = _in_one([weight for layer in self.weights for weight in layer]).sub_(self._before)
        vectors, readings, first = (self._before, self._slopes, change), [], 0
        for sizes in _in_parts(self._sizes.tolist()):
            part = slice(first, first := first + sum(sizes))
            readings.append(_readings(torch.stack([entries[part] for entries in vectors]).cpu().double(), sizes))
        return {name: torch.cat([own[name] for own in readings]).to(change.dtype) for name in readings[0]}

    def distributions(self) -> Measured:
        """Shares of magnitudes per bin after the backward pass, (layer, bin) each.

        ``gradient_histogram`` is of the entries of dL/dh, NaN for an output that no gradient reaches, and
        ``weight_gradient_histogram`` of those of dL/dW, NaN for a layer without weights.
        """
        gradients = [[output.grad for output in group if output.grad is not None] for group in self.outputs]
        return {
            "gradient_histogram": distributions(MAGNITUDE_BINS, gradients),
            "weight_gradient_histogram": MAGNITUDE_BINS.shares(self._slopes.split(self._sizes.tolist())).cpu(),
        }

    @cached_property
    def _sizes(self) -> Int[Tensor, " layer"]:
        """How many entries each layer has, in order."""
        sizes: list[int] = []
        for layer, matrices in zip(self.weights, self._stacked, strict=True):
            sizes += [sum(weight.numel() for weight in layer) // matrices] * matrices
        return torch.tensor(sizes)


class LayerSteps:
    """What steps of training do to layers, one matrix each, of several steps at once and in memory that stays warm.

    Reading one step costs more in calls than in arithmetic. So the entries of a step are only copied, and the steps
    are measured together when ``full``, as :meth:`LayerStep.after_step` would have measured each.
    """

    def __init__(self, matrices: Sequence[Tensor]) -> None:
        self.matrices = matrices
        self._entries = [matrix.detach().view(-1) for matrix in matrices]
        self._sizes = [len(entries) for entries in self._entries]
        self.room = max(1, ENTRIES_AT_ONCE // sum(self._sizes))
        self._kept = self._entries[0].new_empty(3, self.room, sum(self._sizes))
        self._rows = [[*row] for row in self._kept]
        self._measured = torch.empty(self._kept.shape, dtype=torch.float64)
        self.count = 0

    @property
    def full(self) -> bool:
        """Whether there is no room for another step."""
        return self.count == self.room

    def after_backward(self) -> None:
        """Keep the weights and their gradient as they are: ask before the gradient is clipped."""
        slopes = [_slopes_of(matrix).view(-1) for matrix in self.matrices]
        for row, entries in zip(self._rows, (self._entries, slopes), strict=False):
            torch.cat(entries, out=row[self.count])

    def after_step(self) -> None:
        """Keep the weights that the step left."""
        torch.cat(self._entries, out=self._rows[2][self.count])
        self.count += 1

    def measured(self) -> Measured:
        """The readings of the steps since this was asked last, (step, layer) each."""
        vectors, entries = self._kept[:, : self.count], self._measured[:, : self.count]
        self.count = 0
        torch.sub(vectors[2], vectors[0], out=vectors[2])
        readings = _readings(entries.copy_(vectors), self._sizes)
        return {name: values.to(vectors.dtype) for name, values in readings.items()}


def _readings(entries: Float[Tensor, "3 *step entry"], sizes: Sequence[int]) -> Measured:
    """Of weights, gradients and steps in float64: see :meth:`LayerStep.after_step`.

    In float64 the square of a gradient of 1e-25 is no zero, and a large mean costs no digits. Neighbours of the same
    size are added up together.
    """
    alike = [(size, len([*group])) for size, group in groupby(sizes)]
    parts = entries.split([size * count for size, count in alike], dim=-1)
    layers = [part.unflatten(-1, (count, size)) for part, (size, count) in zip(parts, alike, strict=True)]
    sums = torch.cat([layer.sum(-1) for layer in layers], dim=-1)
    norms = torch.cat([torch.linalg.vector_norm(layer, dim=-1) for layer in layers], dim=-1)
    each = torch.tensor(sizes)
    data, slopes, steps = ((norms.square() - sums.square() / each).clamp_(min=0) / (each - 1)).sqrt()
    return {"gradient_norm": norms[1], "gradient_to_data": slopes / data, "update_to_data": steps / data}


def of_weights(step: LayerStep) -> Measured:
    """What a step shows of the weights alone: both ratios, and how large the entries of their gradient are."""
    measurements = step.after_step() | step.distributions()
    return {name: measurements[name] for name in ("update_to_data", "gradient_to_data", "weight_gradient_histogram")}


def unseen_weights(layers: int) -> Measured:
    """The same of so many layers where no step could be taken: NaN."""
    ratios, shares = torch.full((layers,), math.nan), torch.full((layers, len(MAGNITUDE_BINS.centres)), math.nan)
    return {"update_to_data": ratios, "gradient_to_data": ratios, "weight_gradient_histogram": shares}


@contextmanager
def watching(layers: Sequence[Layer]) -> Iterator[LayerStep]:
    """Take what the layers give in the passes made meanwhile: of a module that gives several tensors the first of real
    numbers. What is changed in place afterwards is seen as it became."""
    step = LayerStep([layer.weights for layer in layers])

    def hook(number: int) -> Callable[[nn.Module, object, Any], None]:
        def see(_module: nn.Module, _given: object, output: Any) -> None:
            first = next(filter(torch.is_floating_point, tensors_in(output)), None)
            if first is not None:
                step.saw(number, first)

        return see

    hooks = [layer.module.register_forward_hook(hook(number)) for number, layer in enumerate(layers)]
    try:
        yield step
    finally:
        for one in hooks:
            one.remove()


def activation_readings(hidden: Sequence[Tensor], sums: Sequence[Tensor], activation: Activation) -> Measured:
    """What activations say of each layer, (layer) each, of its hidden states h and the sums z under its nonlinearity.

    ``hidden`` holds what each layer gives, and ``sums`` what its nonlinearity phi was applied to: (sample, unit) each,
    of any width. ``activation_mean`` and ``activation_std`` are of h over all samples and units. ``saturation`` is the
    share of z at which |phi'(z)| < 0.05 max phi': |tanh| above 0.975, a sigmoid outside 0.013 to 0.987, ReLU at zero;
    LeakyReLU has no flat part unless its slope is below 0.05. ``dead_units`` is the share of units that are flat for
    every sample, so that no sample moves their weights.
    """
    alike = len({h.shape for h in hidden}) == 1
    groups = [(torch.stack([*hidden]), torch.stack([*sums]))] if alike else [
        (h[None], z[None]) for h, z in zip(hidden, sums, strict=True)
    ]  # fmt: skip
    names, readings = ("activation_mean", "activation_std", "saturation", "dead_units"), []
    for h, z in groups:
        values = h.flatten(1)
        flat = activation.derivative(z).abs_().lt_(FLAT * activation.steepest).mean(dim=1)
        readings.append((values.mean(1), spread(values), flat.mean(1), (flat == 1).float().mean(1)))
    return {name: torch.cat(parts) for name, parts in zip(names, zip(*readings, strict=True), strict=True)}


def distributions(bins: Bins, values: Sequence[Sequence[Tensor]]) -> Float[Tensor, "layer bin"]:
    """The distribution of each layer's values over the bins, at 256 samples of each tensor; NaN for a layer of none."""
    return torch.stack([_distribution(bins, tensors) for tensors in values])


def among(measurements: Measured, own: Sequence[str], names: Sequence[str]) -> Measured:
    """What one network's layers ``own`` show, (layer, ...) each, in the rows of ``names``; NaN for those it lacks."""
    places = torch.tensor([names.index(name) for name in own])
    return {
        name: values.new_full((len(names), *values.shape[1:]), math.nan).index_copy(0, places, values)
        for name, values in measurements.items()
    }


def with_means_over_seeds(measurements: Measured, dim: int = 1) -> Measured:
    """What a step showed, (network, seed, ...) each or with seeds at ``dim``, with histograms of all seeds together."""
    return {name: values.mean(dim) if name.endswith("_histogram") else values for name, values in measurements.items()}


def _distribution(bins: Bins, tensors: Sequence[Tensor]) -> Float[Tensor, " bin"]:
    if not tensors:
        return torch.full((bins.count + 2,), math.nan)
    return bins.shares([torch.cat([values[:PROBE].detach().flatten() for values in tensors])])[0].cpu()


def _in_parts(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Neighbouring layers together up to :data:`ENTRIES_AT_ONCE`, so that their entries stay in the cache.

    >>> [*_in_parts([1, 2, ENTRIES_AT_ONCE, 3])]
    [[1, 2], [100000], [3]]
    """
    part: list[int] = []
    for size in sizes:
        if part and sum(part) + size > ENTRIES_AT_ONCE:
            yield part
            part = []
        part.append(size)
    yield part


def _in_one(tensors: Sequence[Tensor]) -> Float[Tensor, " entry"]:
    """All entries in one row, copied."""
    return torch.cat([tensor.detach().flatten() for tensor in tensors]) if tensors else torch.empty(0)


def _distinct(weights: Sequence[Tensor]) -> list[Tensor]:
    return [*{id(weight): weight for weight in weights}.values()]


def _slopes_of(weight: Tensor) -> Tensor:
    """The gradient of a parameter, as the optimiser sees it: sparse ones, which tables of embeddings may have, with
    their zeros. What a frozen parameter was left with counts no more."""
    slopes = weight.grad if weight.requires_grad else None
    if slopes is None:
        return torch.zeros_like(weight, memory_format=torch.contiguous_format)
    return slopes.to_dense() if slopes.layout != torch.strided else slopes.contiguous()


def tensors_in(output: object) -> Iterator[Tensor]:
    """The tensors of what a module returns, in their order."""
    match output:
        case Tensor():
            yield output
        case PackedSequence():
            # Its other tensors say how it is packed.
            yield output.data
        case Mapping():
            yield from tensors_in([*output.values()])
        case list() | tuple():
            for part in output:
                yield from tensors_in(part)
        case _ if is_dataclass(output):
            yield from tensors_in([getattr(output, field.name) for field in fields(output)])
