"""The table of runs: words and rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pandas as pd
import streamlit as st

from goldviz.data.tables.sealed_names import shown_name
from goldviz.declare.data_labels import labelled, labels_of
from goldviz.declare.registry import experiments
from goldviz.declare.settings import Experiment, label
from goldviz.diagnostics.findings import times
from goldviz.figures.theme import NETWORKS
from goldviz.runs.store.rows import UNCLEAR
from goldviz.runs.store.run import Result, Run, Size
from goldviz.runs.store.run_store import DAMAGED_RECORDS
from goldviz.ui.panels.lanes import difference, in_words, kept_labels
from goldviz.ui.seen_runs import seen_run, settings_of
from goldviz.ui.words import STATES, duration, plain
from goldviz.watching.declared import WATCHED


def label_of(run: Run) -> str:
    """The run's name, or what is special about its settings."""
    run_as_seen = seen_run(run)
    if run_as_seen.name:
        return run_as_seen.name
    settings_class, settings = experiments().get(run.experiment), settings_of(run)
    if settings_class is None:
        return run.experiment
    if settings is None:
        return f"{settings_class.title} (settings of another version)"
    return difference(settings, kept_labels(run_as_seen))


def gone(runs: Sequence[Run]) -> str:
    """Markdown on runs of laboratories that this version does not have; nothing where there are none."""
    names = sorted({run.experiment for run in runs} - {*experiments(), WATCHED})
    if not names:
        return ""
    laboratories = "laboratories" if len(names) > 1 else "laboratory"
    return (
        f"This version has no {laboratories} {', '.join(map(plain, names))}: such runs stay listed, and "
        "`goldviz export` writes their numbers to a table, but they cannot be opened here."
    )


def unclear(runs: Sequence[Run]) -> str:
    """Markdown on runs whose rows another program has written to; nothing where there are none."""
    unclear_runs = [run for run in runs if run.status == UNCLEAR]
    if not unclear_runs:
        return ""
    more = f" So it is with {len(unclear_runs) - 1} more." if len(unclear_runs) > 1 else ""
    return plain(f"Run {unclear_runs[0].id} is unclear. {unclear_runs[0].message}{more} Other runs are not affected.")


def age(begin: float) -> str:
    """How long ago, in words."""
    return f"{duration(max(0.0, time.time() - begin))} ago"


def table(runs: Sequence[Run], results: Mapping[str, Result], sizes: Mapping[str, Size]) -> pd.DataFrame:
    """One row for each run, as the runs page lists them; runs of one laboratory with a column for what differs."""
    ids = [run.id for run in runs]
    columns = {name: [value(run) for run in runs] for name, value in COLUMNS.items()}
    result_words = [result_in_words(results.get(run_id)) for run_id in ids]
    size = [round(sum(sizes.get(run_id, ())) / 1e6, 2) for run_id in ids]
    first = {"Run": columns.pop("Run"), "Result": result_words}
    return pd.DataFrame({**first, **columns, "MB": size, **differing(runs), "Id": ids})


def result_in_words(result: Result | None) -> str:
    """What a run came to, network by network.

    >>> result_in_words(Result("test_loss", {"plain": 0.891, "residual": 0.442}))
    'test loss: plain 0.89, residual 0.44'
    """
    if result is None:
        return ""
    if not result.values:
        return result.name if result.name == DAMAGED_RECORDS else ""
    labels = {name: NETWORKS[name].label if name in NETWORKS else name for name in result.values}
    values = ", ".join(f"{labels[name]} {times(value)}".strip() for name, value in result.values.items())
    return f"{result.name.replace('_', ' ')}: {values}"


def beside_preset(run: Run) -> str:
    """The preset that a run's settings are nearest to, and what sets them apart from it."""
    settings = settings_of(run)
    if settings is None:
        return ""
    own = {name: value for name, value in settings.model_dump(mode="json").items() if name not in UNTOLD}
    apart = {
        preset: {name: own[name] for name, value in whole.items() if name in own and own[name] != value}
        for preset, whole in _presets(type(settings)).items()
    }
    nearest = min(apart, key=lambda name: len(apart[name]))
    labels = labels_of(settings, kept_labels(seen_run(run)))
    words = in_words(type(settings), apart[nearest], labels)
    begins = words if set(apart[nearest]) & set(labels) else f"{words[:1].lower()}{words[1:]}"
    return f"{nearest} · {begins}" if words else nearest


@cache
def _presets(settings_class: type[Experiment]) -> dict[str, dict[str, Any]]:
    """Every preset's settings, by its name."""
    return {
        preset.name: settings_class.preset(preset.slug).model_dump(mode="json") for preset in settings_class.presets
    }


def differing(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """Columns for the settings in which runs of one laboratory differ; none for runs of several."""
    all_settings = [settings_of(run) for run in runs]
    if len({run.experiment for run in runs}) != 1 or len(runs) < 2 or None in all_settings:
        return {}
    values = [
        labelled(settings, kept_labels(seen_run(run)))
        for settings, run in zip(all_settings, runs, strict=True)
        if settings is not None
    ]
    names = [name for name in values[0] if name not in UNTOLD and any(one[name] != values[0][name] for one in values)]
    return {label(name): [_cell(one[name]) for one in values] for name in names[:MOST_SETTINGS]}


def _cell(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list) else _in_words(value)


def _in_words(value: Any) -> Any:
    return shown_name(value) if isinstance(value, str) else value


def _laboratory(run: Run) -> str:
    settings_class = experiments().get(run.experiment)
    return settings_class.title if settings_class else "Your network" if run.experiment == WATCHED else run.experiment


COLUMNS: Mapping[str, Callable[[Run], Any]] = {
    "Run": label_of,
    "Laboratory": _laboratory,
    "Settings": beside_preset,
    "State": lambda run: STATES[run.status][0],
    "Steps": lambda run: f"{run.step} / {run.total}" if run.total else str(run.step),
    "Time": lambda run: duration(run.seconds) if run.step else "",
    "Started": lambda run: pd.to_datetime(run.created, unit="s", utc=True),
}
"""What the table says of every run, column by column."""
UNTOLD = ("device", "time_limit")
MOST_SETTINGS = 8
"""Columns of settings at most."""
LOOKS = {
    "Run": st.column_config.TextColumn(width="medium", help="Click to open."),
    "Settings": st.column_config.TextColumn(width="medium", help="The nearest preset, and what differs from it."),
    "Result": st.column_config.TextColumn(width=250, help="Median of the seeds, for each network."),
    "MB": st.column_config.NumberColumn(help="Records and states to go back to, on disk."),
    "Started": st.column_config.DatetimeColumn(format="distance"),
}
"""How columns look that do not show plain text."""
