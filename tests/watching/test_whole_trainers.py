"""Hugging Face's whole ``Trainer`` and Lightning's are watched, installed for these tests alone.

``transformers`` trains with ``accelerate``. Nothing here needs it or Lightning, so both go into a folder that only the
processes of these trainings see.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.watching.whole_trainers import EPOCHS, STEPS

PACKAGES = ("accelerate", "lightning", "lightning-utilities", "torchmetrics")
"""All that is imported at start and is not there already."""
HUGGING_FACE = (("classifier", 1), ("classifier", 4), ("language_model", 4))
LIGHTNING = (("lightning", 1), ("lightning", 4))
CASES = (*HUGGING_FACE, *LIGHTNING)
"""What trains, and how many parts make a step."""
FALSE = {"no_gradient", "stale_gradient", "cleared_before_step", "step_without_gradient"}
"""What a loop that clears and steps in an order of its own could be accused of."""

Told = Callable[[str, int], dict[str, Any]]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the installed packages; without a registry there is nothing to test."""
    folder = tmp_path_factory.mktemp("packages")
    how = ["--quiet", "--disable-pip-version-check", "--no-deps", "--retries", "1", "--target", str(folder)]
    command = [sys.executable, "-m", "pip", "install", *how, *PACKAGES]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    except subprocess.TimeoutExpired:
        pytest.skip("The package registry took more than four minutes.")
    if done.returncode:
        pytest.skip(f"The trainers cannot be installed: {' '.join(done.stderr.splitlines()[-1:])}")
    return folder


@pytest.fixture(scope="module")
def told(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """What a case found, trained once for all tests."""
    known: dict[tuple[str, int], dict[str, Any]] = {}

    def of(name: str, parts: int) -> dict[str, Any]:
        if (name, parts) not in known:
            folder = tmp_path_factory.mktemp(name)
            environment = {
                "PATH": os.environ["PATH"],
                "PYTHONPATH": os.pathsep.join([str(installed), str(Path(__file__).parents[2])]),
                "HOME": str(folder),
                "GOLDVIZ_DATA": str(folder),
                "GOLDVIZ_DATABASE_URL": f"sqlite:///{folder / 'runs.sqlite'}",
                "HF_HUB_OFFLINE": "1",
                "OMP_NUM_THREADS": "1",
            }
            command = [sys.executable, "-m", "tests.watching.whole_trainers", name, str(parts), str(folder)]
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=240
            )
            assert done.returncode == 0, done.stderr
            known[name, parts] = json.loads(done.stdout.splitlines()[-1])
        return known[name, parts]

    return of


@pytest.mark.parametrize(("name", "parts"), CASES)
def test_the_same_is_learned_and_no_card_accuses_the_loop(told: Told, name: str, parts: int) -> None:
    run = told(name, parts)
    assert run["weights"], "the weights are not the same bit for bit"
    assert run["random"], "the next random numbers are others"
    assert run["status"] == "finished"
    assert len(run["losses"]) == STEPS
    assert np.mean(run["losses"][-8:]) < 0.9 * np.mean(run["losses"][:8])
    assert [kind for kind, severity in run["findings"] if severity == "bad" or kind in FALSE] == []


@pytest.mark.parametrize(("name", "parts"), [("classifier", 1), ("language_model", 4), *LIGHTNING])
def test_the_loss_is_the_one_that_the_trainer_says(told: Told, name: str, parts: int) -> None:
    run = told(name, parts)
    np.testing.assert_allclose(run["losses"], run["logged"], rtol=1e-4)


@pytest.mark.parametrize(("name", "parts"), CASES)
def test_gradients_are_those_that_the_optimiser_used(told: Told, name: str, parts: int) -> None:
    run = told(name, parts)
    np.testing.assert_allclose(run["gradients"], run["used"], rtol=1e-4)


@pytest.mark.parametrize(("name", "parts"), CASES)
def test_evaluations_between_steps_are_kept(told: Told, name: str, parts: int) -> None:
    run = told(name, parts)
    assert len(run["evaluated"]) == EPOCHS
    np.testing.assert_allclose(run["evaluations"][: EPOCHS - 1], run["evaluated"][: EPOCHS - 1], rtol=1e-5)


@pytest.mark.parametrize(("name", "parts"), CASES)
def test_the_evaluation_after_the_last_step_is_kept(told: Told, name: str, parts: int) -> None:
    run = told(name, parts)
    np.testing.assert_allclose(run["evaluations"][-1:], run["evaluated"][-1:], rtol=1e-5)
    assert len(run["evaluations"]) == EPOCHS
