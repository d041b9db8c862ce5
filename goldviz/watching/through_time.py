"""A recurrent module by time step, though one fused call hides the steps: one batch replayed through its cell.

The weights of ``nn.RNN``, ``nn.LSTM`` or ``nn.GRU`` are those that the call used. The replay gives every state, and
with them the gradient of each, and what a state still means to the last one. How far its outputs lie from the module's
own is told beside them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from goldviz.diagnostics.recurrent.backward import steps_back
from goldviz.diagnostics.recurrent.gate_products import kept_shares, largest_products_to_last
from goldviz.diagnostics.recurrent.jacobians import step_jacobians
from goldviz.models.recurrent.elman import Elman
from goldviz.models.recurrent.gru import ResetAfterGRU
from goldviz.models.recurrent.lstm import LSTM
from goldviz.models.recurrent.weights import Initial, RecurrentTrace, RecurrentWeights

ROWS, STEPS, PLACES, UNITS = 16, 512, 64, 256
"""Rows of a batch, time steps and units of a module that is replayed, and how many of its last steps are told."""


class Replay:
    """What is kept of one call of a recurrent module until its gradients are there.

    Of several layers the last is read, of both directions the forward one.
    """

    def __init__(self, module: nn.RNNBase, inputs: Tensor, initial: Any, outputs: Sequence[Any]) -> None:
        self.batch = inputs.shape[0 if module.batch_first else 1]
        self.hidden, time_first = module.hidden_size, not module.batch_first
        self.rows = min(self.batch, ROWS)
        x = (inputs if time_first else inputs.transpose(0, 1)).detach()[:, : self.rows]
        own = (outputs[0] if time_first else outputs[0].transpose(0, 1)).detach()[:, : self.rows]
        self.layer, self.trace = _replayed(module, x, initial, self.rows)
        self.difference = (self.trace.hidden - own[..., : self.hidden]).abs().max()
        self._after = torch.zeros_like(self.trace.hidden)
        self._last: dict[str, Tensor] = {}
        self._has_gradient = False
        if outputs[0].requires_grad:
            outputs[0].register_hook(partial(self._arrived, "outputs", time_first))
        last = outputs[1] if isinstance(outputs[1], tuple) else (outputs[1],)
        for name, state in zip(("h", "c"), last, strict=False):
            if state.requires_grad:
                state.register_hook(partial(self._arrived, name, True))
        self._place = (2 if module.bidirectional else 1) * (module.num_layers - 1)

    def _arrived(self, name: str, time_first: bool, gradient: Tensor) -> None:
        """The gradient of what the module gave."""
        self._has_gradient = True
        if name == "outputs":
            whole = gradient if time_first else gradient.transpose(0, 1)
            self._after = self._after + whole[:, : self.rows, : self.hidden].detach()
        else:
            self._last[name] = gradient.detach()[self._place, : self.rows]

    @torch.no_grad()
    def told(self) -> dict[str, np.ndarray]:
        """Of the last 64 steps: ||dL/dh_t||, mean over rows, and the largest singular value of dh_T/dh_t.

        Of an LSTM or GRU also that of the gates' own way to the last state, a product of diagonal matrices: of one
        row, as dh_T/dh_t is.
        dL/dh_t is the loss's own gradient of h_t and what the step after it hands back, so one pass gives all of them.
        Nothing where no gradient came or a state is no finite number.
        """
        if not self._has_gradient or not bool(self.trace.hidden.isfinite().all()):
            return {}
        after = self._after
        zeros = torch.zeros_like(after[0])
        state = after[-1] + self._last.get("h", zeros)
        if len(self.trace.carried) > 1:
            state = torch.cat([state, self._last.get("c", zeros)], 1)
        back = steps_back(self.layer, self.trace)
        norms = []
        for step in range(len(after) - 1, -1, -1):
            # A batch's loss is a mean, which divides each row's gradient by their number.
            norms.append(float(state[:, : self.hidden].norm(dim=1).mean()) * self.batch)
            if len(norms) == PLACES or step == 0:
                break
            state = back(step, state).previous
            state[:, : self.hidden] += after[step - 1]
        jacobians = step_jacobians(self.layer, self.trace).dense()
        product, largest = torch.eye(jacobians.shape[1], dtype=jacobians.dtype, device=jacobians.device), []
        for matrix in reversed(jacobians[-PLACES:]):
            largest.append(_largest_singular_value(product[: self.hidden, : self.hidden]))
            product = product @ matrix
        told = {
            "state_gradient": _in_time(norms),
            "state_to_last": _in_time(largest),
            "replay_difference": np.asarray(float(self.difference)),
        }
        if (shares := kept_shares(self.trace)) is not None:
            told["gate_product"] = _in_time((10 ** largest_products_to_last(shares[-PLACES:, :1]))[:, 0].tolist())
        return told


def _largest_singular_value(matrix: Tensor) -> float:
    """The root of the largest eigenvalue of A^T A, a third of the work; scaled, so that none underflows."""
    scale = matrix.abs().max()
    scaled = matrix / scale if scale > 0 else matrix
    return float(scale * torch.linalg.eigvalsh(scaled.mT @ scaled)[-1].clamp_min(0).sqrt())


def can_be_replayed(module: nn.Module, given: Sequence[Any]) -> bool:
    """Whether this call can be: a batch of whole sequences, no projection, and no dropout between layers."""
    return (
        isinstance(module, nn.RNN | nn.LSTM | nn.GRU)
        and not module.proj_size
        and not (module.dropout and module.training and module.num_layers > 1)
        and module.hidden_size <= UNITS
        and bool(given)
        and isinstance(given[0], Tensor)
        and given[0].ndim == 3
        and given[0].shape[1 if module.batch_first else 0] <= STEPS
        and given[0].dtype == module.weight_hh_l0.dtype
        and given[0].dtype in (torch.float32, torch.float64)
    )


@torch.no_grad()
def _replayed(module: nn.RNNBase, x: Tensor, initial: Any, rows: int) -> tuple[RecurrentWeights, RecurrentTrace]:
    """The last layer's cell, and its trace of these inputs, forwards."""
    ways = 2 if module.bidirectional else 1
    for number in range(module.num_layers):
        layer = _cell(module, x.shape[-1], f"_l{number}")
        trace: RecurrentTrace = layer(x, _start(initial, ways * number, rows))
        if ways == 2 and number < module.num_layers - 1:
            backwards = _cell(module, x.shape[-1], f"_l{number}_reverse")
            other = backwards(x.flip(0), _start(initial, ways * number + 1, rows)).hidden.flip(0)
            x = torch.cat([trace.hidden, other], -1)
        else:
            x = trace.hidden
    return layer, trace


def _cell(module: nn.RNNBase, inputs: int, suffix: str) -> RecurrentWeights:
    """A layer's cell with the weights as they are now; missing biases are zero."""
    own = dict(module.named_parameters())
    weight = own[f"weight_hh{suffix}"]
    more = {"nonlinearity": module.nonlinearity} if isinstance(module, nn.RNN) else {}
    kind = next(kind for kind in (nn.RNN, nn.LSTM, nn.GRU) if isinstance(module, kind))
    # Without memory nothing is drawn, so that the script's own random numbers stay where they are.
    one = kind(inputs, module.hidden_size, device="meta", dtype=weight.dtype, **more).to_empty(device=weight.device)
    for name, parameter in one.named_parameters():
        value = own.get(name.replace("_l0", suffix))
        parameter.copy_(torch.zeros_like(parameter) if value is None else value)
    match one:
        case nn.LSTM():
            layer: RecurrentWeights = LSTM.from_torch(one)
        case nn.GRU():
            layer = ResetAfterGRU.from_torch(one)
        case _:
            assert isinstance(one, nn.RNN)
            layer = Elman.from_torch(one)
    return layer.to(weight.device)


def _start(initial: Any, place: int, rows: int) -> Initial:
    if initial is None:
        return None
    parts = initial if isinstance(initial, tuple) else (initial,)
    first = tuple(part.detach()[place, :rows] for part in parts)
    return first if len(first) > 1 else first[0]


def _in_time(values: Sequence[float]) -> np.ndarray:
    """Values from the last step backwards, in order: infinite where one is no finite number, NaN after the end."""
    row = np.full(PLACES, math.nan)
    row[: len(values)] = [value if math.isfinite(value) else math.inf for value in reversed(values)]
    return row
