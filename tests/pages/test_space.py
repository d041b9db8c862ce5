"""What piles up on the server, as the runs page tells it, and what its button frees."""

import os
import time
from pathlib import Path

import pytest

from goldviz.data.tables.kept_files import PLACES
from goldviz.data.tables.whole_files import UNFINISHED_SECONDS
from goldviz.data.texts.kept_texts import keep_text
from goldviz.runs.recorder import Progress
from goldviz.runs.store.run_store import Store
from goldviz.ui.serving import services
from tests.pages.visit import RUNS, Visitor
from tests.runs.toy import Toy


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def _opened() -> Visitor:
    visitor = Visitor(RUNS)
    visitor.at.session_state["space"] = True
    return visitor.look()


def _told(visitor: Visitor) -> dict[str, str]:
    return {box.label.partition(":")[0]: box.label.partition(": ")[2] for box in visitor.at.checkbox}


def _tick(visitor: Visitor, *names: str) -> Visitor:
    for box in visitor.at.checkbox:
        box.set_value(box.key in {f"free-{name}" for name in names})
    return visitor.look()


def test_the_runs_page_tells_what_piles_up_under_which_bound_and_frees_what_is_ticked(folder: Path) -> None:
    store = services.store()
    ended, training = (store.create(Toy()) for _ in range(2))
    for run_id in (ended, training):
        store.append(run_id, Progress(1, 4, 1.0, 0.0), checkpoint=(1, bytes(300_000)))
    store.set_status(ended, "finished")
    keep_text(b"gold is a metal " * 30_000, "notes.txt")
    left = folder / "texts" / "half.part"
    left.write_bytes(bytes(200_000))
    os.utime(left, (time.time() - 2 * UNFINISHED_SECONDS,) * 2)
    visitor = _opened()
    told = _told(visitor)
    assert told["States to go back to"] == "0.6 of at most 2,000 MB"
    assert told["Texts that were brought"] == "0.5 of at most 200 MB"
    assert told["Markets"] == "0.0 of at most 2,000 MB"
    assert told["Files left unfinished"].startswith("0.2 MB")
    assert set(told) >= {place.words for place in PLACES.values()}
    assert {box.key for box in visitor.at.checkbox if box.value} == {
        "free-vectors",
        "free-downloads",
        "free-readings",
        "free-unfinished",
    }
    _tick(visitor, "states", "unfinished").click("free-space")
    told = _told(visitor)
    assert told["States to go back to"] == "0.3 of at most 2,000 MB", "a run that trains keeps its state"
    assert told["Texts that were brought"] == "0.5 of at most 200 MB"
    assert not left.exists()
    assert [list(store.checkpoint_steps(run_id)) for run_id in (ended, training)] == [[], [1]]
    _tick(visitor, "texts").click("free-space")
    assert _told(visitor)["Texts that were brought"] == "0.0 of at most 200 MB"
    assert not visitor.errors


@pytest.mark.parametrize("name", ["GOLDVIZ_DATA_MB", "GOLDVIZ_KEPT_STATES_MB"])
@pytest.mark.slow
def test_a_bound_that_is_no_number_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    services.store()
    monkeypatch.setenv(name, "much")
    assert f"{name} is 'much'" in _opened().errors[0].replace("\\", "")


def test_the_space_costs_nothing_until_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(_store: Store) -> int:
        raise AssertionError("nobody looks")

    monkeypatch.setattr(Store, "size_of_checkpoints", asked)
    assert not Visitor(RUNS).at.checkbox
