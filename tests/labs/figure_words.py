"""What a figure says: its words, every text anywhere in it, and a trace by its name."""

from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go


def words(figure: go.Figure) -> str:
    """Title, notes and annotations, in one line."""
    layout = figure.layout
    texts = [layout.title.text, layout.title.subtitle.text or "", *(one.text for one in layout.annotations)]
    return " ".join(texts).replace("<br>", " ")


def strings(value: Any) -> Iterator[str]:
    """Every text anywhere in a figure's JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from strings(part)


def named(figure: go.Figure, name: str, row: int = 1) -> Any:
    """The trace of this name in a panel."""
    axis = "y" if row == 1 else f"y{row}"
    return next(trace for trace in figure.data if trace.name == name and (trace.yaxis or "y") == axis)
