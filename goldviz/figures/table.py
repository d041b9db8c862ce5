"""The frame table of a run: its figures' rows for every step, grown step by step, and what of them somebody lacks.

Each figure is drawn once for the steps that are new; its rows are appended to those of the steps before. A table has an
edition, which changes with everything that it holds: who names the edition that he has gets what came since.
"""

from __future__ import annotations

import json
import math
import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.arrays.light import LightDataset
from goldviz.figures.draft import SHORT, look_of
from goldviz.figures.frames import AtStep, appended, together
from goldviz.figures.limits import Limits
from goldviz.figures.reading import GROWING, OVER
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import Theme

BYTES_OF_A_FIGURE = 600_000
"""Of one figure's steps so many bytes are kept; of longer runs every so-manieth step, and the last. A page's three or
four figures so stay below 2 MB at arrival."""

MOST_REDRAWN = 24
"""Looks, about, at which a figure is drawn that has no frames; each takes as long as a whole figure."""

EDITIONS = 16
"""For so many editions back it is known what has come since."""


@dataclass
class _Past:
    """What a figure was at one edition."""

    figure: str
    places: dict[str, int]
    whole: dict[int, NDArray[Any]]


@dataclass
class Drawn:
    """One figure of a run: its template, its rows, and which steps they hold.

    Every ``stride``-th step is among them, and every one since it was last thinned.
    """

    figure: str
    rows: list[AtStep | NDArray[Any]]
    kept: dict[str, list[int]]
    shape: list[tuple[Any, ...]]
    redrawn: bool
    past: OrderedDict[int, _Past] = field(default_factory=OrderedDict)
    stride: int = 1

    def remember(self, edition: int) -> None:
        """Note what the figure is at this edition."""
        whole = {number: row for number, row in enumerate(self.rows) if isinstance(row, np.ndarray)}
        self.past[edition] = _Past(self.figure, {dim: len(places) for dim, places in self.kept.items()}, whole)
        while len(self.past) > EDITIONS:
            self.past.popitem(last=False)

    def since(self, edition: int | None, arrays: Arrays) -> dict[str, Any] | None:
        """What came since an edition, all of it where that is not remembered; None where nothing has changed."""
        before = self.past.get(edition) if edition is not None else None
        message: dict[str, Any] = {"redrawn": self.redrawn, "rows": [], "kept": {}}
        new = before is None or before.figure != self.figure
        if before is None or new:
            message["figure"] = json.loads(self.figure)
        counts = before.places if before else {}
        for dim, places in self.kept.items():
            start = counts.get(dim, 0)
            message["kept"][dim] = {"from": start, "places": places[start:]}
            new |= start < len(places)
        for number, row in enumerate(self.rows):
            if isinstance(row, AtStep):
                message["rows"].append(_sent_steps(row, counts.get(row.dim, 0), arrays))
                continue
            start = _same_start(before.whole.get(number), row) if before else 0
            new |= before is None or start < len(row) or before.whole[number].shape != row.shape
            message["rows"].append({"dim": None, "from": start, "shape": row.shape[1:], **arrays.add(row[start:])})
        return message if new else None


def _same_start(before: NDArray[Any] | None, now: NDArray[Any]) -> int:
    """How many entries of an array somebody has already: all of what was, if it is the beginning of what is."""
    if before is None or before.dtype != now.dtype or before.shape[1:] != now.shape[1:] or len(before) > len(now):
        return 0
    # By their bytes, for NaN is not equal to itself.
    return len(before) if before.tobytes() == now[: len(before)].tobytes() else 0


def _sent_steps(row: AtStep, start: int, arrays: Arrays) -> dict[str, Any]:
    new = row.values[start:]
    if isinstance(new, np.ndarray) and new.dtype.kind in "fiu":
        return {"dim": row.dim, "from": start, "shape": new.shape[1:], **arrays.add(new)}
    words = [json.dumps(one, default=_json_of) for one in new]
    places = {text: place for place, text in enumerate(dict.fromkeys(words))}
    return {
        "dim": row.dim,
        "from": start,
        "words": [json.loads(text) for text in places],
        "index": [places[text] for text in words],
    }


def _json_of(value: Any) -> Any:
    return value.tolist()


class Arrays:
    """Arrays one after the other, each at a multiple of eight bytes."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, values: NDArray[Any]) -> dict[str, Any]:
        """Take an array in; returns where it stands and what it holds."""
        if values.dtype.kind in "iu":
            # The same at every increment: what came before is kept in arrays of this kind.
            values = values.astype(np.int32 if not values.size or np.abs(values).max() < 2**31 else np.float64)
        data = np.ascontiguousarray(values).tobytes()
        at, self.size = self.size, self.size + len(data) + -len(data) % 8
        self.parts += [data, b"\0" * (-len(data) % 8)]
        return {"dtype": SHORT[values.dtype], "at": at, "count": values.size}


def packed(header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """What travels: four bytes with the length of a JSON header, little-endian; the header; the arrays."""
    words = json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    words += b" " * (-(4 + len(words)) % 8)
    return b"".join([len(words).to_bytes(4, "little"), words, *arrays.parts])


class FrameTable:
    """A run's figures in one theme, at all steps that there are. Not safe to share between threads without a lock."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        # At random, so that nobody's edition of an earlier table is taken for one of this.
        self.edition = secrets.randbelow(2**40)
        self.steps: dict[str, list[Any]] = {}
        self.drawn: dict[str, Drawn] = {}
        self._lengths: OrderedDict[int, dict[str, int]] = OrderedDict()
        self._state: Any = None
        self._run: tuple[LightDataset, Limits | None] | None = None

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        arrays = [row.values if isinstance(row, AtStep) else row for one in self.drawn.values() for row in one.rows]
        return sum(row.nbytes if isinstance(row, np.ndarray) else 100 * len(row) for row in arrays) + 20_000

    def bring(self, state: Any, run: Run, limits: Limits | None) -> None:
        """Hold this run from now on: ``state`` says whether anything has changed since the last time."""
        if state == self._state:
            return
        records = LightDataset.of(run)
        self._state, self._run = state, (records, limits)
        steps = {dim: records.coords[dim].tolist() for dim in GROWING if dim in records.dims}
        if any(steps.get(dim, [])[: len(old)] != old for dim, old in self.steps.items()):
            # The run went back to an earlier step.
            self.drawn.clear()
            self._lengths.clear()
        self.edition += 1
        self.steps = steps
        self._lengths[self.edition] = {dim: len(labels) for dim, labels in steps.items()}
        while len(self._lengths) > EDITIONS:
            self._lengths.popitem(last=False)

    def draw(self, spec: FigureSpec) -> Drawn:
        """A figure as of now; new steps are drawn and appended."""
        if self._run is None:
            raise ValueError("There is no run to draw yet.")
        frames = self.drawn.get(spec.name)
        if frames is None or self.edition not in frames.past:
            frames = self._advanced(spec, frames, *self._run)
            frames.remember(self.edition)
            self.drawn[spec.name] = frames
        return frames

    def _advanced(self, spec: FigureSpec, before: Drawn | None, run: LightDataset, limits: Limits | None) -> Drawn:
        if spec.frames is None:
            return self._redrawn(spec, before, run, limits)
        since = {dim: places[-1] + 1 for dim, places in before.kept.items()} if before else {}
        template = spec.frames(run, since=since, limits=limits, theme=self.theme).template()
        if before is not None and template.shape != before.shape:
            since, before = {}, None
            template = spec.frames(run, limits=limits, theme=self.theme).template()
        dims = sorted({row.dim for row in template.rows if isinstance(row, AtStep)})
        places = {dim: list(range(since.get(dim, 0), len(self.steps[dim]))) for dim in dims}
        rows = template.rows
        if before is not None:
            rows = [
                appended(old, new) if isinstance(old, AtStep) and isinstance(new, AtStep) else new
                for old, new in zip(before.rows, rows, strict=True)
            ]
            places = {dim: [*before.kept[dim], *new] for dim, new in places.items()}
        past, stride = (before.past, before.stride) if before else (OrderedDict(), 1)
        room = BYTES_OF_A_FIGURE // (2 if before else 1)
        return _within_bounds(Drawn(template.text, rows, places, template.shape, False, past, stride), room)

    def _redrawn(self, spec: FigureSpec, before: Drawn | None, run: LightDataset, limits: Limits | None) -> Drawn:
        """A figure that differs more from look to look than rows of frames can: of a run that goes on as of its last
        step, of one that is over at all of its looks, each drawn by itself.
        """
        labels = self.steps.get("look", [])
        rows = list(range(len(labels)))
        places = {"look": rows} if "look" in self.steps else {}
        if run.attrs.get("status") not in OVER or len(labels) < 2:
            template = spec.draw(run.dataset, epoch=self._last(run), limits=limits, theme=self.theme).template()
            past = before.past if before else OrderedDict()
            return Drawn(template.text, template.rows, places, template.shape, True, past)
        rows = _multiples(rows, -(-len(rows) // MOST_REDRAWN))
        drafts = (spec.draw(run.dataset, epoch=labels[at], limits=limits, theme=self.theme) for at in rows)
        template = together("look", [json.loads(draft.to_json()) for draft in drafts])
        return Drawn(template.text, template.rows, {"look": rows}, template.shape, False)

    def _last(self, run: LightDataset) -> int | None:
        steps = self.steps.get(str(run.attrs.get("step_dimension", "")))
        return int(steps[-1]) if steps else None

    def since(self, edition: int | None, names: Sequence[str], specs: Mapping[str, FigureSpec], arrays: Arrays) -> Any:
        """What somebody lacks who has ``edition`` of the figures ``names`` and looks at those of ``specs``."""
        lengths = self._lengths.get(edition) if edition is not None else None
        figures = {}
        for name, spec in specs.items():
            frames = self.draw(spec)
            message = frames.since(edition if lengths is not None and name in names else None, arrays)
            if message is not None:
                figures[name] = message
        starts = lengths or {}
        steps = {
            dim: {"from": starts.get(dim, 0), "labels": labels[starts.get(dim, 0) :]}
            for dim, labels in self.steps.items()
        }
        message = {"fresh": lengths is None, "version": self.edition, "steps": steps, "figures": figures}
        return {**message, "look": look_of(self.theme)} if lengths is None else message


def _bytes_of_steps(rows: Sequence[AtStep | NDArray[Any]]) -> int:
    return sum(
        row.values.nbytes if isinstance(row.values, np.ndarray) else 40 * len(row.values)
        for row in rows
        if isinstance(row, AtStep)
    )


def _within_bounds(frames: Drawn, room: int) -> Drawn:
    """The figure; where its steps take too much, thinned to about so many bytes, and then it travels anew as a whole.

    A figure that grows gets half the room, so that this is seldom.
    """
    size = _bytes_of_steps(frames.rows)
    if size <= BYTES_OF_A_FIGURE:
        return frames
    longest = max(frames.kept.values(), key=len)
    # Bytes of a step, times all steps that there have been, over the room.
    ideal_stride = size / len(longest) * (longest[-1] + 1) / room
    # A multiple of the stride before: the steps that it asks for are all still there, and stay evenly spread.
    stride = frames.stride * math.ceil(ideal_stride / frames.stride)
    places = {dim: _multiples(places, stride) for dim, places in frames.kept.items()}
    return replace(at_places(frames, places), past=OrderedDict(), redrawn=False, stride=stride)


def _multiples(places: Sequence[int], stride: int) -> list[int]:
    """Those of these places that are multiples of ``stride``, and the last.

    >>> _multiples([0, 2, 4, 6, 7, 8, 9], 4)
    [0, 4, 8, 9]
    """
    return [place for place in places if place % stride == 0 or place == places[-1]]


def at_places(frames: Drawn, places: Mapping[str, Sequence[int]]) -> Drawn:
    """The figure at those of its steps alone that ``places`` names along each growing dimension."""
    targets = {dim: set(places[dim]) for dim in frames.kept}
    indices = {dim: [at for at, place in enumerate(own) if place in targets[dim]] for dim, own in frames.kept.items()}
    own = {dim: [frames.kept[dim][at] for at in numbers] for dim, numbers in indices.items()}
    return replace(frames, rows=[_chosen(row, indices) for row in frames.rows], kept=own)


def _chosen(row: AtStep | NDArray[Any], places: Mapping[str, list[int]]) -> AtStep | NDArray[Any]:
    if not isinstance(row, AtStep) or len(row.values) == len(places[row.dim]):
        return row
    indices = places[row.dim]
    values = row.values[indices] if isinstance(row.values, np.ndarray) else [row.values[place] for place in indices]
    return AtStep(row.dim, values)
