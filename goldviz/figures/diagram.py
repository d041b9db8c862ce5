"""A laboratory's network as a diagram: its layers, gates and blocks, coloured by what a run recorded of each.

A laboratory says in its folder what its networks are made of and which quantities may colour them::

    def networks_of(ds: Run) -> list[Part]:
        nodes = [Node(str(l), f"layer {l}", l, at={"layer": l}) for l in ds["layer"].values.tolist()]
        return [Part("Plain network", nodes, chain(nodes))]

    COLOURS = (Colour("gradient_norm", "Gradient norm"), Colour("saturation", "Saturated units", "share"))
    network = diagram(figure, networks_of, COLOURS, question="...", cannot_show="...")

``Node.at`` says where a node stands along the dimensions of the run's variables: it takes its numbers from there, and a
page marks it in figures with an axis of the same coordinate. A diagram travels as these nodes and one row of numbers
for each step (:mod:`goldviz.figures.frames`); ``assets/diagram.js`` draws it on a canvas, and Plotly where it is taken
away.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.diagram_plot import drawn_by_plotly
from goldviz.figures.draft import Figure
from goldviz.figures.frames import AtStep
from goldviz.figures.limits import Quantity, Values, decades, exact
from goldviz.figures.plot import Plot
from goldviz.figures.reading import growing, run_label, seeds_in_words, single
from goldviz.figures.spec import FigureSpec

Kind = Literal["layer", "gate", "state", "end"]
Way = Literal["line", "skip", "back"]
Scale = Literal["log", "log10", "linear", "share"]
Numbers = Mapping[str, Array] | Run
Figures = Callable[..., Callable[[Callable[..., Figure]], FigureSpec]]

NOT_A_PLACE = {"network", "seed"}
Nodes = tuple[tuple[tuple[str, Any], ...], ...]
"""Where nodes stand: labels along dimensions, their network's name among them."""


@dataclass(frozen=True)
class Node:
    """A layer, gate or block: what stands in it, what it is called, and where: in columns and rows of its network."""

    label: str
    words: str
    column: float
    row: float = 0.0
    kind: Kind = "layer"
    at: Mapping[str, Any] = field(default_factory=dict)
    wide: float = 1.0
    high: float = 1.0


@dataclass(frozen=True)
class Wire:
    """From one node to another, counted from 0: straight, over what it skips, or back to an earlier one."""

    start: int
    end: int
    way: Way = "line"


@dataclass(frozen=True)
class Part:
    """One network. ``network`` is its name in the run; ``heading`` and ``colour`` are what a page shows it by.

    ``row`` is a row's height in pixels.
    """

    heading: str
    nodes: Sequence[Node]
    wires: Sequence[Wire] = ()
    network: str = ""
    colour: str = ""
    row: int = 44


def chain(nodes: Sequence[Node]) -> list[Wire]:
    """A wire from each node to the next.

    >>> chain([Node("a", "a", 0), Node("b", "b", 1)])
    [Wire(start=0, end=1, way='line')]
    """
    return [Wire(start, start + 1) for start in range(len(nodes) - 1)]


@dataclass(frozen=True)
class Reading:
    """A variable, and what becomes of it so that it has steps, networks, seeds and the dimensions of nodes alone."""

    variable: str
    change: Callable[[Array], Array] = lambda values: values


@dataclass(frozen=True)
class Colour:
    """A quantity that may colour a diagram: its name, its words in the menu, its scale, and its unit.

    A scale of ``log10`` is for numbers that were recorded as decimal logarithms, ``share`` goes from 0 to 1.
    Without ``readings`` it is the variable of its name. Of several, a node takes the first that has a number for it.
    """

    name: str
    words: str
    scale: Scale = "log"
    unit: str = ""
    readings: tuple[Reading, ...] = ()

    @property
    def reads(self) -> tuple[Reading, ...]:
        """What is read of a run."""
        return self.readings or (Reading(self.name),)

    @property
    def limits(self) -> str:
        """The name of its limits among a laboratory's quantities."""
        return f"diagram {self.name}"

    def read(self, numbers: Numbers) -> Iterator[Array]:
        """What was recorded of it, medians of seeds."""
        for reading in self.reads:
            if reading.variable in numbers:
                values = reading.change(numbers[reading.variable])
                yield values.median("seed") if "seed" in values.dims else values

    def recorded(self, numbers: Numbers) -> bool:
        """Whether there is anything of it."""
        return any(reading.variable in numbers and numbers[reading.variable].size for reading in self.reads)


OF_LAYERS = {
    colour.name: colour
    for colour in (
        Colour("gradient_norm", "Gradient norm of the weights"),
        Colour("activation_std", "Spread of the activations"),
        Colour("update_to_data", "Update beside the weights"),
        Colour("gradient_to_data", "Gradient beside the weights"),
        Colour("saturation", "Saturated activations", "share"),
        Colour("dead_units", "Dead units", "share"),
    )
}
"""What :mod:`goldviz.declare.layers` declares of layers, as colours."""


def of_layers(*names: str) -> tuple[Colour, ...]:
    """These of the colours that layers of most laboratories have."""
    return tuple(OF_LAYERS[name] for name in names)


def colour_quantities(colours: Sequence[Colour]) -> dict[str, Quantity]:
    """The limits of colours: whole decades of a magnitude, 0 to 1 of a share, else from 0 to the largest."""

    def values_of(colour: Colour) -> Callable[[Run], Values]:
        def values(ds: Run) -> Values:
            if colour.scale == "share":
                return np.array([0.0, 1.0])
            flat = np.concatenate([np.array([]), *(one.values.ravel() for one in colour.read(ds))])
            if colour.scale != "log":
                return np.append(flat, [0.0] if colour.scale == "linear" else [])
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(np.log10(flat))

        return values

    return {
        colour.limits: Quantity(values_of(colour), decades if colour.scale.startswith("log") else exact)
        for colour in colours
    }


class Diagram(Figure):
    """A figure of a network's nodes, in ``layout.meta.diagram``; Plotly's traces are made where it is taken away."""

    def checked(self) -> go.Figure:
        """Plotly's figure of it, coloured by its first quantity."""
        return drawn_by_plotly(self.layout).checked()


def diagram(
    figure: Figures,
    parts_of: Callable[[Run], Sequence[Part]],
    colours: Sequence[Colour],
    *,
    question: str,
    shows: str,
    cannot_show: str = "",
    noun: str = "layer",
    needs: tuple[str, ...] = (),
) -> FigureSpec:
    """The diagram of a laboratory's networks, made by its own ``figure``; ``noun`` is what one of its nodes is.

    ``needs`` are variables without which there are no nodes.
    """

    def network(plot: Plot) -> Figure:
        own_colours = [colour for colour in colours if colour.recorded(plot.ds)]
        if not own_colours:
            return plot.instead(plot.lacks(colours[0].reads[0].variable))
        parts = parts_of(plot.ds)
        nodes = nodes_of(parts)
        picture = Diagram()
        look.apply(
            picture,
            plot.theme,
            title=plot.title,
            notes=[run_label(plot.ds), seeds_in_words(plot.ds, band=False)],
            legend=False,
            hover="closest",
        )
        picture.update_layout(
            meta={
                "diagram": {
                    "noun": noun,
                    "parts": [part_in_words(part) for part in parts],
                    "colours": [_coloured(plot, colour, nodes) for colour in own_colours],
                    "scale": look.sequential_stops(),
                    "step": str(plot.ds.attrs.get("step_dimension", "step")),
                }
            }
        )
        return picture

    spec = figure(question, shows=shows, cannot_show=cannot_show, needs=needs)(network)
    return replace(spec, canvas=True)


def part_in_words(part: Part) -> dict[str, Any]:
    """A network in the words that the browser reads; what stands in nodes is shown as text, never as markup."""
    nodes = [
        [node.label, node.words, node.column, node.row, node.wide, node.high, node.kind, dict(node.at)]
        for node in part.nodes
    ]
    wires = [[wire.start, wire.end, wire.way] for wire in part.wires]
    return {"heading": part.heading, "colour": part.colour, "row": part.row, "nodes": nodes, "wires": wires}


def _coloured(plot: Plot, colour: Colour, nodes: Nodes) -> dict[str, Any]:
    low, high = plot.limit(colour.limits)
    values = numbers_of(colour, plot.now, nodes)
    at = AtStep(values.dim, plot.ds[values.dim].values[plot.places[values.dim]]) if isinstance(values, AtStep) else None
    return {
        "name": colour.name,
        "words": colour.words,
        "unit": colour.unit,
        "scale": colour.scale,
        "limits": [float(low), float(high)],
        "values": values,
        "at": at,
    }


def nodes_of(parts: Sequence[Part]) -> Nodes:
    """Where the nodes of all networks stand, one network after the other."""
    return tuple(tuple({**node.at, "network": part.network}.items()) for part in parts for node in part.nodes)


def numbers_of(colour: Colour, numbers: Any, nodes: Nodes) -> AtStep | NDArray[np.float32]:
    """A colour's number of every node; NaN where a node has none. Of every step, if it has any.

    ``numbers`` are a :class:`goldviz.figures.plot.Now`.
    """
    readings = list(colour.read(numbers))
    step = growing(readings[0])
    count = 1 if step is None else readings[0].sizes[step]
    table = np.full((count, len(nodes)), np.nan, np.float32)
    without = np.ones(len(nodes), bool)
    for values in readings:
        places = tuple(str(dim) for dim in values.dims if dim != step)
        if not set(places) - NOT_A_PLACE:
            continue
        own = values.transpose(step, *places) if step else values
        labels = tuple(tuple(values[dim].values.tolist()) for dim in places)
        seats, whence = _seats(nodes, places, labels)
        rows, new = own.values.reshape(count, math.prod(map(len, labels))), without[seats]
        table[:, seats[new]] = single(rows[:, whence[new]])
        without[seats] = False
    return table[0] if step is None else AtStep(step, table)


@lru_cache(maxsize=1024)
def _seats(
    nodes: Nodes, places: tuple[str, ...], labels: tuple[tuple[Any, ...], ...]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which nodes have a place along every dimension, and where in the array: the same at all steps of a run."""
    where = [{label: at for at, label in enumerate(along)} for along in labels]
    shape = tuple(map(len, labels))
    flat_index = {}
    for number, node in enumerate(map(dict, nodes)):
        at = [along.get(node.get(dim), -1) for dim, along in zip(places, where, strict=True)]
        if -1 not in at:
            flat_index[number] = int(np.ravel_multi_index(at, shape))
    return np.array(list(flat_index), np.intp), np.array(list(flat_index.values()), np.intp)
