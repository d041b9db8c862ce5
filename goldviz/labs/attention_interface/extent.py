"""What settings come to: which networks are trained."""

from __future__ import annotations

from typing import Protocol


class Extent(Protocol):
    """The setting that this depends on."""

    @property
    def networks(self) -> str:
        """One network, or both."""


def trained_networks(settings: Extent) -> tuple[str, ...]:
    """The networks that are trained, by name."""
    return ("attention", "fixed_vector") if settings.networks == "both" else (settings.networks,)
