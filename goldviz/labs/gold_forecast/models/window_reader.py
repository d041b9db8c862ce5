"""What reads a window of the past: the part of a forecasting network before its head."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jaxtyping import Bool, Float
from torch import Generator, Tensor, nn

HiddenStates = tuple[Float[Tensor, "batch hidden"], ...]
ForecastStream = Callable[[int], Generator]
"""Gives a fresh generator for each matrix that is drawn."""


class ForecastWindow(Protocol):
    """The windows of a batch, time first, as ``goldviz.labs.gold_forecast.windows.WindowBatch`` has them."""

    @property
    def values(self) -> Float[Tensor, "time batch channels"]:
        """Standardised values, 0 where there is none."""

    @property
    def mask(self) -> Bool[Tensor, "time batch channels"]:
        """True where a value was observed."""

    @property
    def values_and_mask(self) -> Float[Tensor, "time batch inputs"]:
        """Both side by side."""

    @property
    def gaps(self) -> Float[Tensor, "time batch channels"]:
        """Time since each channel was last observed."""

    @property
    def row_gaps(self) -> Float[Tensor, "time batch"]:
        """Time since the row before."""

    @property
    def ahead(self) -> Float[Tensor, " batch"]:
        """Time from the last row to the value that is forecast."""


class WindowReader(nn.Module):
    """Turns windows into hidden states. All weights are drawn when it is built."""

    def forward(self, window: ForecastWindow) -> HiddenStates:
        """The hidden states in the order of the rows; the last one holds what the forecast is made of."""
        raise TypeError(f"{type(self).__name__} does not say how it reads")

    def chain(self, window: ForecastWindow) -> HiddenStates:
        """The same states, each a node on the way to the next, so that gradients can be asked of them."""
        states: HiddenStates = self(window)
        return states

    def matrices(self) -> dict[str, Tensor]:
        """Its weight matrices by name, the one next to the inputs first."""
        raise TypeError(f"{type(self).__name__} does not name its matrices")
