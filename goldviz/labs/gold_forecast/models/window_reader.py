"""What reads a window of the past: the part of a forecasting network before its head."""

from __future__ import annotations

from collections.abc import Callable

from jaxtyping import Float
from torch import Generator, Tensor, nn

from goldviz.labs.gold_forecast.windows import WindowBatch

HiddenStates = tuple[Float[Tensor, "batch hidden"], ...]
ForecastStream = Callable[[int], Generator]
"""Gives a fresh generator for each matrix that is drawn."""


class WindowReader(nn.Module):
    """Turns windows into hidden states. All weights are drawn when it is built."""

    def forward(self, window: WindowBatch) -> HiddenStates:
        """The hidden states in the order of the rows; the last one holds what the forecast is made of."""
        raise TypeError(f"{type(self).__name__} does not say how it reads")

    def chain(self, window: WindowBatch) -> HiddenStates:
        """The same states, each a node on the way to the next, so that gradients can be asked of them."""
        states: HiddenStates = self(window)
        return states

    def matrices(self) -> dict[str, Tensor]:
        """Its weight matrices by name, the one next to the inputs first."""
        raise TypeError(f"{type(self).__name__} does not name its matrices")
