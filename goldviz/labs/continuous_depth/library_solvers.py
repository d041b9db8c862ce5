"""Methods of the table for torchdiffeq, which has some of them by itself: forward, and back by the adjoint equation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torchdiffeq._impl.odeint import SOLVERS
from torchdiffeq._impl.solvers import FixedGridODESolver

from goldviz.models.continuous.methods import BY_LIBRARY_NAME, ButcherTableau
from goldviz.models.continuous.runge_kutta import stage_slopes


def library_method(name: str) -> str:
    """The name for ``odeint``'s ``method``, under which torchdiffeq learns the method where it has none like it.

    ``name`` is one of :data:`goldviz.models.continuous.methods.BY_LIBRARY_NAME`.
    """
    if name not in SOLVERS:
        SOLVERS[name] = _steps_of(BY_LIBRARY_NAME[name].tableau)
    return name


def _steps_of(tableau: ButcherTableau) -> type[FixedGridODESolver]:
    """torchdiffeq's class of solvers on a fixed grid, with these steps."""

    class TableauSteps(FixedGridODESolver):  # type: ignore[misc]
        order = tableau.order

        def _step_func(
            self, func: Callable[..., Tensor], t0: Tensor, dt: Tensor, t1: Tensor, y0: Tensor
        ) -> tuple[Any, Tensor]:
            slopes = stage_slopes(func, t0, y0, dt, tableau)
            return sum(b * dt * k for b, k in zip(tableau.b, slopes, strict=True) if b), slopes[0]

    return TableauSteps
