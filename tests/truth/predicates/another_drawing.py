"""What a sentence under a figure has to be false of: the same drawing with other numbers and another look."""

import re
from dataclasses import replace

import numpy as np

from goldviz.figures.spec import FigureSpec
from tests.truth.predicates.drawing import Absent, Drawing

SENTENCE = re.compile(r"(?<=[.!?])(?<!eq\.)(?<!al\.)\s+(?=[A-Z0-9“§τ])")
OTHER = {"line": {"dash": "longdashdot", "width": 2, "color": "#123456"}, "marker": {"symbol": "hexagram"}}
"""A look that nothing has."""


def sentences(spec: FigureSpec) -> list[str]:
    """The sentences that somebody wrote; what is read off marks says what they draw by itself."""
    written = (spec.shows.removeprefix(spec.computed).strip(), spec.cannot_show)
    return [one for words in written if words for one in SENTENCE.split(words)]


def holds(claim, drawing: Drawing) -> bool:
    """Whether it is so; what asks for numbers that the run does not have is not."""
    try:
        return bool(claim(drawing))
    except (KeyError, ValueError, IndexError, StopIteration, TypeError):
        return False


def changed(value):
    """Other numbers of the same shape; words stay."""
    array = np.asarray(value)
    if array.dtype.kind == "M":
        return array + np.timedelta64(40, "D")
    try:
        numbers = array.astype(float)
    except (TypeError, ValueError):
        return value
    return (
        1.37 * numbers[..., ::-1] + 0.211 * (1 + np.nanmax(np.abs(np.where(np.isfinite(numbers), numbers, 0))))
        if numbers.ndim
        else value
    )


def otherwise(drawing: Drawing, claim) -> Drawing:
    """The same figure with other numbers and another look, or with what it should not show."""
    if isinstance(claim, Absent):
        return replace(drawing, layout={**drawing.layout, "annotations": [{"text": claim.words[0]}]})
    meta = drawing.layout.get("meta") or {}
    if "diagram" in meta:
        picture = meta["diagram"]
        parts = [
            {**part, "nodes": [[*node[:-1], {"elsewhere": 0}] for node in part["nodes"]]} for part in picture["parts"]
        ]
        return replace(drawing, layout={"meta": {"diagram": {**picture, "parts": parts}}})
    data = tuple(
        {name: changed(value) if name in ("x", "y", "z", "base") else value for name, value in trace.items()}
        | OTHER
        | {"text": ""}
        for trace in drawing.data
    )
    return replace(drawing, data=data, layout={**drawing.layout, "shapes": (), "annotations": ()})
