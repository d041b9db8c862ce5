"""Which cells a run of *Gradient flow through time* trains beside one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goldviz.labs.recurrent_gradients.settings import RecurrentGradients

SIDE_BY_SIDE = ("rnn", "lstm", "gru")
"""The cells of which document 001 tells."""


def lanes(settings: RecurrentGradients) -> tuple[str, ...]:
    """The cells that are trained; a function, because an exported script's settings have no methods."""
    return SIDE_BY_SIDE if settings.networks == "all" else (settings.networks,)
