"""What a step of a recurrent network does to small changes of its state, many changes at once.

The step Jacobians of :mod:`goldviz.diagnostics.recurrent.jacobians` applied to changes, for all sequences of a batch:
document 001, eq. 7-8 for the Elman network, the chain rule over eq. 10-15 (LSTM) and eq. 21-24 (GRU).
:mod:`goldviz.diagnostics.recurrent.backward` applies their transposes.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from goldviz.diagnostics.recurrent.backward import Gradients, gates_and_candidate, lstm_slopes, update_slopes
from goldviz.diagnostics.recurrent.jacobians import jacobians_of_step
from goldviz.models.recurrent.elman import ACTIVATIONS, Elman, ElmanTrace
from goldviz.models.recurrent.gru import GRUTrace, ResetAfterGRU, ResetBeforeGRU
from goldviz.models.recurrent.lstm import LSTM, LSTMTrace
from goldviz.models.recurrent.min_gru import MinGRU, MinGRUTrace
from goldviz.models.recurrent.weights import DrivenTrace, RecurrentTrace, RecurrentWeights

Changes = Gradients
StepOn = Callable[[int, Changes], Changes]


@torch.no_grad()
def steps_on(layer: RecurrentWeights, trace: RecurrentTrace) -> StepOn:
    """A function (step, changes) that turns changes of the state at t-1 into those at t = ``step`` + 1 of this pass.

    ``changes`` may have any leading dimensions; the state is h, or h before c for an LSTM. Raises ``TypeError`` if the
    trace belongs to another kind of network.
    """
    match layer, trace:
        case Elman(), ElmanTrace():
            return _elman_on(layer, trace)
        case LSTM(), LSTMTrace():
            return _lstm_on(layer, trace)
        case ResetBeforeGRU(), GRUTrace():
            return _reset_before_on(layer, trace)
        case ResetAfterGRU(), GRUTrace():
            return _reset_after_on(layer, trace)
        case MinGRU(), MinGRUTrace():
            retention = [1 - z.detach() for z in trace.update_gates]
            return lambda step, dh: dh * retention[step]
        case _, DrivenTrace() if isinstance(trace, layer.trace):
            return _step_on(layer, trace)
    raise TypeError(f"A {type(trace).__name__} is not what a {type(layer).__name__} layer leaves behind.")


def _step_on(layer: RecurrentWeights, trace: DrivenTrace) -> StepOn:
    """By automatic differentiation: each sequence's own Jacobian of the step."""

    def on(step: int, changes: Tensor) -> Tensor:
        jacobians = jacobians_of_step(layer, trace.drives[step], trace.state_before(step))
        return torch.einsum("bij,...bj->...bi", jacobians, changes)

    return on


def _elman_on(layer: Elman, trace: ElmanTrace) -> StepOn:
    slopes = ACTIVATIONS[layer.activation].slope(trace.hidden).unbind(0)
    W_h = layer.W_h.detach().t()
    return lambda step, dh: (dh @ W_h).mul_(slopes[step])


def _lstm_on(layer: LSTM, trace: LSTMTrace) -> StepOn:
    slopes, exposures = lstm_slopes(trace)
    W_h = layer.W_h.detach().t()

    def on(step: int, changes: Tensor) -> Tensor:
        dh, dc = changes.split(layer.hidden, -1)
        d_input, d_forget, d_output, d_candidate = (dh @ W_h).mul_(slopes[step]).split(layer.hidden, -1)
        dc = (d_input + d_forget).add_(d_candidate).addcmul_(dc, trace.forget_gates[step].detach())
        return torch.cat([torch.addcmul(d_output, dc, exposures[step]), dc], -1)

    return on


def _reset_before_on(layer: ResetBeforeGRU, trace: GRUTrace) -> StepOn:
    r, last, update, candidate, past = update_slopes(trace)
    resets = last * r * (1 - r)
    W_gates, W_candidate = (matrix.t() for matrix in gates_and_candidate(layer))

    def on(step: int, dh: Tensor) -> Tensor:
        d_update, d_reset = (dh @ W_gates).split(layer.hidden, -1)
        d_reset_state = (d_reset * resets[step]).addcmul_(dh, r[step])
        change: Tensor = (d_update * update[step]).addcmul_(d_reset_state @ W_candidate, candidate[step])
        return change.addcmul_(dh, past[step])

    return on


def _reset_after_on(layer: ResetAfterGRU, trace: GRUTrace) -> StepOn:
    r, last, update, candidate, past = update_slopes(trace)
    inner = last @ gates_and_candidate(layer)[1].t() + layer.b_hh.detach()
    slopes = torch.cat([update, candidate * inner * r * (1 - r), candidate * r], -1)
    W_h = layer.W_h.detach().t()

    def on(step: int, dh: Tensor) -> Tensor:
        d_update, d_reset, d_candidate = (dh @ W_h).mul_(slopes[step]).split(layer.hidden, -1)
        change: Tensor = (d_update + d_reset).add_(d_candidate)
        return change.addcmul_(dh, past[step])

    return on
