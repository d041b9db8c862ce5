"""What a look at a recurrent network shows: gradients, Jacobians and gates through time (document 001, eq. 5-24)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.diagnostics.layers import LayerStep
from goldviz.diagnostics.recurrent.gate_products import largest_products_to_last
from goldviz.labs.recurrent_gradients.lag_contributions import contribution_norms
from goldviz.labs.recurrent_gradients.last_state import spectral_norms_to_last
from goldviz.labs.recurrent_gradients.reader import SequenceReader
from goldviz.labs.recurrent_gradients.settings import FOLLOWED
from goldviz.labs.recurrent_gradients.tasks import EVALUATED, Evaluation, TaskBatch, score, scored_steps
from goldviz.models.recurrent.cells import GATES
from goldviz.models.recurrent.elman import Elman
from goldviz.models.recurrent.initialisation import spectral_radius
from goldviz.models.recurrent.lstm import LSTMTrace
from goldviz.models.recurrent.weights import RecurrentTrace

SHUT, OPEN = 0.05, 0.95
SATURATED = 0.97
ITEMISED = 8
"""Contributions by lag are read off so many sequences."""
MOMENTS = 12
"""Distributions are of so many time steps at most."""
LAYERS = ("input weights", "recurrent weights", "read-out")
LAST_ANSWERS = 10
"""They are those of the loss at so many last answers: each answer costs a way back of its own."""

Measured = dict[str, Tensor]


def answers(network: SequenceReader, trace: RecurrentTrace, steps: list[int]) -> Float[Tensor, "scored batch outputs"]:
    """What the network says at these steps, counted from 0."""
    return network.read(torch.stack([trace.states[step + 1] for step in steps]))


def moments(steps: int) -> list[int]:
    """The time steps, counted from 1, whose distributions are kept: all of a short sequence, else some of them.

    >>> moments(6), len(moments(200)), moments(200)[-1]
    ([1, 2, 3, 4, 5, 6], 12, 200)
    """
    return sorted({round(step) for step in np.linspace(1, steps, MOMENTS)})


def layers_of(network: SequenceReader, trace: RecurrentTrace) -> LayerStep:
    """A step of the network layer by layer: its three matrices, and its hidden states as layers through time."""
    matrices = (network.layer.W_x, network.layer.W_h, network.W_hy)
    states = [trace.states[step] for step in moments(len(trace.states) - 1)]
    return LayerStep([[matrix] for matrix in matrices], [[state] for state in states])


def state_gradient_norms(trace: RecurrentTrace) -> Float[Tensor, " time"]:
    """||dL/dh_t|| of one sequence's own loss, mean over the batch, after a backward pass that retained it."""
    grads = torch.stack([torch.zeros_like(h) if h.grad is None else h.grad for h in trace.states[1:]])
    lengths: Tensor = torch.linalg.vector_norm(grads.double(), dim=2)
    # The batch's loss is a mean, which divides each sequence's gradient by their number.
    return lengths.mean(1) * grads.shape[1]


def look(network: SequenceReader, evaluation: Evaluation) -> Measured:
    """Everything that is measured on the evaluation's sequences, NaN for a network whose numbers are not finite."""
    with torch.no_grad():
        trace = network(evaluation.inputs)
    if not are_finite([*trace.states, *network.parameters()]):
        return _unmeasured(len(evaluation.inputs), len(evaluation.lags))
    longest = len(evaluation.lags) - 1
    probe = _sequences_of(trace, evaluation.columns(longest))
    return {
        **_by_lag(network, trace, evaluation),
        **_jacobians(network, probe),
        **_gates(probe),
        "lag_contribution": _lag_contribution(network, probe, evaluation.groups[longest]),
        "state_saturation": (probe.hidden.abs() > SATURATED).float().mean(),
    }


def are_finite(tensors: Sequence[Tensor]) -> bool:
    """Whether every number is: the extremes of a tensor are not where one of its numbers is not."""
    ends = [end for tensor in tensors for end in tensor.detach().aminmax()]
    return bool(torch.stack(ends).isfinite().all())


def recurrent_matrix(network: SequenceReader) -> Float[Tensor, "hidden hidden"]:
    """W_hh of the state, or of the candidate that a gated network would make its state."""
    layer = network.layer
    return layer.block(layer.W_h, layer.blocks[-1]).detach()


def _sequences_of(trace: RecurrentTrace, columns: slice) -> RecurrentTrace:
    parts = {part.name: getattr(trace, part.name) for part in fields(trace)}
    return type(trace)(**{name: tuple(step[columns] for step in steps) for name, steps in parts.items()})


@torch.no_grad()
def _by_lag(network: SequenceReader, trace: RecurrentTrace, evaluation: Evaluation) -> Measured:
    scores = []
    for number, group in enumerate(evaluation.groups):
        own = [trace.states[step + 1][evaluation.columns(number)] for step in scored_steps(group)]
        scores.append(score(group, network.read(torch.stack(own))))
    losses, accuracies = zip(*scores, strict=True)
    return {"loss_by_lag": torch.stack(losses), "accuracy_by_lag": torch.stack(accuracies)}


def _jacobians(network: SequenceReader, probe: RecurrentTrace) -> Measured:
    """The Jacobian product by lag, and what bounds it or carries it.

    Norms are means of logarithms over the first :data:`FOLLOWED` probe sequences, as factors of steps multiply: the
    mean of the norms themselves would be that of the few sequences with the longest. A product of zero in one of them
    makes the mean minus infinity.
    """
    layer, matrix, few = network.layer, recurrent_matrix(network).double(), _sequences_of(probe, slice(FOLLOWED))
    norms = spectral_norms_to_last(layer, few).mean(1)
    norm: Tensor = torch.linalg.matrix_norm(matrix, ord=2)
    absent = torch.full_like(norms, math.nan)
    cell_paths = (
        largest_products_to_last(torch.stack(few.forget_gates)) if isinstance(few, LSTMTrace) else absent[:, None]
    )
    # The slopes of tanh and ReLU are at most gamma = 1.
    bound = (torch.arange(1.0, len(norms), dtype=torch.float64) * norm.log10()) if isinstance(layer, Elman) else None
    return {
        "spectral_radius": torch.tensor(spectral_radius(matrix) if layer.reads_state else math.nan),
        "spectral_norm": norm if layer.reads_state else torch.tensor(math.nan),
        "log_jacobian_norm": norms,
        "log_cell_path": cell_paths.mean(1),
        "log_bound": absent if bound is None else torch.cat([bound.new_zeros(1), bound]),
    }


def _gates(probe: RecurrentTrace) -> Measured:
    """Mean opening of each gate at each time, and the share of its values that are all but shut or open."""
    absent = torch.full((len(probe.states) - 1,), math.nan)
    openings = [getattr(probe, f"{name}_gates", None) for name in GATES]
    values = [None if steps is None else torch.stack(steps) for steps in openings]
    return {
        "gate_opening": torch.stack([absent if gate is None else gate.mean((1, 2)) for gate in values]),
        "gate_saturation": torch.stack(
            [absent[0] if gate is None else ((gate < SHUT) | (gate > OPEN)).float().mean() for gate in values]
        ),
    }


def _lag_contribution(network: SequenceReader, probe: RecurrentTrace, batch: TaskBatch) -> Float[Tensor, " lag"]:
    """||dL/dW_hh|| by lag over all gates' recurrent matrices, for the loss of a few sequences' last answers (eq. 6).

    NaN where there is no such matrix.
    """
    if not network.layer.reads_state:
        return torch.full((len(probe.states) - 1,), math.nan)
    few = _sequences_of(probe, slice(ITEMISED))
    hidden = few.hidden[batch.scored].requires_grad_()
    others = probe.hidden[batch.scored][:, ITEMISED:]
    loss = score(batch, network.read(torch.cat([hidden, others], 1)))[0]
    (gradient,) = torch.autograd.grad(loss, hidden)
    direct = torch.zeros_like(few.hidden)
    # The loss is a mean over all sequences, of which only a few are itemised.
    direct[scored_steps(batch)[-LAST_ANSWERS:]] = gradient[-LAST_ANSWERS:] * (EVALUATED / ITEMISED)
    return contribution_norms(network.layer, few, direct)


def _unmeasured(steps: int, lags: int) -> Measured:
    by_time = ("log_jacobian_norm", "log_cell_path", "log_bound", "lag_contribution")
    shapes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(by_time, (steps,)),
        **dict.fromkeys(("loss_by_lag", "accuracy_by_lag"), (lags,)),
        **dict.fromkeys(("spectral_radius", "spectral_norm", "state_saturation"), ()),
        "gate_opening": (len(GATES), steps),
        "gate_saturation": (len(GATES),),
    }
    return {name: torch.full(shape, math.nan) for name, shape in shapes.items()}
