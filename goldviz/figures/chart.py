"""Figures as values: marks on panels, and axes that take limits, ticks, titles and links from what the marks name.

A laboratory's table of figures, its limits that lanes share, what a run must have recorded, and plain captions follow
from the values and from how the laboratory's variables and coordinates are read::

    FIGURES, shared_limits = offered(
        NeuralTuringMachine,
        figure(
            "by_length",
            "How long may a sequence be?",
            panel(curves("sequences_right")),
            panel(curves("bits_right")),
            rule(x=attribute("trained_length"), words="longest learned"),
            rule(x=size("slot"), words="the memory's cells", dash="dash"),
        ),
        "loss",
    )

A name alone says where a figure of :mod:`goldviz.figures.by_kind` stands; those that are not named follow at the end.
A figure that is really its own has a drawing function, ``draw``; one whose marks hang on the run, or on a place that a
page looks at, has a function of the plot among its parts, which gives marks and panels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from goldviz.arrays.labelled import Run
from goldviz.arrays.readings import Readings
from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures import by_kind, limits, plot
from goldviz.figures import theme as look
from goldviz.figures.captions import said
from goldviz.figures.figure_value import (
    HEADING,
    Axis,
    Chart,
    Panel,
    Part,
    axis,
    colours,
    doubling,
    figure,
    is_part,
    limits_over,
    panel,
    where_recorded,
)
from goldviz.figures.limits import Quantities, Quantity
from goldviz.figures.marks import (
    Channel,
    at,
    attribute,
    averaged,
    bars,
    between,
    changed,
    curves,
    dots,
    heat,
    here,
    lines,
    mean,
    median,
    rule,
    series,
    size,
    so_far,
    thin,
    thinned,
    words,
)
from goldviz.figures.reading import GROWING
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import style_of
from goldviz.models.style import NetworkStyle

__all__ = [
    "HEADING",
    "Axis",
    "Channel",
    "Chart",
    "Panel",
    "Part",
    "at",
    "attribute",
    "averaged",
    "axis",
    "bars",
    "between",
    "bound",
    "changed",
    "colours",
    "curves",
    "dots",
    "doubling",
    "drawn_of",
    "figure",
    "heat",
    "here",
    "is_part",
    "limits_over",
    "lines",
    "mean",
    "median",
    "offered",
    "panel",
    "rule",
    "said",
    "series",
    "size",
    "so_far",
    "thin",
    "thinned",
    "where_recorded",
    "words",
]  # fmt: skip


def readings_of(declared: Any) -> Readings:
    """How a laboratory's variables and coordinates are read."""
    return Readings(getattr(declared, "variables", {}), getattr(declared, "coordinates", {}))


Offer = tuple[dict[str, FigureSpec], Callable[[Iterable[Run]], dict[str, tuple[float, float]]]]


def quantities_of(declared: Any, charts: Iterable[Chart]) -> dict[str, Quantity]:
    """All limits of a laboratory: those of its kinds, its coordinates, and its figures."""
    readings = readings_of(declared)
    kinds: ByKind = getattr(declared, "variables_by_kind", ByKind())
    told = by_kind.quantities_by_kind(kinds)
    dims = {dim for variable in readings.variables.values() for dim in getattr(variable, "dims", ())}
    own = sorted(dims - {"network", "seed", *GROWING} | {*readings.coordinates})
    told |= limits.places(*(dim for dim in own if dim not in told))
    for chart in charts:
        told |= chart.quantities(readings)
    return told


def offered(
    declared: Any,
    *own: Chart | FigureSpec | str | Callable[..., FigureSpec],
    look_of: Callable[[str], NetworkStyle] = style_of,
    without: tuple[str, ...] = (),
    more: Quantities = {},  # noqa: B006 - never written into
) -> Offer:
    """A laboratory's table of figures, and the limits that its runs share.

    Its own stand where they are named, names alone are of figures by kind. What is a function, as of a diagram, gets
    what makes a figure of this laboratory, and its kinds. ``more`` are limits that figures with a drawing function of
    their own ask for.
    """
    charts = [one for one in own if isinstance(one, Chart)]
    readings, kinds = readings_of(declared), getattr(declared, "variables_by_kind", ByKind())
    quantities = {**quantities_of(declared, charts), **more}
    make = partial(plot.figure, quantities, look_of=look_of, readings=readings)
    named: list[FigureSpec | str] = []
    for one in own:
        if isinstance(one, Chart):
            named.append(one.specify(readings, quantities, kinds, look_of))
        else:
            named.append(one if isinstance(one, (str, FigureSpec)) else one(make, kinds))
    return by_kind.offered(make, kinds, *named, without=without), partial(limits.shared_limits, quantities)


def bound(declared: Any, *charts: Chart | FigureSpec) -> dict[str, FigureSpec]:
    """The table of figures of a page without runs."""
    own = [one for one in charts if isinstance(one, Chart)]
    readings = readings_of(declared)
    quantities = quantities_of(declared, own)
    specs = [
        one.specify(readings, quantities, ByKind(), fixed=True) if isinstance(one, Chart) else one for one in charts
    ]
    return {one.name: one for one in specs}


def drawn_of(dataset: Run, chart: Chart, readings: Readings | None = None) -> FigureSpec:
    """A figure of anybody's dataset: its axes say what ``readings`` do, else what the dataset's own attributes say."""
    own = readings or Readings({str(name): Readings().variable(str(name), dataset) for name in dataset.data_vars})
    names = [str(one) for one in dataset["network"].values] if "network" in dataset.coords else []
    numbers = [str(dim) for dim in dataset.dims if dim in dataset.coords and dataset[dim].dtype.kind in "fiu"]
    quantities = limits.places(*numbers) | chart.quantities(own)
    looks = look.looks_of(names)
    whole = replace(chart, probes=readings is not None)
    return whole.specify(own, quantities, ByKind(), lambda name: looks.get(name) or style_of(name))
