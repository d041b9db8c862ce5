"""How a batch of hidden states, each with its own time to go, is carried along a field in one solve.

With dt_i the time that sample i has to go, h_i(s) follows dh_i/ds = dt_i f(h_i) for s from 0 to 1 (a change of
variable; document 001, eq. 32). So samples with different times share one solve, and dt_i = 0 leaves a state alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torchdiffeq import odeint, odeint_adjoint

from goldviz.models.continuous.methods import runge_kutta_method
from goldviz.models.continuous.observed_series import SeriesError
from goldviz.models.continuous.runge_kutta import runge_kutta_step

LONGEST_STEP = 0.05
"""Where no other is said, in the unit of the times: RK4 is within 1e-4 of dopri5 so, on a field as steep as trained
ones."""

MOST_STEPS = 2000
"""No interval takes more steps: one that would has times in the wrong unit."""

ADAPTIVE_METHODS = ("dopri5", "dopri8", "bosh3", "adaptive_heun", "fehlberg2")
FIXED_GRID_METHODS = ("euler", "midpoint", "heun2", "heun3", "rk4", "explicit_adams", "implicit_adams")
DIFFERENTIATIONS: dict[str, Callable[..., Tensor]] = {"backpropagation": odeint, "adjoint": odeint_adjoint}
"""How torchdiffeq's answer is differentiated: through the solver's steps, or by the adjoint ODE (Chen et al. 2018)."""


class UnsolvedIntervalError(SeriesError):
    """An adaptive solver could not reach the end of an interval."""


@dataclass(frozen=True)
class Evolution:
    """The state at the end of an interval, how often the field was evaluated and how many steps were tried."""

    state: Float[Tensor, "batch hidden"]
    evaluations: int
    steps: int


class Solver(Protocol):
    """Carries states along a field."""

    @property
    def longest_gap(self) -> float:
        """The longest interval that is taken on, in the unit of the times."""

    def evolve(
        self, field: nn.Module, state: Float[Tensor, "batch hidden"], durations: Float[Tensor, " batch"]
    ) -> Evolution:
        """Every sample's state after its own duration; an interval in which no time passes takes no step."""


def steps_for(gap: float, longest_step: float) -> int:
    """The fewest equal steps of at most ``longest_step`` that make up ``gap``.

    >>> [steps_for(gap, 0.05) for gap in (0.0, 0.01, 0.05, 0.11)]
    [0, 1, 1, 3]
    """
    # A gap that is a whole number of steps but for rounding takes that number, not one more.
    return max(1, math.ceil(gap / longest_step * (1 - 1e-6))) if gap > 0 else 0


def steps_of(gaps: Float[Tensor, "*sample"], longest_step: float) -> Int[Tensor, "*sample"]:
    """:func:`steps_for` of every gap.

    >>> steps_of(torch.tensor([0.0, 0.01, 0.05, 0.11]), 0.05).tolist()
    [0, 1, 1, 3]
    """
    fewest = (gaps.detach().double() / longest_step * (1 - 1e-6)).ceil().clamp(min=1)
    return torch.where(gaps > 0, fewest, 0).long()


def check_longest_step(longest_step: float) -> None:
    """Raise ``ValueError`` unless the longest step is a positive number; infinity means one step an interval."""
    if not longest_step > 0:
        raise ValueError(f"The longest step is {longest_step}; allowed is a number above 0.")


@dataclass(frozen=True)
class FixedSteps:
    """Equal Runge-Kutta steps of at most ``longest_step``, plainly differentiated through.

    Every sample takes the steps that its own gap needs, so its numbers do not depend on its company. ``Evolution``
    counts those of the sample that takes most. ``finer`` steps are taken in place of each, to see what that changes.
    """

    method: str = "rk4"
    longest_step: float = LONGEST_STEP
    finer: int = 1

    def __post_init__(self) -> None:
        runge_kutta_method(self.method)
        check_longest_step(self.longest_step)

    @property
    def longest_gap(self) -> float:
        """What :data:`MOST_STEPS` steps make up."""
        return MOST_STEPS * self.longest_step

    def evolve(
        self, field: nn.Module, state: Float[Tensor, "batch hidden"], durations: Float[Tensor, " batch"]
    ) -> Evolution:
        """Every sample's state after its own duration."""
        tableau = runge_kutta_method(self.method)
        counts = self.finer * steps_of(durations, self.longest_step)
        step, steps = durations / counts.clamp(min=1), int(counts.max())
        for index in range(steps):
            own = torch.where(counts > index, step, 0)[:, None]
            state = runge_kutta_step(field, index * own, state, own, tableau)
        return Evolution(state, tableau.stages * steps, steps)


@dataclass(frozen=True)
class TorchdiffeqSolver:
    """Any solver of torchdiffeq (Chen 2018) that can be differentiated.

    Adaptive ones keep to ``rtol`` and ``atol``, the error being the root mean square over the whole batch; those on
    a fixed grid take equal steps of at most ``longest_step``. ``differentiation`` is one of :data:`DIFFERENTIATIONS`;
    the adjoint gives no gradient with respect to the times.
    """

    method: str = "dopri5"
    rtol: float = 1e-5
    atol: float = 1e-6
    longest_step: float = LONGEST_STEP
    differentiation: str = "backpropagation"

    def __post_init__(self) -> None:
        methods = (*ADAPTIVE_METHODS, *FIXED_GRID_METHODS)
        if self.method not in methods:
            raise ValueError(f"The method of torchdiffeq is {self.method!r}; allowed is one of {', '.join(methods)}.")
        if self.differentiation not in DIFFERENTIATIONS:
            names = ", ".join(DIFFERENTIATIONS)
            raise ValueError(f"The differentiation is {self.differentiation!r}; allowed is one of {names}.")
        for name, value in (("rtol", self.rtol), ("atol", self.atol)):
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"The tolerance {name} is {value}; allowed is a number above 0.")
        check_longest_step(self.longest_step)

    @property
    def longest_gap(self) -> float:
        """Without bound for an adaptive solver, which finds out by itself; else as with :class:`FixedSteps`."""
        return math.inf if self.method in ADAPTIVE_METHODS else MOST_STEPS * self.longest_step

    def evolve(
        self, field: nn.Module, state: Float[Tensor, "batch hidden"], durations: Float[Tensor, " batch"]
    ) -> Evolution:
        """Every sample's state after its own duration; :class:`UnsolvedIntervalError` if torchdiffeq cannot."""
        longest = float(durations.detach().max())
        if longest == 0:
            return Evolution(state, 0, 0)
        unit_field = _RescaledField(field, durations[:, None])
        ends = torch.tensor([0.0, 1.0], dtype=state.dtype, device=state.device)
        gradient = {"adjoint_params": tuple(field.parameters())} if self.differentiation == "adjoint" else {}
        try:
            solution = DIFFERENTIATIONS[self.differentiation](
                unit_field,
                state,
                ends,
                rtol=self.rtol,
                atol=self.atol,
                method=self.method,
                options=self._options(longest),
                **gradient,
            )
        except AssertionError as error:
            # torchdiffeq says by assertion that its step became too small, or its state infinite.
            reason = str(error).split(":", maxsplit=1)[0]
            raise UnsolvedIntervalError(
                f"torchdiffeq's {self.method} gave up on a gap of {longest:g} in sample {int(durations.argmax())} "
                f"after {unit_field.steps} steps ({reason}); try shorter gaps, a weaker field or larger tolerances.",
                "unsolved",
            ) from error
        return Evolution(solution[-1], unit_field.evaluations, unit_field.steps)

    def _options(self, longest: float) -> dict[str, object]:
        if self.method in ADAPTIVE_METHODS:
            return {"max_num_steps": MOST_STEPS}
        steps = steps_for(longest, self.longest_step)
        return {"grid_constructor": lambda f, y, t: torch.linspace(0, 1, steps + 1, dtype=t.dtype, device=t.device)}


class _RescaledField:
    """s -> dt f(h): every sample's field in its own unit of time, and a count of what the solver did with it."""

    def __init__(self, field: nn.Module, durations: Float[Tensor, "batch 1"]) -> None:
        self.field = field
        self.durations = durations
        self.evaluations = 0
        self.steps = 0

    def __call__(self, s: Tensor, h: Float[Tensor, "batch hidden"]) -> Float[Tensor, "batch hidden"]:
        self.evaluations += 1
        velocity: Tensor = self.durations * self.field(s * self.durations, h)
        return velocity

    def callback_step(self, s: Tensor, h: Tensor, ds: Tensor) -> None:
        """torchdiffeq calls this before every step that it tries."""
        self.steps += 1
