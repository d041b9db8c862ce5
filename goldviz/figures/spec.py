"""A figure with the words that stand beside it, so that pages and reports can walk through a laboratory's figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
import xarray as xr


@dataclass(frozen=True)
class FigureSpec:
    """A drawing function, the question it answers, what it shows, and what it cannot show.

    ``draw`` is called as ``draw(ds, epoch=..., limits=..., theme=...)``; all but the dataset may be left out.
    """

    draw: Callable[..., go.Figure]
    question: str
    shows: str
    cannot_show: str
    name: str = ""

    def __call__(self, ds: xr.Dataset, **view: Any) -> go.Figure:
        """Draw a dataset."""
        return self.draw(ds, **view)


def drawn(
    question: str, *, shows: str, cannot_show: str, name: str = ""
) -> Callable[[Callable[..., go.Figure]], FigureSpec]:
    """Make a figure of a function that draws a dataset in a theme; its name is the function's, or ``name``."""
    return lambda draw: FigureSpec(draw, question, shows, cannot_show, name or draw.__name__)


def by_name(*specs: FigureSpec) -> dict[str, FigureSpec]:
    """A laboratory's table of figures, in the order in which a page shows them."""
    return {spec.name: spec for spec in specs}
