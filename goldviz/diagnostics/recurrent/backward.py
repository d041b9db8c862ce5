"""One step of backpropagation through time by hand, for every recurrent network, many gradients at once.

The transpose of :mod:`goldviz.diagnostics.recurrent.jacobians` applied to gradients: document 001, eq. 6-8 for
the Elman network, eq. 16-20 for the LSTM, and the chain rule over eq. 21-24 for the GRU.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.models.recurrent.elman import ACTIVATIONS, Elman, ElmanTrace
from goldviz.models.recurrent.gru import GRUTrace, ResetAfterGRU, ResetBeforeGRU
from goldviz.models.recurrent.lstm import LSTM, LSTMTrace
from goldviz.models.recurrent.networks import RecurrentLayer, Trace

Gradients = Float[Tensor, "*stacked batch state"]


class Backward(NamedTuple):
    """The gradients that one step passes on.

    ``products`` (..., batch, gates * hidden) is dL/d(W_h times its input), so that a gate's share of dL/dW_h is
    the outer product with what that matrix multiplied, ``factors`` (batch, gates, hidden): h_(t-1) everywhere
    but in eq. 23, where it is r_t * h_(t-1). ``previous`` (..., batch, state) is dL/d(state at t-1).
    """

    products: Float[Tensor, "*stacked batch rows"]
    factors: Float[Tensor, "batch gates hidden"]
    previous: Gradients


@torch.no_grad()
def backward_step(layer: RecurrentLayer, trace: Trace, step: int, gradients: Gradients) -> Backward:
    """Pull dL/d(state at t) back over step t = ``step`` + 1.

    ``gradients`` may have any leading dimensions; the state is h, or h before c for an LSTM. Raises
    ``TypeError`` if the trace belongs to another kind of network.
    """
    match layer, trace:
        case Elman(), ElmanTrace():
            return _elman_back(layer, trace, step, gradients)
        case LSTM(), LSTMTrace():
            return _lstm_back(layer, trace, step, gradients)
        case ResetBeforeGRU(), GRUTrace():
            return _reset_before_back(layer, trace, step, gradients)
        case ResetAfterGRU(), GRUTrace():
            return _reset_after_back(layer, trace, step, gradients)
    raise TypeError(f"A {type(trace).__name__} is not what a {type(layer).__name__} layer leaves behind.")


def _same_factor(layer: RecurrentLayer, last: Tensor) -> Tensor:
    return last.unsqueeze(1).expand(-1, len(layer.blocks), -1)


def _elman_back(layer: Elman, trace: ElmanTrace, step: int, dh: Tensor) -> Backward:
    du = dh * ACTIVATIONS[layer.activation].slope(trace.states[step + 1])
    return Backward(du, _same_factor(layer, trace.states[step]), du @ layer.W_h)


def _lstm_back(layer: LSTM, trace: LSTMTrace, step: int, gradients: Tensor) -> Backward:
    dh, dc = gradients.split(layer.hidden, -1)
    i, f, o = trace.input_gates[step], trace.forget_gates[step], trace.output_gates[step]
    candidate, squashed = trace.candidates[step], trace.cells[step + 1].tanh()
    dc = dc + dh * o * (1 - squashed.square())  # eq. 17
    sums = torch.cat(
        [
            dc * candidate * i * (1 - i),
            dc * trace.cells[step] * f * (1 - f),
            dh * squashed * o * (1 - o),  # eq. 20
            dc * i * (1 - candidate.square()),  # eq. 19
        ],
        -1,
    )
    previous = torch.cat([sums @ layer.W_h, dc * f], -1)  # eq. 18
    return Backward(sums, _same_factor(layer, trace.states[step]), previous)


def _update_and_candidate(trace: GRUTrace, step: int, dh: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """r_t, h_(t-1), the gradients of the sums of z_t and h~_t, and what eq. 24 passes straight to h_(t-1)."""
    z, candidate, last = trace.update_gates[step], trace.candidates[step], trace.states[step]
    dz = dh * (candidate - last) * z * (1 - z)
    return trace.reset_gates[step], last, dz, dh * z * (1 - candidate.square()), dh * (1 - z)


def _reset_before_back(layer: ResetBeforeGRU, trace: GRUTrace, step: int, dh: Tensor) -> Backward:
    r, last, dz, d_candidate, past = _update_and_candidate(trace, step, dh)
    d_recalled = d_candidate @ layer.block(layer.W_h, "candidate")
    gates = torch.cat([dz, d_recalled * last * r * (1 - r)], -1)
    previous = past + d_recalled * r + gates @ layer.W_h[: 2 * layer.hidden]
    return Backward(torch.cat([gates, d_candidate], -1), torch.stack([last, last, r * last], 1), previous)


def _reset_after_back(layer: ResetAfterGRU, trace: GRUTrace, step: int, dh: Tensor) -> Backward:
    r, last, dz, d_candidate, past = _update_and_candidate(trace, step, dh)
    inner = last @ layer.block(layer.W_h, "candidate").t() + layer.b_hh
    products = torch.cat([dz, d_candidate * inner * r * (1 - r), d_candidate * r], -1)
    return Backward(products, _same_factor(layer, last), past + products @ layer.W_h)
