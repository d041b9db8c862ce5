"""What can be set of a Hopfield network, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from goldviz.arrays.readings import Coordinate
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.models.style import NetworkStyle

STYLES = {
    "hebb": NetworkStyle("Hebb", "#0e7ac0", "solid", "circle"),
    "storkey": NetworkStyle("Storkey", "#d55e00", "dash", "square"),
}
"""How each learning rule looks."""


class Hopfield(Experiment):
    """Store one pattern after another in a network's weights, and ask for all of them."""

    about = About("hopfield", "Hopfield network", question="How many patterns fit?", icon=":material/grid_on:")
    smaller: ClassVar[tuple[str, ...]] = ("units", "steps")
    units: int = setting(100, ge=10, le=1000, group="Network", essential=True, unit="units")
    """Units, each of which is -1 or 1."""
    steps: int = setting(30, ge=1, le=500, group="Patterns", essential=True, unit="patterns")
    """Random patterns, stored one after another."""
    noise: float = setting(0.1, ge=0, le=0.5, group="Patterns", essential=True)
    """The share of units that a cue has wrong."""

    variables: ClassVar[Mapping[str, Variable]] = {
        "overlap": Variable(
            ("step", "network", "seed"),
            "Overlap of what is recalled with what was stored",
            label="Overlap",
            format=".2f",
            scale="share",
        ),
        "by_age": Variable(
            ("step", "network", "seed", "age"),
            "Overlap by how many patterns were stored since",
            label="Overlap",
            format=".2f",
            scale="share",
        ),
    }
    coordinates: ClassVar[Mapping[str, Coordinate]] = {"age": Coordinate("Patterns stored since", "%{x} since")}
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("As Hopfield did", "Some 14 patterns fit into 100 units by Hebb's rule."),
        Preset("Break it: few units", "With 40 units the same patterns do not fit.", {"units": 40}),
    )

    def estimated_bytes(self) -> float:
        """The weights and the patterns, in double precision."""
        return 8.0 * (self.units**2 + self.units * self.steps) * len(self.seeds)
