"""Figures as values: marks on panels, and axes that take limits, ticks, titles and links from what the marks name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.arrays.readings import Coordinate, Read, Readings, Scale
from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures import limits, plot
from goldviz.figures import theme as look
from goldviz.figures.captions import VALUES, said
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import (
    add_heading,
    colour_bar_below,
    drawn_ends,
    legend_above_headings,
    log_axis,
    loss_axis,
    number_ticks,
    power_axis,
    power_ticks,
    title_below,
    whole,
)
from goldviz.figures.elements import panels as panels_below
from goldviz.figures.frames import Words, line
from goldviz.figures.limits import (
    SHARES,
    LayerAxis,
    Quantities,
    Quantity,
    Reading,
    decades,
    log_of,
    padded,
    values_of,
    with_zero,
)
from goldviz.figures.maps import SIGNED, colour_bar, legend_below, symmetric
from goldviz.figures.market import legend_under
from goldviz.figures.marks import (
    POWERS,
    Canvas,
    Cursor,
    Heat,
    Mark,
    Rule,
    channel,
)
from goldviz.figures.notes import wrapped
from goldviz.figures.plot import Plot
from goldviz.figures.reading import GROWING
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import style_of
from goldviz.models.style import NetworkStyle

UNSHARED = ("share", "free", *POWERS)
"""Scales that reach over nothing that lanes share."""
LAST = (Rule, Cursor)
"""Marks that lie on axes which have their types."""
EACH, MOST_PLACES, MOST_NUMBERS = 24, 10, 6
"""Places of a map up to which each has its number, numbers of a map with more, and of curves."""
HEADING = 14
"""Pixels of the first panel's heading, where no legend makes room for it."""
ROUNDED: Mapping[Scale, Callable[[float, float], tuple[float, float]]] = {"log": decades, "loss": limits.exact}


def _signed(*names: str) -> Reading:
    return lambda ds: np.concatenate([(values := values_of(*names)(ds)), -values])


READ: Mapping[Scale, Callable[..., Reading]] = {"zero": with_zero, "log": log_of, "signed": _signed}


def limits_over(of: Sequence[str] | Reading, scale: Scale = "linear") -> Quantity:
    """What an axis of these variables reaches over, or of what is read off a run."""
    rounded = ROUNDED.get(scale, padded)
    if callable(of):
        return Quantity(of, rounded)
    return Quantity(READ.get(scale, values_of)(*of), rounded)


@dataclass(frozen=True)
class Axis:
    """What an axis says beyond its marks: its title, how it runs, and over which variables or readings of the run.

    ``of`` is for marks whose variables are not told by their names; ``more`` goes to Plotly, and may be a function of
    the plot.
    """

    title: str | None = None
    scale: Scale | None = None
    of: tuple[str, ...] | Reading = ()
    more: Mapping[str, Any] | Callable[[Plot], Mapping[str, Any]] = field(default_factory=dict)

    @property
    def quantity(self) -> Quantity:
        """What it reaches over."""
        return limits_over(self.of, self.scale or "linear")

    def read(self, plot: Plot) -> Mapping[str, Any]:
        """What Plotly is told beside title and limits."""
        return self.more(plot) if callable(self.more) else self.more


def axis(
    title: str | None = None,
    *of: str,
    scale: Scale | None = None,
    read: Reading | None = None,
    told: Callable[[Plot], Mapping[str, Any]] | None = None,
    **more: Any,
) -> Axis:
    """An axis: its title, the variables that it reaches over, or what it reads off a run, and how it runs.

    ``told`` gives Plotly's properties of the plot, ``more`` are plain ones.
    """
    return Axis(title, scale, read or of, told or more)


def doubling(dim: str) -> Callable[[Plot], dict[str, Any]]:
    """For ``told`` of an axis of places that double: it is logarithmic, and every other place is named."""

    def told(plot: Plot) -> dict[str, Any]:
        ticks = [int(place) for place in plot.ds[dim].values]
        names = [f"{tick:,}" if place % 2 else "" for place, tick in enumerate(ticks)]
        return {"type": "log", "showgrid": False, "tickvals": ticks, "ticktext": names}

    return told


@dataclass(frozen=True)
class Panel:
    """Marks under a heading: their variable's label unless it is given; ``of`` is a network whose colour it has.

    ``height`` is its share of the figure, its width where panels stand beside one another, which ``x`` is for too.
    """

    marks: Sequence[Any]
    heading: str | None = None
    y: Axis | None = None
    height: float = 1.0
    of: str = ""
    x: Axis | None = None


def panel(*marks: Mark | Callable[..., Sequence[Mark]], **how: Any) -> Panel:
    """Marks, or functions that give some, under a heading of their own, below what stands before, or beside it.

    See :class:`Panel`.
    """
    return Panel(marks, **how)


@dataclass(frozen=True)
class Colours:
    """The one colour scale: its words, its ends or what they are read off, and which colours.

    ``scale`` is *sequential* (of magnitudes), *share* (from paper to ink), *signed* (red for more) or *diverging* (as a
    map of weights), or Plotly's own. Where nothing is said it is as the variable is read, and a share from 0 to 1.
    """

    title: str | Callable[[Plot], str] | None = None
    ends: tuple[float, float] | Callable[[Plot], tuple[float, float]] | None = None
    of: tuple[str, ...] = ()
    scale: Any = ""
    below: bool | None = None
    bar: Mapping[str, Any] = field(default_factory=dict)
    powers: bool = False
    """Whether its numbers are exponents of ten."""

    def quantity(self) -> Quantity:
        """What the scale reaches over."""
        rounded = (lambda *ends: symmetric(ends)) if self.scale in ("signed", "diverging") else padded
        return Quantity(values_of(*self.of), rounded)


def colours(
    title: str | Callable[[Plot], str] | None = None,
    *of: str,
    ends: tuple[float, float] | Callable[[Plot], tuple[float, float]] | None = None,
    scale: Any = "",
    below: bool | None = None,
    powers: bool = False,
    **bar: Any,
) -> Colours:
    """The colour scale of a figure; see :class:`Colours`."""
    return Colours(title, ends, of, scale, below, bar, powers)


Part: TypeAlias = "Mark | Panel | Callable[..., Sequence[Mark | Panel] | str]"
"""A function gives marks and panels of the plot, or a sentence that stands in the figure's place."""
Note: TypeAlias = "Words | Callable[..., Words]"
Legend = Literal["above", "under", "below", "none"]


@dataclass(frozen=True)
class Chart:
    """A figure as a value; :func:`figure` makes one, :func:`offered` gives a laboratory's table of them."""

    name: str
    question: str
    parts: tuple[Part, ...]
    _: KW_ONLY
    x: Axis | None = None
    y: Axis | None = None
    colour: Colours | Callable[[Plot], Colours | None] | None = None
    shows: str = ""
    also: str = ""
    """Sentences after a caption that is read off the marks: how to read what no axis or legend names."""
    cannot_show: str = ""
    title: str | Callable[..., str] = ""
    needs: tuple[str, ...] | None = None
    instead: Callable[[Run], str] = lambda ds: ""
    lead: Note = ""
    notes: tuple[Note, ...] = ()
    seeds: bool | None = None
    probes: bool = True
    """Whether what has no seeds, in a run of several, is of the first."""
    height: int | Callable[[Plot], int] = 430
    legend: Legend | Callable[[Plot], Legend] | None = None
    legend_lines: int | Callable[[Plot], int] = 3
    """How many lines a phone needs for a legend under the plot."""
    hover: Literal["x unified", "closest"] | None = None
    looks_at: Mapping[str, Any] = field(default_factory=dict)
    position: str = ""
    at_once: bool = False
    says_step: bool = True
    """Whether its words say which step is in view, where it draws one."""
    beside: bool = False
    """Whether panels stand beside one another, with the same rows."""
    apart: bool = False
    """Whether panels below one another have an ``x`` of their own each."""
    over: str = ""
    layout: Mapping[str, Any] | Callable[[Plot], Mapping[str, Any]] = field(default_factory=dict)
    axes: tuple[Axis, ...] = ()
    """Y axes of panels that a function of the plot gives, for what lanes share."""
    draw: Callable[..., Figure] | None = None
    limits: Mapping[str, Quantity] = field(default_factory=dict)
    redrawn: str = ""

    # -- what follows from the marks ---------------------------------------------------------------------------

    @property
    def panels(self) -> list[Panel]:
        """The panels that stand in the figure whatever the run."""
        return [one for one in self.parts if isinstance(one, Panel)]

    @property
    def marks(self) -> list[Any]:
        """Every mark that stands in the figure whatever the run."""
        return [
            mark for one in self.parts for mark in (one.marks if isinstance(one, Panel) else (one,)) if _is_mark(mark)
        ]

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that its marks name."""
        named: list[str] = []
        for mark in self.marks:
            if isinstance(mark, Rule) or not hasattr(mark, "of"):
                continue
            named.append(channel(mark.of).name)
            named += [channel(one).name for one in (getattr(mark, "ends", None) or ()) if not callable(one)]
            if getattr(mark, "x", None) is not None and not isinstance(mark, Heat):
                named.append(channel(mark.x).name)
        return tuple(dict.fromkeys(name for name in named if name))

    def axis_of(self, own: Axis | None, marks: Sequence[Any], readings: Readings) -> tuple[Axis, Read]:
        """The y axis of some marks, with how its first variable is read."""
        given = own or self.y or Axis()
        names = tuple(
            dict.fromkeys(
                name
                for mark in marks
                if isinstance(mark, VALUES) and not getattr(mark, "rows", "") and (name := channel(mark.of).name)
            )
        )
        of = given.of or names
        read = readings.variable(names[0]) if names else Read("")
        return Axis(given.title, given.scale or (read.scale if names else "linear"), of, given.more), read

    def quantities(self, readings: Readings) -> dict[str, Quantity]:
        """What it has limits for."""
        told = dict(self.limits)
        groups: list[tuple[Axis | None, Sequence[Any]]] = [(one.y, one.marks) for one in self.panels]
        for own, marks in groups or [(None, [one for one in self.parts if _is_mark(one)])]:
            y, _ = self.axis_of(own, marks, readings)
            if y.of and y.scale not in UNSHARED:
                told[self.key("y", y)] = y.quantity
        for own in self.axes:
            told[self.key("y", own)] = own.quantity
        if self.x is not None and self.x.of and self.x.scale not in UNSHARED:
            told[self.key("x", self.x)] = self.x.quantity
        if isinstance(self.colour, Colours) and self.colour.ends is None:
            told[f"{self.name} colour"] = self._colours(readings).quantity()
        return told

    def _colours(self, readings: Readings, ds: Run | None = None) -> Colours:
        assert isinstance(self.colour, Colours)
        mapped = [mark for mark in self.marks if isinstance(mark, Heat)]
        of = self.colour.of or tuple(dict.fromkeys(name for one in mapped if (name := channel(one.of).name)))
        read = readings.variable(of[0], ds) if of else Read("")
        title = self.colour.title if self.colour.title is not None else read.label
        is_share = self.colour.ends == (0, 1) or (read.scale == "share" and not self.colour.powers)
        scale = self.colour.scale or ("share" if is_share else "sequential")
        return replace(self.colour, of=of, title=title, scale=scale)

    def key(self, letter: str, one: Axis) -> str:
        """By which name lanes share an axis' limits: what it is of, so that figures of the same have the same."""
        return f"{self.name} {letter}" if callable(one.of) else f"{' + '.join(one.of)}, {one.scale or 'linear'}"

    def _reach(self, plot: Plot, letter: str, one: Axis) -> tuple[float, float]:
        """What an axis reaches over: what lanes share, else, of marks that the run alone tells, the run's own."""
        key = self.key(letter, one)
        if key in plot.quantities:
            return plot.limit(key)
        return limits.limit(one.quantity, [plot.ds])

    def caption(self, readings: Readings, fixed: bool = False) -> str:
        """What it shows: its own words, or what its marks are of."""
        return self.shows or f"{said(self, readings, fixed)} {self.also}".strip()

    # -- binding -----------------------------------------------------------------------------------------------

    def specify(
        self,
        readings: Readings,
        quantities: Quantities,
        kinds: ByKind,
        look_of: Callable[[str], NetworkStyle] = style_of,
        fixed: bool = False,
    ) -> FigureSpec:
        """The figure of a laboratory, with its words; ``fixed`` is one of a page without runs."""
        needs = self.needs if self.needs is not None else self.variables
        body = self.draw or partial(self._drawn, fixed)
        redrawn = self.redrawn or ("drawn for the place in view" if fixed else "")
        title = "" if callable(self.title) else self.title
        make = plot.figure(
            quantities, self.question, title=title, shows=self.caption(readings, fixed), cannot_show=self.cannot_show,
            needs=needs, instead=self.instead, look_of=look_of, kinds=kinds,
            readings=readings, redrawn=redrawn,
        )  # fmt: skip

        def own(plot: Plot, **looked_at: Any) -> Figure:
            return body(plot, **{**self.looks_at, **looked_at})

        own.__name__ = self.name
        computed = "" if self.shows else said(self, readings, fixed)
        spec = replace(make(own), computed=computed)
        return replace(spec, at=self.position, at_once=self.at_once)

    def drawn(self, plot: Plot) -> Figure:
        """The figure on a plot."""
        return self._drawn(False, plot)

    def _drawn(self, fixed: bool, plot: Plot, **looked_at: Any) -> Figure:
        if callable(self.colour):
            return replace(self, colour=self.colour(plot))._drawn(fixed, plot, **looked_at)
        if callable(self.title):
            plot.title = self.title(plot, **looked_at)
        parts = _of_run(self.parts, plot, looked_at)
        if isinstance(parts, str):
            return plot.instead(parts)
        panels = [replace(one, marks=_of_run(one.marks, plot, looked_at)) for one in parts if isinstance(one, Panel)]
        marks = [one for one in parts if not isinstance(one, Panel)]
        canvas = Canvas(plot, plot.readings, fixed=fixed, looked_at=looked_at)
        if panels:
            self._lay_panels(canvas, panels)
        groups: list[tuple[int | None, Axis | None, Sequence[Any]]]
        groups = [(row, one.y, one.marks) for row, one in enumerate(panels, start=1)] or [(None, None, marks)]
        for row, own, drawn in groups:
            y, _ = self.axis_of(own, drawn, plot.readings)
            canvas.row, canvas.scale = row, y.scale or ""
            for mark in drawn:
                if not isinstance(mark, LAST):
                    mark.draw(canvas)
        every = [mark for _, _, drawn in groups for mark in drawn]
        if not self.apart:
            self._lay_x(canvas, every, bool(panels))
        for row, one in enumerate(panels, start=1):
            if one.x is not None:
                plot.figure.update_xaxes(**{"title_text": one.x.title, **one.x.read(plot), "row": row})
        if self.beside and ("x", None) in plot.links:  # bars that lie have other numbers there
            dim = plot.links.pop(("x", None))
            for row, one in enumerate(panels, start=1):
                if not any(getattr(mark, "rows", "") for mark in one.marks):
                    plot.link("x", dim, row)
        for row, own, drawn in groups:
            self._lay_y(canvas, row, own, drawn, bool(panels))
        # Words on an axis are placed by its type, and lines stand on panels on which something is drawn.
        for row, _, drawn in groups:
            canvas.row = row
            for mark in drawn:
                if isinstance(mark, LAST):
                    mark.draw(canvas)
        canvas.row = None
        for mark in marks if panels else ():
            mark.draw(canvas)
        return self._finish(canvas, every, bool(panels), looked_at)

    def _lay_panels(self, canvas: Canvas, panels: Sequence[Panel]) -> None:
        headings = [self._heading(canvas, one) for one in panels]
        if self.beside:
            widths = [one.height for one in panels]
            canvas.plot.figure = panels_beside(headings, canvas.plot.ink.text, widths)
            return
        heights = [one.height for one in panels]
        inks = [canvas.plot.look_of(one.of).colour if one.of else canvas.plot.ink.text for one in panels]
        several = heights if len(set(heights)) > 1 else None
        colours = inks if any(one.of for one in panels) else None
        how: dict[str, Any] = {"colours": colours, "heights": several, "apart": self.apart}
        canvas.plot.figure = panels_below(headings, canvas.plot.theme, **how)

    def _heading(self, canvas: Canvas, one: Panel) -> str:
        if one.heading is not None:
            return one.heading
        if one.of:
            return canvas.plot.look_of(one.of).heading
        names = [name for mark in one.marks if hasattr(mark, "of") and (name := channel(mark.of).name)]
        return canvas.readings.variable(names[0], canvas.plot.ds).label if names else ""

    def _lay_y(self, canvas: Canvas, row: int | None, own: Axis | None, marks: Sequence[Any], panels: bool) -> None:
        y, read = self.axis_of(own, marks, canvas.readings)
        plot, more = canvas.plot, dict(y.read(canvas.plot))
        mapped = next((mark for mark in marks if isinstance(mark, Heat)), None)
        if mapped is not None:
            self._lay_places(canvas, "y", mapped.y, y, row, more)
            return
        title = y.title if y.title is not None else None if panels or not read.label else read.title
        rows = {} if row is None else {"row": row}
        reach: dict[str, Any] = {}
        if y.scale in POWERS:
            _lay_powers(plot, "y", y, title or "", more)
            return
        if y.scale == "share":
            reach = {"range": SHARES.rounded(0.0, 1.0), "tickformat": ".0%"}
        elif y.scale != "free" and y.of:
            ends = self._reach(plot, "y", y)
            reach = log_axis(ends) if y.scale == "log" else loss_axis(*ends) if y.scale == "loss" else {"range": ends}
        if told := {**({"title_text": title} if title else {}), **reach, **more}:
            plot.figure.update_yaxes(**told, **rows)

    def _lay_x(self, canvas: Canvas, marks: Sequence[Any], panels: bool) -> None:
        plot, given = canvas.plot, self.x or Axis()
        more = dict(given.read(plot))
        dim = self.over or _along(canvas, marks)
        mapped = any(isinstance(mark, Heat) for mark in marks)
        lying = next((mark for mark in marks if getattr(mark, "rows", "")), None)
        if lying is not None and not given.of:
            title = given.title if given.title is not None else "" if panels else canvas.read(lying.of).title
            given = replace(given, title=title, scale=given.scale or "free")
        if given.scale in POWERS:
            _lay_powers(plot, "x", given, given.title or "", more)
        elif given.of or given.scale in ("free", "share"):
            reach = {} if not given.of or given.scale in ("free", "share") else {"range": self._reach(plot, "x", given)}
            title = more.pop("title_text", given.title)
            plot.figure.update_xaxes(**{**reach, **more})
            if title is not None:
                title_below(plot.figure, title)
            places = dim in plot.quantities and (canvas.fixed or dim not in GROWING)
            if places and given.scale == "free":
                plot.link("x", canvas.readings.coordinate(dim).linked or dim)
        elif dim in GROWING and not canvas.fixed:
            plot.step_axis() if mapped else plot.step_grid()
            plot.figure.update_xaxes(**more)
        elif dim:
            self._lay_places(canvas, "x", dim, given, None, more)

    def _lay_places(
        self, canvas: Canvas, letter: Literal["x", "y"], dim: str, given: Axis, row: int | None, more: Mapping[str, Any]
    ) -> None:
        """An axis of places along a dimension: whole numbers, or names."""
        plot, told = canvas.plot, canvas.readings.coordinate(dim)
        update = plot.figure.update_xaxes if letter == "x" else plot.figure.update_yaxes
        mapped = letter == "y" or self.colour is not None
        own: dict[str, Any] = {"showgrid": False} if mapped else {}
        there = plot.ds[dim].values if dim in plot.ds.coords else np.arange(0)
        quantity = plot.quantities.get(dim)
        layered, named = isinstance(quantity, LayerAxis), there.dtype.kind not in "fiu"
        if quantity is not None and (layered or not named):
            ends = plot.limit(dim)
            own["range"] = ends
            if named:
                own["type"] = "category"
            else:
                low, high = whole(ends)
                most = MOST_PLACES if mapped and not layered else MOST_NUMBERS
                if mapped and high - low < EACH:
                    most = EACH
                if layered or letter == "x" or most == EACH:
                    own |= number_ticks(low, high, names_of(told, plot.ds), most)
        title = given.title if given.title is not None else told.label
        if letter == "x":
            own["unifiedhovertitle_text"] = told.place or f"{dim.replace('_', ' ')} %{{x}}"
            update(**{**own, **more})
            title_below(plot.figure, title)
        else:
            update(**{"title_text": title or None, **own, **({} if row is None else {"row": row}), **more})
        if (layered or not named) and more.get("visible", True):
            plot.link(letter, told.linked or dim, *(() if row is None else (row,)))

    def _finish(self, canvas: Canvas, marks: Sequence[Any], panels: bool, looked_at: Mapping[str, Any]) -> Figure:
        plot = canvas.plot
        step: Words = ""
        if canvas.steps and self.says_step and not plot.over_steps:
            step = plot.step_in_words(canvas.steps, one_seed=self.probes and canvas.first_seed and not canvas.seeds)
        own = [note(plot, **looked_at) if callable(note) else note for note in (*self.notes, self.lead)]
        seeds = canvas.seeds if self.seeds is None else self.seeds
        last = line(own[-1], plot.drawn(step) if seeds else step, *(() if seeds else (plot.thinning,)))
        mapped = self.colour is not None or any(isinstance(mark, Heat) for mark in marks)
        told = self.legend(plot) if callable(self.legend) else self.legend
        legend = told or ("none" if mapped else "above")
        tall = self.height(plot) if callable(self.height) else self.height
        hover = self.hover or ("closest" if mapped else "x unified")
        figure = plot.finish(*own[:-1], last, height=tall, legend=legend != "none", hover=hover)
        if legend == "above" and panels:
            legend_above_headings(figure)
        elif legend == "under":
            room = self.legend_lines(plot) if callable(self.legend_lines) else self.legend_lines
            legend_under(figure, lines=room, axis=50)
        elif legend == "below":
            legend_below(figure)
        if self.colour is not None:
            self._add_colours(canvas, panels)
        elif panels and legend != "above":
            figure.update_layout(margin_t=figure.layout.margin.t + HEADING)
        if self.beside:
            lines = max(one.text.count("<br>") for one in figure.layout.annotations)
            room = 17 * lines + (HEADING if self.colour is not None else 0)
            figure.update_layout(margin_t=figure.layout.margin.t + room)
        if self.layout:
            figure.update_layout(self.layout(plot) if callable(self.layout) else self.layout)
        return figure

    def _add_colours(self, canvas: Canvas, panels: bool) -> None:
        told = self._colours(canvas.readings, canvas.plot.ds)
        given = told.ends(canvas.plot) if callable(told.ends) else told.ends
        ends = given if given is not None else canvas.plot.limit(f"{self.name} colour")
        ticks = power_ticks(*ends, most=5) if told.powers else {}
        known: dict[str, Any] = {"sequential": look.SEQUENTIAL, "signed": SIGNED, "diverging": look.DIVERGING}
        known["share"] = look.share_scale(canvas.plot.theme)
        scale = known.get(told.scale, told.scale) if isinstance(told.scale, str) else told.scale
        lay = colour_bar_below if (panels if told.below is None else told.below) else colour_bar
        title = told.title(canvas.plot) if callable(told.title) else told.title or ""
        lay(canvas.plot.figure, ends, scale, title, **{**ticks, **told.bar})


def figure(name: str, question: str, *parts: Part, **how: Any) -> Chart:
    """A figure of these marks and panels, called ``name`` in links and notebooks; see :class:`Chart` for what is told.

    ``shows`` is for a figure whose words conclude something; others say what their marks are of, and ``also`` how they
    are read. ``x``, ``y`` and ``colour`` say what the marks do not. ``lead`` stands in front of the words of the step,
    ``notes`` on lines of their own; both may be functions of the plot, and of what the figure ``looks_at`` (names of
    its arguments, with their values where none are given). ``position`` names the argument that is a page's place, for
    pages without runs.
    """
    return Chart(name, question, parts, **how)


marked = partial(figure, "", "")
"""Marks on axes, of a figure by kind, which has its name and its question elsewhere."""


def panels_beside(headings: Sequence[str], colour: str, widths: Sequence[float]) -> Figure:
    """One panel beside the other, on the same rows, each with its heading; they are counted as those below are."""
    several = widths if len(set(widths)) > 1 else None
    how = {"shared_yaxes": True, "horizontal_spacing": 0.05, "column_widths": several}
    figure = make_subplots(rows=1, cols=len(headings), **how)
    figure._grid = {(col, 1): pair for (_, col), pair in figure._grid.items()}
    for number, heading in enumerate(headings, start=1):
        text = wrapped(heading, max(8, int(44 * widths[number - 1] / sum(widths))))
        if heading:
            add_heading(figure, number, f"<b>{text}</b>", align="left", font={"color": colour})
    return figure


def where_recorded(*marks: Any) -> Callable[..., list[Any]]:
    """Those of the marks whose variable the run has: what not every run records."""
    return lambda plot, **looked_at: [mark for mark in marks if not plot.lacks(channel(mark.of).name)]


def is_part(one: Any) -> bool:
    """Whether it is a mark, a panel, or a function that gives some."""
    return isinstance(one, Panel) or _is_mark(one) or callable(one)


def _is_mark(one: Any) -> bool:
    return not isinstance(one, Panel) and hasattr(one, "draw")


def _lay_powers(plot: Plot, letter: Literal["x", "y"], one: Axis, title: str, more: Mapping[str, Any]) -> None:
    """An axis of exponents of ten over what is drawn, and over what it asks for whatever is drawn."""
    low, high = drawn_ends(plot.figure, letter)
    if callable(one.of):
        low, high = min(low, *(asked := one.of(plot.ds))), max(high, *asked)
    room = max(0.05 * (high - low), 0.3)
    power_axis(plot.figure, letter, title, low - room, high + room, **more)


def _of_run(ones: Sequence[Any], plot: Plot, looked_at: Mapping[str, Any]) -> Any:
    """Marks and panels as they are, with those that functions give of the run; or a sentence that one of them gives."""
    told: list[Any] = []
    for one in ones:
        given = [one] if isinstance(one, Panel) or _is_mark(one) else one(plot, **looked_at)
        if isinstance(given, str):
            return given
        told += given
    return told


def _along(canvas: Canvas, marks: Sequence[Any]) -> str:
    """What the x axis is of: the first mark's dimension."""
    for mark in marks:
        if isinstance(mark, Heat):
            return mark.x
        if getattr(mark, "rows", ""):
            return ""
        if isinstance(mark, VALUES):
            if getattr(mark, "x", None) is not None:
                return ""
            name = channel(mark.of).name
            over = getattr(mark, "over", "")
            if over:
                return over
            if name and name not in canvas.plot.ds:
                continue
            values = channel(mark.of).whole(canvas.plot)
            beside = (getattr(mark, "by", ""), "network", "seed")
            dims = [str(dim) for dim in values.dims if dim not in beside]
            return next((dim for dim in dims if canvas.fixed or dim not in GROWING), next(iter(dims), ""))
    return ""


def names_of(told: Coordinate, ds: Run) -> Mapping[int, str]:
    """Words for special places along a coordinate."""
    return told.names(ds) if callable(told.names) else told.names
