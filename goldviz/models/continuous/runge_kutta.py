"""How an explicit Runge-Kutta method carries a state along a field.

Hairer, Norsett and Wanner 1993, section II.1. A field is f of dh/dt = f(t, h) (document 001, eq. 29),
called as ``field(t, h)``, the order that torchdiffeq uses.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.models.continuous.methods import ButcherTableau, runge_kutta_method

VectorField = Callable[[Tensor, Tensor], Tensor]


def runge_kutta_step(
    field: VectorField, t: Tensor, h: Float[Tensor, "*state"], step: Tensor, tableau: ButcherTableau
) -> Float[Tensor, "*state"]:
    """h(t + step) from h(t). ``step`` is one number or has a number for every sample, such as (batch, 1)."""
    for b, k in zip(tableau.b, stage_slopes(field, t, h, step, tableau), strict=True):
        if b:
            h = h + b * step * k
    return h


def stage_slopes(
    field: VectorField, t: Tensor, h: Float[Tensor, "*state"], step: Tensor, tableau: ButcherTableau
) -> list[Float[Tensor, "*state"]]:
    """k_1, k_2, ... of one step: the field where each stage looks at it."""
    slopes: list[Tensor] = []
    for row, c in zip(tableau.a, tableau.c, strict=True):
        y = h
        for a, k in zip(row, slopes, strict=True):
            if a:
                y = y + a * step * k
        slopes.append(field(t + c * step, y))
    return slopes


def integrate(
    field: VectorField, state: Float[Tensor, "*state"], duration: Tensor | float, steps: int, method: str = "rk4"
) -> Float[Tensor, "*state"]:
    """The state after ``duration``, from time 0 in ``steps`` equal steps; automatic differentiation goes through.

    Equation 30 of document 001 by a method of :data:`goldviz.models.continuous.methods.FIXED`. ``duration`` is a
    number, or a tensor that broadcasts against the state, (batch, 1) for a state (batch, hidden): then every sample has
    its own time and its own step, and one of zero stays where it is. Raises ``ValueError`` for an unknown method and
    for no step at all.

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
    steps = [counts[number] for number in order]
    sizes = duration / torch.tensor(steps, dtype=state.dtype, device=state.device)
    sizes = sizes.view(-1, *[1] * state.dim())
    moving, ends = state.expand(len(counts), *state.shape), dict[int, Tensor]()
    for index in range(steps[0]):
        step = sizes[: len(moving)]
        moving = runge_kutta_step(field, index * step, moving, step, tableau)
        while len(moving) and steps[len(moving) - 1] == index + 1:
            ends[order[len(moving) - 1]] = moving[-1]
            moving = moving[:-1]
    return [ends[number] for number in range(len(counts))]
