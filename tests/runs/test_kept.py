"""Runs that were kept by the code of the past: schema 1, nine runs of six laboratories.

``kept/schema-1.sqlite.gz`` is what that code wrote, ``kept/schema-1.json`` what it made of it: for each run its status,
its variables, the kinds of its findings, and how many traces each figure had (null where that code could not draw it).
"""

import gzip
import json
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from sqlalchemy import Connection, select, text
from sqlalchemy.dialects import postgresql, sqlite

from goldviz.api import carried_out
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import experiment
from goldviz.declare.settings import Experiment
from goldviz.runs.execution.worker import execute
from goldviz.runs.store import migrations
from goldviz.runs.store.clock import database_clock
from goldviz.runs.store.migrations import SCHEMA_VERSION
from goldviz.runs.store.run_store import Store
from goldviz.runs.store.schema import StoreError

KEPT = Path(__file__).parent / "kept"
THEN: dict[str, dict[str, Any]] = json.loads((KEPT / "schema-1.json").read_text())
BY_NAME = {then["name"]: run_id for run_id, then in THEN.items()}
NEWER = {"gradient_to_data", "evaluation_loss", "state_change"}
"""Variables that the code of the past did not record."""

GONE = {"hits"}
"""Figures that today's code has no more."""

REJUDGED = {"Kept recurrent-gradients": ["learned_nothing", "clipping_every_step", "gradient_kept"]}
"""Its loss rises within its own noise, which no longer counts as steps that are too long."""


def unpacked(folder: Path) -> Path:
    """The file as the code of the past left it."""
    path = folder / "runs.sqlite"
    with gzip.open(KEPT / "schema-1.sqlite.gz") as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return path


def dumped(path: Path) -> list[str]:
    """All that a database holds, as SQL."""
    connection = sqlite3.connect(path)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def settings_of(store: Store, run_id: str) -> Experiment:
    run = store.run(run_id)
    return experiment(run.experiment).from_store(run.settings_version, run.settings)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The kept runs, opened by today's code; tests that write add runs of their own."""
    opened = Store(f"sqlite:///{unpacked(tmp_path_factory.mktemp('kept'))}")
    yield opened
    opened.close()


def test_a_database_of_the_first_version_becomes_one_of_today(kept: Store, tmp_path: Path) -> None:
    new = Store(f"sqlite:///{tmp_path / 'new.sqlite'}")
    new.close()

    def columns(path: Path) -> set[tuple[Any, ...]]:
        with sqlite3.connect(path) as connection:
            assert connection.execute("select version from schema_version").fetchall() == [(SCHEMA_VERSION,)]
            tables = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
            facts = {name: connection.execute(f"pragma table_info({name})").fetchall() for name in tables}
        connection.close()
        return {(table, *column[1:4]) for table, found in facts.items() for column in found}

    assert columns(Path(kept.place)) == columns(tmp_path / "new.sqlite")


@pytest.mark.parametrize("run_id", THEN, ids=lambda run_id: THEN[run_id]["name"])
def test_a_kept_run_shows_what_it_showed_then(kept: Store, run_id: str) -> None:
    then, run = THEN[run_id], kept.run(run_id)
    assert (run.experiment, run.name, run.status, run.step, run.settings_version) == (
        then["experiment"],
        then["name"],
        then["status"],
        then["steps"],
        1,
    )
    settings, dataset = settings_of(kept, run_id), kept.load(run_id)
    assert sorted(map(str, dataset.data_vars)) == then["variables"]
    kinds = [finding.kind for finding in laboratory_of(settings).findings(settings, dataset)]
    assert kinds == REJUDGED.get(then["name"], then["findings"])
    drawable = laboratory_of(settings).figures().FIGURES
    traces = {name: count for name, count in then["traces"].items() if name not in GONE}
    figures = {name: spec for name, spec in drawable.items() if name in traces}
    assert figures.keys() == traces.keys()
    drawn = {name: len(spec(dataset, theme="light").data) for name, spec in figures.items()}
    assert drawn == {name: drawn[name] if count is None else count for name, count in traces.items()}


def same_numbers(found: xr.Dataset, expected: xr.Dataset) -> None:
    """Equal but for the last digits, which differ between builds of torch; of what the past did not record, later."""
    known = set(found.data_vars) & set(expected.data_vars)
    assert set(found.data_vars) ^ set(expected.data_vars) <= NEWER
    for name in known:
        ours = found[name].where(found[name].notnull() | (name not in NEWER), expected[name])
        np.testing.assert_allclose(ours.values, expected[name].values, rtol=1e-3, atol=1e-5, err_msg=str(name))


def test_a_paused_run_of_the_past_goes_on_to_its_end(tmp_path: Path) -> None:
    store, run_id = Store(f"sqlite:///{unpacked(tmp_path)}"), BY_NAME["Paused half way"]
    settings = settings_of(store, run_id)
    assert store.enqueue(run_id)
    assert execute(settings, run_id, store.url) == "finished"
    same_numbers(store.load(run_id), carried_out(settings, progress=False, keep=False))
    store.close()


def test_a_fork_of_the_past_keeps_its_parent_and_is_repeated(kept: Store) -> None:
    run_id, parent = BY_NAME["Fork of it"], BY_NAME["Paused half way"]
    fork = kept.run(run_id)
    assert (fork.parent, fork.parent_step, fork.changes) == (parent, 3, {"learning_rate": 0.01})
    settings = settings_of(kept, parent)
    again = kept.fork(parent, 3, settings, changes=fork.changes)
    assert kept.about(again).marks == kept.about(run_id).marks
    assert execute(settings, again, kept.url) == "finished"
    same_numbers(kept.load(again), kept.load(run_id))


def test_an_older_database_is_brought_up_once_however_many_open_it(tmp_path: Path) -> None:
    url = f"sqlite:///{unpacked(tmp_path)}"
    seen: list[int] = []

    def open_it() -> None:
        store = Store(url)
        seen.append(store.list()[1])
        store.close()

    threads = [threading.Thread(target=open_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [len(THEN)] * 6


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = unpacked(tmp_path)
    before = dumped(path)

    def fails_half_way(connection: Connection) -> None:
        connection.execute(text("UPDATE runs SET name = 'half'"))
        connection.execute(text("ALTER TABLE nowhere ADD COLUMN nothing INTEGER"))

    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, fails_half_way))
    with pytest.raises(StoreError, match=r"could not be updated from schema 1 and stays as it was: no such table"):
        Store(f"sqlite:///{path}")
    assert dumped(path) == before
    monkeypatch.undo()
    opened = Store(f"sqlite:///{path}")
    assert opened.list()[1] == len(THEN)
    opened.close()


def test_the_clock_is_asked_in_the_words_of_each_database() -> None:
    asked = select(database_clock())
    assert "clock_timestamp()" in str(asked.compile(dialect=postgresql.dialect()))
    assert "julianday('now')" in str(asked.compile(dialect=sqlite.dialect()))
