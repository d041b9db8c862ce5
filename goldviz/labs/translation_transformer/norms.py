"""Which normalisations a run compares, how each is drawn, and at which learning rates."""

from __future__ import annotations

from goldviz.models.style import NetworkStyle

STYLES = {
    "layer": NetworkStyle("Layer norm", "#0e7ac0", "solid", "circle"),
    "rms": NetworkStyle("RMS norm", "#009e73", "dash", "square"),
    "batch": NetworkStyle("Batch norm", "#c46a9c", "dashdot", "diamond"),
    "none": NetworkStyle("No norm", "#d55e00", "dot", "triangle-up"),
}
"""Normalisation by name. The first that is trained is looked into."""
RATES = (1.0, 1 / 3, 3.0)
"""Multiples of the learning rate; the first is what is set."""


def trained_norms(choice: str) -> tuple[str, ...]:
    """The normalisations that the setting ``norm`` means: one, or all."""
    return tuple(STYLES) if choice == "all" else (choice,)


def trained_rates(choice: str) -> tuple[float, ...]:
    """The multiples of the learning rate that the setting ``rates`` means."""
    return RATES if choice == "three" else RATES[:1]
