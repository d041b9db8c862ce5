import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest
import xarray as xr

import goldviz
from goldviz.declare.registry import experiment
from goldviz.declare.settings import SettingsError
from goldviz.sweeps import cost, worker
from goldviz.sweeps.cells import CELLS, key_of
from goldviz.sweeps.grid import grid_of, spaced
from goldviz.sweeps.workers import Task, Workers

NAME = "depth-gradients"
SMALL = {"width": 6, "epochs": 2, "samples": 32, "features": 4, "histogram_every": 0}


def swept(**how: Any) -> xr.Dataset:
    return goldviz.sweep(NAME, **{"progress": False, "workers": 0, **SMALL, **how})


def refused(**how: Any) -> str:
    with pytest.raises(SettingsError) as error:
        swept(**how)
    return str(error.value)


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The settings of every run that is trained."""
    seen: list[str] = []
    usual: Callable[..., xr.Dataset] = worker.api.carried_out

    def noted(settings: Any, **how: Any) -> xr.Dataset:
        seen.append(f"{settings.depth}/{settings.seeds[0]}")
        return usual(settings, **how)

    monkeypatch.setattr(worker.api, "carried_out", noted)
    return seen


def test_settings_are_dimensions_and_measures_are_variables() -> None:
    ds = swept(depth=[3, 2], gain=np.array([0.5, 1.0]), seeds=range(2))
    assert dict(ds.sizes) == {"depth": 2, "gain": 2, "seed": 2}
    assert ds["depth"].values.tolist() == [3, 2]
    assert ds["plain.worth"].dims == ("depth", "gain", "seed")
    assert ds["plain.worth"].attrs["long_name"] == "plain: The test loss as a share of that of always answering zero."
    assert (ds["failed"] == "").all()
    assert (ds["status"] == "finished").all()
    assert json.loads(ds.attrs["settings"])["width"] == 6
    lone = goldviz.run(NAME, **SMALL, depth=3, gain=0.5, seeds=[1], progress=False)
    own = goldviz.measures(lone)["plain.worth"].values[0]
    assert ds["plain.worth"].sel(depth=3, gain=0.5, seed=1).item() == own
    xr.testing.assert_identical(goldviz.cell(ds, depth=3, gain=0.5, seed=1).drop_attrs(), lone.drop_attrs())


def test_worker_processes_give_what_lone_runs_do_bit_by_bit(capfd: pytest.CaptureFixture[str]) -> None:
    ds = swept(depth=[2, 4], seeds=(0, 3), workers=2, progress=True)
    for depth, seed in ((2, 3), (4, 0)):
        lone = goldviz.run(NAME, **SMALL, depth=depth, seeds=[seed], progress=False)
        xr.testing.assert_identical(goldviz.cell(ds, depth=depth, seed=seed).drop_attrs(), lone.drop_attrs())
    said = capfd.readouterr().err
    assert "4 cells of depth-gradients on 2 workers: about" in said
    assert "of memory" in said
    assert "4/4 cells" in said


def test_what_is_there_is_not_trained_again(trained: list[str]) -> None:
    first = swept(depth=[2, 3])
    assert sorted(trained) == ["2/0", "3/0"]
    more = swept(depth=[2, 3, 4], seeds=[0, 1])
    assert sorted(trained) == ["2/0", "2/1", "3/0", "3/1", "4/0", "4/1"]
    assert (more["plain.test"].sel(depth=[2, 3], seed=[0]) == first["plain.test"]).all()
    swept(depth=[2], epochs=3)
    assert len(trained) == 7


def test_a_cell_that_is_damaged_is_trained_again(trained: list[str]) -> None:
    ds = swept(depth=[2])
    CELLS.path(str(ds["cell"].values.item())).write_bytes(b"\x05\0\0\0\0\0\0\0nothi")
    again = swept(depth=[2])
    assert trained == ["2/0", "2/0"]
    assert again["plain.test"].equals(ds["plain.test"])


def test_values_named_twice_are_there_once() -> None:
    ds = swept(depth=[2, 2, 2.0], seeds=[1, 1])
    assert dict(ds.sizes) == {"depth": 1, "seed": 1}


def test_a_function_is_a_measure_and_curves_come_on_demand() -> None:
    def last_loss(run: xr.Dataset) -> float:
        return run["loss"].sel(network="plain")[-1].item()

    ds = swept(depth=[2, 3], measures={"mine": last_loss, "worth": "plain.worth"}, curves=["loss", "gradient_norm"])
    assert {*ds.data_vars} == {"mine", "worth", "loss", "gradient_norm", "status", "seconds", "failed", "cell"}
    assert (ds["mine"] == ds["loss"].sel(network="plain", epoch=2)).all()
    norms = ds["gradient_norm"].sel(depth=2, network="plain", seed=0)
    assert norms.sizes == {"epoch": 2, "layer": 4}
    assert norms.isnull().all("epoch").values.tolist() == [False, False, False, True]
    assert {*swept(depth=[2], measures="plain.worth").data_vars} > {"plain.worth"}


def test_a_failed_cell_stays_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = worker.api.carried_out

    def failing(settings: Any, **how: Any) -> xr.Dataset:
        if settings.depth == 3:
            raise RuntimeError("no such matrix")
        return usual(settings, **how)

    monkeypatch.setattr(worker.api, "carried_out", failing)
    ds = swept(depth=[2, 3, 4])
    assert ds["failed"].sel(depth=3, seed=0).item() == "The training code failed with RuntimeError: no such matrix"
    assert np.isfinite(ds["plain.worth"].values.ravel()).tolist() == [True, False, True]
    assert ds["status"].values.ravel().tolist() == ["finished", "failed", "finished"]
    with pytest.raises(SettingsError, match="no such matrix"):
        goldviz.cell(ds, depth=3)
    monkeypatch.setattr(worker.api, "carried_out", usual)
    assert (swept(depth=[2, 3, 4])["failed"] == "").all()


def test_a_combination_that_is_not_allowed_is_a_failed_cell(capsys: pytest.CaptureFixture[str]) -> None:
    ds = swept(depth=[2], batch=[0, 1], normalisation=["none", "batch"], progress=True)
    failed = ds["failed"].sel(depth=2, seed=0)
    assert "batch norm" in failed.sel(batch=1, normalisation="batch").item()
    assert (failed != "").sum() == 1
    assert "1 cell of 4 will not be trained: Batch is 1" in capsys.readouterr().err
    assert "No cell of this sweep is allowed: Batch is 1" in refused(depth=[2], batch=1, normalisation=["batch"])


def test_a_diverged_run_is_an_answer() -> None:
    ds = swept(depth=[4], gain=[10.0], learning_rate=10.0, optimiser="sgd", epochs=20)
    assert ds["status"].item() == "diverged"
    assert ds["failed"].item() == ""


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"dept": [2]}, "depth-gradients has no setting 'dept'; did you mean 'depth'?"),
        ({"depth": [2, 200]}, "Depth is 200; allowed is a whole number from 1 to 100."),
        ({"depth": [2.5]}, "Depth is 2.5; allowed is a whole number from 1 to 100."),
        ({"activation": ["tanh", "tan"]}, "Activation is 'tan'; allowed is one of"),
        ({"depth": []}, "Depth has no value; a sweep needs at least one."),
        ({"seeds": []}, "A sweep has no seed; it needs at least one."),
        ({"seeds": [-1]}, "Seeds is -1; allowed is"),
        ({"workers": -1}, "Workers is -1; allowed is a whole number from 0 to 1024, or None."),
        ({"measures": ["plain.wrth"]}, "depth-gradients has no measure 'plain.wrth'; did you mean 'plain.worth'?"),
        ({"curves": ["los"]}, "depth-gradients records no 'los'; did you mean 'loss'?"),
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_said_in_a_sentence(how: dict[str, Any], sentence: str) -> None:
    assert sentence in refused(**how)


def test_a_million_cells_are_refused_with_their_cost_and_what_to_lower(trained: list[str]) -> None:
    sentence = refused(gain=np.geomspace(0.5, 2, 10_000), depth=range(1, 11), seeds=range(10))
    assert "1,000,000 cells, about" in sentence
    assert "of training on" in sentence
    assert "GB on the disk" in sentence
    assert "take at most 100 values of gain" in sentence
    assert not trained


def test_cells_without_room_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "cell_bytes", lambda one: 4e9)
    assert "8.0 GB on the disk; allowed are 5.0 GB" in refused(depth=[2, 3])


def test_the_cost_counts_what_is_still_to_train(capsys: pytest.CaptureFixture[str]) -> None:
    swept(depth=[2])
    swept(depth=[2, 3, 4], progress=True)
    assert (
        "1 of 3 cells are there already; 2 cells of depth-gradients in this process: about" in capsys.readouterr().err
    )


def test_a_range_runs_by_ratio_where_its_setting_does() -> None:
    kind = experiment(NAME)
    assert spaced(kind, "gain", 0.5, 2, 3) == [0.5, 1.0, 2.0]
    assert spaced(kind, "dropout", 0, 0.6, 3) == [0.0, 0.3, 0.6]
    assert spaced(kind, "depth", 1, 4, 10) == [1, 2, 3, 4]
    with pytest.raises(SettingsError, match="Gain is read by ratio"):
        spaced(kind, "gain", 0, 2, 3)


def test_a_key_names_all_that_a_cell_hangs_on() -> None:
    grid = grid_of(NAME, range(2), {"depth": [2, 3], "width": 6})
    keys = {key_of(cell.settings) for cell in grid if cell.settings is not None}
    assert len(keys) == 4


@pytest.mark.slow
def test_a_worker_that_dies_fails_its_cell_alone() -> None:
    grid = grid_of(NAME, range(3), {**SMALL, "depth": 2, "epochs": 2000})
    settings = [cell.settings for cell in grid if cell.settings is not None]
    slow, *quick = settings[0], *(one.changed(epochs=1) for one in settings[1:])
    tasks = [Task(key_of(one), one.name, one.model_dump_json()) for one in (slow, *quick)]
    with Workers(1) as workers:
        assert workers.probe() > 0
        outcomes = workers.outcomes(tasks)
        victim = workers._processes[0]
        # The first task is under way once the outcomes are asked for.
        Timer(1.0, victim.send_signal, (signal.SIGKILL,)).start()
        told = {one.key: one for one in outcomes}
    assert "The worker process died in this run: the system ended it" in told[tasks[0].key].failed
    assert [told[one.key].failed for one in tasks[1:]] == ["", ""]


@pytest.mark.slow
def test_ctrl_c_leaves_what_is_done(tmp_path: Path, folder: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import goldviz\n"
        f"goldviz.sweep({NAME!r}, depth=[2], epochs=200, width=6, samples=32, features=4, seeds=range(9), workers=1)\n",
        encoding="utf-8",
    )
    process = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.PIPE, env=os.environ.copy())
    deadline = time.monotonic() + 120
    while not list(folder.glob("cells/*.safetensors")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"are kept; the same sweep goes on from there." in said
    assert list(folder.glob("cells/*.safetensors"))


def test_a_function_that_fails_is_said_and_its_run_is_there() -> None:
    ds = swept(depth=[2], measures=[lambda run: run["loss"].values, "plain.test"])
    assert "measure failed with ValueError" in ds["failed"].item()
    assert np.isfinite(ds["plain.test"]).all()
    assert "loss" in goldviz.cell(ds)
