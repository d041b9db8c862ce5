"""Connections that wait to be used again, on a real file."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event, text

from goldviz.declare.settings import SettingsError
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.store import lent_connections
from goldviz.runs.store.lent_connections import LentConnections
from goldviz.runs.store.run_store import Store, UnknownRunError
from goldviz.runs.store.schema import open_engine
from tests.runs.conftest import until

LONG = 60.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


@pytest.fixture
def engine(file: Path) -> Iterator[Engine]:
    engine = open_engine(f"sqlite:///{file}")
    yield engine
    engine.dispose()


@pytest.fixture
def own(file: Path, engine: Engine) -> Iterator[LentConnections]:
    found = LentConnections(file, engine.connect)
    yield found
    found.close()


def used(own: LentConnections) -> Connection:
    with own.lent() as connection:
        assert connection.execute(text("select count(*) from runs")).scalar_one() == 0
        return connection


def test_a_connection_is_used_again_until_it_is_old(own: LentConnections, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lent_connections, "REST_SECONDS", LONG)
    first = used(own)
    assert used(own) is first
    with own.lent() as connection, own.lent() as beside:
        assert connection is first
        assert beside is not first
    monkeypatch.setattr(lent_connections, "REST_SECONDS", 0.0)
    assert used(own) not in (first, beside)
    assert first.closed
    assert beside.closed


def test_what_failed_is_not_used_again(own: LentConnections, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lent_connections, "REST_SECONDS", LONG)
    with pytest.raises(SettingsError), own.lent() as connection:
        raise SettingsError({"runs": "Not of this kind."})
    assert connection.closed
    assert used(own) is not connection


def test_another_file_in_its_place_is_read_by_another_connection(
    own: LentConnections, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lent_connections, "REST_SECONDS", LONG)
    first = used(own)
    other = file.with_name("other.sqlite")
    open_engine(f"sqlite:///{other}").dispose()
    os.replace(other, file)
    assert used(own) is not first
    assert first.closed


def test_soon_after_the_last_reading_nothing_is_open(file: Path) -> None:
    store = Store(f"sqlite:///{file}")
    run_id = store.create(DepthGradients())
    readings = [threading.Thread(target=store.run, args=(run_id,)) for _ in range(8)]
    for one in readings:
        one.start()
    for one in readings:
        one.join()
    until(lambda: not file.with_name("runs.sqlite-wal").exists())
    assert [found.name for found in file.parent.iterdir()] == ["runs.sqlite"]


def test_what_is_read_and_written_in_a_row_opens_one_connection(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lent_connections, "REST_SECONDS", LONG)
    store = Store(f"sqlite:///{file}")
    opened = []
    event.listen(store._engine, "connect", lambda connection, _record: opened.append(connection))
    run_id = store.create(DepthGradients())
    for number in range(3):
        assert store.run(run_id).status == "queued"
        store.rename(run_id, f"Run {number}")
    with pytest.raises(UnknownRunError):
        store.run("0" * 12)
    assert len(opened) == 1
    store.close()
