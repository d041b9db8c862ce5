"""The gates of an LSTM as valves in the gradient's flow (document 001, eq. 16-20)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.diagnostics.recurrent.backward import steps_back
from goldviz.models.recurrent.lstm import LSTM, LSTMTrace

PerStep = Float[Tensor, "time batch hidden"]


@dataclass(frozen=True)
class Valves:
    """Gradients of one loss with respect to everything inside an LSTM, entry 0 for t = 1.

    ``cell`` dL/dc_t = ``through_hidden`` + ``through_next_cell``, the two parts of eq. 17 (the second is eq. 18).
    ``hidden`` is dL/dh_t over all paths, ``candidate`` dL/dc~_t (eq. 19), ``output_gate`` dL/do_t (eq. 20),
    ``input_gate`` dL/di_t = dL/dc_t * c~_t and ``forget_gate`` dL/df_t = dL/dc_t * c_(t-1).
    """

    hidden: PerStep
    through_hidden: PerStep
    through_next_cell: PerStep
    candidate: PerStep
    input_gate: PerStep
    forget_gate: PerStep
    output_gate: PerStep

    @property
    def cell(self) -> PerStep:
        """dL/dc_t, eq. 17."""
        return self.through_hidden + self.through_next_cell


@dataclass(frozen=True)
class Openings:
    """How far each valve is open, between 0 (gradient blocked) and 1 (passed unchanged), entry 0 for t = 1.

    ``forget`` f_t stands between c_t and c_(t-1) (eq. 18), ``input`` i_t between c_t and the candidate (eq. 19),
    ``output`` o_t (1 - tanh^2 c_t) between h_t and c_t (first part of eq. 17).
    """

    forget: PerStep
    input: PerStep
    output: PerStep


@torch.no_grad()
def valves(layer: LSTM, trace: LSTMTrace, direct: PerStep) -> Valves:
    """All gradients of eq. 16-20 by hand.

    ``direct`` [t-1] is the gradient of the loss with respect to h_t through the read-out at t alone. Raises
    ``ValueError`` if its shape is not that of the hidden states.
    """
    shape = (len(trace.states) - 1, *trace.states[0].shape)
    if direct.shape != shape:
        raise ValueError(f"The direct gradients have shape {tuple(direct.shape)}; allowed is {shape}.")
    arriving = direct.new_zeros(direct.shape[1], 2 * layer.hidden)
    back = steps_back(layer, trace)
    rows: list[tuple[Tensor, ...]] = []
    for step in reversed(range(direct.shape[0])):
        from_later, through_next_cell = arriving.split(layer.hidden, -1)
        dh = direct[step] + from_later
        tanh_cell = trace.cells[step + 1].tanh()
        through_hidden = dh * trace.output_gates[step] * (1 - tanh_cell.square())
        dc = through_hidden + through_next_cell
        d_candidate = dc * trace.input_gates[step]
        d_input, d_forget, d_output = dc * trace.candidates[step], dc * trace.cells[step], dh * tanh_cell
        rows.append((dh, through_hidden, through_next_cell, d_candidate, d_input, d_forget, d_output))
        arriving = back(step, torch.cat([dh, through_next_cell], -1)).previous
    return Valves(*(torch.stack(column[::-1]) for column in zip(*rows, strict=True)))


@torch.no_grad()
def openings(trace: LSTMTrace) -> Openings:
    """The three valves at every step of a forward pass."""
    outputs, cells = torch.stack(trace.output_gates), torch.stack(trace.cells[1:])
    return Openings(
        forget=torch.stack(trace.forget_gates),
        input=torch.stack(trace.input_gates),
        output=outputs * (1 - cells.tanh().square()),
    )
