"""Plotly figures as plain dictionaries while they are drawn, under the names that Plotly gives their parts.

Plotly's own classes check every property at every touch, which takes ten times as long as drawing, for every viewer
of every growing run. A draft is written with the same words (``draft.Scatter(...)``, ``figure.update_layout(...)``,
``title_text=``) and goes to the browser as it is; :meth:`Figure.checked` makes Plotly's figure of it, which refuses
what Plotly does not know. Tests draw every figure in that way.
"""

from __future__ import annotations

import base64
import html
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io as pio
from numpy.typing import NDArray
from plotly import subplots
from plotly.colors import get_colorscale

from goldviz.figures.frames import Template, filled
from goldviz.figures.notes import NOTE_LINE, wrapped

PARTS = re.compile(r"(error_[xy]|(?:plot|paper)_bgcolor|[^_]+)(?:_|$)")
"""The steps of a name such as ``title_font_size``; a few names have an underscore of their own."""

NODES = re.compile(
    r"layout|[xy]axis\d*|coloraxis|colorbar|margin|title|subtitle|legend|font|tickfont|line|marker|hoverlabel|error_[xy]"
)
"""Names of what is never a value but holds some: read where it is not set, it is there and empty."""

SHORT = {np.dtype(name): name for name in ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8")}
"""Plotly.js's names of the numbers that it reads as bytes."""

VALUES = {bool, int, float, str, list, np.ndarray}
"""Most of what a figure is made of: never a part that holds others."""

NARROW = (np.int8, np.int16, np.int32, np.uint32)


class Node(dict[str, Any]):
    """A part of a figure: its properties by name or as attributes, None where one is not set."""

    def __init__(self, properties: Mapping[str, Any] | None = None, **more: Any) -> None:
        super().__init__()
        self.update(properties, **more)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._part(name) if _is_node(name) else self.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._set(name, value)

    def update(self, properties: Mapping[str, Any] | None = None, **more: Any) -> Node:  # type: ignore[override]
        """Set properties; a mapping goes into what is there, and None takes a property away. Returns the part."""
        for name, value in {**(properties or {}), **more}.items():
            path, last = _steps(name)
            place = self
            for step in path:
                place = place._part(step)
            place._set(last, value)
        return self

    def _part(self, name: str) -> Node:
        there = self.get(name)
        if not isinstance(there, Node):
            there = self[name] = Node(there)
        return there

    def _set(self, name: str, value: Any) -> None:
        if type(value) in VALUES and name != "colorscale":
            self[name] = value
        elif value is None:
            self.pop(name, None)
        elif isinstance(value, Mapping):
            there = self.get(name)
            self[name] = there.update(value) if isinstance(there, Node) else Node(value)
        elif name == "colorscale" and isinstance(value, str):
            # The browser's scales of these names run the other way for some, and none of them backwards.
            self[name] = _named_scale(value)
        else:
            self[name] = value


# Names are those that are written in code, so few.
@cache
def _steps(name: str) -> tuple[list[str], str]:
    """The parts that a name goes through, and its last."""
    *path, last = PARTS.findall(name)
    return path, last


@cache
def _is_node(name: str) -> bool:
    return NODES.fullmatch(name) is not None


@cache
def _named_scale(name: str) -> list[list[Any]]:
    return [list(stop) for stop in get_colorscale(name)]


def _trace(kind: str, properties: dict[str, Any]) -> Node:
    return Node({"type": kind, **properties})


def Scatter(**properties: Any) -> Node:  # noqa: N802 - Plotly's name
    """A trace of points or lines."""
    return _trace("scatter", properties)


def Bar(**properties: Any) -> Node:  # noqa: N802 - Plotly's name
    """A trace of bars."""
    return _trace("bar", properties)


def Heatmap(**properties: Any) -> Node:  # noqa: N802 - Plotly's name
    """A trace of coloured cells."""
    return _trace("heatmap", properties)


Shape = Node
"""A line or a form laid over the panels."""


class Figure:
    """Traces and a layout; the methods do what those of Plotly's figure do."""

    def __init__(self, data: Node | Iterable[Node] = (), layout: Mapping[str, Any] | None = None) -> None:
        self.data: list[Node] = [data] if isinstance(data, Node) else list(data)
        self.layout = Node(layout)
        self._grid: Mapping[tuple[int, int], tuple[str, str]] = {}

    def add_trace(self, trace: Node, row: int | None = None, col: int | None = None) -> Figure:
        """Draw a trace, in a panel where there are panels."""
        if row is not None:
            x, y = self._grid[row, col or 1]
            trace.update(xaxis=x.replace("axis", ""), yaxis=y.replace("axis", ""))
        self.data.append(trace)
        return self

    def scatter(self, row: int | None = None, col: int | None = None, **properties: Any) -> Figure:
        """Draw points or lines, in a panel where there are panels."""
        return self.add_trace(Scatter(**properties), row, col)

    def bar(self, row: int | None = None, col: int | None = None, **properties: Any) -> Figure:
        """Draw bars, in a panel where there are panels."""
        return self.add_trace(Bar(**properties), row, col)

    def heatmap(self, row: int | None = None, col: int | None = None, **properties: Any) -> Figure:
        """Draw coloured cells, in a panel where there are panels."""
        return self.add_trace(Heatmap(**properties), row, col)

    def update_layout(self, properties: Mapping[str, Any] | None = None, **more: Any) -> Figure:
        """Set properties of the layout."""
        self.layout.update(properties, **more)
        return self

    def update_xaxes(self, *, row: int | None = None, col: int | None = None, **properties: Any) -> Figure:
        """Set properties of every x axis, or of those of a row and a column."""
        return self._update_axes("x", row, col, properties)

    def update_yaxes(self, *, row: int | None = None, col: int | None = None, **properties: Any) -> Figure:
        """Set properties of every y axis, or of those of a row and a column."""
        return self._update_axes("y", row, col, properties)

    def _update_axes(self, letter: str, row: int | None, col: int | None, properties: dict[str, Any]) -> Figure:
        for name in list(self._axes(letter, row, col)):
            getattr(self.layout, name).update(properties)
        return self

    def _axes(self, letter: str, row: int | None = None, col: int | None = None) -> Iterator[str]:
        if not self._grid:
            yield from dict.fromkeys(
                [f"{letter}axis", *(key for key in self.layout if key.startswith(f"{letter}axis"))]
            )
            return
        for (at_row, at_col), pair in self._grid.items():
            if row in (None, at_row) and col in (None, at_col):
                yield pair["xy".index(letter)]

    def select_xaxes(self) -> Iterator[Node]:
        """Every x axis."""
        return (getattr(self.layout, name) for name in list(self._axes("x")))

    def select_yaxes(self) -> Iterator[Node]:
        """Every y axis."""
        return (getattr(self.layout, name) for name in list(self._axes("y")))

    def add_annotation(self, *, row: int | None = None, col: int | None = None, **properties: Any) -> Figure:
        """Put words on the figure."""
        return self._add("annotations", row, col, properties)

    def add_shape(self, *, row: int | None = None, col: int | None = None, **properties: Any) -> Figure:
        """Put a form on the figure."""
        return self._add("shapes", row, col, properties)

    def _add(self, kind: str, row: int | None, col: int | None, properties: Mapping[str, Any]) -> Figure:
        node = Node(properties)
        if row is not None:
            x, y = (axis.replace("axis", "") for axis in self._grid[row, col or 1])
            own = node.yref is not None and node.yref != "y" and "paper" not in node.yref
            node.update(xref=x, yref=node.yref if own and "domain" not in node.yref else y)
        self.layout.setdefault(kind, []).append(node)
        return self

    def update_annotations(self, selector: Mapping[str, Any], **properties: Any) -> Figure:
        """Set properties of the annotations that have those of ``selector``."""
        for annotation in self.layout.get("annotations", []):
            if all(annotation.get(name) == value for name, value in selector.items()):
                annotation.update(properties)
        return self

    def add_vline(self, x: Any, row: int | None = None, col: int | None = None, **properties: Any) -> Figure:
        """A vertical line over every panel that shows something, or over one."""
        return self._span({"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1}, "y", row, col, properties)

    def add_hline(self, y: Any, row: int | None = None, col: int | None = None, **properties: Any) -> Figure:
        """A horizontal line over every panel that shows something, or over one."""
        return self._span({"type": "line", "x0": 0, "x1": 1, "y0": y, "y1": y}, "x", row, col, properties)

    def add_vrect(self, x0: Any, x1: Any, row: int | None = None, col: int | None = None, **properties: Any) -> Figure:
        """A band from top to bottom over every panel that shows something, or over one."""
        return self._span({"type": "rect", "x0": x0, "x1": x1, "y0": 0, "y1": 1}, "y", row, col, properties)

    def add_hrect(self, y0: Any, y1: Any, row: int | None = None, col: int | None = None, **properties: Any) -> Figure:
        """A band from left to right over every panel that shows something, or over one."""
        return self._span({"type": "rect", "x0": 0, "x1": 1, "y0": y0, "y1": y1}, "x", row, col, properties)

    def _span(
        self, form: dict[str, Any], along: str, row: int | None, col: int | None, properties: Mapping[str, Any]
    ) -> Figure:
        for x, y in self._panels(row, col):
            refs = {"xref": x, "yref": y}
            refs[f"{along}ref"] += " domain"
            self.layout.setdefault("shapes", []).append(Node({**form, **refs, **properties}))
        return self

    def _panels(self, row: int | None, col: int | None) -> list[tuple[str, str]]:
        """The axes of one panel, or of all that something is drawn on."""
        if not self._grid:
            return [("x", "y")]
        panels = [self._grid[row, col or 1]] if row is not None else list(self._grid.values())
        pairs = [(x.replace("axis", ""), y.replace("axis", "")) for x, y in panels]
        in_use = {(trace.get("xaxis", "x"), trace.get("yaxis", "y")) for trace in self.data}
        for kind in ("shapes", "annotations"):
            in_use |= {(laid.get("xref", ""), laid.get("yref", "")) for laid in self.layout.get(kind, [])}
        return [pair for pair in pairs if pair in in_use]

    def at(self, place: Mapping[str, int]) -> Figure:
        """The figure at one step: ``place`` says which value along each growing dimension."""
        still = type(self)()
        still.data = [Node(trace) for trace in filled(self.data, place)]
        still.layout = Node(filled(self.layout, place))
        still._grid = self._grid
        return still

    def template(self) -> Template:
        """The figure with its arrays, and what is of single steps, taken out as rows; without the theme's look."""
        layout = {name: part for name, part in self.layout.items() if name != "template"}
        return Template.of({"data": self.data, "layout": layout}, _plain)

    def settled(self) -> Figure:
        """The figure with its notes under its title, broken into lines."""
        settle(self.layout)
        return self

    def to_dict(self) -> dict[str, Any]:
        """Data and layout, the look of a named template written out."""
        layout = dict(self.layout)
        if isinstance(layout.get("template"), str):
            layout["template"] = _template(layout["template"])
        return {"data": self.data, "layout": layout}

    def to_json(self) -> str:
        """The figure as Plotly.js reads it: arrays of numbers as bytes, what is not a number as null."""
        return json.dumps(_plain(self.to_dict()), allow_nan=False, separators=(",", ":"))

    def checked(self) -> go.Figure:
        """Plotly's figure; raises ``ValueError`` for what Plotly does not know."""
        settle(self.layout)
        return go.Figure({"data": self.data, "layout": dict(self.layout)})


def look_of(theme: str) -> dict[str, Any]:
    """A theme's look, which is the same for all figures: their layouts' ``template``."""
    return _template(f"goldviz_{theme}")


@cache
def _template(name: str) -> dict[str, Any]:
    template: dict[str, Any] = json.loads(pio.templates[name].to_json())
    return template


def _plain(value: Any) -> Any:
    """A value in JSON's own words."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items() if one is not None}
    if isinstance(value, np.ndarray):
        return _of_array(value)
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, np.datetime64):
        return str(value)
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _of_array(values: NDArray[Any]) -> Any:
    if values.dtype == np.int64 and values.size:
        low, high = values.min(), values.max()
        fitting = (kind for kind in NARROW if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
        values = values.astype(next(fitting, values.dtype))
    short = SHORT.get(values.dtype)
    if short is None or not values.size:
        return _plain(values.tolist() if values.dtype.kind != "M" else np.datetime_as_string(values).tolist())
    binary: dict[str, str] = {"dtype": short, "bdata": base64.b64encode(values.tobytes()).decode("ascii")}
    if values.ndim > 1:
        binary["shape"] = str(values.shape)[1:-1]
    return binary


def make_subplots(rows: int = 1, cols: int = 1, **how: Any) -> Figure:
    """A figure of several panels; ``how`` is what Plotly's function of this name takes."""
    layout, grid = _grid_of(rows, cols, json.dumps(how))
    figure = Figure(layout=layout)
    figure._grid = grid
    return figure


@cache
def _grid_of(rows: int, cols: int, how: str) -> tuple[dict[str, Any], dict[tuple[int, int], tuple[str, str]]]:
    figure = subplots.make_subplots(rows=rows, cols=cols, **json.loads(how))
    grid = {}
    for row in range(1, rows + 1):
        for col in range(1, cols + 1):
            panel = figure.get_subplot(row, col)
            if panel is not None:
                grid[row, col] = (panel.xaxis.plotly_name, panel.yaxis.plotly_name)
    layout = json.loads(figure.layout.to_json())
    layout.pop("template", None)
    return layout, grid


def settle(layout: Node) -> None:
    """Write a layout's notes (``meta.notes``, escaped) under its title, with as much more room as their lines take.

    All of ``meta`` goes: it is for pages alone. They break notes at the width that a figure has there; where
    nothing is known of it, they suit a phone.
    """
    notes = (layout.pop("meta", None) or {}).get("notes", [])
    lines = [wrapped(html.unescape(note)) for note in notes if note]
    if lines:
        more = NOTE_LINE * sum(words.count("<br>") + 1 for words in lines)
        layout.update(title_subtitle_text="<br>".join(lines), height=layout.height + more)
        layout.update(margin_t=layout.margin.t + more)
