import json
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest
import xarray as xr

from goldviz.runs.execution.worker import execute
from goldviz.runs.live import LiveRun
from goldviz.runs.recorder import Batch, Command, Progress
from goldviz.runs.store.run import Run
from goldviz.runs.store.run_store import Store, UnknownRunError
from tests.runs.conftest import same_records, uninterrupted
from tests.runs.toy import Toy


def write(store: Store, run_id: str, steps: range, lease: str = "", value: float = 0.0, **what: Any) -> None:
    batch = Batch(steps[-1])
    for step in steps:
        batch.add("norm", step, np.array([step + value], np.float32))
    store.append(run_id, Progress(steps[-1], 30, 1.0, 0.5), lease=lease, batch=batch, **what)


def begun(store: Store, run_id: str) -> str:
    start = store.begin(run_id)
    assert start is not None
    return start.lease


def test_what_is_new_is_read_by_one_connection(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = store.create(Toy())
    live = LiveRun(store, run_id)
    opened, connected = [], store._connected
    monkeypatch.setattr(store._connections, "_connect", lambda: opened.append(run_id) or connected())
    for last in (3, 5):
        write(store, run_id, range(last - 2, last), coordinates={"seed": [7]})
        opened.clear()
        store._connections.close()
        assert live.snapshot()[1]["norm"].sel(seed=7).values[-1] == last - 1
        assert len(opened) == 1
    with pytest.raises(UnknownRunError):
        LiveRun(store, "gone").refresh()
    assert store.run(run_id).step == 4


def test_labels_are_read_again_where_they_changed_and_only_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id, reads, about = store.create(Toy()), [], store.about
    live = LiveRun(store, run_id)
    monkeypatch.setattr(store, "about", lambda which: reads.append(which) or about(which))
    changes: list[dict[str, Any]] = [
        {"coordinates": {"seed": [7]}},
        {},
        {"attributes": {"device": "cpu"}},
        {},
        {"once": {"end": np.array([3.0])}},
        {},
        {"once": {"end": np.array([2.0])}},
        {},
        {"new_marks": [{"step": 9, "text": "rate halved", "changes": {}}]},
        {},
    ]
    for place, change in enumerate(changes):
        write(store, run_id, range(place + 1, place + 2), **change)
        _, sheet = live.snapshot()
        known = about(run_id)
        assert {name: sheet.attrs[name] for name in known.attributes} == known.attributes, change
        assert json.loads(sheet.attrs["marks"]) == known.marks, change
        assert sheet["norm"].coords["seed"].tolist() == [7]
        assert len(reads) == 1 + place // 2, change
    assert live.snapshot()[1]["end"].values.tolist() == [2.0]


def test_a_dataset_grows_and_stays_the_same_object_while_nothing_is_new(store: Store) -> None:
    run_id = store.create(Toy(), name="<b>")
    live = LiveRun(store, run_id)
    _, empty = live.snapshot()
    assert dict(empty.sizes) == {}
    write(store, run_id, range(1, 4), coordinates={"seed": [7]})
    run, first = live.snapshot()
    assert first["norm"].sel(seed=7).values.tolist() == [1, 2, 3]
    assert live.snapshot()[1] is first
    write(store, run_id, range(4, 6))
    newer, second = live.snapshot()
    assert second["norm"].sel(seed=7).values.tolist() == [1, 2, 3, 4, 5]
    assert newer.version > run.version
    assert (second["norm"].attrs, second.attrs["title"]) == ({"long_name": "Norm of the state", "units": "1"}, "<b>")


def test_only_what_is_new_is_read(store: Store) -> None:
    run_id = store.create(Toy())
    write(store, run_id, range(1, 4), coordinates={"seed": [0]})
    _, position = store.records_after(run_id, 0)
    write(store, run_id, range(4, 6))
    new, _ = store.records_after(run_id, position)
    assert new["norm"][0].tolist() == [4, 5]


def test_the_status_of_a_run_reaches_every_viewer(store: Store) -> None:
    run_id = store.create(Toy())
    write(store, run_id, range(1, 3), coordinates={"seed": [0]})
    live = LiveRun(store, run_id)
    seen: list[tuple[Run, xr.Dataset]] = []

    def look() -> None:
        for _ in range(30):
            seen.append(live.snapshot())

    viewers = [threading.Thread(target=look) for _ in range(4)]
    for viewer in viewers:
        viewer.start()
    for step in range(3, 30):
        write(store, run_id, range(step, step + 1))
    store.set_status(run_id, "finished")
    for viewer in viewers:
        viewer.join()
    for run, dataset in seen:
        assert dataset.attrs["status"] == run.status
        assert dataset["epoch"].values.tolist() == list(range(1, dataset.sizes["epoch"] + 1))
    assert live.snapshot()[1].attrs["status"] == "finished"


def test_a_viewer_follows_a_run_that_went_back(store: Store) -> None:
    run_id = store.create(Toy())
    lease = begun(store, run_id)
    write(store, run_id, range(1, 4), lease, coordinates={"seed": [0]}, checkpoint=(3, b"state"))
    write(store, run_id, range(4, 9), lease)
    early, late = LiveRun(store, run_id), LiveRun(store, run_id)
    early.snapshot()
    late.snapshot()
    store.set_status(run_id, "interrupted")
    assert store.enqueue(run_id)
    lease = begun(store, run_id)
    assert early.snapshot()[1]["epoch"].values.tolist() == [1, 2, 3]
    write(store, run_id, range(4, 9), lease, value=0.5)
    write(store, run_id, range(9, 12), lease, value=0.5)
    expected = [1, 2, 3, *(step + 0.5 for step in range(4, 12))]
    for viewer in (early, late):
        assert viewer.snapshot()[1]["norm"][:, 0].values.tolist() == expected


def test_everything_about_a_run_is_in_its_attributes(store: Store) -> None:
    toy = Toy(epochs=6)
    run_id = store.create(toy)
    store.command(run_id, Command("change", {"drift": 0.5}))
    execute(toy, run_id, store.url)
    attributes = store.load(run_id).attrs
    assert attributes["experiment"] == "toy"
    assert attributes["status"] == "finished"
    assert attributes["device"] == "none"
    assert attributes["step_dimension"] == "epoch"
    assert Toy.checked_json(attributes["settings"]) == toy
    assert set(json.loads(attributes["versions"])) == {"python", "goldviz", "torch", "numpy"}
    assert json.loads(attributes["marks"]) == [{"step": 0, "text": "drift 0.5", "changes": {"drift": 0.5}}]
    assert attributes["duration"] >= attributes["instrument_seconds"] > 0


def test_a_kept_run_equals_the_same_run_in_memory(store: Store) -> None:
    toy = Toy(epochs=40, seeds=(2, 1), size=3)
    run_id = store.create(toy)
    assert execute(toy, run_id, store.url) == "finished"
    same_records(store.load(run_id), uninterrupted(toy))


def test_a_deleted_run_is_unknown_to_its_viewers(store: Store) -> None:
    run_id = store.create(Toy())
    live = LiveRun(store, run_id)
    live.snapshot()
    store.delete([run_id])
    with pytest.raises(UnknownRunError):
        live.snapshot()


def test_a_viewer_holds_about_the_size_of_the_records(store: Store) -> None:
    run_id = store.create(Toy())
    row = np.zeros((1, 50_000), np.float32)
    for step in range(1, 21):
        batch = Batch(step)
        batch.add("position", step, row)
        store.append(
            run_id, Progress(step, 30, 1.0, 0.5), batch=batch, coordinates={"network": [0], "seed": list(range(50_000))}
        )
    live = LiveRun(store, run_id)
    live.snapshot()
    tracemalloc.start()
    live = LiveRun(store, run_id)
    live.snapshot()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1.5 * 20 * row.nbytes + 8 * 2**20
