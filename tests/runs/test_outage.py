"""What is away is told once, then ever more seldom, and once when it is back."""

import logging
import sqlite3
import threading
import time
from contextlib import closing
from itertools import pairwise

import pytest

from goldviz.runs.execution.worker import execute
from goldviz.runs.recorder import Command
from goldviz.runs.store.outage import Outage
from goldviz.runs.store.run_store import Store
from tests.runs.conftest import until
from tests.runs.toy import Toy

log = logging.getLogger("goldviz.test")


def test_it_is_told_at_growing_intervals_and_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    database = Outage(log, "The database is back.")
    database.over()
    assert caplog.messages == []
    told: list[int] = []
    for second in range(12_000):
        now = float(second)
        database.away(f"The database is away, {second}.")
        told += [second] if len(caplog.messages) > len(told) else []
    pauses = [later - earlier for earlier, later in pairwise(told)]
    assert told[0] == 0
    assert pauses == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
    database.over()
    database.over()
    database.away("It is away again.")
    assert caplog.messages[-2:] == ["The database is back. It was away for 11999 seconds.", "It is away again."]


def test_a_run_tells_once_that_its_database_is_away_and_once_that_it_is_back(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    run_id = store.create(Toy(epochs=100_000, seconds=0.01))
    training = threading.Thread(target=execute, args=(Toy(epochs=100_000, seconds=0.01), run_id, store.url))
    training.start()
    until(lambda: store.run(run_id).step > 2)
    with closing(sqlite3.connect(store.place, isolation_level=None)) as other:
        # As a server of databases that is away for two seconds: every question is refused.
        other.execute("alter table runs rename to elsewhere")
        until(lambda: "waits for its database" in caplog.text)
        time.sleep(2.0)
        other.execute("alter table elsewhere rename to runs")
    until(lambda: "has its database again" in caplog.text)
    store.command(run_id, Command("stop"))
    training.join(120)
    assert store.run(run_id).status == "stopped"
    assert sum("waits for its database" in message for message in caplog.messages) == 1
    assert sum(f"Run {run_id} has its database again." in message for message in caplog.messages) == 1
