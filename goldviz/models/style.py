"""What a network or a simple forecast is called in a legend, and the line that it is drawn as.

An entry of a table carries its style, so that a new member of a family is one entry; figures read it in
``goldviz.figures.theme``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NetworkStyle:
    """One network's name, colour, dash and marker, the same on every page and in both themes."""

    label: str
    colour: str
    dash: str
    symbol: str

    @property
    def heading(self) -> str:
        """The network's name above a panel of its own: 'Plain network', but 'LSTM'. A sign keeps its case.

        >>> NetworkStyle("τ", "#0e7ac0", "solid", "circle").heading
        'τ network'
        """
        if len(self.label) == 1:
            return f"{self.label} network"
        capital = f"{self.label[0].upper()}{self.label[1:]}"
        return f"{capital} network" if self.label.islower() else capital
