"""What the page *Backpropagation, step by step* shows: both passes by hand, beside autograd and central differences.

Also what storing costs and what it saves, in numbers kept and in multiplications of the matrices (document 001, 1.2.1).
Counted are the products with weights, one for each weight and sample; nonlinearities and sums come on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
import xarray as xr
from numpy.typing import NDArray
from torch import Tensor

from goldviz.diagnostics.backpropagation import Trace
from goldviz.labs.backpropagation_steps.gradients import (
    Gradients,
    Loss,
    by_autograd,
    by_hand,
    by_nudges,
    losses_after,
    softmax_jacobian,
    total,
    traced,
)
from goldviz.labs.backpropagation_steps.network import Network, changed, sizes
from goldviz.labs.backpropagation_steps.settings import BackpropagationSteps
from goldviz.training.threads import one_thread

BYTES = 8
"""Of a number in float64."""


class Costs(NamedTuple):
    """Multiplications of one forward pass, of a backward pass that reads what was stored, of one that stores nothing
    and runs forward anew for every layer, and of central differences; and how many numbers are stored."""

    forward: int
    backward_stored: int
    backward_anew: int
    differences: int
    stored: int


def costs(sizes: Sequence[int], samples: int) -> Costs:
    """The costs of a network with these numbers of inputs and neurons.

    Phase A takes one product for each weight. Phase B takes one for each weight's gradient (eq. 4), and one for each
    weight of layers 2 to L that carries an error back (eq. 2). Whoever stores nothing needs x^(l-1) and z^l anew for
    each layer l.

    >>> costs([3, 4, 2], samples=1)
    Costs(forward=20, backward_stored=28, backward_anew=60, differences=1040, stored=15)
    """
    products = [samples * before * after for before, after in pairwise(sizes)]
    ahead, back = sum(products), sum(products) + sum(products[1:])
    numbers = sum(before * after + after for before, after in pairwise(sizes))
    memory = samples * (sizes[0] + 2 * sum(sizes[1:]))
    return Costs(ahead, back, back + sum(accumulate(products)), 2 * numbers * ahead, memory)


STATES = ("layer", "sample", "unit")
STEP_SIZES = np.concatenate([[0.0], np.logspace(-2, 1, 61)])


def compute(settings: BackpropagationSteps) -> xr.Dataset:
    """Both passes of the network as it stands, layer by layer; NaN beyond a layer's neurons.

    ``x`` of layer 0 is the input. ``arriving`` is dL/dx, the first half of eq. 2, and ``delta`` its product with
    ``slope``, φ'(z). Both, ``weight_gradient`` and ``bias_gradient`` stand there three times: by hand, by autograd
    and by central differences. ``loss_after`` is the loss after one update of each size, ``loss_foreseen`` what the
    gradient alone foresees. With a softmax ``share`` is g and ``softmax_jacobian`` dg_i/do_j.
    """
    with one_thread():
        network, loss = changed(settings), Loss(settings.loss, settings.penalty)
        trace = traced(network)
        hand = by_hand(network, loss, trace)
        ways = {"": hand, "_autograd": by_autograd(network, loss), "_nudge": by_nudges(network, loss)}
        ds = xr.Dataset(
            {**_states(network, trace), **_gradients(ways), **_after(network, hand, loss)},
            coords=_coordinates(settings),
            attrs=_facts(settings, network, loss, ways),
        )
        return ds.assign(_softmax(network, trace)) if settings.loss == "cross_entropy" else ds


def _coordinates(settings: BackpropagationSteps) -> dict[str, Any]:
    return {
        "level": np.arange(settings.layers + 1),
        "layer": np.arange(1, settings.layers + 1),
        "sample": np.arange(1, settings.samples + 1),
        "unit": np.arange(1, max(sizes(settings)) + 1),
        "before": np.arange(1, max(sizes(settings)) + 1),
        "learning_rate": STEP_SIZES,
    }


def _states(network: Network, trace: Trace) -> dict[str, Any]:
    widest = _widest(network)
    slopes = [phi.derivative(z) for phi, z in zip(network.activations, trace.sums, strict=True)]
    return {
        "x": (("level", "sample", "unit"), _padded(trace.outputs, widest)),
        "z": (STATES, _padded(trace.sums, widest)),
        "slope": (STATES, _padded(slopes, widest)),
        "weight": (("layer", "unit", "before"), _padded(network.weights, widest, widest)),
        "bias": (("layer", "unit"), _padded(network.biases, widest)),
    }


def _gradients(ways: dict[str, Gradients]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for way, gradients in ways.items():
        widest = max(max(part.shape) for part in gradients.weights)
        data[f"arriving{way}"] = (STATES, _padded(gradients.arriving, widest))
        data[f"delta{way}"] = (STATES, _padded(gradients.delta, widest))
        data[f"weight_gradient{way}"] = (("layer", "unit", "before"), _padded(gradients.weights, widest, widest))
        data[f"bias_gradient{way}"] = (("layer", "unit"), _padded(gradients.biases, widest))
    return data


def _after(network: Network, hand: Gradients, loss: Loss) -> dict[str, Any]:
    square_norm = sum(float(part.square().sum()) for part in (*hand.weights, *hand.biases))
    return {
        "loss_after": ("learning_rate", losses_after(network, hand, loss, torch.from_numpy(STEP_SIZES)).numpy()),
        "loss_foreseen": ("learning_rate", float(total(network, loss)) - STEP_SIZES * square_norm),
    }


def _softmax(network: Network, trace: Trace) -> dict[str, Any]:
    outputs = trace.outputs[-1]
    count = _widest(network) - outputs.shape[1]
    jacobian = torch.nn.functional.pad(softmax_jacobian(outputs), (0, count, 0, count), value=torch.nan)
    return {
        "share": (("sample", "unit"), _padded([outputs.softmax(-1)], _widest(network))[0]),
        "target": (("sample", "unit"), _padded([network.targets], _widest(network))[0]),
        "softmax_jacobian": (("sample", "unit", "before"), jacobian.numpy()),
    }


def _facts(settings: BackpropagationSteps, network: Network, loss: Loss, ways: dict[str, Gradients]) -> dict[str, Any]:
    hand = ways[""]
    cost = costs(sizes(settings), settings.samples)
    own_rate = torch.tensor([settings.learning_rate], dtype=torch.float64)
    return {
        "step": settings.step,
        "activation": settings.activation,
        "loss_kind": settings.loss,
        "loss": float(total(network, loss)),
        "penalty": float(loss.penalties(network.weights)),
        "learning_rate": settings.learning_rate,
        "loss_after_update": float(losses_after(network, hand, loss, own_rate)),
        "difference_to_autograd": difference(hand, ways["_autograd"]),
        "difference_to_nudges": difference(hand, ways["_nudge"]),
        "stored_bytes": BYTES * cost.stored,
        **{f"cost_{name}": value for name, value in cost._asdict().items()},
    }


def difference(one: Gradients, other: Gradients) -> float:
    """The largest difference of any two numbers, as a share of the largest number where that is above 1."""
    return float((one.all() - other.all()).abs().max() / one.all().abs().max().clamp(min=1))


def _widest(network: Network) -> int:
    return max(max(weight.shape) for weight in network.weights)


def _padded(parts: Sequence[Tensor], *sides: int) -> NDArray[np.float64]:
    """Layers of different widths in one array, with NaN beyond: the last sides are as long as ``sides``."""
    leading = parts[0].shape[: parts[0].ndim - len(sides)]
    array = np.full((len(parts), *leading, *sides), np.nan)
    for row, part in zip(array, parts, strict=True):
        row[tuple(slice(size) for size in part.shape)] = part.numpy()
    return array
