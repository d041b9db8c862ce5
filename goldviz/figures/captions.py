"""Captions that are read off a figure's marks: of what it is, what it goes over, and what its lines and panels are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from goldviz.arrays.readings import Readings
from goldviz.figures.marks import (
    Bars,
    Curves,
    Dots,
    Heat,
    Lines,
    Rule,
    Thin,
    channel,
)
from goldviz.figures.reading import GROWING

VALUES = (Curves, Thin, Lines, Dots, Bars)
"""Marks whose numbers stand at the y axis."""
MOST_NAMED, MOST_IN_FULL = 5, 14
"""Panels or lines that a caption lists, of more it says what all are of; and words by which it says what one is."""
DASHED = {"dash": "dashed", "dot": "dotted"}
RED = {"signed": ("above", "below"), "diverging": ("below", "above")}
"""On which side of zero a map is red, and on which blue."""
PEOPLE = ("Adam", "Euler", "Gaussian", "Jacobian", "Jacobians")
"""What has a capital within a sentence, too."""


def said(chart: Any, readings: Readings, fixed: bool = False) -> str:
    """What a figure shows, read off its marks: of what, what it goes over, its panels or lines, and lines beside them.

    Where the run alone tells the marks, axes, colours and the variables that it needs say it.
    """
    drawn = [mark for mark in chart.marks if isinstance(mark, (*VALUES, Heat))]
    plain = [mark for mark in drawn if not isinstance(mark, Thin) and (channel(mark.of).name or _own_name(mark))]
    variables = [name for mark in plain if (name := channel(mark.of).name)]
    needed = [] if plain else [name for name in chart.needs or () if _has_label(readings, name)]
    labels = list(dict.fromkeys(readings.variable(name).label for name in variables or needed))
    parts = list(dict.fromkeys(_parts(chart, readings, plain))) if plain else labels
    title = _title(chart, bool(plain) and isinstance(plain[0], Heat))
    whole = all(hasattr(one, "draw") or hasattr(one, "marks") for one in chart.parts)
    full = _in_full(readings, variables[0]) if len(set(variables)) == 1 and (whole or not title) else ""
    if full or (len(labels) == 1 and (not title or (variables and _has_label(readings, variables[0])))):
        subject = full or labels[0]
    else:
        names = (parts if chart.panels else labels) or parts
        subject = title or _listed([*names[:1], *map(_small, names[1:])])
        parts = parts if title else []
    if not subject:
        return ""
    over = _over(chart, plain[0] if plain else None, readings, fixed, subject, told=bool(full))
    listed = f": {_listed([_small(one) for one in parts])}" if 1 < len(parts) <= MOST_NAMED else ""
    return " ".join([f"{subject}{over}{listed}.", *_how_read(chart)])


def _how_read(chart: Any) -> list[str]:
    """Which numbers are red, and what dotted and dashed lines are."""
    told, scale = [], getattr(chart.colour, "scale", "")
    if isinstance(scale, str) and scale in RED:
        red, blue = RED[scale]
        told.append(f"Red: {red} {int(chart.colour.powers)}, blue: {blue}.")
    for mark in chart.marks:
        dashed = "Dashed" if isinstance(mark, Rule) and mark.dash == "dash" else "Dotted"
        upright = isinstance(mark, Rule) and mark.x is not None
        if (upright or isinstance(mark, Thin)) and isinstance(mark.words, str) and mark.words:
            told.append(f"{dashed}: {mark.words}.")
    return list(dict.fromkeys(told))


def _parts(chart: Any, readings: Readings, marks: Sequence[Any]) -> list[str]:
    """What a figure's panels are headed, else what its lines and bars are called."""

    def label(mark: Any) -> str:
        return readings.variable(channel(mark.of).name).label

    if len(chart.panels) > 1 and any(one.heading for one in chart.panels):
        first = [next(mark for mark in one.marks if hasattr(mark, "of")) for one in chart.panels]
        return [one.heading or label(mark) for one, mark in zip(chart.panels, first, strict=True)]
    if chart.panels:
        return [label(mark) for mark in marks]
    return [name for mark in marks for name in (*_looks(mark),) or (_own_name(mark) or label(mark),)]


def _looks(mark: Any) -> list[str]:
    """What the entries of a mark are called, with their dash."""
    return [_with_dash(one.name, one.dash) for one in getattr(mark, "looks", ())]


def _own_name(mark: Any) -> str:
    style = getattr(mark, "style", None)
    name = getattr(mark, "name", "") or (style.label if style else "")
    return _with_dash(name, getattr(mark, "dash", "") or (style.dash if style else ""))


def _with_dash(name: str, dash: str) -> str:
    return f"{name} ({DASHED[dash]})" if name and dash in DASHED else name


def _in_full(readings: Readings, name: str) -> str:
    """What a variable is, in the words that declare it; empty where these cannot be read aloud."""
    told = str(getattr(readings.variables.get(name), "long_name", ""))
    words = re.sub(r" \([^)]*\)|;.*|, first seed.*", "", told)
    if not words or len(words.split()) > MOST_IN_FULL or re.search(r"[_^|]|\w\(|^[Tt]he same", words):
        return ""
    return f"{words[0].upper()}{words[1:]}"


def _has_label(readings: Readings, name: str) -> bool:
    return bool(getattr(readings.variables.get(name), "label", ""))


def _title(chart: Any, mapped: bool) -> str:
    """What the colours, or the numbers at the axis of values, are called where the figure says so."""
    if chart.colour is not None:
        title = getattr(chart.colour, "title", "")
        return title if isinstance(title, str) else ""
    lying = any(getattr(mark, "rows", "") for mark in chart.marks)
    axis = chart.x if lying else chart.y
    return "" if mapped or axis is None else (axis.title or "").replace("<br>", " ")


def _over(chart: Any, mark: Any, readings: Readings, fixed: bool, subject: str, told: bool) -> str:
    """What the numbers of a figure go over, where its subject has not ``told`` so in full words."""
    own = _small((chart.x.title or "").replace("<br>", " ")) if chart.x is not None else ""
    growing = () if fixed else GROWING
    down = _small(chart.y.title or "") if chart.y is not None else ""
    if isinstance(mark, Heat) or (mark is None and chart.colour is not None and own and down):
        column, row = own, down
        if isinstance(mark, Heat):
            column = column or ("step of training" if mark.x in growing else _place(mark.x, readings))
            row = row or _place(mark.y, readings)
        if told and all(_goes_with(subject, place) for place in (column, row)):
            return ""
        return f", of one {row} and another" if row == column else f", by {column} (column) and {row} (row)"
    if getattr(mark, "x", None) is not None:
        beside = own or _small(readings.variable(channel(mark.x).name).label)
        return f", against {beside}" if beside else ""
    over = [chart.over] if chart.over else _goes_over(mark, readings) if mark is not None else []
    if over and over[0] in growing:
        return ", over training"
    place = _small(readings.coordinate(over[0]).label) if over else ""
    place = place if getattr(mark, "rows", "") else own or place
    known = place.lower() in subject.lower() or (told and _goes_with(subject, place))
    return f", by {place}" if place and not known else ""


def _goes_with(subject: str, place: str) -> bool:
    """Whether words say already what they go over, as those on rows do that are so many steps ahead of steps."""
    first = place.partition(" ")[0].removesuffix("s")
    return len(first) > 1 and bool(re.search(rf"\b{re.escape(first)}s?\b", subject, re.IGNORECASE))


def _place(dim: str, readings: Readings) -> str:
    return _small(readings.coordinate(dim).label.partition(" (")[0])


def _goes_over(mark: Any, readings: Readings) -> list[str]:
    """The dimension that a mark's axis is of, as far as mark and variable declare it."""
    over = mark.over or getattr(mark, "rows", "")
    beside = (getattr(mark, "by", ""), "network", "seed")
    declared = getattr(readings.variables.get(channel(mark.of).name), "dims", ())
    dims = [dim for dim in declared if dim not in beside]
    return [over] if over else ([dim for dim in dims if dim not in GROWING] or dims)[:1]


def _listed(names: Sequence[str]) -> str:
    """Names as a sentence has them, apart by semicolons where they have commas or colons of their own."""
    if any(re.search("[,:]", name) for name in names):
        return "; ".join(names)
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _small(words: str) -> str:
    """Words within a sentence: a capital stays where it is more than the beginning of one, as in LSTM or dL/dh."""
    first, _, _ = words.partition(" ")
    if len(first) > 1 and (first in PEOPLE or first[1:] != first[1:].lower() or not first[1].isalpha()):
        return words
    return f"{words[:1].lower()}{words[1:]}"
