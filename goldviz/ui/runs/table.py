"""The table of runs: words and rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from goldviz.declare.registry import experiments
from goldviz.declare.settings import SettingsError
from goldviz.runs.store import Run
from goldviz.ui.lanes import difference
from goldviz.ui.words import STATES, duration


def label_of(run: Run) -> str:
    """The run's name, or what is special about its settings."""
    if run.name:
        return run.name
    declared = experiments().get(run.experiment)
    if declared is None:
        return run.experiment
    try:
        return difference(declared.from_store(run.settings_version, run.settings))
    except SettingsError:
        return f"{declared.title} (settings of another version)"


def gone(runs: Sequence[Run]) -> str:
    """A sentence on runs of laboratories that this version does not have; nothing where there are none."""
    names = sorted({run.experiment for run in runs} - set(experiments()))
    if not names:
        return ""
    laboratories = "laboratories" if len(names) > 1 else "laboratory"
    return (
        f"This version has no {laboratories} {', '.join(names)}: such runs stay listed, and `goldviz export` "
        "writes their numbers to a table, but they cannot be opened here."
    )


def age(created: float) -> str:
    """How long ago, in words."""
    return f"{duration(max(0.0, time.time() - created))} ago"


def table(runs: Sequence[Run]) -> pd.DataFrame:
    """One row for each run, as the runs page lists them."""
    return pd.DataFrame({name: [value(run) for run in runs] for name, value in COLUMNS.items()})


def _laboratory(run: Run) -> str:
    declared = experiments().get(run.experiment)
    return declared.title if declared else run.experiment


COLUMNS: Mapping[str, Callable[[Run], Any]] = {
    "Run": label_of,
    "Laboratory": _laboratory,
    "State": lambda run: STATES[run.status][0],
    "Steps": lambda run: f"{run.step} / {run.total}",
    "Time": lambda run: duration(run.seconds) if run.step else "",
    "Started": lambda run: pd.to_datetime(run.created, unit="s", utc=True),
    "Id": lambda run: run.id,
}
"""What the table says of a run, column by column."""
LOOKS = {
    "Run": st.column_config.TextColumn(width="medium"),
    "Started": st.column_config.DatetimeColumn(format="distance"),
}
"""How columns look that do not show plain text."""
