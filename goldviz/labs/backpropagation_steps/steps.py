"""The steps of both passes in their order, as the diagram counts them from 0, and what is known after each."""

from __future__ import annotations

from dataclasses import dataclass

BACK = ("arriving", "delta", "gradients")
MOST = 26
"""The last step of the deepest network: one for each layer forward, three back, and start, loss and update."""
WORDS = {
    "start": "Before the first step",
    "loss": "The loss",
    "forward": "Phase A, layer {layer}: forward",
    "arriving": "Phase B, layer {layer}: what arrives, dL/dx",
    "delta": "Phase B, layer {layer}: the error δ",
    "gradients": "Phase B, layer {layer}: equations 3 and 4",
    "update": "One update",
}


@dataclass(frozen=True)
class Step:
    """One step of a network with so many layers; beyond the last step, the last."""

    number: int
    layers: int

    @property
    def words(self) -> str:
        """What is done, in words.

        >>> Step(2, 3).words, Step(5, 3).words
        ('Phase A, layer 2: forward', 'Phase B, layer 3: what arrives, dL/dx')
        """
        number, last = self.number, self.layers
        if number == 0 or number > 4 * last + 1:
            return WORDS["start" if number == 0 else "update"]
        if number <= last + 1:
            return WORDS["forward" if number <= last else "loss"].format(layer=number)
        back, part = divmod(number - last - 2, len(BACK))
        return WORDS[BACK[part]].format(layer=last - back)

    def knows_output(self, layer: int) -> bool:
        """Whether x of this layer, or the input's for 0, is there."""
        return layer <= self.number

    def knows(self, part: str, layer: int) -> bool:
        """Whether phase B has come to this part of a layer: ``arriving``, ``delta`` or ``gradients``."""
        return self.number >= self.layers + 2 + len(BACK) * (self.layers - layer) + BACK.index(part)
