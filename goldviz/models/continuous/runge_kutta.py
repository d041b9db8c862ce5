"""Explicit Runge-Kutta methods, written down as tables of numbers, and how one of them carries a state along a field.

Butcher 1964; Hairer, Norsett and Wanner 1993, section II.1. A field is f of dh/dt = f(t, h) (document 001, eq. 29),
called as ``field(t, h)``, the order that torchdiffeq uses.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

VectorField = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class ButcherTableau:
    """The numbers of one explicit method: with step d,

    k_i = f(t + c_i d, h + d sum_j a_ij k_j) for j < i, and h(t + d) = h(t) + d sum_i b_i k_i.

    Row i of ``a`` has i numbers, so the first is empty; c_i is the sum of row i. The error after a fixed time shrinks
    like d to the power of ``order``.
    """

    order: int
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]

    @property
    def c(self) -> tuple[float, ...]:
        """When every stage looks at the field, as a share of the step."""
        return tuple(float(sum(row)) for row in self.a)

    @property
    def stages(self) -> int:
        """How often one step evaluates the field."""
        return len(self.b)


RUNGE_KUTTA_METHODS = {
    "euler": ButcherTableau(1, ((),), (1.0,)),
    "midpoint": ButcherTableau(2, ((), (1 / 2,)), (0.0, 1.0)),
    "heun": ButcherTableau(2, ((), (1.0,)), (1 / 2, 1 / 2)),
    "rk4": ButcherTableau(4, ((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6)),
    "rk4_three_eighths": ButcherTableau(
        4, ((), (1 / 3,), (-1 / 3, 1.0), (1.0, -1.0, 1.0)), (1 / 8, 3 / 8, 3 / 8, 1 / 8)
    ),
}
"""Method by name. The last is Kutta's other method of order 4, the one that torchdiffeq calls "rk4"."""


def runge_kutta_method(name: str) -> ButcherTableau:
    """The method of this name; raises ``ValueError`` for one that is not in :data:`RUNGE_KUTTA_METHODS`."""
    if name not in RUNGE_KUTTA_METHODS:
        raise ValueError(f"The method is {name!r}; allowed is one of {', '.join(RUNGE_KUTTA_METHODS)}.")
    return RUNGE_KUTTA_METHODS[name]


def runge_kutta_step(
    field: VectorField, t: Tensor, h: Float[Tensor, "*state"], step: Tensor, tableau: ButcherTableau
) -> Float[Tensor, "*state"]:
    """h(t + step) from h(t). ``step`` is one number or has a number for every sample, such as (batch, 1)."""
    stages: list[Tensor] = []
    for row, c in zip(tableau.a, tableau.c, strict=True):
        y = h
        for a, k in zip(row, stages, strict=True):
            if a:
                y = y + a * step * k
        stages.append(field(t + c * step, y))
    for b, k in zip(tableau.b, stages, strict=True):
        if b:
            h = h + b * step * k
    return h


def integrate(
    field: VectorField, state: Float[Tensor, "*state"], duration: Tensor | float, steps: int, method: str = "rk4"
) -> Float[Tensor, "*state"]:
    """The state after ``duration``, from time 0 in ``steps`` equal steps; automatic differentiation goes through.

    Equation 30 of document 001 by a method of :data:`RUNGE_KUTTA_METHODS`. ``duration`` is a number, or a tensor that
    broadcasts against the state, (batch, 1) for a state (batch, hidden): then every sample has its own time and its
    own step, and one of zero stays where it is. Raises ``ValueError`` for an unknown method and for no step at all.

    >>> grown = integrate(lambda t, h: h, torch.ones(1, dtype=torch.float64), 1.0, 100)
    >>> round(float(grown), 6)
    2.718282
    """
    return deque(states_along(field, state, duration, steps, method), maxlen=1).pop()


def states_along(
    field: VectorField, state: Float[Tensor, "*state"], duration: Tensor | float, steps: int, method: str = "rk4"
) -> Iterator[Float[Tensor, "*state"]]:
    """The states that :func:`integrate` goes through, one at a time: the start and the one after every step."""
    if steps < 1:
        raise ValueError(f"The number of steps is {steps}; allowed is a whole number from 1.")
    tableau = runge_kutta_method(method)
    step = torch.as_tensor(duration, dtype=state.dtype, device=state.device) / steps
    yield state
    for index in range(steps):
        state = runge_kutta_step(field, index * step, state, step, tableau)
        yield state


def integrate_in_each(
    field: VectorField, state: Float[Tensor, "*state"], duration: float, counts: Sequence[int], method: str = "rk4"
) -> list[Float[Tensor, "*state"]]:
    """What :func:`integrate` gives for each number of steps, all of them carried side by side.

    The field is asked about all that still move at once: h is (moving, \\*state), and t has a number for each of them,
    shaped (moving, 1, ...). Raises ``ValueError`` as :func:`integrate` does.

    >>> once, twice = integrate_in_each(lambda t, h: h, torch.ones(1), 1.0, (1, 2), "euler")
    >>> float(once), float(twice)
    (2.0, 2.25)
    """
    if not counts or min(counts) < 1:
        raise ValueError(f"The numbers of steps are {list(counts)}; allowed are whole numbers from 1.")
    tableau = runge_kutta_method(method)
    order = sorted(range(len(counts)), key=counts.__getitem__, reverse=True)
    taken = [counts[number] for number in order]
    sizes = duration / torch.tensor(taken, dtype=state.dtype, device=state.device)
    sizes = sizes.view(-1, *[1] * state.dim())
    moving, ends = state.expand(len(counts), *state.shape), dict[int, Tensor]()
    for index in range(taken[0]):
        step = sizes[: len(moving)]
        moving = runge_kutta_step(field, index * step, moving, step, tableau)
        while len(moving) and taken[len(moving) - 1] == index + 1:
            ends[order[len(moving) - 1]] = moving[-1]
            moving = moving[:-1]
    return [ends[number] for number in range(len(counts))]
