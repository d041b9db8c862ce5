"""The measures of a laboratory, by name: what its file ``measures.py`` makes with
:func:`goldviz.diagnostics.measure.measure`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from goldviz.declare.registry import laboratories
from goldviz.diagnostics.measure import Measure

if TYPE_CHECKING:
    from goldviz.declare.laboratory import Laboratory


def measures_of(lab: Laboratory) -> Mapping[str, Measure]:
    """A laboratory's measures in the order of its file; none where it has no such file. Loads no torch."""
    if not lab.has("measures"):
        return {}
    values = vars(lab.part("measures")).values()
    every = [one for value in values for one in (value.values() if isinstance(value, dict) else [value])]
    return {one.name: one for one in every if isinstance(one, Measure)}


def measure_of(laboratory: str, name: str) -> Measure:
    """A measure by its laboratory's name and its own, for who may not import it: stories lead through several."""
    return measures_of(laboratories()[laboratory])[name]
