"""The unrolled network: document 003's recursion on a text, one step at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from goldviz.arrays.readings import Coordinate
from goldviz.declare import standard
from goldviz.declare.instant import Instant
from goldviz.declare.settings import About, Preset, setting


class BackpropagationByHand(Instant):
    """A small softmax RNN that predicts the next character of a text, forward, backward, and one SGD step."""

    about = About(
        "backpropagation-by-hand",
        "The unrolled network",
        icon=":material/gesture:",
        section="Memory",
        rank=23,
        room="Unrolled by hand",
        sought="BPTT RNN unrolled backpropagation through time",
        question="What does each step of the recursion compute, and does autograd agree?",
    )

    text: str = setting("gold", min_length=2, max_length=40, group="Text", essential=True)
    """The network reads it and predicts every next character; its characters are the alphabet."""
    hidden: int = standard.hidden(3, ge=1, le=8, essential=True)
    gain: float = setting(1.0, ge=0, le=10, group="Network")
    """Spread of the weights times the square root of their columns."""
    learning_rate: float = setting(0.1, ge=1e-3, le=10, group="Update", essential=True, logarithmic=True)
    """η, the size of the one SGD step."""
    clip: float = setting(1.0, ge=0.01, le=1000, group="Update", essential=True, logarithmic=True)
    """C: a gradient whose norm over all five parts is longer is scaled down to it."""
    seed: int = standard.seed(group="Network")
    """Random seed of the weights."""
    place: int = setting(5, ge=1, le=78, group="View", unit="steps")
    """Where you are: first forward through the text, then backward from its end."""
    position: ClassVar[str] = "place"

    version: ClassVar[int] = 3
    former_defaults: ClassVar[Mapping[int, Mapping[str, Any]]] = {1: {"clip": 5.0}, 2: {"clip": 5.0}}
    units: ClassVar[Mapping[str, str]] = {"loss": "nat"}
    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "step": Coordinate("Step t"),
        "loss_step": Coordinate("Step t of the loss", "step %{x}"),
        "unit": Coordinate("Unit"),
    }
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("As in the document", "Three steps, T = 3, as in the document's example."),
        Preset(
            "A longer text",
            "Ten steps: watch what comes back from later steps fade or grow.",
            {"text": "hello world", "hidden": 5},
        ),
        Preset(
            "Break it: exploding",
            "Large weights and no clipping: on six seeds of ten, one step makes the loss worse.",
            {"text": "abababababababababab", "gain": 4.0, "clip": 1000.0, "learning_rate": 1.0},
        ),
        Preset(
            "Fix it: clip",
            "The same network with the gradient's norm held at 1: same direction, shorter step. The loss falls on ten "
            "seeds of ten.",
            {"text": "abababababababababab", "gain": 4.0, "learning_rate": 1.0},
        ),
    )

    @classmethod
    def upgrade(cls, version: int, values: dict[str, Any]) -> dict[str, Any]:
        """Version 1 began at the first step: what names other settings alone meant that place."""
        return {"place": "1"} | values if values and version < 2 else values

    def positions(self) -> tuple[int, int]:
        """All steps forward, then all backward; a text of n characters has n - 1 of each."""
        return 1, 2 * (len(self.text) - 1)
