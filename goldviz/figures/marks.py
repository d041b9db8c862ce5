"""Marks: what a figure draws of a variable. Each names it, what it goes over, and what its looks are by.

A channel is a variable's name, one made by :func:`at`, :func:`changed`, :func:`median`, :func:`mean`,
:func:`averaged`, :func:`thinned` or :func:`so_far`, or a function of the plot that gives an array. What grows with the
run is drawn at every step, or over the steps; everything else is drawn whole. :mod:`goldviz.figures.chart` puts marks
on axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.arrays.light import LightArray
from goldviz.arrays.readings import Read, Readings
from goldviz.figures import frames, reading
from goldviz.figures.draft import Bar
from goldviz.figures.elements import MARKERS_UP_TO, add_band, interval_bars
from goldviz.figures.frames import AtStep, Words
from goldviz.figures.limits import log10
from goldviz.figures.maps import cells, cursor
from goldviz.figures.notes import as_label
from goldviz.figures.plot import NAMELESS, Plot
from goldviz.figures.reading import GROWING, finite, growing, positive
from goldviz.figures.theme import looks_of, with_alpha
from goldviz.models.style import NetworkStyle

BESIDE = ("network", "seed", *GROWING)
"""Dimensions that a mark does not go over unless it says so."""


More: TypeAlias = "Mapping[str, Any] | Callable[[Plot], Mapping[str, Any]]"
"""What else Plotly is told of a mark; a function of the plot where it hangs on what is drawn."""
INK_NAMES = ("text", "muted", "accent", "grid", "gap", "surface", "background")
"""Colours of a theme."""
POWERS = ("powers", "exponents")
"""Scales whose axis is of exponents of ten."""


@dataclass(frozen=True)
class Channel:
    """Values to draw: of the variable ``name``, changed; ``whole`` where they are not of the step in view alone."""

    name: str
    read: Callable[[Plot], Array]
    whole: Callable[[Plot], Array]


ChannelLike: TypeAlias = "str | Channel | Callable[[Plot], Array]"


def channel(of: ChannelLike) -> Channel:
    """A channel of a variable's name or of a function."""
    if isinstance(of, Channel):
        return of
    if isinstance(of, str):
        return Channel(of, lambda plot: plot.now[of], lambda plot: plot.ds[of])
    return Channel("", of, of)


def changed(of: ChannelLike, change: Callable[[Array], Array]) -> Channel:
    """A channel whose values are changed, at the step in view or over all steps."""
    one = channel(of)
    return Channel(one.name, lambda plot: change(one.read(plot)), lambda plot: change(plot.once(one.whole)))


def at(of: ChannelLike, **where: Any) -> Channel:
    """A variable at one place along some of its dimensions."""
    return changed(of, lambda values: values.sel(where))


def median(of: ChannelLike, *dims: str) -> Channel:
    """The medians of a variable over its seeds, or over other dimensions."""
    return changed(of, lambda values: finite(values).median([*(dims or ("seed",))]))


def mean(of: ChannelLike, *dims: str) -> Channel:
    """The means of a variable over its seeds, or over other dimensions."""
    return changed(of, lambda values: finite(values).mean([*(dims or ("seed",))]))


def averaged(name: str, most: int = reading.MOST_COLUMNS) -> Channel:
    """Means of a variable over windows of steps, so many at most; the figure says how wide they are."""
    return Channel(name, lambda plot: plot.averaged(name, most), lambda plot: plot.averaged(name, most))


def thinned(name: str, most: int = reading.MOST_COLUMNS) -> Channel:
    """A variable at as many of its steps as there is room for; the figure says which."""
    return Channel(name, lambda plot: plot.thinned(name, most), lambda plot: plot.thinned(name, most))


def so_far(name: str) -> Channel:
    """The means of a variable's finite values from the first step to the one in view."""
    return Channel(name, lambda plot: plot.mean_so_far(name), lambda plot: plot.mean_so_far(name))


def attribute(name: str, plus: float = 0.0) -> Callable[[Plot], float | None]:
    """A number among the run's attributes, for a place; nothing is drawn where the run has none."""

    def value(plot: Plot) -> float | None:
        told = plot.ds.attrs.get(name)
        return None if told is None else float(told) + plus

    return value


def size(dim: str) -> Callable[[Plot], float | None]:
    """How many places a dimension has, for a place; nothing is drawn where the run has none."""
    return lambda plot: plot.ds.sizes.get(dim)


def given(values: Any, **places: Any) -> Callable[[Plot], Array]:
    """A channel of numbers that are no variable's; ``places`` are its dimensions in order, with their labels or None.

    >>> given([1.0], day=np.array(["2024-07-01"], "datetime64[D]"))(None)["day"].values.tolist()
    ['2024-07-01']
    """
    labels = {dim: np.asarray(at) for dim, at in places.items() if at is not None}
    dates = {dim: at.astype(str) for dim, at in labels.items() if at.dtype.kind == "M"}
    array = LightArray(values, places, {**labels, **dates})
    return lambda plot: array


Place: TypeAlias = "float | str | AtStep | Callable[[Plot], Any]"


@dataclass
class Canvas:
    """Where a mark draws: the plot, its panel, how its numbers are read, and how its axis runs."""

    plot: Plot
    readings: Readings
    row: int | None = None
    scale: str = ""
    fixed: bool = False
    """Whether nothing grows: on a page without runs, a dimension of steps is one of places."""
    looked_at: Mapping[str, Any] = field(default_factory=dict)
    """What the figure's arguments say is looked at."""
    steps: str = ""
    """The growing dimension of which one step is in view; empty where nothing of one step was drawn."""
    first_seed: bool = False
    seeds: bool = False

    def values(self, of: ChannelLike, *, whole: bool = False, scale: str | None = None) -> Array:
        """A channel's values, with gaps where the y axis, or one of another ``scale``, has no place for them."""
        one = channel(of)
        values = self.plot.once(one.whole) if whole or self.fixed else one.read(self.plot)
        dim = self.grows(values)
        if dim is not None and not whole:
            self.steps = dim
            self.first_seed |= bool(one.name) and "seed" not in self.plot.ds[one.name].dims
        self.seeds |= bool(one.name) and one.name in self.plot.ds and "seed" in self.plot.ds[one.name].dims
        if values.dtype.kind not in "fiu":
            return values
        scale = self.scale if scale is None else scale
        if scale == "powers":
            return log10(values)
        return positive(values) if scale == "log" else finite(values)

    def read(self, of: ChannelLike) -> Read:
        """How a channel's numbers are read."""
        name = channel(of).name
        return self.readings.variable(name, self.plot.ds) if name else Read("")

    def hover(self, of: ChannelLike) -> str:
        """How a channel's number is said where a pointer is on it."""
        return "10<sup>%{y:.2f}</sup>" if self.scale in POWERS else f"%{{y:{self.read(of).format}}}"

    def here(self, values: Array) -> Any:
        """Values at every step that is drawn, or as they are; those of several dimensions in one row."""
        if self.grows(values):
            return self.plot.at_step(values)
        return values.values.ravel() if len(values.dims) > 1 else values.values

    def grows(self, values: Array) -> str | None:
        """The dimension along which these values grow with the run, if they do."""
        return None if self.fixed else growing(values)

    def whole(self, of: ChannelLike, over: str, by: str = "") -> bool:
        """Whether a channel is drawn over the steps: it says so, or its variable goes over nothing else."""
        if self.fixed or over:
            return not self.fixed and over in GROWING
        name = channel(of).name
        dims = self.plot.once(channel(of).whole).dims if name and name in self.plot.ds else ()
        return any(dim in GROWING for dim in dims) and all(dim in (*BESIDE, by) for dim in dims)

    def place(self, value: Place | None) -> Any:
        """A number, of the plot where it is a function of it."""
        return value(self.plot) if callable(value) else value

    def reaches(self, height: float) -> bool:
        """Whether the y axis of the panel reaches a height."""
        axis = self.plot.figure.layout[f"yaxis{'' if self.row in (None, 1) else self.row}"]
        at, (low, high) = (np.log10(height) if height > 0 else -np.inf) if axis.type == "log" else height, axis.range
        return bool(low <= at < high)

    def style(self, name: str, colour: str, dash: str, symbol: str) -> NetworkStyle:
        """A look under a name of its own; a network's colour brings its dash along unless another is told."""
        theirs = "" if colour in INK_NAMES or colour.startswith(("#", "rgb")) else self.plot.look_of(colour).dash
        return NetworkStyle(name, self.colour(colour), dash or theirs or "solid", symbol)

    def looks_along(self, values: Array, by: str) -> list[tuple[Any, NetworkStyle]]:
        """Each entry of a dimension with its look: its network's, else one of its own in their order."""
        entries = values[by].values.tolist()
        own = looks_of([f"{by.replace('_', ' ')} {one}" for one in entries])
        looks = []
        for one, style in zip(entries, own.values(), strict=True):
            try:
                looks.append((one, self.plot.look_of(str(one))))
            except KeyError:
                looks.append((one, style))
        return looks

    def told(self, more: More) -> Mapping[str, Any]:
        """What else Plotly is told of a mark."""
        return more(self.plot) if callable(more) else more

    def colour(self, token: str) -> str:
        """A colour of the theme by its name ("text", "muted", "accent"), of a network by its own, or as it is."""
        if token in INK_NAMES:
            return str(getattr(self.plot.ink, token))
        return token if token.startswith(("#", "rgb")) else self.plot.look_of(token).colour


class Mark(Protocol):
    """What can be drawn on a canvas."""

    def draw(self, canvas: Canvas) -> None:
        """Draw it."""


def over_of(values: Array, over: str = "") -> str:
    """What a mark goes over: the dimension beside networks and seeds; the steps, where there is no other."""
    others = [str(dim) for dim in values.dims if dim not in BESIDE]
    return over or next(iter(others), "") or next((str(dim) for dim in values.dims if dim in GROWING), "")


@dataclass(frozen=True)
class Curves:
    """Each network's curve over one dimension, or over the steps, with the range of its seeds.

    ``style`` is the look of values without networks. ``hover`` is the number's format with what it is called, as
    Plotly takes it.
    """

    of: ChannelLike
    _: KW_ONLY
    over: str = ""
    hover: str = ""
    style: NetworkStyle | None = None
    legend: bool | None = None
    width: float = 2.5

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot = canvas.plot
        values = canvas.values(self.of, whole=canvas.whole(self.of, self.over))
        hover, first = self.hover or canvas.hover(self.of), canvas.row in (None, 1)
        if "network" in values.dims:
            for name in map(str, values["network"].values):
                legend = first if self.legend is None else self.legend
                own = values.sel(network=name)
                add_curve(canvas, own, name, plot.look_of(name), hover=hover, legend=legend, width=self.width)
        else:
            style = self.style or NAMELESS
            legend = bool(style.label) if self.legend is None else self.legend
            add_curve(canvas, values, style.label, style, hover=hover, legend=legend, width=self.width)


def add_curve(
    canvas: Canvas, values: Array, group: str, style: NetworkStyle, *, hover: str, legend: bool, width: float
) -> None:
    """A curve over the one dimension of ``values`` beside ``seed``, with the range of its seeds behind it.

    Of every step that is drawn, where it goes over something else than the steps.
    """
    canvas.plot.bands = True
    if "seed" not in values.dims:
        values = values.expand_dims("seed")
    steps, over = growing(values), over_of(values)
    sides = (values.median("seed"), values.min("seed"), values.max("seed"))
    at_steps = steps is not None and over != steps
    middle, low, high = (canvas.plot.at_step(side) if at_steps else side.values for side in sides)
    x = values[over].values
    if values.sizes["seed"] > 1:
        fill = with_alpha(style.colour, 0.22)
        add_band(canvas.plot.figure, x, low, high, fill, row=canvas.row, group=group)
    canvas.plot.figure.scatter(
        x=x,
        y=middle,
        name=style.label,
        legendgroup=group,
        showlegend=legend,
        mode="lines+markers" if len(x) <= MARKERS_UP_TO else "lines",
        line={"color": style.colour, "dash": style.dash, "width": width},
        marker={"symbol": style.symbol, "size": 7},
        hovertemplate=hover,
        row=canvas.row,
    )


@dataclass(frozen=True)
class Thin:
    """A thin dotted line beside each network's curve, the median of its seeds; ``words`` say what it is."""

    of: ChannelLike
    words: Words | Callable[[Plot], Words]
    _: KW_ONLY
    over: str = ""
    hover: str = ""
    look: Mapping[str, Any] = field(default_factory=dict)

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot, values = canvas.plot, canvas.values(self.of, whole=canvas.whole(self.of, self.over))
        middle = values.median("seed") if "seed" in values.dims else values
        words = self.words(plot) if callable(self.words) else self.words
        over = over_of(middle)
        for network in plot.networks:
            own, style = middle.sel(network=network), plot.look_of(network)
            plot.figure.scatter(
                x=own[over].values,
                y=own.values if growing(own) in (None, over) else plot.at_step(own),
                name=frames.changed(words, partial("{}, {}".format, style.label)),
                legendgroup=network,
                showlegend=False,
                mode="lines",
                line={"color": style.colour, "dash": "dot", "width": 1.5, **self.look},
                hovertemplate=self.hover or f"{words} %{{y:{canvas.read(self.of).format}}}",
                row=canvas.row,
            )


@dataclass(frozen=True)
class Series:
    """One look among several of a mark: which entry it is of, its name, colour, dash and symbol."""

    entry: Any
    name: str
    colour: str = "text"
    dash: str = ""
    symbol: str = ""
    pattern: str = ""


def series_of(
    canvas: Canvas, values: Array, by: str, looks: Sequence[Series], name: str, colour: str, dash: str, symbol: str = ""
) -> list[tuple[str, NetworkStyle, Array]]:
    """The parts of a mark: one for each entry along ``by``, in its own look, or a single one."""
    if looks:
        styles = [canvas.style(one.name, one.colour, one.dash, one.symbol or symbol) for one in looks]
        parts = zip(looks, styles, strict=True)
        return [(one.pattern, style, values.sel({by: one.entry})) for one, style in parts]
    if by and by in values.dims:
        return [("", style, values.sel({by: one})) for one, style in canvas.looks_along(values, by)]
    return [("", canvas.style(name, colour or NAMELESS.colour, dash, symbol), values)]


def entries_of(values: Array, by: str, looks: Sequence[Series]) -> list[dict[str, Any]]:
    """Which entry along ``by`` each part of :func:`series_of` is of, for what stands beside it."""
    if not by or not (looks or by in values.dims):
        return [{}]
    entries = [one.entry for one in looks] if looks else values[by].values.tolist()
    return [{by: one} for one in entries]


@dataclass(frozen=True)
class Lines:
    """Lines over a dimension, or over the values of another channel ``x``: one, or one for each entry along ``by``.

    ``looks`` are of entries that are no networks. Seeds are drawn as their median.
    """

    of: ChannelLike
    _: KW_ONLY
    over: str = ""
    x: ChannelLike | None = None
    by: str = ""
    looks: tuple[Series, ...] = ()
    name: str = ""
    colour: str = ""
    dash: str = ""
    width: float = 2
    hover: str = ""
    mode: str = ""
    symbol: str = ""
    size: float = 8
    legend: bool | None = None
    more: More = field(default_factory=dict)

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot = canvas.plot
        whole = canvas.whole(self.of, self.over, self.by)
        values = canvas.values(self.of, whole=whole)
        values = values.median("seed") if "seed" in values.dims and self.by != "seed" else values
        places = None if self.x is None else canvas.values(self.x, whole=whole, scale="")
        if places is not None and "seed" in places.dims and self.by != "seed":
            places = places.median("seed")
        hover = self.hover or canvas.hover(self.of)
        parts = series_of(canvas, values, self.by, self.looks, self.name, self.colour, self.dash, self.symbol)
        for (_, style, own), entry in zip(parts, entries_of(values, self.by, self.looks), strict=True):
            dims = [str(dim) for dim in own.dims if whole or dim != canvas.grows(own)]
            along = self.over or dims[0]
            where = own[along].values if places is None else self._places(canvas, places, entry, whole)
            count = own.sizes[along]
            mode = self.mode or ("lines" if count > 1 else "markers")
            marked = "markers" in mode and style.symbol
            marks = {"marker": {"symbol": style.symbol, "size": self.size}} if marked else {}
            plot.figure.scatter(
                x=where,
                y=own.values if whole else canvas.here(own),
                name=style.label,
                mode=mode,
                line={"color": style.colour, "dash": style.dash, "width": self.width},
                hovertemplate=hover,
                row=canvas.row,
                **{**marks, **({} if self.legend is None else {"showlegend": self.legend}), **canvas.told(self.more)},
            )

    def _places(self, canvas: Canvas, places: Array, entry: Mapping[str, Any], whole: bool) -> Any:
        own = places.sel(entry) if entry and self.by in places.dims else places
        return own.values if whole else canvas.here(own)


@dataclass(frozen=True)
class Dots:
    """Marks at numbers: over a dimension, over another channel ``x``, or in a row for each entry of ``rows``.

    ``ends`` name the variables of an interval's lower and upper end; ``text`` is the format of the number beside each.
    """

    of: ChannelLike
    _: KW_ONLY
    over: str = ""
    x: ChannelLike | None = None
    rows: str = ""
    by: str = ""
    looks: tuple[Series, ...] = ()
    name: str = ""
    colour: str = ""
    symbol: str = ""
    size: float = 11
    ends: tuple[ChannelLike, ChannelLike] | None = None
    text: str = ""
    dodge: float = 0.0
    hover: str = ""
    bar: Mapping[str, Any] = field(default_factory=dict)
    marker: Mapping[str, Any] = field(default_factory=dict)
    more: More = field(default_factory=dict)

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot = canvas.plot
        values = canvas.values(self.of)
        if self.rows and (self.by or self.rows) == self.rows:
            self._draw_rows(canvas, values)
            return
        places = None if self.x is None else canvas.values(self.x, scale="")
        ends = [canvas.values(one) for one in self.ends or ()]
        parts = series_of(canvas, values, self.by, self.looks, self.name, self.colour, "", self.symbol)
        entries = entries_of(values, self.by, self.looks)
        for at_part, ((_, style, own), where) in enumerate(zip(parts, entries, strict=True)):
            over = self.over or self.rows or over_of(own)
            count = np.arange(plot.ds.sizes[over]) if over in plot.ds.sizes else np.arange(own.size)
            aside = self.dodge * ((at_part + 0.5) / len(parts) - 0.5)
            along: Any = (
                own[over].values
                if over in own.coords and own[over].dtype.kind in "fiu" and not self.dodge
                else count + aside
            )
            if self.rows:
                along = count[::-1] - aside
            if places is not None:
                along = canvas.here(places.sel(where) if where and self.by in places.dims else places)
            side = [one.sel(where) if where and self.by in one.dims else one for one in ends]
            self._add(
                canvas,
                along,
                own,
                side,
                style,
                f"{style.label}{self.hover}<extra></extra>" if self.rows else self.hover,
            )
        if self.rows:
            row_axis(canvas, [str(one) for one in plot.ds[self.rows].values][::-1])

    def _draw_rows(self, canvas: Canvas, values: Array) -> None:
        """A row for each entry, the first on top, in its own look."""
        names = [str(one) for one in canvas.plot.ds[self.rows].values][::-1]
        ends = [canvas.values(one) for one in self.ends or ()]
        for place, name in enumerate(names):
            style = canvas.plot.look_of(name)
            own = values.sel({self.rows: [name]})
            side = [one.sel({self.rows: [name]}) for one in ends]
            self._add(canvas, [place], own, side, style, f"{style.label}{self.hover}<extra></extra>")
        row_axis(canvas, [canvas.plot.look_of(name).label for name in names])

    def _add(
        self, canvas: Canvas, along: Any, own: Array, ends: Sequence[Array], style: NetworkStyle, hover: str
    ) -> None:
        numbers = canvas.here(own)
        x, y = (numbers, along) if self.rows else (along, numbers)
        how: dict[str, Any] = {}
        if self.text:
            said = lambda values: [format(value, self.text) for value in np.atleast_1d(values)]  # noqa: E731
            how |= {
                "text": canvas.plot.at_step(own, said) if canvas.grows(own) else said(own.values),
                "textposition": "top center",
                "textfont": {"size": 13, "color": canvas.plot.ink.text},
            }
        if ends:
            low, high = ends
            side = interval_bars(
                canvas.here(high - own), canvas.here(own - low), style.colour, **{"width": 3, **self.bar}
            )
            how["error_x" if self.rows else "error_y"] = side
        canvas.plot.figure.scatter(
            x=x,
            y=y,
            name=self.name or style.label,
            mode="markers+text" if self.text else "markers",
            marker={
                "size": self.size,
                "symbol": self.symbol or style.symbol or "circle",
                "color": style.colour,
                **self.marker,
            },
            hovertemplate=hover or f"%{{y:{canvas.read(self.of).format}}}",
            row=canvas.row,
            **{**how, **canvas.told(self.more)},
        )


def row_axis(canvas: Canvas, labels: Sequence[str]) -> None:
    """A y axis of rows with names, the lowest first."""
    canvas.plot.figure.update_yaxes(
        range=(-0.6, len(labels) - 0.2),
        tickvals=[*range(len(labels))],
        ticktext=[*labels],
        showgrid=False,
        row=canvas.row,
    )


@dataclass(frozen=True)
class Between:
    """A fill without edges between two channels, over their dimension or over another channel ``x``."""

    low: ChannelLike
    high: ChannelLike
    _: KW_ONLY
    x: ChannelLike | None = None
    colour: str = "muted"
    alpha: float = 0.2
    more: Mapping[str, Any] = field(default_factory=dict)

    def draw(self, canvas: Canvas) -> None:
        """Draw it."""
        low, high = canvas.values(self.low), canvas.values(self.high)
        along = low[over_of(low)].values if self.x is None else canvas.here(canvas.values(self.x, scale=""))
        fill = with_alpha(canvas.colour(self.colour), self.alpha)
        add_band(canvas.plot.figure, along, canvas.here(low), canvas.here(high), fill, row=canvas.row, **self.more)


@dataclass(frozen=True)
class Bars:
    """Bars over a dimension: one set, or one for each entry along ``by``.

    They lie where ``rows`` is the dimension: a row for each entry, the first on top.
    """

    of: ChannelLike
    _: KW_ONLY
    over: str = ""
    rows: str = ""
    by: str = ""
    looks: tuple[Series, ...] = ()
    name: str = ""
    colour: str = ""
    pattern: str = ""
    hover: str = ""
    legend: bool | None = None
    marker: Mapping[str, Any] = field(default_factory=dict)
    more: More = field(default_factory=dict)

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot, values = canvas.plot, canvas.values(self.of)
        values = values.median("seed") if "seed" in values.dims else values
        written = canvas.read(self.of).format
        hover = self.hover or (f"%{{y}}: %{{x:{written}}}" if self.rows else f"%{{y:{written}}}")
        for pattern, style, own in series_of(canvas, values, self.by, self.looks, self.name, self.colour, ""):
            marker: dict[str, Any] = {"color": style.colour}
            if pattern or self.pattern:
                marker |= {"pattern": {"shape": pattern or self.pattern}}
            over = own[over_of(own, self.rows or self.over)].values
            along = over if over.dtype.kind in "fiu" else [as_label(str(one)).replace("\n", "<br>") for one in over]
            numbers = canvas.here(own)
            sides = {"x": numbers, "y": along, "orientation": "h"} if self.rows else {"x": along, "y": numbers}
            plot.add(
                Bar(
                    **sides,
                    name=style.label,
                    marker={**marker, **self.marker},
                    hovertemplate=hover,
                    **{**({} if self.legend is None else {"showlegend": self.legend}), **canvas.told(self.more)},
                ),
                row=canvas.row,
            )
        if self.rows:
            plot.figure.update_yaxes(autorange="reversed", showgrid=False, row=canvas.row)


@dataclass(frozen=True)
class Heat:
    """Numbers as colours over two dimensions, on the figure's one colour scale.

    Over the steps, ``x`` is their dimension.
    """

    of: ChannelLike
    x: str
    y: str
    _: KW_ONLY
    hover: str = ""
    more: More = field(default_factory=dict)

    def draw(self, canvas: Canvas) -> None:
        """Draw it."""
        plot = canvas.plot
        over_steps = self.x in GROWING and not canvas.fixed
        values = canvas.values(self.of, whole=over_steps)
        steps = None if over_steps else canvas.grows(values)
        ordered = values.transpose(*([steps] if steps else []), self.y, self.x)
        z = plot.at_step(ordered) if steps else ordered.values
        hover = self.hover or self._hover(canvas)
        x, y = values[self.x].values, values[self.y].values
        plot.add(cells(z, x=x, y=y, hover=hover, **canvas.told(self.more)), row=canvas.row)

    def _hover(self, canvas: Canvas) -> str:
        places = [
            (canvas.readings.coordinate(dim).place or f"{dim.replace('_', ' ')} %{{x}}").replace(
                "%{x}", f"%{{{letter}}}"
            )
            for dim, letter in ((self.x, "x"), (self.y, "y"))
        ]
        return f"{', '.join(places)}: %{{z:{canvas.read(self.of).format}}}"


@dataclass(frozen=True)
class Rule:
    """A line that is no data: upright at ``x``, or across at ``y``, with words where it needs any.

    Across every panel, unless it stands in one; one that is ``within`` is left out where the axis does not reach its
    height. With ``to`` it is a band from ``x`` or ``y`` to there, without
    words. Words of an upright line are for captions; those at its ``foot``, or that of a band's end, are drawn.
    """

    _: KW_ONLY
    x: Place | None = None
    y: Place | None = None
    to: Place | None = None
    words: Words | Callable[[Plot], Words] = ""
    foot: str = ""
    dash: str = "dot"
    width: float = 1.5
    colour: str = "muted"
    alpha: float = 0.25
    end: int = 1
    within: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)

    def draw(self, canvas: Canvas) -> None:
        """Draw it; nothing where its place is not known."""
        place = canvas.place(self.x if self.x is not None else self.y)
        if place is None or (self.within and not canvas.reaches(place)):
            return
        figure, colour, end = canvas.plot.figure, canvas.colour(self.colour), canvas.place(self.to)
        panel = {"row": canvas.row} if canvas.row else {}
        if self.foot:
            at_foot = place if end is None else end
            x = np.log10(at_foot) if figure.layout.xaxis.type == "log" else at_foot
            where = {"x": x, "y": 0, "yref": "y domain", "xanchor": "right", "yanchor": "bottom"}
            figure.add_annotation(text=self.foot, showarrow=False, font={"size": 13, "color": colour}, **where)
        if end is not None:
            shade = {"line_width": 0, "fillcolor": with_alpha(colour, self.alpha), **panel, **self.more}
            if self.x is not None:
                figure.add_vrect(x0=place, x1=end, **shade)
            else:
                figure.add_hrect(y0=place, y1=end, **shade)
            return
        if self.x is not None:
            line = {"color": colour, "width": self.width, **({"dash": self.dash} if self.dash != "solid" else {})}
            figure.add_vline(x=place, line=line, **panel, **self.more)
            return
        words = self.words(canvas.plot) if callable(self.words) else self.words
        one = {"every_panel": False, "panel": canvas.row} if canvas.row else {}
        canvas.plot.reference(place, words, **{"x": self.end, **one, **self.more})


@dataclass(frozen=True)
class Cursor:
    """A gold line at the place that a page looks at: the argument ``at``, else the run's attribute ``otherwise``.

    That may be a function of the plot.
    """

    at: str
    otherwise: str | Callable[[Plot], float] = ""

    def draw(self, canvas: Canvas) -> None:
        """Draw it."""
        place = canvas.looked_at.get(self.at)
        told = self.otherwise
        if place is None:
            place = told(canvas.plot) if callable(told) else int(canvas.plot.ds.attrs[told])
        cursor(canvas.plot.figure, place, canvas.plot.theme)


@dataclass(frozen=True)
class Inscription:
    """Words above a panel's right end."""

    text: Words | Callable[[Plot], Words]

    def draw(self, canvas: Canvas) -> None:
        """Write them."""
        axis = "" if canvas.row in (None, 1) else canvas.row
        canvas.plot.figure.add_annotation(
            text=self.text(canvas.plot) if callable(self.text) else self.text,
            x=1,
            y=1,
            xref=f"x{axis} domain",
            yref=f"y{axis} domain",
            xanchor="right",
            yanchor="bottom",
            showarrow=False,
            font={"size": 13, "color": canvas.plot.ink.muted},
        )


curves, thin, lines, dots, bars, heat, between = Curves, Thin, Lines, Dots, Bars, Heat, Between
rule, here, words, series = Rule, Cursor, Inscription, Series
