"""What a figure is drawn on: a run, the step in view, shared limits, and the parts that figures repeat.

Figures are values (:mod:`goldviz.figures.chart`), whose marks draw on a :class:`Plot`; one that no mark says is a
function of it. Both are drawn for many steps at once: ``plot.now`` holds the variables at those steps, step first, and
what is drawn of them becomes a row of frames; ``plot.ds`` holds the whole run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightDataset
from goldviz.arrays.readings import Readings
from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures import elements, limits, reading
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.frames import AtStep, Words, line, spoken
from goldviz.figures.limits import Limits, Quantities
from goldviz.figures.reading import GROWING, growing
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import INKS, Ink, Theme, style_of
from goldviz.models.style import NetworkStyle

Found = TypeVar("Found")

NAMELESS = NetworkStyle("", "#8a6a00", "solid", "circle")
"""The look of what is of no network."""


@dataclass(frozen=True)
class Now:
    """A run's variables at the steps that are drawn, each with its growing dimension first."""

    ds: Run
    places: Mapping[str, NDArray[np.intp]]

    def __getitem__(self, name: str) -> Array:
        """A variable; one that does not grow as it is."""
        values = self.ds[name]
        dim = growing(values)
        return values if dim is None else values.isel({dim: self.places[dim]}).transpose(dim, ...)

    def __contains__(self, name: str) -> bool:
        """Whether it was recorded."""
        return name in self.ds


@dataclass
class Plot:
    """One figure while it is drawn: what it is drawn from, and what was drawn so far."""

    ds: Run
    title: str
    quantities: Quantities
    epoch: int | None = None
    limits: Limits | None = None
    theme: Theme = "light"
    look_of: Callable[[str], NetworkStyle] = style_of
    figure: Figure = field(default_factory=Figure)
    thinning: str = ""
    bands: bool = False
    over_steps: bool = False
    places: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    """Which steps are drawn along each growing dimension."""
    scrubber: AtStep | int | None = None
    kinds: ByKind = field(default_factory=ByKind)
    """Which of the run's variables are of which kind, for figures that need kinds alone."""
    readings: Readings = field(default_factory=Readings)
    """How its variables and coordinates are read."""
    known: dict[Any, Any] = field(default_factory=dict)
    """What was read once."""
    links: dict[tuple[Literal["x", "y"], int | None], str] = field(default_factory=dict)
    """Which coordinate axes are of, by their letter and, where it is one panel's alone, its number."""

    @property
    def now(self) -> Now:
        """The run's variables at the steps that are drawn."""
        return Now(self.ds, self.places)

    def when(self, words: str, dim: str | None = None) -> AtStep:
        """Words about every step that is drawn, which stands in their ``{}``."""
        dim = dim or reading.growing_dim(self.ds)
        return AtStep(dim, [words.format(step) for step in self.ds[dim].values[self.places[dim]]])

    def step_in_words(self, dim: str | None = None, *, one_seed: bool = False) -> AtStep:
        """The step that is drawn; and, of ``one_seed`` of a run with several, that it is the first's."""
        whose = ", first seed" if one_seed and self.ds.sizes.get("seed", 1) > 1 else ""
        return self.when(f"{reading.growing_dim(self.ds).capitalize()} {{}}{whose}.", dim)

    def say(self, words: Callable[..., str], *values: Array) -> AtStep:
        """Words of every step that is drawn, from what each of ``values`` holds at that step."""
        dim = growing(values[0])
        if dim is None:
            raise ValueError(f"The first of the values has none of the dimensions {', '.join(GROWING)}.")
        return spoken(words, dim, *([one.isel({dim: i}) for i in range(one.sizes[dim])] for one in values))

    def at_step(self, values: Array, change: Callable[[Any], Any] | None = None) -> AtStep:
        """The numbers of every step that is drawn, the step first; ``change`` makes something else of each."""
        dim = growing(values)
        if dim is None:
            raise ValueError(f"The values have none of the dimensions {', '.join(GROWING)}.")
        numbers = values.transpose(dim, ...).values
        return AtStep(dim, numbers if change is None else [change(one) for one in numbers])

    def mean_so_far(self, name: str) -> Array:
        """Means of a variable's finite values from its first step to each that is drawn."""
        values = self.ds[name]
        dim = str(growing(values))
        is_finite = np.isfinite(values.values)
        axis = values.get_axis_num(dim)
        counts = is_finite.cumsum(axis)
        sums = np.where(is_finite, values.values, 0).astype(np.float64).cumsum(axis)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return values.copy(data=means).isel({dim: self.places[dim]}).transpose(dim, ...)

    @property
    def networks(self) -> list[str]:
        """Names of the run's networks, in order."""
        return reading.networks(self.ds)

    @property
    def ink(self) -> Ink:
        """The theme's colours."""
        return INKS[self.theme]

    def limit(self, name: str) -> tuple[float, float]:
        """The limits of a quantity: those that runs share, else the run's own."""
        return self.once(lambda plot: limits.limit_of(plot.quantities, name, plot.ds, plot.limits), f"limit {name}")

    def once(self, read: Callable[[Plot], Found], name: str = "") -> Found:
        """What a function reads off the plot, read once however often its parts ask; ``name`` is for one made anew."""
        key = name or read
        if key not in self.known:
            self.known[key] = read(self)
        return cast("Found", self.known[key])

    def at(self, dim: str | None = None) -> int:
        """The last recorded epoch or step (along ``dim``) that is not after the scrubber."""
        return reading.recorded(self.ds, self.epoch, dim or reading.growing_dim(self.ds))

    def lacks(self, *names: str) -> str:
        """Why these variables cannot be drawn, as one sentence; empty if they all can."""
        return reading.absence(self.ds, *names)

    def instead(self, words: str) -> Figure:
        """The figure that says in a sentence why there is nothing to draw."""
        return elements.worded(words, title=self.title, theme=self.theme)

    def thinned(self, name: str, most: int = reading.MOST_COLUMNS) -> Array:
        """A variable at as many of its steps as are drawn; :meth:`drawn` says which."""
        values = self.ds[name]
        dim = next(dim for dim in GROWING if dim in values.dims)
        indices, self.thinning = reading.thinned(values.sizes[dim], most=most, noun=dim)
        return values.isel({dim: indices})

    def averaged(self, name: str, most: int = reading.MOST_COLUMNS) -> Array:
        """Means of a variable over windows of steps; :meth:`drawn` says how wide they are."""
        values = self.ds[name]
        means, self.thinning = reading.averaged(values, str(growing(values)), most=most)
        return means

    def drawn(self, *before: Words) -> Words:
        """These sentences, what was left out, and what curves and bands are of several seeds, in one line."""
        return line(*before, self.thinning, reading.seeds_in_words(self.ds, band=self.bands))

    def each(
        self,
        values: Array,
        words: Callable[[float], str],
        *,
        between: str = " ",
        after: str = ", ",
        within: str = "{}",
    ) -> Words:
        """Every network's name and value in words, in their place ``{}`` in the sentence ``within``; NaN is left out.

        ``values`` have the dimension ``network``, and may have steps, which the sentence may name as ``{step}``.
        Nothing is said where nothing is known.
        """
        dim = growing(values)
        if dim is not None:

            def said_at(step: Any, now: Array) -> str:
                return str(
                    self.each(now, words, between=between, after=after, within=within.replace("{step}", str(step)))
                )

            return spoken(said_at, dim, values[dim].values, [values.isel({dim: i}) for i in range(values.sizes[dim])])
        parts = [(str(name), float(value)) for name, value in zip(values["network"].values, values.values, strict=True)]
        sentence = after.join(
            f"{self.look_of(name).label}{between}{words(value)}" for name, value in parts if np.isfinite(value)
        )
        return sentence and within.format(sentence)

    def looks(self, name: str) -> list[tuple[NetworkStyle, dict[str, str]]]:
        """The look of each network that a variable has, and where it is; of one without networks, its own."""
        if "network" not in self.ds[name].dims:
            return [(NAMELESS, {})]
        return [(self.look_of(network), {"network": network}) for network in self.networks]

    def add(self, trace: Any, row: int | None = None) -> None:
        """Draw a trace, in a panel where there are panels."""
        self.figure.add_trace(trace, **({} if row is None else {"row": row, "col": 1}))

    def step_axis(self) -> None:
        """Epochs or steps as the axis of every panel, with the scrubber and the changes made on the way."""
        self.over_steps = True
        dim = reading.growing_dim(self.ds)
        ends = self.limit(dim)
        ticks = elements.number_ticks(*elements.whole(ends), {1: "1"})
        self.figure.update_xaxes(range=ends, showgrid=False, **ticks)
        elements.title_below(self.figure, dim.capitalize())
        self.link("x", dim)

    def step_grid(self) -> None:
        """The axis of epochs or steps under curves: its grid, and what is read off at one step together."""
        self.step_axis()
        self.figure.update_xaxes(unifiedhovertitle_text=f"{reading.growing_dim(self.ds)} %{{x}}", showgrid=True)

    def link(self, letter: Literal["x", "y"], name: str, panel: int | None = None) -> None:
        """Say which coordinate the x or the y axes of every panel, or of one, are of: see ``elements.link``."""
        self.links[letter, panel] = name

    def reference(self, y: float | AtStep, words: Words, **how: Any) -> None:
        """A thin line at the height that theory names, with its words; see ``elements.reference_line``."""
        elements.reference_line(self.figure, y, words, self.theme, **how)

    def finish(
        self,
        *notes: Words,
        height: int = 430,
        legend: bool = True,
        hover: Literal["x unified", "closest"] = "x unified",
    ) -> Figure:
        """The figure with its marks, its title, and under it the run's name and these notes."""
        if self.over_steps:
            elements.mark_epochs(self.figure, self.ds, self.scrubber, self.theme)
        lines = [reading.run_label(self.ds), *notes]
        look.apply(self.figure, self.theme, title=self.title, notes=lines, height=height, legend=legend, hover=hover)
        for (letter, panel), name in self.links.items():
            elements.link(self.figure, letter, name, panel)
        return self.figure


NO_KINDS, NO_READINGS = ByKind(), Readings()


def figure(
    quantities: Quantities,
    question: str,
    *,
    shows: str,
    cannot_show: str = "",
    needs: tuple[str, ...] = (),
    title: str = "",
    look_of: Callable[[str], NetworkStyle] = style_of,
    redrawn: str = "",
    instead: Callable[[Run], str] = lambda ds: "",
    kinds: ByKind = NO_KINDS,
    readings: Readings = NO_READINGS,
) -> Callable[[Callable[..., Figure]], FigureSpec]:
    """Make a figure of a function that draws on a :class:`Plot`; :func:`goldviz.figures.chart.offered` binds the rest.

    ``title`` stands over it where the question is too long for a phone. A run that lacks what it ``needs`` gets a
    sentence that says so. ``redrawn`` says why a figure cannot be a template: it is then drawn anew for the step in
    view, which it finds by :meth:`Plot.at`. ``instead`` is the sentence that a run gets in its place; empty where there
    is something to draw.
    """

    def declared(body: Callable[..., Figure]) -> FigureSpec:
        def drawn(plot: Plot, more: Mapping[str, Any]) -> Figure:
            is_complete = all(name in plot.ds and plot.ds[name].size for name in needs)
            words = (is_complete and instead(plot.ds)) or plot.lacks(*needs)
            return plot.instead(words) if words else body(plot, **more)

        def plot_of(ds: Run, limits: Limits | None, theme: Theme) -> Plot:
            run = ds if redrawn else LightDataset.of(ds)
            return Plot(
                run, title or question, quantities, None, limits, theme, look_of, kinds=kinds, readings=readings
            )

        @wraps(body)
        def draw(
            ds: Run,
            *,
            epoch: int | None = None,
            limits: Limits | None = None,
            theme: Theme = "light",
            **more: Any,
        ) -> Figure:
            plot = plot_of(ds, limits, theme)
            plot.epoch = plot.scrubber = epoch
            plot.places = {dim: place_of(ds, epoch, dim) for dim in GROWING if dim in ds.dims}
            figure = drawn(plot, more)
            return figure if redrawn else figure.at(dict.fromkeys(GROWING, 0))

        def frames(
            ds: Run,
            *,
            since: Mapping[str, int] | None = None,
            limits: Limits | None = None,
            theme: Theme = "light",
        ) -> Figure:
            plot = plot_of(ds, limits, theme)
            starts = since or {}
            plot.places = {dim: np.arange(starts.get(dim, 0), ds.sizes[dim]) for dim in GROWING if dim in ds.dims}
            dim = reading.growing_dim(ds)
            if dim in plot.places:
                plot.scrubber = AtStep(dim, ds[dim].values[plot.places[dim]])
            return drawn(plot, {})

        drawn_at_once = None if redrawn else frames
        return FigureSpec(
            draw, question, shows, cannot_show, body.__name__, drawn_at_once, needs=needs, look_of=look_of
        )

    return declared


def unless(words: str, *names: str) -> Callable[[Run], str]:
    """For ``instead``: ``words`` for a run that has losses and not the first of ``names``, else why it lacks any."""
    return lambda ds: words if "loss" in ds and names[0] not in ds else reading.absence(ds, *names)


def unless_zero(name: str, words: str) -> Callable[[Run], str]:
    """For ``instead``: ``words`` for a run whose finite values of this name are all 0, as no log axis can show them."""
    return lambda ds: words if name in ds and bool((ds[name] == 0).any()) and not bool((ds[name] > 0).any()) else ""


def place_of(ds: Run, epoch: int | None, dim: str) -> NDArray[np.intp]:
    """Where the last recorded step along ``dim`` that is not after ``epoch`` stands; nowhere before the first."""
    steps = ds[dim].values
    if not steps.size:
        return np.array([], np.intp)
    after = len(steps) if epoch is None else int(np.searchsorted(steps, epoch, side="right"))
    return np.array([max(after - 1, 0)])
