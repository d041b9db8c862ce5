"""What a script gives beside its network: nothing of it may fail in somebody's training."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import goldviz
from goldviz.experiments import SettingsError
from goldviz.runs.store.run_store import Store


class Speechless:
    """Nothing can be printed of it."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


circle: dict[str, Any] = {"rate": 0.1}
circle["circle"] = circle
deep: list[Any] = []
for _ in range(10_000):
    deep = [deep]
STRANGE: Mapping[str, Any] = {
    "a number of many digits": 10**5000,
    "itself": circle,
    "lists in lists": deep,
    "an object without words": Speechless(),
    "keys that are no texts": {(1, 2): 3, b"x": None},
    "a long text": "x" * 30_000_000,
    "half a character": "\ud800",
    "a tensor": torch.ones(1000, 1000),
}


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    return Store()


@pytest.mark.parametrize("kind", STRANGE)
def test_whatever_a_script_tells_of_itself_its_training_is_watched_and_the_rest_is_told(
    kind: str, store: Store
) -> None:
    with goldviz.watch(nn.Linear(2, 1), config={"rate": 0.1, "strange": STRANGE[kind]}) as record:
        record.step(loss=1.0)
    settings = store.run(record.run_id).settings
    assert json.loads(settings)["rate"] == 0.1
    assert len(settings) < 50_000


@pytest.mark.untrusted
def test_a_place_that_no_address_can_name_is_told_and_the_training_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    with goldviz.watch(nn.Linear(2, 1), to="\ud800.gv") as record:
        record.step(loss=1.0)
    assert "keeps this run in memory alone: The database address holds characters" in caplog.text
    with pytest.raises(SettingsError, match="config is a list; allowed is a dictionary of facts"):
        goldviz.watch(nn.Linear(2, 1), config=[1])  # type: ignore[arg-type]
