"""What document 001 says of residual networks as steps of a flow (section 3.2.1)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from goldviz.declare.claims import Claim, Part
from goldviz.labs.residual_flow import LAB

if TYPE_CHECKING:
    import xarray as xr

OverSeed = partial(Claim, LAB, over="seed")


def euler_order(run: xr.Dataset) -> float:
    """How fast residual steps approach the flow: minus the slope of log error over log blocks."""
    return -float(run["slope"].sel(solver="euler"))


def midpoint_order(run: xr.Dataset) -> float:
    """The same of midpoint steps."""
    return -float(run["slope"].sel(solver="midpoint"))


def rk4_order(run: xr.Dataset) -> float:
    """The same of RK4 steps."""
    return -float(run["slope"].sel(solver="rk4"))


def answers_changed(run: xr.Dataset) -> float:
    """Share of points on the right side by the network's steps, less that by its exact flow."""
    return float(run.attrs["network_right"]) - float(run.attrs["flow_right"])


CLAIMS = (
    OverSeed("C89", "As Δt → 0 residual steps become the flow dh/dt = f(h, t).", "001, 3.2.1, eq. 28-29",
        lanes=({}, {"sharing": "separate"}),
        parts=(
            Part("blocks that share f: the error falls with the power {:.2f} of Δt", euler_order, above=0.9, below=1.1,
                lanes=(1,)),
            Part("blocks whose f turns with depth: with the power {:.2f}", euler_order, above=0.9, below=1.1,
                lanes=(2,)),
        )),
    OverSeed("C90", "What ODESolve returns does not depend on how it steps, once its steps are small.",
        "001, 3.2.1, eq. 30",
        parts=(
            Part("midpoint's error falls with the power {:.2f} of the step", midpoint_order, above=1.8, below=2.2),
            Part("RK4's falls with the power {:.2f}", rk4_order, above=3.6, below=4.4),
        )),
    OverSeed("C91", "A residual network can be read as a discrete-time dynamical system with a flow behind it.",
        "001, 3.2", lanes=({"field": "moons", "blocks": 8}, "fix-it-steps-that-jump"),
        parts=(
            Part("8 small steps on two moons: the share of right points is {:+.1%} from the flow's", answers_changed,
                above=-0.05, below=0.05, lanes=(1,)),
            Part("2 big steps that part two rings: it is {:+.1%} from their flow's", answers_changed,
                above=-0.05, below=0.05, lanes=(2,)),
        )),
)  # fmt: skip
