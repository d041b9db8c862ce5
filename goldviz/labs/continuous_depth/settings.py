"""Continuous depth: a neural ODE and the residual network that it is the limit of, trained side by side.

Document 001, section 3.2.1, eq. 28-30; the adjoint method is Chen et al. 2018, augmentation Dupont et al. 2019.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from goldviz.arrays.readings import Coordinate
from goldviz.declare import layers, standard
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP, LOOK
from goldviz.models.continuous.methods import BY_LIBRARY_NAME

TASKS = {"rings": "Two rings", "moons": "Two moons", "spirals": "Two spirals", "flip": "Regression: x becomes -x"}
NETWORKS, lanes = standard.networks(
    {"both": "Neural ODE and residual network", "ode": "Neural ODE", "residual": "Residual network"},
    {"both": ("ode", "residual")},
)
GRADIENTS = {"solver": "through the solver", "adjoint": "adjoint"}
METHODS = {
    name: f"{method.words} (adaptive)" if method.adaptive else method.words
    for name, method in reversed(BY_LIBRARY_NAME.items())
}

FIRST_SEED = ("look", "network")


class ContinuousDepth(Experiment):
    """Carry points through a learned flow until a straight line parts them, and count what the solver pays."""

    about = About(
        "continuous-depth",
        "Continuous depth",
        icon=":material/water:",
        section="Continuous time",
        rank=42,
        sought="neural ODE adjoint solver Euler Runge-Kutta dopri5 augmented ODE",
        question="What does a network learn whose depth is an interval of time, and what does it cost?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("width", "samples", "batch")

    task: Literal["rings", "moons", "spirals", "flip"] = setting("moons", group="Task", essential=True, labels=TASKS)
    """What has to be learned: a class for each point in the plane, or a number on a line."""
    samples: int = setting(400, ge=20, le=5000, group="Task", unit="points")
    """Training points; as many again test."""
    noise: float = setting(0.05, ge=0, le=0.5, group="Task")
    """Standard deviation of the points' noise."""
    networks: str = NETWORKS
    """Which networks are trained."""
    augmented: int = setting(0, ge=0, le=8, group="Network", essential=True, unit="dimensions")
    """Dimensions of zeros added to every point. A flow without any cannot part what is nested."""
    width: int = setting(32, ge=2, le=128, group="Network", unit="units")
    """Units of the field's layers."""
    in_time: bool = setting(False, group="Network")
    """Whether the field may change with depth, f(h, t) instead of f(h)."""
    blocks: int = setting(8, ge=1, le=128, group="Network", unit="blocks", essential=True)
    """Blocks of the residual network, all with the same weights: steps of size 1/blocks."""
    method: str = setting("dopri5", group="Solver", essential=True, one_of=METHODS)
    """How the flow is followed."""
    tolerance: float = standard.tolerance(essential=True)
    """Relative error that an adaptive solver allows in a step; the absolute one is a tenth of it."""
    solver_steps: int = setting(8, ge=1, le=256, group="Solver", unit="steps")
    """Steps of a solver that does not adapt."""
    gradient: Literal["solver", "adjoint"] = setting("solver", group="Solver", essential=True, labels=GRADIENTS)
    """How the gradient is found: back through the solver's steps, or by solving the adjoint equation."""
    optimiser: str = standard.optimiser("adam")
    learning_rate: float = standard.learning_rate(1e-2)
    clip: float = standard.clip(0.0)
    steps: int = standard.steps(200, le=10_000)
    """Optimiser steps."""
    batch: int = standard.batch(128, "points", le=2048)
    look_every: int = standard.look_every(10)
    """Paths, decision and the gradient's comparison are recorded every so many steps."""

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(EVERY_STEP, "Loss on the step's points", must_stay_finite=True, kind="training_loss"),
        "gradient_norm": Variable(EVERY_STEP, "Norm of the whole gradient before clipping", kind="gradient_norm"),
        "evaluations_forward": Variable(
            EVERY_STEP, "Evaluations of the field on the way forward", format=".0f", scale="zero"
        ),
        "evaluations_backward": Variable(
            EVERY_STEP, "Evaluations of the field on the way back", format=".0f", scale="zero"
        ),
        "test_loss": Variable(LOOK, "Loss on unseen points", kind="evaluation_loss"),
        "test_accuracy": Variable(LOOK, "Share of unseen points on the right side (NaN for the regression)"),
        "refined_test_loss": Variable(LOOK, "The same loss with the field followed exactly, dopri5 at 1e-7"),
        "gradient_difference": Variable(
            ("look", "seed"),
            "Relative distance between the adjoint's gradient and the solver's own",
            label="Distance of the two gradients, relative",
            scale="log",
        ),
        "adjoint_cost": Variable(
            ("look", "seed"),
            "Evaluations on the adjoint's way back for each one on the way forward",
            label="Evaluations back for each one forward",
            scale="zero",
        ),
        "field_stiffness": Variable(
            LOOK,
            "Largest spectral norm of the field's Jacobian along the paths",
            label="Largest stretch |df/dh| on the paths",
            scale="log",
        ),
        "field_saturation": Variable(
            LOOK,
            "Share of the field's hidden values on a flat part of tanh, above 0.97",
            label="Tanh units on a flat part, |a| > 0.97",
            format=".1%",
            scale="share",
        ),
        **layers.weight_gradients((*FIRST_SEED, "layer")),
        **layers.update_to_data((*LOOK, "layer")),
        **layers.gradient_to_data((*LOOK, "layer")),
        "path": Variable((*FIRST_SEED, "depth", "point", "dimension"), "Where a point is at a depth, first seed"),
        "read_out": Variable((*FIRST_SEED, "weight"), "Weights of the read-out and its bias, first seed"),
        "decision": Variable(
            (*FIRST_SEED, "grid_y", "grid_x"), "Log odds of class 1 over the plane (regression: the answer), first seed"
        ),
        "field": Variable(
            (*FIRST_SEED, "arrow_y", "arrow_x", "dimension"), "The field at depth 0 over the plane, first seed"
        ),
        "evaluations_by_tolerance": Variable(
            ("network", "tolerance"),
            "Evaluations of the trained field, dopri5, first seed",
            once=True,
            label="Evaluations of the field",
            scale="log",
        ),
        "error_by_tolerance": Variable(
            ("network", "tolerance"),
            "Distance of the end points from those at 1e-10, mean",
            once=True,
            label="Mean error of the end points",
            scale="log",
        ),
        "error_by_blocks": Variable(
            ("network", "steps_taken"),
            "Distance of the end points from the flow's by Euler steps, mean",
            once=True,
            label="Mean distance of the end points from the flow's",
            scale="log",
        ),
        "label": Variable(("point",), "Class or answer of the points whose paths are kept", once=True),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {"tolerance": Coordinate("Relative tolerance")}

    equations: ClassVar[tuple[str, ...]] = (
        "A residual block is an Euler step: h_l - h_(l-1) = dt R(h_(l-1)) (document 001, eq. 26, 28).",
        "With steps that shrink to nothing, dh/dt = f(h, t) (eq. 29), and the output is ODESolve(f, h(0), 0, T) "
        "(eq. 30).",
        "The adjoint a = dL/dh follows da/dt = -a df/dh back in time. It keeps no steps in memory, and is as exact "
        "as its solver (Chen and others 2018).",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "Two moons: eight residual blocks with shared weights, beside the flow that ever more of them approach. "
            "On six seeds of ten eight are too few: they learn steps.",
        ),
        Preset(
            "Adjoint",
            "The same flow with its gradient from the adjoint equation. It costs more evaluations. After training "
            "it is within 1 % of the solver's gradient on six seeds of ten.",
            {"networks": "ode", "gradient": "adjoint"},
            figure="adjoint",
        ),
        Preset(
            "Break it: two rings",
            "A flow in the plane cannot lift the inner ring over the outer one. It squeezes a neck through instead. "
            "On ten seeds of ten the solver pays 2.7 to 4.5 times as much. On nine, some points stay wrong.",
            {"task": "rings", "networks": "ode"},
        ),
        Preset(
            "Fix it: one more dimension",
            "The same rings with one dimension of zeros added. Now there is a way over: on ten seeds of ten, every "
            "point ends right.",
            {"task": "rings", "networks": "ode", "augmented": 1},
        ),
        Preset(
            "Break it: one big step",
            "Trained with a single Euler step the network learns that step, not a flow: refined, its answers change, "
            "on ten seeds of ten.",
            {"task": "spirals", "networks": "ode", "method": "euler", "solver_steps": 1},
            figure="loss",
        ),
        Preset(
            "Fix it: small steps",
            "The same spirals with eight steps of RK4: refined, the answers stay, on ten seeds of ten. On six the flow "
            "learns them less well than the one big step does.",
            {"task": "spirals", "networks": "ode", "method": "rk4"},
            figure="loss",
        ),
        Preset(
            "Regression: x becomes -x",
            "On a line, paths of a flow never cross, so x cannot become -x; one big residual step can jump.",
            {"task": "flip", "blocks": 1},
        ),
    )

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: the field's layers at every stage of the flow, or in every block."""
        stages = 1 if self.gradient == "adjoint" else 1.5 * self._evaluations()
        layers = max(4 * self.blocks, 5 * stages)
        values = min(self.batch, self.samples) * self.width * layers + 20 * self.samples * self.width
        learners = len(lanes(self.networks)) * len(self.seeds)
        return bytes_of_training(self.blocks * 3 * self.width**2, learners, values)

    def _evaluations(self) -> float:
        """How often a flow asks for the field: an adaptive solver's is the mean of the presets' runs."""
        method = BY_LIBRARY_NAME[self.method]
        if method.adaptive:
            return float(method.evaluations * (1e-4 / self.tolerance) ** 0.15)
        return float(self.solver_steps * method.tableau.stages)

    def sizes(self) -> dict[str, float]:
        """How often the field is asked, and which networks are trained."""
        asked = {"evaluations": self._evaluations()} if self.networks != "residual" else {}
        blocks = {"blocks": self.blocks if self.networks != "ode" else 0}
        return {**super().sizes(), **blocks, **asked, "batch": min(self.batch, self.samples)}
