"""A neural ODE and the residual network that it is the limit of, on one and the same field.

Document 001, section 3.2.1, eq. 26-30; Chen et al. 2018 (adjoint), Dupont, Doucet and Teh 2019 (augmentation).
Depth runs from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.functional import linear, pad
from torchdiffeq import odeint, odeint_adjoint
from torchdiffeq._impl.odeint import SOLVERS
from torchdiffeq._impl.solvers import FixedGridODESolver

from goldviz.models.continuous.methods import BY_LIBRARY_NAME
from goldviz.models.continuous.runge_kutta import stage_slopes, states_along
from goldviz.models.continuous.vector_field import TanhField

MOST_EVALUATIONS = 2000
"""Evaluations of a field on one way through depth, after which its solver counts as not arriving."""
FLOW_GRADIENTS = {"solver": odeint, "adjoint": odeint_adjoint}
"""How a flow is differentiated: back through the solver's steps, or by solving the adjoint equation backwards."""
ABSOLUTE_SHARE = 0.1
"""The absolute tolerance as a share of the relative one."""


class UnsolvedFlowError(ValueError):
    """A solver could not carry the points to the end of the depth."""

    for_a_person = True


class DepthField(TanhField):
    """f(h) of document 001, eq. 29, the same at every depth: a :class:`TanhField` that can be looked into.

    ``evaluations`` counts the calls since it was last set to zero, as whoever carries points does first. A call beyond
    :data:`MOST_EVALUATIONS` raises :class:`UnsolvedFlowError`.
    """

    def __init__(
        self, hidden: int, widths: Sequence[int], generator: Generator, *, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__(hidden, widths, generator, dtype=dtype)
        self.evaluations = 0

    def forward(self, t: Tensor, h: Float[Tensor, "*any hidden"]) -> Float[Tensor, "*any hidden"]:
        """dh/dt at the state h and the depth t, on a way through depth: it counts."""
        self.evaluations += 1
        if self.evaluations > MOST_EVALUATIONS:
            raise UnsolvedFlowError(
                f"The solver asked for the field more than {MOST_EVALUATIONS:,} times on one way through depth: the "
                "field has become too stiff for it. Take a smaller learning rate or a larger tolerance."
            )
        return self.at(t, h)

    def at(self, t: Tensor, h: Float[Tensor, "*any hidden"]) -> Float[Tensor, "*any hidden"]:
        """dh/dt at the state h and the depth t, for who looks at the field and takes no way along it."""
        *_, last = [h, *self.tanh_values(t, h)]
        return linear(last, self.weights[-1], self.biases[-1])

    def tanh_values(self, t: Tensor, h: Float[Tensor, "*any hidden"]) -> list[Float[Tensor, "*any units"]]:
        """What the layers' tanh units say at the state h and the depth t, layer by layer."""
        values: list[Tensor] = []
        for W, b in zip(list(self.weights)[:-1], self.inner_biases(t), strict=True):
            values.append(torch.tanh(linear(values[-1] if values else h, W, b)))
        return values

    def inner_biases(self, t: Tensor) -> list[Tensor]:
        """The biases of all layers but the last at the depth t."""
        return list(self.biases)[:-1]

    def jacobian(self, t: Tensor, h: Float[Tensor, "points hidden"]) -> Float[Tensor, "points hidden hidden"]:
        """df/dh for every point: the product of the layers' matrices, each row times its unit's slope 1 - tanh^2."""
        J = torch.eye(self.hidden, dtype=h.dtype, device=h.device).expand(len(h), -1, -1)
        for W, values in zip(list(self.weights)[:-1], self.tanh_values(t, h), strict=True):
            J = (1 - values.square())[:, :, None] * (W @ J)
        product: Tensor = self.weights[-1] @ J
        return product


class TimedDepthField(DepthField):
    """f(h, t): a :class:`DepthField` whose first layer also sees the depth t, with weights of size 1 at the start.

    So each residual block reads other biases than the one before it (document 001, eq. 28-29).
    """

    def __init__(
        self, hidden: int, widths: Sequence[int], generator: Generator, *, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__(hidden, widths, generator, dtype=dtype)
        directions = torch.randn(self.widths[0], generator=generator, dtype=torch.float64) / math.sqrt(hidden)
        self.depth_weights = nn.Parameter(directions.to(dtype))

    def inner_biases(self, t: Tensor) -> list[Tensor]:
        """The biases of all layers but the last; the first layer's moves with t."""
        first, *others = super().inner_biases(t)
        return [first + t * self.depth_weights, *others]


@dataclass(frozen=True)
class FlowSolver:
    """h(t) = h(0) + the integral of f from 0 to t (eq. 30) by a solver of torchdiffeq.

    An adaptive method chooses its steps so that each one's error, the root mean square over the batch, stays
    within ``tolerance`` relative to the state; between steps it interpolates. The others take ``steps`` equal steps,
    with straight lines between them. ``gradient`` is one of :data:`FLOW_GRADIENTS`; the adjoint is solved with the same
    method and tolerance.
    """

    method: str = "dopri5"
    tolerance: float = 1e-4
    steps: int = 8
    gradient: str = "solver"

    def carry(
        self, field: DepthField, start: Float[Tensor, "points hidden"], depths: Sequence[float]
    ) -> Float[Tensor, "depths points hidden"]:
        """Where the points are at these depths; :class:`UnsolvedFlowError` if the solver cannot get there."""
        field.evaluations = 0
        times = torch.tensor(depths, dtype=start.dtype, device=start.device)
        # A step that ends at the end: what an adaptive solver interpolates there has fewer digits. The adjoint's is 0.
        landing = {"step_t": times[[0, -1]]}
        options = landing if BY_LIBRARY_NAME[self.method].adaptive else {"grid_constructor": self._grid}
        with flow_faults_in_words(self.method):
            states: Tensor = FLOW_GRADIENTS[self.gradient](
                field,
                start,
                times,
                rtol=self.tolerance,
                atol=ABSOLUTE_SHARE * self.tolerance,
                method=library_method(self.method),
                options=options,
            )
        return states

    def _grid(self, field: object, state: Tensor, times: Tensor) -> Tensor:
        # The adjoint comes back from 1 to 0, so the ends are read off the times.
        return torch.linspace(float(times[0]), float(times[-1]), self.steps + 1, dtype=times.dtype, device=times.device)


def library_method(name: str) -> str:
    """The name for ``odeint``'s ``method``, under which torchdiffeq learns the method where it has none like it.

    ``name`` is one of :data:`goldviz.models.continuous.methods.BY_LIBRARY_NAME`.
    """
    if name not in SOLVERS:
        tableau = BY_LIBRARY_NAME[name].tableau

        class TableauSteps(FixedGridODESolver):  # type: ignore[misc]
            order = tableau.order

            def _step_func(
                self, func: Callable[..., Tensor], t0: Tensor, dt: Tensor, t1: Tensor, y0: Tensor
            ) -> tuple[Any, Tensor]:
                slopes = stage_slopes(func, t0, y0, dt, tableau)
                return sum(b * dt * k for b, k in zip(tableau.b, slopes, strict=True) if b), slopes[0]

        SOLVERS[name] = TableauSteps
    return name


@contextmanager
def flow_faults_in_words(method: str) -> Iterator[None]:
    """Turn what torchdiffeq asserts inside into an :class:`UnsolvedFlowError` with a sentence for a person."""
    try:
        yield
    except AssertionError as error:
        underflow = "underflow" in str(error)
        steps = "its steps became too small to go on, so the field is too steep or no finite number"
        reason = steps if underflow else "the states are no longer finite numbers"
        raise UnsolvedFlowError(
            f"The solver {method} gave up on the way through depth: {reason}. Take a smaller learning rate, or another "
            "tolerance."
        ) from error


@dataclass(frozen=True)
class EulerBlocks:
    """A residual network of ``blocks`` blocks that share their weights: h_l = h_(l-1) + f(h_(l-1), t_(l-1)) / blocks.

    Equations 26 and 28 with dt = 1 / blocks, which are Euler's steps. Between two blocks there is no state; a depth
    there is given the place on the straight line of its block.
    """

    blocks: int

    def carry(
        self, field: DepthField, start: Float[Tensor, "points hidden"], depths: Sequence[float]
    ) -> Float[Tensor, "depths points hidden"]:
        """Where the points are at these depths."""
        field.evaluations = 0
        states = list(states_along(field, start, 1.0, self.blocks, "euler"))
        along = []
        for depth in depths:
            block = min(int(depth * self.blocks), self.blocks - 1)
            along.append(torch.lerp(states[block], states[block + 1], depth * self.blocks - block))
        return torch.stack(along)


Carrier: TypeAlias = FlowSolver | EulerBlocks
"""What carries points through depth along a field, whose count of evaluations it starts at zero."""


class DepthNetwork(nn.Module):
    """Points, zeros added to them, carried through depth, and a number read off where they end.

    With a ``read_out`` (hidden + 1,), a vector w and a bias b as its last entry, the answer is w h(1) + b: the log odds
    of class 1. Without one it is the first coordinate of h(1) itself, since a read-out could turn its sign.
    """

    def __init__(
        self, field: DepthField, carrier: Carrier, read_out: Float[Tensor, " hidden_and_bias"] | None = None
    ) -> None:
        super().__init__()
        self.field = field
        self.carrier = carrier
        self.read_out = None if read_out is None else nn.Parameter(read_out)

    def start(self, points: Float[Tensor, "points plane"]) -> Float[Tensor, "points hidden"]:
        """The points with zeros in the field's further coordinates (Dupont, Doucet and Teh 2019)."""
        return pad(points, (0, self.field.hidden - points.shape[1]))

    def answer(self, end: Float[Tensor, "points hidden"]) -> Float[Tensor, " points"]:
        """What is read off the points where they end."""
        return end[:, 0] if self.read_out is None else end @ self.read_out[:-1] + self.read_out[-1]

    def forward(self, points: Float[Tensor, "points plane"]) -> Float[Tensor, " points"]:
        """The answers for these points."""
        return self.answer(self.carrier.carry(self.field, self.start(points), (0.0, 1.0))[-1])


def drawn_read_out(hidden: int, generator: Generator, dtype: torch.dtype) -> Float[Tensor, " hidden_and_bias"]:
    """A read-out with weights N(0, 1/hidden), drawn in float64, and bias zero."""
    weights = torch.randn(hidden, generator=generator, dtype=torch.float64) / math.sqrt(hidden)
    return pad(weights, (0, 1)).to(dtype)
