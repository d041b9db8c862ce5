"""What a report says of its data at its top: the source, the period, and how the numbers are read."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.data.tables.sealed_names import shown_name
from goldviz.declare.settings import Settings, facts
from goldviz.diagnostics.forecasts.moves import Moves

TARGET = "target"
"""The setting that says what of the data is forecast."""
DAY = re.compile(r"\d{4}-\d\d-\d\d")


def data_sentences(settings: Settings, dataset: Run) -> list[str]:
    """Sentences on the data of a run or a view; none where goldviz makes them up as it goes.

    The dataset's attributes name the source (``simulated``, ``data_origin``) and the last day (``data_last``).
    """
    source = _source(dataset)
    if not source:
        return []
    labels = facts(type(settings), TARGET)["labels"] if TARGET in type(settings).model_fields else {}
    target = getattr(settings, TARGET, "return")
    forecast = f" What is forecast: {labels[target].lower()}." if target in labels else ""
    return [f"Data: {source}.{_period(dataset)}", f"Read as: {_moves(dataset, target).title}.{forecast}"]


def _source(dataset: Run) -> str:
    attrs = dataset.attrs
    if "simulated" not in attrs:
        return ""
    if int(attrs["simulated"]):
        return "simulated market"
    parts = [str(attrs.get(name, "")) for name in ("target_words", "data_origin")]
    return shown_name(", ".join(dict.fromkeys(part for part in parts if part)))


def _moves(dataset: Run, target: str) -> Moves:
    """Of a run by its attributes, of a view of a market by its first channel."""
    if "transformation" in dataset:
        return Moves.of(*(str(dataset[name].values[0]) for name in ("transformation", "unit")))
    return Moves.of_run(dataset, target)


def _period(dataset: Run) -> str:
    """From the first day of any axis to the last day of the data."""
    last = str(dataset.attrs.get("data_last", ""))[:10]
    days = sorted(day for name in dataset.coords for day in _days(dataset[name].values))
    return f" Shown: {days[0]} to {last}." if days and last else f" Until {last}." if last else ""


def _days(values: NDArray[np.generic]) -> list[str]:
    """The first and the last of an axis of days, as text; none of another axis."""
    ends = [str(value)[:10] for value in (*values.flat[:1], *values.flat[-1:])]
    return [day for day in ends if DAY.fullmatch(day)]
