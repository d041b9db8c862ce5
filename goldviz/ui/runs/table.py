"""The table of runs: words and rows."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pandas as pd

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


def table(runs: list[Run]) -> pd.DataFrame:
    """One row for each run, as the runs page lists them."""
    titles = {name: declared.title for name, declared in experiments().items()}
    return pd.DataFrame(
        {
            "Run": [label_of(run) for run in runs],
            "Laboratory": [titles.get(run.experiment, run.experiment) for run in runs],
            "State": [STATES[run.status][0] for run in runs],
            "Steps": [f"{run.step} / {run.total}" for run in runs],
            "Time": [duration(run.seconds) if run.step else "" for run in runs],
            "Started": pd.to_datetime([run.created for run in runs], unit="s", utc=True),
            "Id": [run.id for run in runs],
        }
    )
