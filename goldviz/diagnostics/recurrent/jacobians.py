"""Exact Jacobians of one recurrent step, for every step of a forward pass: in closed form, or of the step itself.

Document 001, eq. 7-8 for the Elman network; the same derivative of eq. 10-15 (LSTM) and eq. 21-24 (GRU). A minGRU's
is diagonal: its gates read no state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import jacrev, vmap

from goldviz.diagnostics.recurrent.backward import lstm_slopes, update_slopes
from goldviz.models.recurrent.elman import ACTIVATIONS, Elman, ElmanTrace
from goldviz.models.recurrent.gru import GRUTrace, ResetAfterGRU, ResetBeforeGRU
from goldviz.models.recurrent.lstm import LSTM, LSTMTrace
from goldviz.models.recurrent.min_gru import MinGRU, MinGRUTrace
from goldviz.models.recurrent.weights import DrivenTrace, RecurrentTrace, RecurrentWeights

PerStep = Float[Tensor, "time hidden"]


@dataclass(frozen=True)
class StateJacobians:
    """dh_t/dh_(t-1) for t = 1 to T, for a network whose only state is h: ``matrices`` (time, hidden, hidden)."""

    matrices: Float[Tensor, "time hidden hidden"]

    @property
    def steps(self) -> int:
        """T, the number of steps."""
        return self.matrices.shape[0]

    @property
    def state(self) -> int:
        """The number of values in the state."""
        return self.matrices.shape[1]

    def double(self) -> StateJacobians:
        """The same Jacobians in float64."""
        return StateJacobians(self.matrices.double())

    def dense(self) -> Float[Tensor, "time state state"]:
        """The Jacobians as plain matrices."""
        return self.matrices

    def scaled(self, factors: Float[Tensor, " time"]) -> StateJacobians:
        """Each step's Jacobian times its factor."""
        return StateJacobians(self.matrices * factors[:, None, None])

    def apply_to_rows(self, step: int, rows: Float[Tensor, "rows state"]) -> Float[Tensor, "rows state"]:
        """Each row, read as a change of h_(t-1), turned into the change of h_t that follows (step 0 is t = 1)."""
        return rows @ self.matrices[step].t()


@dataclass(frozen=True)
class CellJacobians:
    """d(h_t, c_t)/d(h_(t-1), c_(t-1)) of an LSTM for t = 1 to T, kept as the four parts it is made of.

    dc_t = cell_from_hidden dh_(t-1) + forget * dc_(t-1), and dh_t = hidden_direct dh_(t-1) + exposure * dc_t,
    where hidden_direct is the path through the output gate and exposure = o_t (1 - tanh^2 c_t). The state's two
    halves count as independent: autograd's gradient by c_(t-1) holds the path through h_(t-1) on top.
    """

    hidden_direct: Float[Tensor, "time hidden hidden"]
    cell_from_hidden: Float[Tensor, "time hidden hidden"]
    forget: PerStep
    exposure: PerStep

    @property
    def steps(self) -> int:
        """T, the number of steps."""
        return self.forget.shape[0]

    @property
    def state(self) -> int:
        """The number of values in the state: h and c."""
        return 2 * self.forget.shape[1]

    @cached_property
    def _from_hidden(self) -> Float[Tensor, "time hidden state"]:
        return torch.cat([self.hidden_direct, self.cell_from_hidden], 1).mT.contiguous()

    def double(self) -> CellJacobians:
        """The same Jacobians in float64."""
        parts = (self.hidden_direct, self.cell_from_hidden, self.forget, self.exposure)
        return CellJacobians(*(part.double() for part in parts))

    def dense(self) -> Float[Tensor, "time state state"]:
        """The Jacobians as (time, 2 hidden, 2 hidden) matrices, h before c."""
        exposure = self.exposure.unsqueeze(-1)
        from_hidden = torch.cat([self.hidden_direct + exposure * self.cell_from_hidden, self.cell_from_hidden], 1)
        from_cell = torch.cat([torch.diag_embed(self.exposure * self.forget), torch.diag_embed(self.forget)], 1)
        return torch.cat([from_hidden, from_cell], 2)

    def scaled(self, factors: Float[Tensor, " time"]) -> CellJacobians:
        """Each step's Jacobian times its factor."""
        matrix_factors = factors[:, None, None]
        return CellJacobians(
            self.hidden_direct * matrix_factors,
            self.cell_from_hidden * matrix_factors,
            self.forget * factors[:, None],
            self.exposure,  # of dc_t, which is scaled already
        )

    def apply_to_rows(self, step: int, rows: Float[Tensor, "rows state"]) -> Float[Tensor, "rows state"]:
        """Each row, read as a change of (h, c) at t-1, turned into the change at t: half the work of dense()."""
        hidden = self.forget.shape[1]
        result = rows[:, :hidden] @ self._from_hidden[step]
        cell = result[:, hidden:].addcmul_(rows[:, hidden:], self.forget[step])
        result[:, :hidden].addcmul_(cell, self.exposure[step])
        return result


RecurrentJacobians = StateJacobians | CellJacobians


@torch.no_grad()
def step_jacobians(layer: RecurrentWeights, trace: RecurrentTrace, sequence: int = 0) -> RecurrentJacobians:
    """The Jacobians of all steps of one sequence of the batch, in the precision of the layer's weights.

    Raises ``TypeError`` if the trace belongs to another kind of network, ``IndexError`` for a sequence that the
    batch does not have, and ``ValueError`` if the forward pass was not finite.
    """
    _check_trace(trace, sequence)
    match layer, trace:
        case Elman(), ElmanTrace():
            # D_t W_hh with D_t = diag(phi'), eq. 8
            slopes = ACTIVATIONS[layer.activation].slope(_of(trace.states[1:], sequence))
            return StateJacobians(_rows(slopes, layer.W_h))
        case LSTM(), LSTMTrace():
            return _lstm(layer, trace, sequence)
        case ResetBeforeGRU(), GRUTrace():
            return StateJacobians(_reset_before(layer, trace, sequence))
        case ResetAfterGRU(), GRUTrace():
            return StateJacobians(_reset_after(layer, trace, sequence))
        case MinGRU(), MinGRUTrace():
            return StateJacobians(torch.diag_embed(1 - _of(trace.update_gates, sequence)))
        case _, DrivenTrace() if isinstance(trace, layer.trace):
            states = torch.cat([_of(getattr(trace, name)[:-1], sequence) for name in trace.carried], 1)
            return StateJacobians(jacobians_of_step(layer, _of(trace.drives, sequence), states))
    raise TypeError(f"A {type(trace).__name__} is not what a {type(layer).__name__} layer leaves behind.")


def jacobians_of_step(
    layer: RecurrentWeights, drives: Float[Tensor, "any rows"], states: Float[Tensor, "any state"]
) -> Float[Tensor, "any state state"]:
    """d(state at t)/d(state at t-1) of any cell, by automatic differentiation of its step.

    ``drives`` are W_x x_t + b, ``states`` the whole states that the steps begin with: of one sequence over time, or of
    many sequences at one time.
    """

    def after(drive: Tensor, state: Tensor) -> Tensor:
        return layer.whole_step(drive.unsqueeze(0), state.unsqueeze(0)).squeeze(0)

    jacobians: Tensor = vmap(jacrev(after, argnums=1))(drives.detach(), states.detach())
    return jacobians.detach()


def _check_trace(trace: RecurrentTrace, sequence: int) -> None:
    batch = trace.states[0].shape[0]
    if not 0 <= sequence < batch:
        raise IndexError(f"The sequence is number {sequence}; the batch has numbers 0 to {batch - 1}.")
    finite = _of(trace.states, sequence).isfinite().all(1)
    if not bool(finite.all()):
        step = int(finite.logical_not().nonzero()[0])
        raise ValueError(f"The hidden state is not finite from step {step} on: its Jacobians do not exist.")


def _of(steps: Sequence[Tensor], sequence: int) -> PerStep:
    return torch.stack([step[sequence] for step in steps])


def _rows(scale: PerStep, matrix: Tensor) -> Float[Tensor, "time hidden hidden"]:
    """diag(scale_t) @ matrix for every step."""
    return scale.unsqueeze(-1) * matrix


def _lstm(layer: LSTM, trace: LSTMTrace, sequence: int) -> CellJacobians:
    """Chain rule over eq. 10-15."""
    slopes, exposures = lstm_slopes(trace)
    i, f, o, candidate = _of(slopes, sequence).chunk(4, -1)
    W_i, W_f, W_o, W_c = (layer.block(layer.W_h, name) for name in ("input", "forget", "output", "candidate"))
    cell_from_hidden = _rows(f, W_f) + _rows(i, W_i) + _rows(candidate, W_c)
    return CellJacobians(_rows(o, W_o), cell_from_hidden, _of(trace.forget_gates, sequence), _of(exposures, sequence))


def _gru_parts(layer: ResetBeforeGRU | ResetAfterGRU, trace: GRUTrace, sequence: int) -> tuple[Tensor, ...]:
    """What both conventions share: r, h_(t-1), the path past the candidate, and dh_t/d(candidate's sum)."""
    r, last, update, candidate, past = (_of([*steps], sequence) for steps in update_slopes(trace))
    return r, last, torch.diag_embed(past) + _rows(update, layer.block(layer.W_h, "update")), candidate


def _reset_before(layer: ResetBeforeGRU, trace: GRUTrace, sequence: int) -> Tensor:
    """Eq. 23: the candidate's sum moves by W_hh d(r * h)."""
    r, last, past, slope = _gru_parts(layer, trace, sequence)
    of_reset_state = torch.diag_embed(r) + _rows(last * r * (1 - r), layer.block(layer.W_h, "reset"))
    return past + _rows(slope, layer.block(layer.W_h, "candidate") @ of_reset_state)


def _reset_after(layer: ResetAfterGRU, trace: GRUTrace, sequence: int) -> Tensor:
    """PyTorch's convention: the candidate's sum moves by d(r * (W_hh h + b_hh))."""
    r, last, past, slope = _gru_parts(layer, trace, sequence)
    W_hh = layer.block(layer.W_h, "candidate")
    inner = last @ W_hh.t() + layer.b_hh
    return past + _rows(slope * r, W_hh) + _rows(slope * inner * r * (1 - r), layer.block(layer.W_h, "reset"))
