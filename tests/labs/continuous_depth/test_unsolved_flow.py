"""A flow that its solver cannot follow ends a run as diverged: in a worker, a notebook and the shell alike."""

import re

import numpy as np
import pytest
import xarray as xr

import goldviz
from goldviz.cli import main
from goldviz.declare.laboratory import laboratory_of
from goldviz.labs.continuous_depth import networks
from goldviz.labs.continuous_depth.settings import ContinuousDepth
from goldviz.runs.execution.execution import Executor
from goldviz.runs.store.run_store import Store
from tests.runs.conftest import ended, same_records

STIFF = ContinuousDepth(
    task="rings",
    method="bosh3",
    tolerance=1e-6,
    learning_rate=1.0,
    augmented=2,
    seeds=(0, 3),
    samples=60,
    batch=32,
    width=8,
    steps=200,
    look_every=10,
    blocks=3,
)
SENTENCE = (
    r"Loss on the step's points was no longer finite at step (\d+) \(network ode, seed 0\)\. The solver asked for the "
    r"field more than 100 times on one way through depth: .* Take a smaller learning rate or a larger tolerance\."
)


@pytest.fixture(autouse=True)
def database(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")


def test_records_are_kept_and_step_and_seed_are_told(tmp_path, capsys, monkeypatch):
    # The same flow gives up sooner, in a twentieth of the time.
    monkeypatch.setattr(networks, "MOST_EVALUATIONS", 100)
    here = goldviz.run(STIFF, progress=False, keep=True)
    assert here.attrs["status"] == "diverged"
    step = int(re.fullmatch(SENTENCE, here.attrs["message"])[1])
    assert list(here.step) == list(range(1, step + 1))
    assert np.isfinite(here.loss.isel(step=slice(-1))).all()
    assert np.isnan(here.loss.isel(step=-1).sel(network="ode", seed=0))
    assert np.isfinite(here.loss.isel(step=-1).sel(network="residual")).all()
    assert here.sizes["look"] >= 1
    assert "diverged" in {finding.kind for finding in laboratory_of(STIFF).findings(STIFF, here)}

    kept = goldviz.load(here.attrs["run_id"])
    assert (kept.attrs["status"], kept.attrs["message"]) == ("diverged", here.attrs["message"])
    same_records(kept, here)

    # The shell keeps it in no database.
    options = [f"--{name.replace('_', '-')}={_option(value)}" for name, value in STIFF.differences().items()]
    file = tmp_path / "run.nc"
    assert main(["run", "continuous-depth", *options, "--output", str(file)]) == 0
    assert "Diverged in " in (said := capsys.readouterr().err)
    assert here.attrs["message"] in said
    same_records(xr.load_dataset(file), here)


@pytest.mark.slow
def test_a_worker_keeps_the_same(tmp_path):
    here, store = goldviz.run(STIFF, progress=False), Store()
    executor = Executor(store, workers=1)
    run_id = executor.submit(STIFF)
    run = ended(store, run_id)
    executor.close()
    assert (run.status, run.message) == ("diverged", here.attrs["message"])
    same_records(store.load(run_id), here)
    store.close()


def _option(value):
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
