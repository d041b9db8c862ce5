"""What settings come to: which networks are trained, and how many rows a window has."""

from __future__ import annotations

from typing import Protocol

SURROUNDINGS = (22, 2)
"""Rows of the context and of the horizon of equal values in different surroundings."""


class Extent(Protocol):
    """The settings that these depend on."""

    context: int
    horizon: int

    @property
    def task(self) -> str:
        """The series to learn."""

    @property
    def networks(self) -> str:
        """One network, or all."""

    @property
    def kernel(self) -> str:
        """Rows that a query and a key read."""


def trained_networks(settings: Extent) -> tuple[str, ...]:
    """The networks that are trained; with k = 1 the second would be the first once more."""
    if settings.networks != "all":
        return (settings.networks,)
    pointwise = ("pointwise",) if settings.kernel != "1" else ()
    # Where times are irregular, a network whose state flows for as long as a gap is stands beside the others.
    flowing = ("ode_rnn",) if settings.task == "oscillator" else ()
    return ("transformer", *pointwise, "gru", *flowing)


def window_rows(settings: Extent) -> int:
    """Rows of a window: context and horizon."""
    return sum(SURROUNDINGS) if settings.task == "surroundings" else settings.context + settings.horizon


def forecast_rows(settings: Extent) -> int:
    """Rows to forecast."""
    return SURROUNDINGS[1] if settings.task == "surroundings" else settings.horizon
