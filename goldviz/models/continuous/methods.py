"""Methods that follow an ODE: what each is called, its table of numbers, its line in a figure, and what it can stand.

Butcher 1964; Hairer, Norsett and Wanner 1993, section II.1. A new one is an entry of :data:`METHODS`: settings, costs,
findings, figures and solvers read the table, which loads no torch. An entry says what the method is not to be confused
with. One whose field is driven by data needs no more: the tableau says when a stage looks at the field, c_i, and a
field is called with that time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class ButcherTableau:
    """The numbers of one explicit method: with step d,

    k_i = f(t + c_i d, h + d sum_j a_ij k_j) for j < i, and h(t + d) = h(t) + d sum_i b_i k_i.

    Row i of ``a`` has i numbers, so the first is empty; c_i is the sum of row i. The error after a fixed time shrinks
    like d to the power of ``order``. An adaptive method has a second answer from the same stages, by ``b_beside``; how
    far the two are apart is its estimate of a step's error.
    """

    order: int
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    b_beside: tuple[float, ...] = ()

    @property
    def c(self) -> tuple[float, ...]:
        """When every stage looks at the field, as a share of the step."""
        return tuple(float(sum(row)) for row in self.a)

    @property
    def stages(self) -> int:
        """How often one step evaluates the field."""
        return len(self.b)

    @cached_property
    def stability_polynomial(self) -> tuple[float, ...]:
        """r_0, r_1, ... of R(z) = sum_k r_k z^k, by which a step multiplies h of dh/dt = lambda h, with z = d lambda.

        r_k = b A^(k-1) 1 (Hairer and Wanner 1996, section IV.2).

        >>> METHODS["heun"].tableau.stability_polynomial
        (1.0, 1.0, 0.5)
        """
        column, coefficients = [1.0] * self.stages, [1.0]
        for _ in range(self.stages):
            coefficients.append(sum(b * value for b, value in zip(self.b, column, strict=True)))
            column = [sum(a * value for a, value in zip(row, column, strict=False)) for row in self.a]
        return tuple(coefficients)

    def stability(self, z: complex) -> complex:
        """R(z); a step is stable where its modulus is at most 1."""
        value: complex = 0.0
        for coefficient in reversed(self.stability_polynomial):
            value = value * z + coefficient
        return value

    @cached_property
    def stability_limit(self) -> float:
        """The largest product of step and rate at which what decays at that rate does not grow: |R(-x)| <= 1 up to it.

        >>> [round(METHODS[name].tableau.stability_limit, 3) for name in ("euler", "heun", "rk4")]
        [2.0, 2.0, 2.785]
        """

        def stable(x: float) -> bool:
            return abs(self.stability(-x)) <= 1 + 1e-12

        low = 0.0
        while stable(low + 0.01):
            low += 0.01
        high = low + 0.01
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if stable(middle) else (low, middle)
        return low


@dataclass(frozen=True)
class ODEMethod:
    """A method: its name in words, its numbers, and the colour, dash and marker of its line.

    ``library`` is what torchdiffeq calls it, empty where it has none like it. ``evaluations`` is about how often an
    adaptive one asks for the field over an interval of length 1 at a tolerance of 1e-4.
    """

    words: str
    tableau: ButcherTableau
    colour: str
    dash: str
    symbol: str
    library: str = ""
    evaluations: float = 60.0

    @property
    def adaptive(self) -> bool:
        """Whether it chooses its steps by their estimated error."""
        return bool(self.tableau.b_beside)


METHODS = {
    "euler": ODEMethod(
        "Euler", ButcherTableau(1, ((),), (1.0,)), colour="#0e7ac0", dash="dash", symbol="diamond", library="euler"
    ),
    # The slope half a step on, where Heun's takes the mean of both ends: the same on a linear field, not on others.
    "midpoint": ODEMethod(
        "midpoint",
        ButcherTableau(2, ((), (1 / 2,)), (0.0, 1.0)),
        colour="#009e73",
        dash="dashdot",
        symbol="triangle-up",
        library="midpoint",
    ),
    # Of order 2, the explicit trapezoidal rule; torchdiffeq's heun3 has order 3, its adaptive_heun chooses its steps.
    "heun": ODEMethod(
        "Heun",
        ButcherTableau(2, ((), (1.0,)), (1 / 2, 1 / 2)),
        colour="#7d8f24",
        dash="longdash",
        symbol="square",
        library="heun2",
    ),
    # The classic one, which torchdiffeq has not: what it calls "rk4" is the rule of three eighths below.
    "rk4": ODEMethod(
        "RK4",
        ButcherTableau(4, ((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6)),
        colour="#c46a9c",
        dash="solid",
        symbol="circle",
    ),
    # Kutta's other method of order 4: as stable as the classic one, with smaller constants in its error.
    "rk4_three_eighths": ODEMethod(
        "RK4 (three-eighths rule)",
        ButcherTableau(4, ((), (1 / 3,), (-1 / 3, 1.0), (1.0, -1.0, 1.0)), (1 / 8, 3 / 8, 3 / 8, 1 / 8)),
        colour="#9263cf",
        dash="dot",
        symbol="star",
        library="rk4",
    ),
    # Bogacki and Shampine 1989. Its last stage is the next step's first, so a step costs three evaluations.
    "bosh3": ODEMethod(
        "bosh3",
        ButcherTableau(
            3,
            ((), (1 / 2,), (0.0, 3 / 4), (2 / 9, 1 / 3, 4 / 9)),
            (2 / 9, 1 / 3, 4 / 9, 0.0),
            (7 / 24, 1 / 4, 1 / 3, 1 / 8),
        ),
        colour="#a77b1c",
        dash="dash",
        symbol="cross",
        library="bosh3",
        evaluations=70,
    ),
    # Dormand and Prince 1980, with Shampine's answer beside, as in torchdiffeq: a third smaller an error estimate
    # than MATLAB's ode45 has. It goes on with the answer of order 5, where Fehlberg's goes on with 4's.
    "dopri5": ODEMethod(
        "dopri5",
        ButcherTableau(
            5,
            (
                (),
                (1 / 5,),
                (3 / 40, 9 / 40),
                (44 / 45, -56 / 15, 32 / 9),
                (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
                (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
                (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
            ),
            (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0),
            (1951 / 21600, 0.0, 22642 / 50085, 451 / 720, -12231 / 42400, 649 / 6300, 1 / 60),
        ),
        colour="#d55e00",
        dash="solid",
        symbol="square",
        library="dopri5",
        evaluations=45,
    ),
}
"""Method by name. Those of fixed steps come first, with rising order."""

FIXED = tuple(name for name, method in METHODS.items() if not method.adaptive)
ADAPTIVE = tuple(name for name, method in METHODS.items() if method.adaptive)

BY_LIBRARY_NAME = {method.library: method for method in METHODS.values() if method.library}
BY_LIBRARY_NAME |= {
    name: method for name, method in METHODS.items() if not method.library and name not in BY_LIBRARY_NAME
}
"""Methods as they are called where torchdiffeq follows them: by its name for those that it has, else by the table's.

So "rk4" is the rule of three eighths here, and the classic RK4, whose name is taken, is missing.
"""


def runge_kutta_method(name: str) -> ButcherTableau:
    """The tableau of this method of fixed steps; raises ``ValueError`` for a name that is not in :data:`FIXED`."""
    if name not in FIXED:
        raise ValueError(f"The method is {name!r}; allowed is one of {', '.join(FIXED)}.")
    return METHODS[name].tableau
