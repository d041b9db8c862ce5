"""Numbers of a script's own: kept with their step, drawn, and never a reason to stop a training."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import goldviz
from goldviz.runs.store.run_store import Store
from goldviz.watching.figures import scalars
from goldviz.watching.files import brought_in


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    return Store()


def told_run(**more: Any) -> Any:
    """Six steps, each with its accuracy; every second one's test accuracy follows it, as after an epoch."""
    model = nn.Linear(2, 1)
    with goldviz.watch(model, **more) as record:
        record.log(before=7)
        for step in range(1, 7):
            record.step(loss=1 / step, accuracy=torch.tensor([step / 10]))
            if step % 2 == 0:
                record.log(test_accuracy=np.float64(step / 20))
    return record


def column(dataset: Any, name: str) -> list[float]:
    return [round(float(one), 3) for one in dataset["scalars"].sel(scalar=name).values]


def assert_told(dataset: Any) -> None:
    nan = np.nan
    np.testing.assert_equal(column(dataset, "accuracy"), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    np.testing.assert_equal(column(dataset, "test_accuracy"), [nan, 0.1, nan, 0.2, nan, 0.3])
    np.testing.assert_equal(column(dataset, "before"), [7, nan, nan, nan, nan, nan])
    assert dataset["scalars"]["step"].values.tolist() == [1, 2, 3, 4, 5, 6]


def test_numbers_of_one_s_own_are_kept_with_their_step_and_drawn(store: Store) -> None:
    record = told_run()
    dataset = goldviz.load(record.run_id)
    assert_told(dataset)
    assert "What did the script tell of itself?" in repr(goldviz.figures(dataset))
    lines = {line.name: line for line in goldviz.figures(dataset)["scalars"].data}
    assert set(lines) == {"before", "accuracy", "test_accuracy"}
    assert list(lines["test_accuracy"].x) == [2, 4, 6]
    assert list(goldviz.figure(dataset, "scalars", step=3).data[1].x) == [1, 2, 3, 4, 5, 6]


def test_a_file_brings_them_along_and_a_store_that_is_gone_loses_none(store: Store, tmp_path: Path) -> None:
    told_run(to=tmp_path / "run.gv")
    [run_id] = brought_in(tmp_path / "run.gv", store)
    assert_told(goldviz.load(run_id))
    assert_told(told_run(to="\ud800.gv").dataset())


def test_a_run_that_goes_on_keeps_the_places_of_its_names(store: Store) -> None:
    first = told_run()
    with goldviz.watch(nn.Linear(2, 1), resume=first.run_id) as record:
        record.step(loss=0.1, later=1.0, accuracy=0.9)
    dataset = goldviz.load(first.run_id)
    assert column(dataset, "accuracy") == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.9]
    assert column(dataset, "later")[-1] == 1.0


def test_several_looks_at_one_step_lose_nothing(store: Store) -> None:
    with goldviz.watch(nn.Linear(2, 1)) as record:
        record.step(loss=1.0, accuracy=0.5)
        assert column(record.dataset(), "accuracy") == [0.5]
        record.log(other=0.25)
        record.step(loss=1.0, accuracy=0.75)
        record.step(loss=1.0, accuracy=1.0)
    assert column(record.dataset(), "accuracy") == [0.5, 0.75, 1.0]
    assert 0.25 in column(record.dataset(), "other")


def test_what_cannot_be_kept_is_told_once_and_the_training_is_watched_on(caplog: pytest.LogCaptureFixture) -> None:
    with goldviz.watch(nn.Linear(2, 1)) as record:
        for _ in range(3):
            record.step("abc", evaluation_loss=[], again=5, wide=torch.ones(2), words="0.5", fine=float("nan"))  # type: ignore[arg-type]
        record.log(**{"": 1, "x" * 61: 1, **{f"name {number}": number for number in range(17)}})
    said = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert len(said) == len(set(said)) == 9, said
    for sentence in (
        "Step 0: loss is a str; allowed is a tensor or a number. It is left out.",
        "Step 0: evaluation_loss is a list; allowed is a tensor or a number. It is left out.",
        "Step 0: again is a int; allowed is a function without arguments.",
        "Step 1: wide is a Tensor; allowed is a number or a tensor of one element.",
        "Step 1: words is a str; allowed is a number or a tensor of one element.",
        "Step 3: The name '' is not kept; allowed are 1 to 60 characters.",
        "Step 3: name 15 is not kept; allowed are 16 names in a run.",
    ):
        assert sentence in said
    dataset = record.dataset()
    assert "loss" not in dataset
    assert column(dataset, "fine") == [np.inf] * 3
    assert column(dataset, "name 14")[-1] == 14
    assert record.step_number == 3


def test_a_value_that_is_not_finite_is_a_cross(store: Store) -> None:
    with goldviz.watch(nn.Linear(2, 1), name="a<b") as record:
        record.step(loss=1.0, kl=2.0)
        record.step(loss=1.0, kl=float("inf"))
    figure = json.loads(scalars.draw(record.dataset()).to_json())
    [cross] = [line for line in figure["data"] if line["mode"] == "markers"]
    assert "a<b" not in json.dumps(figure)
    assert {line["name"] for line in figure["data"]} == {"kl"}
    assert cross["x"] == [2]
