"""What can be set of an echo-state network, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from goldviz.arrays.readings import Coordinate
from goldviz.declare import standard
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP, LOOK
from goldviz.models.style import NetworkStyle

STYLES = {
    "half": NetworkStyle("ρ / 2", "#009e73", "dot", "triangle-up"),
    "whole": NetworkStyle("ρ", "#0e7ac0", "solid", "circle"),
}
"""How each reservoir looks: one with the radius that is set, one with half of it."""


class EchoState(Experiment):
    """Train what reads a fixed random reservoir, and see how far back it remembers."""

    about = About(
        "echo-state", "Echo-state network", question="What does a reservoir remember?", icon=":material/waves:"
    )
    smaller: ClassVar[tuple[str, ...]] = ("units", "steps")
    units: int = setting(60, ge=5, le=500, group="Network", essential=True, unit="units")
    """Units of the reservoir, whose weights stay as they are."""
    radius: float = setting(0.9, ge=0.05, le=2, group="Network", essential=True)
    """Spectral radius ρ of the reservoir's weights."""
    ridge: float = setting(1e-6, gt=0, le=1, group="Training", logarithmic=True)
    """How strongly the read-out's weights are kept small."""
    steps: int = setting(60, ge=2, le=2000, group="Training", essential=True, unit="stretches")
    """Stretches of 20 inputs, each learned from when it has been foretold."""
    look_every: int = standard.look_every(10)
    """What is remembered is measured every so many stretches."""

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(EVERY_STEP, "Squared error on a stretch before it is learned", kind="training_loss"),
        "memory": Variable(
            (*LOOK, "lag"),
            "Share of an earlier input that the state tells",
            label="Remembered",
            format=".2f",
            scale="share",
        ),
    }
    coordinates: ClassVar[Mapping[str, Coordinate]] = {"lag": Coordinate("Steps back", "%{x} steps back")}
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("As usual", "A spectral radius a little below 1 remembers longest."),
        Preset("Break it: no echo", "With a radius near 0 each input is forgotten at once.", {"radius": 0.1}),
    )

    def estimated_bytes(self) -> float:
        """Weights of both reservoirs, and the sums that the read-outs are solved of."""
        return 64.0 * self.units**2 * len(self.seeds)
