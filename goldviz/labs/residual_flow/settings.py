"""What a residual network becomes when it gets deeper and its steps smaller (document 001, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from goldviz.arrays.readings import Coordinate
from goldviz.declare import standard
from goldviz.declare.instant import Instant
from goldviz.declare.settings import About, Preset, setting
from goldviz.models.continuous.methods import FIXED, METHODS

FIELDS = {
    "linear": "Linear, exact flow known",
    "spiral": "Spiral onto an ellipse",
    "van_der_pol": "Van der Pol's oscillator",
    "moons": "Two moons, trained as a flow",
    "rings": "Two rings, trained as a flow",
    "rings_steps": "Two rings, trained as 2 big steps",
    "rings_lifted": "Two rings and one more dimension",
}
TRAINED = frozenset({"moons", "rings", "rings_steps", "rings_lifted"})
SHARING = {"shared": "Shared: one f for all", "separate": "Separate: f turns with depth"}

ALWAYS_DRAWN = ("euler", "midpoint", "rk4")
OTHERS = tuple(name for name in FIXED if name not in ALWAYS_DRAWN)


class ResidualFlow(Instant):
    """A residual network of L blocks beside the flow that it tends to."""

    about = About(
        "residual-flow",
        "Residual steps to flow",
        icon=":material/stairs:",
        section="Continuous time",
        rank=44,
        sought="ResNet Euler step ODE vector field order of a solver stiff",
        question="What does a residual network become when it gets deeper and its steps smaller?",
    )

    field: Literal["linear", "spiral", "van_der_pol", "moons", "rings", "rings_steps", "rings_lifted"] = setting(
        "linear", group="Field", essential=True, labels=FIELDS
    )
    """The function f that every block adds to the state. The trained ones are small tanh networks, trained here on
    their first use."""
    blocks: int = setting(8, ge=1, le=256, group="Network", essential=True, unit="blocks")
    """Residual blocks L. Each takes a step of T / L."""
    depth: float = setting(3.0, ge=0.5, le=8, group="Network", essential=True)
    """Depth T that the blocks share out among them. Trained fields have T = 1."""
    mu: float = setting(2.0, ge=0.5, le=12, group="Field", essential=True)
    """How stiff Van der Pol's oscillator is: the larger, the faster its fast direction."""
    sharing: Literal["shared", "separate"] = setting("shared", group="Network", labels=SHARING)
    """Whether all blocks have the same weights, or each its own, turned a little against the last's."""
    seed: int = standard.seed(group="Field")
    """Random seed of the points, and of training."""
    beside: str = setting(
        "none", group="View", one_of={"none": "none", **{name: METHODS[name].words for name in OTHERS}}
    )
    """Another method of fixed steps, whose errors are drawn beside Euler's, midpoint's and RK4's."""
    view: int = setting(100, ge=0, le=100, group="View", unit="%")
    """How far through the depth the points are shown."""
    position: ClassVar[str] = "view"

    coordinates: ClassVar[Mapping[str, Coordinate]] = {"steps": Coordinate("Number of blocks", linked="blocks")}
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "Eight blocks with the same weights: each adds T/8 times f. The points wind as the flow does and end about "
            "0.5 away from it (the median, in ten seeds of ten).",
        ),
        Preset("Break it: one big step", "One block takes the whole depth in a straight line.", {"blocks": 1}),
        Preset(
            "Break it: stiff",
            "Van der Pol with a fast direction: 12 blocks overshoot it, and 6 to 11 % of the points run away, in ten "
            "seeds of ten.",
            {"field": "van_der_pol", "mu": 10.0, "depth": 2.0, "blocks": 12},
        ),
        Preset(
            "Fix it: smaller steps",
            "The same stiff field and 128 blocks: no step is longer than the fast direction allows.",
            {"field": "van_der_pol", "mu": 10.0, "depth": 2.0, "blocks": 128},
        ),
        Preset(
            "Rings a flow cannot part",
            "A flow in the plane never lets paths cross, so the outer ring stays around the inner one.",
            {"field": "rings", "blocks": 64},
        ),
        Preset(
            "Fix it: steps that jump",
            "Two big residual steps part the rings, because their paths may cross. Their flow, to the right, cannot.",
            {"field": "rings_steps", "blocks": 2},
        ),
        Preset(
            "Fix it: one more dimension",
            "With a third coordinate, zero at first, the flow lifts one ring off the plane.",
            {"field": "rings_lifted", "blocks": 64},
        ),
    )

    def positions(self) -> tuple[int, int]:
        """Per cent of the depth."""
        return 0, 100

    def without_effect(self) -> Mapping[str, str]:
        """mu is Van der Pol's, and trained fields fix their depth."""
        mu = {} if self.field == "van_der_pol" else {"mu": "Only Van der Pol's field has a mu."}
        return mu | ({"depth": "The field was trained for its depth."} if self.field in TRAINED else {})
