"""The ODE-RNN as one differentiable operation: fixed steps, a GRU, a tanh field, and a gradient written by hand.

The same equations and results as :class:`ODERNN` with fixed steps, several times faster on
small networks, where automatic differentiation costs more than the arithmetic.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear

from goldviz.models.continuous.fused_flow import FlowGradient, FlowPlan, FlowStages
from goldviz.models.continuous.fused_gru import GRU_JUMPS, JumpsOf, closed_unless_observed
from goldviz.models.continuous.methods import runge_kutta_method
from goldviz.models.continuous.observed_series import SeriesError, State, Times
from goldviz.models.continuous.ode_rnn import ODERNN, Inputs, Observed, ODERNNTrace
from goldviz.models.continuous.ode_solvers import LONGEST_STEP, FixedSteps
from goldviz.models.continuous.own_pace import Pace, own_pace
from goldviz.models.continuous.vector_field import TanhField
from goldviz.models.recurrent.gru import GatedRecurrentUnit, ResetAfterGRU
from goldviz.models.recurrent.weights import RecurrentWeights


class FusedPlan(NamedTuple):
    """What the operation needs beside tensors that have gradients."""

    flow: FlowPlan
    jumps: JumpsOf
    pace: Pace


class FusedSequence(torch.autograd.Function):
    """States before and after every arrival from the jumps' drive, the initial state and the weights.

    The gradient can be taken once, not twice; step sizes have none.
    """

    @staticmethod
    def forward(
        ctx: Any,
        plan: FusedPlan,
        drive: Tensor,
        initial: Tensor,
        W_h: Tensor,
        inner_bias: Tensor | None,
        *field: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """States (arrival, hidden) before and after every arrival; ``field`` is W_1, b_1, W_2, b_2, ..."""
        arriving = plan.pace.arriving
        flow = FlowStages(plan.flow, initial, field[::2], field[1::2])
        jumps = plan.jumps(arriving, drive, W_h, inner_bias)
        before = initial.new_empty(len(drive), initial.shape[1])
        after = torch.empty_like(before)
        state, room = initial, torch.empty_like(initial)
        parts = zip(before.split(arriving), after.split(arriving), plan.pace.jumping.split(arriving), strict=True)
        for e, (to_jump, landing, who) in enumerate(parts):
            # Where all jump, `who` counts from 0 up, and no rows need be copied to and fro.
            if len(who) == len(initial):
                flow.forward(e, state, to_jump)
                jumps.forward(e, to_jump, landing)
                state = landing
            else:
                flow.forward(e, state, room)
                jumps.forward(e, torch.index_select(room, 0, who, out=to_jump), landing)
                state = room.index_copy_(0, who, landing)
        ctx.flow, ctx.jumps, ctx.pace = flow, jumps, plan.pace
        ctx.save_for_backward(before, W_h, *field[::2])
        return before, after

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by_before: Tensor, by_after: Tensor) -> tuple[Tensor | None, ...]:
        """From the last jump to the first, then every weight at once."""
        before, _, *weights = ctx.saved_tensors  # unpacking checks that no weight was changed since the pass
        before = before.detach()  # the jumps keep it; with its graph it would keep itself alive
        flow = FlowGradient(ctx.flow, weights)
        ctx.jumps.start_back(before)
        pace = ctx.pace
        gradient = before.new_zeros(len(pace.order), before.shape[1])
        parts = [part.split(pace.arriving) for part in (by_after, by_before, pace.jumping)]
        for e, (after, at_jump, who) in reversed(list(enumerate(zip(*parts, strict=True)))):
            everybody = len(who) == len(gradient)
            jumping = gradient if everybody else gradient.index_select(0, who)
            by_state = ctx.jumps.backward(e, jumping.add_(after), at_jump)
            gradient = by_state if everybody else gradient.index_copy_(0, who, by_state)
            flow.backward(e, gradient)
        return None, ctx.jumps.by_drive(), gradient, *ctx.jumps.by_weights(), *flow.by_weights()


class FusedODERNN(ODERNN):
    """The ODE-RNN of a GRU (either convention) and a :class:`TanhField`, in fixed steps of at most ``longest_step``.

    Weights, results and errors are those of ``ODERNN(cell, field, FixedSteps(method, longest_step))``. Gradients reach
    weights, values and the initial state, once; not the times: asking for that is an error. The states of a whole
    sequence's stages are kept until the gradient was taken (:class:`goldviz.models.continuous.fused_flow.FlowStages`).
    """

    def __init__(
        self, cell: GatedRecurrentUnit, field: TanhField, method: str = "rk4", longest_step: float = LONGEST_STEP
    ) -> None:
        super().__init__(cell, field, FixedSteps(method, longest_step))
        # The very types: a subclass may step otherwise, and the gradient written by hand would not know.
        if type(cell) not in GRU_JUMPS:
            names = ", ".join(kind.__name__ for kind in GRU_JUMPS)
            raise ValueError(f"The fused ODE-RNN's cell is {type(cell).__name__}; allowed is one of {names}.")
        if type(field) is not TanhField:
            raise ValueError(f"The fused ODE-RNN's field is {type(field).__name__}; allowed is TanhField.")
        self.tableau = runge_kutta_method(method)
        self.longest_step = longest_step

    def _follow(self, gaps: Times, inputs: Inputs, observed: Observed, h: State) -> ODERNNTrace:
        if gaps.requires_grad:
            raise SeriesError(
                "The times ask for a gradient, which the fused ODE-RNN does not have; ODERNN has it.", "no_gradient"
            )
        pace = own_pace(gaps, self.longest_step)
        flow = FlowPlan(self.tableau, pace.steps, pace.step_sizes, pace.moving)
        drive = closed_unless_observed(linear(inputs, self.cell.W_x, self.cell.b), observed)
        inner_bias = self.cell.b_hh if isinstance(self.cell, ResetAfterGRU) else None
        layers = [part for layer in zip(self.field.weights, self.field.biases, strict=True) for part in layer]
        before, after = FusedSequence.apply(
            FusedPlan(flow, GRU_JUMPS[type(self.cell)], pace),
            pace.at_jumps(drive),
            h[pace.order],
            self.cell.W_h,
            inner_bias,
            *layers,
        )
        # As the plain ODE-RNN counts them, whose samples wait for each other at every row.
        steps = pace.counts.amax(1).cpu()
        return ODERNNTrace(pace.at_rows(before), pace.at_rows(after), self.tableau.stages * steps, steps)


def fixed_step_ode_rnn(
    cell: RecurrentWeights, field: TanhField, method: str = "rk4", longest_step: float = LONGEST_STEP
) -> ODERNN:
    """The fastest ODE-RNN in fixed steps that there is for this cell: fused for a GRU, else by plain autograd."""
    if isinstance(cell, GatedRecurrentUnit) and type(cell) in GRU_JUMPS:
        return FusedODERNN(cell, field, method, longest_step)
    return ODERNN(cell, field, FixedSteps(method, longest_step))
