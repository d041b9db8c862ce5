"""The solvers and the cells among which *ODE-RNN* lets one choose, and what each stands for."""

from __future__ import annotations

from goldviz.models.continuous.methods import ADAPTIVE, FIXED, METHODS, ODEMethod
from goldviz.models.recurrent.cells import CELLS

TORCHDIFFEQ_RK4 = "torchdiffeq_rk4"
"""The rule of three eighths again, but by torchdiffeq, which takes as many steps for a whole batch."""
SOLVERS = {
    **{name: f"{METHODS[name].words}, fused" for name in reversed(FIXED)},
    **{name: f"{METHODS[name].words} (torchdiffeq)" for name in reversed(ADAPTIVE)},
    TORCHDIFFEQ_RK4: "RK4 (torchdiffeq)",
}

JUMP_CELLS = {"gru": "gru", "lstm": "lstm", "elman": "rnn", **{name: name for name in CELLS if name != "rnn"}}
"""Cells of the jump, by the names that the setting has for them."""
JUMPS = {name: "Elman" if cell == "rnn" else CELLS[cell].label for name, cell in JUMP_CELLS.items()}


SIDE_BY_SIDE = {
    "all": ("ode_rnn", "gru", "gru_gap", "gru_decay"),
    "flows": ("ode_rnn", "neural_cde"),
}
"""Networks that are trained beside one another, by what the setting calls them."""


def method_of(solver: str) -> ODEMethod:
    """The method by which a solver of :data:`SOLVERS` follows the field."""
    return METHODS["rk4_three_eighths" if solver == TORCHDIFFEQ_RK4 else solver]
