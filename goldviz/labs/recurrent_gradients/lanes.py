"""Which cells a run of *Memory through time* trains beside one another."""

from __future__ import annotations

SIDE_BY_SIDE = ("rnn", "lstm", "gru")
"""The cells of which document 001 tells."""


def lanes(networks: str) -> tuple[str, ...]:
    """The cells that the setting ``networks`` means."""
    return SIDE_BY_SIDE if networks == "all" else (networks,)
