"""One step of backpropagation through time by hand, for every recurrent network, many gradients at once.

The transpose of :mod:`goldviz.diagnostics.recurrent.jacobians` applied to gradients: document 001, eq. 6-8 for
the Elman network, eq. 16-20 for the LSTM, and the chain rule over eq. 21-24 for GRU and minGRU. What does not depend on
the gradients, the slopes of all gates, is computed for all steps at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import vjp, vmap

from goldviz.models.recurrent.elman import ACTIVATIONS, Elman, ElmanTrace
from goldviz.models.recurrent.gru import GatedRecurrentUnit, GRUTrace, ResetAfterGRU, ResetBeforeGRU
from goldviz.models.recurrent.lstm import LSTM, LSTMTrace
from goldviz.models.recurrent.min_gru import MinGRU, MinGRUTrace
from goldviz.models.recurrent.weights import DrivenTrace, RecurrentTrace, RecurrentWeights

Gradients = Float[Tensor, "*stacked batch state"]
Slopes = tuple[Float[Tensor, "batch units"], ...]
"""One tensor for each step."""


class Backward(NamedTuple):
    """The gradients that one step passes on.

    ``products`` (..., batch, gates * hidden) is dL/d(W_h times its input), so that a gate's share of dL/dW_h is
    the outer product with what that matrix read, see :meth:`RecurrentWeights.read_by_blocks`. ``previous`` (..., batch,
    state) is dL/d(state at t-1).
    """

    products: Float[Tensor, "*stacked batch rows"]
    previous: Gradients


StepBack = Callable[[int, Gradients], Backward]


@torch.no_grad()
def steps_back(layer: RecurrentWeights, trace: RecurrentTrace) -> StepBack:
    """A function (step, gradients) that pulls dL/d(state at t) back over step t = ``step`` + 1 of this pass.

    ``gradients`` may have any leading dimensions; the state is h, or h before c for an LSTM. Raises
    ``TypeError`` if the trace belongs to another kind of network.
    """
    match layer, trace:
        case Elman(), ElmanTrace():
            return _elman_back(layer, trace)
        case LSTM(), LSTMTrace():
            return _lstm_back(layer, trace)
        case ResetBeforeGRU(), GRUTrace():
            return _reset_before_back(layer, trace)
        case ResetAfterGRU(), GRUTrace():
            return _reset_after_back(layer, trace)
        case MinGRU(), MinGRUTrace():
            return _min_gru_back(trace)
        case _, DrivenTrace() if isinstance(trace, layer.trace):
            return _back_over_step(layer, trace)
    raise TypeError(f"A {type(trace).__name__} is not what a {type(layer).__name__} layer leaves behind.")


def _back_over_step(layer: RecurrentWeights, trace: DrivenTrace) -> StepBack:
    """By automatic differentiation: what W_h multiplies stands beside the drive in every sum, and has its gradient."""

    def back(step: int, gradients: Tensor) -> Backward:
        pull = vjp(layer.whole_step, trace.drives[step].detach(), trace.state_before(step))[1]
        stacked = gradients.reshape(-1, *gradients.shape[-2:])
        products, previous = (part.detach() for part in vmap(pull)(stacked))
        leading = gradients.shape[:-2]
        return Backward(products.reshape(*leading, *products.shape[1:]), previous.reshape(gradients.shape))

    return back


def _elman_back(layer: Elman, trace: ElmanTrace) -> StepBack:
    slopes: Slopes = ACTIVATIONS[layer.activation].slope(trace.hidden).unbind(0)
    W_h = layer.W_h.detach()

    def back(step: int, dh: Tensor) -> Backward:
        du = dh * slopes[step]
        return Backward(du, du @ W_h)

    return back


def _lstm_back(layer: LSTM, trace: LSTMTrace) -> StepBack:
    slopes, exposures = lstm_slopes(trace)
    W_h = layer.W_h.detach()

    def back(step: int, gradients: Tensor) -> Backward:
        dh, dc = gradients.split(layer.hidden, -1)
        dc = torch.addcmul(dc, dh, exposures[step])  # eq. 17
        sums = torch.cat([dc, dc, dh, dc], -1).mul_(slopes[step])
        return Backward(sums, torch.cat([sums @ W_h, dc * trace.forget_gates[step].detach()], -1))  # eq. 18

    return back


def lstm_slopes(trace: LSTMTrace) -> tuple[Slopes, Slopes]:
    """What dc_t, or dh_t for the output gate, moves with the sums of i, f, o and the candidate; and dh_t/dc_t."""
    i, f, o = (torch.stack(gates) for gates in (trace.input_gates, trace.forget_gates, trace.output_gates))
    candidate, cells = torch.stack(trace.candidates), torch.stack(trace.cells)
    tanh_cells = cells[1:].tanh()
    by_gate = [
        candidate * i * (1 - i),
        cells[:-1] * f * (1 - f),
        tanh_cells * o * (1 - o),  # eq. 20
        i * (1 - candidate.square()),  # eq. 19
    ]
    return torch.cat(by_gate, -1).unbind(0), (o * (1 - tanh_cells.square())).unbind(0)


def update_slopes(trace: GRUTrace) -> tuple[Tensor, Tensor, Tensor, Tensor, Slopes]:
    """r_t, h_(t-1), by what dL/dh_t gives the sums of z_t and h~_t, and what eq. 24 passes straight to h_(t-1)."""
    z, r, candidate, last = (
        torch.stack(steps) for steps in (trace.update_gates, trace.reset_gates, trace.candidates, trace.states[:-1])
    )
    return r, last, (candidate - last) * z * (1 - z), z * (1 - candidate.square()), (1 - z).unbind(0)


def _reset_before_back(layer: ResetBeforeGRU, trace: GRUTrace) -> StepBack:
    r, last, update, candidate, past = update_slopes(trace)
    updates, candidates, resets, reset_gates = (steps.unbind(0) for steps in (update, candidate, last * r * (1 - r), r))
    W_gates, W_candidate = gates_and_candidate(layer)

    def back(step: int, dh: Tensor) -> Backward:
        d_candidate = dh * candidates[step]
        d_recalled = d_candidate @ W_candidate
        gates = torch.cat([dh * updates[step], d_recalled * resets[step]], -1)
        previous = (gates @ W_gates).addcmul_(dh, past[step]).addcmul_(d_recalled, reset_gates[step])
        sums = torch.cat([gates, d_candidate], -1)
        return Backward(sums, previous)

    return back


def _reset_after_back(layer: ResetAfterGRU, trace: GRUTrace) -> StepBack:
    r, last, update, candidate, past = update_slopes(trace)
    W_h = layer.W_h.detach()
    inner = last @ gates_and_candidate(layer)[1].t() + layer.b_hh.detach()
    by_gate = [update, candidate * inner * r * (1 - r), candidate * r]
    slopes: Slopes = torch.cat(by_gate, -1).unbind(0)

    def back(step: int, dh: Tensor) -> Backward:
        products = torch.cat([dh, dh, dh], -1).mul_(slopes[step])
        return Backward(products, (products @ W_h).addcmul_(dh, past[step]))

    return back


def _min_gru_back(trace: MinGRUTrace) -> StepBack:
    z, candidate, last = (torch.stack(steps) for steps in (trace.update_gates, trace.candidates, trace.states[:-1]))
    slopes: Slopes = torch.cat([(candidate - last) * z * (1 - z), z], -1).unbind(0)
    retention: Slopes = (1 - z).unbind(0)

    def back(step: int, dh: Tensor) -> Backward:
        return Backward(torch.cat([dh, dh], -1).mul_(slopes[step]), dh * retention[step])

    return back


def gates_and_candidate(layer: GatedRecurrentUnit) -> tuple[Tensor, Tensor]:
    """The rows of W_h that read for both gates, and those that read for the candidate."""
    return layer.W_h[: 2 * layer.hidden].detach(), layer.block(layer.W_h, "candidate").detach()
