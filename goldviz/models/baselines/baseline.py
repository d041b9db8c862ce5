"""What an entry of a table of simple forecasts is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec, TypeVar

from goldviz.models.style import NetworkStyle

Asked = ParamSpec("Asked")
Forecast = TypeVar("Forecast")


@dataclass(frozen=True)
class Baseline(Generic[Asked, Forecast]):
    """A simple forecast: what it is called in a table, its legend and line, and the function that makes it."""

    words: str
    style: NetworkStyle
    forecast: Callable[Asked, Forecast]

    def __call__(self, *args: Asked.args, **kwargs: Asked.kwargs) -> Forecast:
        """The forecasts of a fold's test block."""
        return self.forecast(*args, **kwargs)
