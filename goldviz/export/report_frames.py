"""A report's figures as the frames of a page: every lane's templates and rows in one text, thinned until it is small.

All figures of a lane keep the same steps along a dimension, so a report is like a run that was recorded more seldom.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

from goldviz.arrays.labelled import Run
from goldviz.figures.draft import look_of
from goldviz.figures.frames import together
from goldviz.figures.limits import Limits
from goldviz.figures.maps import POSITION, drawn_at
from goldviz.figures.reading import begun, growing_dim
from goldviz.figures.spec import FigureSpec
from goldviz.figures.table import Arrays, Drawn, FrameTable, at_places, packed

FEWEST = 8
"""Steps that are kept where anything can move at all; what is too large for these is left out."""
MOST_POSITIONS = 128
"""Positions up to which a figure is drawn at each of them; one that is drawn at all of them at once has no limit."""


class Drawing(Protocol):
    """A figure of one moment, Plotly's own or a draft."""

    def to_json(self) -> str:
        """Plotly's JSON."""


def _evenly(places: Sequence[int], stride: int) -> list[int]:
    """Every ``stride``-th of these, from the first on, and the last."""
    return [place for at, place in enumerate(places) if at % stride == 0 or at == len(places) - 1]


@dataclass(frozen=True)
class LaneFrames:
    """The figures of one run or view by name; ``steps`` are the labels of each growing dimension, ``dim`` the run's."""

    drawn: Mapping[str, Drawn]
    steps: Mapping[str, Sequence[Any]]
    dim: str = ""

    @property
    def last(self) -> int:
        """The last step that was recorded, 0 before the first."""
        return int(self.steps[self.dim][-1]) if self.steps.get(self.dim) else 0

    @property
    def first(self) -> int:
        """Where the timeline begins: at the first step of a run, at the first position of a view."""
        return int(self.steps[POSITION][0]) if POSITION in self.steps else 1

    def places(self) -> dict[str, list[int]]:
        """Along each dimension the places that all figures have which move along it."""
        shared: dict[str, set[int]] = {}
        for one in self.drawn.values():
            for dim, places in one.kept.items():
                shared[dim] = shared.get(dim, set(places)) & set(places)
        return {dim: sorted(places) for dim, places in shared.items()}

    def at_most(self, most: int) -> LaneFrames:
        """The same with about so many steps at most along each dimension, the first and the last always among them."""
        places = {dim: _evenly(places, -(-len(places) // most)) for dim, places in self.places().items()}
        drawn = {
            name: replace(figure, kept={dim: [*range(len(kept))] for dim, kept in figure.kept.items()}, redrawn=False)
            for name, figure in ((name, at_places(one, places)) for name, one in self.drawn.items())
        }
        return LaneFrames(drawn, {dim: [self.steps[dim][at] for at in kept] for dim, kept in places.items()}, self.dim)

    def only(self, names: Iterable[str]) -> LaneFrames:
        """The figures of these names."""
        return replace(self, drawn={name: self.drawn[name] for name in names if name in self.drawn})


def frames_of_run(run: Run, specs: Mapping[str, FigureSpec], limits: Limits | None = None) -> LaneFrames:
    """What these figures show at all steps of a run; those whose numbers it never recorded are left out."""
    table = FrameTable("light")
    table.bring(0, run, limits)
    able = [spec for spec in specs.values() if not begun(run) or all(name in run for name in spec.needs)]
    dim = str(run.attrs.get("step_dimension", growing_dim(run)))
    return LaneFrames({spec.name: table.draw(spec) for spec in able}, table.steps, dim)


def frames_of_drawings(drawings: Mapping[str, Drawing]) -> LaneFrames:
    """Figures that are the same at all times."""
    templates = {name: together("", [json.loads(one.to_json())]) for name, one in drawings.items()}
    return LaneFrames({name: Drawn(one.text, one.rows, {}, one.shape, False) for name, one in templates.items()}, {})


def frames_of_view(
    dataset: Run,
    specs: Iterable[FigureSpec],
    position: int = 0,
    positions: Sequence[int] = (),
    numbers_at: Callable[[int], Run] | None = None,
) -> LaneFrames:
    """What figures show of an instant page's numbers: at all ``positions`` where they move, else at one.

    A figure whose numbers are of one position moves where ``numbers_at`` gives those of every other.
    """
    drawn: dict[str, Drawn] = {}
    moves = len(positions) > 1
    numbers: Callable[[int], Run] | None = cache(numbers_at) if numbers_at else None
    for spec in specs:
        at = numbers if spec.at == "ds" else lambda _: dataset
        if moves and spec.at and at and (spec.at_once or len(positions) <= MOST_POSITIONS):
            drawn[spec.name] = drawn_at(spec, [(number, at(number)) for number in positions], "light")
        else:
            drawn |= frames_of_drawings({spec.name: spec(dataset, theme="light", **spec.position(position))}).drawn
    steps = {POSITION: list(positions)} if any(one.kept for one in drawn.values()) else {}
    return LaneFrames(drawn, steps, POSITION if steps else "")


@dataclass(frozen=True)
class Carried:
    """What a report carries: a message of frames, zipped, in base64; the names of figures that it has no room for; how
    many of the steps it has."""

    text: str
    too_large: frozenset[str]
    steps: int


def carried(lanes: Mapping[str, LaneFrames], room: int) -> Carried:
    """Frames of all lanes in ``room`` characters: with fewer steps where all are too many, and without the largest."""
    names = list(dict.fromkeys(name for lane in lanes.values() for name in lane.drawn))
    most = max([FEWEST, *(len(labels) for lane in lanes.values() for labels in lane.steps.values())])
    text, kept = _message(lanes, names, most)
    if len(text) > room:
        names = _light_enough(lanes, names, room)
        text, kept = _message(lanes, names, most)
        while len(text) > room and most > FEWEST:
            most = max(FEWEST, most // 2)
            text, kept = _message(lanes, names, most)
    return Carried(text, frozenset(name for lane in lanes.values() for name in lane.drawn if name not in names), kept)


def _light_enough(lanes: Mapping[str, LaneFrames], names: Sequence[str], room: int) -> list[str]:
    """The names of figures that have room together at the fewest steps, the lightest first."""
    sizes = {name: len(_message(lanes, [name], FEWEST)[0]) for name in names}
    light = set()
    for name in sorted(names, key=sizes.__getitem__):
        room -= sizes[name]
        light |= {name} if room >= 0 else set()
    return [name for name in names if name in light]


def _message(lanes: Mapping[str, LaneFrames], names: Sequence[str], most: int) -> tuple[str, int]:
    """The message that ``frames_page.js`` reads, and how many of its run's steps a lane has in it, at most."""
    arrays, sections, kept = Arrays(), [], 0
    for lane_id, whole in lanes.items():
        lane = whole.only(names).at_most(most)
        kept = max(kept, len(lane.steps.get(lane.dim, ())))
        sections.append(
            {
                "id": lane_id,
                "run": False,
                "sense": "",
                "last": whole.last,
                "fresh": True,
                "version": 0,
                "look": look_of("light"),
                "steps": {dim: {"from": 0, "labels": labels} for dim, labels in lane.steps.items()},
                "figures": {name: one.since(None, arrays) for name, one in lane.drawn.items()},
            }
        )
    return as_text(packed({"lanes": sections}, arrays)), kept


def as_text(data: bytes) -> str:
    """Bytes, zipped, in letters that HTML knows; the same for the same bytes."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")
