"""The wheel without extras, installed in an environment of its own, trains when a person presses *Train*.

The server there has what `pip install goldviz` brings and nothing else; the browser is this suite's. The environment
takes some 2 GB and minutes, and a package registry.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from goldviz.extras import EXTRAS
from tests.browser.app_server import Server, running
from tests.browser.conftest import Opener
from tests.browser.laboratory_page import state, train

ROOT = Path(__file__).parents[2]
TRAINS = ("depth-gradients", "recurrent-gradients", "ode-rnn", "neural-turing-machine")
"""Laboratories that name no extra, of one kind each."""

pytestmark = pytest.mark.timeout(1800)


def _run(*command: object, seconds: int = 900) -> None:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=seconds)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])


@pytest.fixture(scope="module")
def lean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with the wheel and what it depends on; without a registry nothing is tested."""
    folder = tmp_path_factory.mktemp("lean")
    _run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        folder,
        ROOT,
    )
    [wheel] = folder.glob("goldviz-*.whl")
    _run(sys.executable, "-m", "venv", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    [torch] = [line for line in constraints.read_text().splitlines() if line.startswith("torch==")]
    how = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1")
    try:
        _run(python, *how, torch)
        _run(python, *how, "--constraint", constraints, wheel)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"The wheel cannot be installed: {str(error).splitlines()[-1]}")
    return python


@pytest.fixture(scope="module")
def lean_server(lean: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """goldviz's own shell, from another folder, with no path to this checkout."""
    folder = tmp_path_factory.mktemp("served")
    [app] = (lean.parents[1] / "lib").glob("python*/site-packages/goldviz/_app/app.py")
    more = {"PYTHONPATH": "", "PATH": f"{lean.parent}{os.pathsep}{os.environ['PATH']}"}
    with running(f"sqlite:///{folder / 'runs.sqlite'}", folder / "log", more=more, script=app, python=lean) as up:
        yield up
        assert f'File "{app.parents[1]}' not in (folder / "log").read_text()


def test_nothing_of_an_extra_is_there(lean: Path) -> None:
    modules = [module for named in EXTRAS.values() for module in named]
    call = f"import importlib.util as u; print([m for m in {modules} if u.find_spec(m)])"
    done = subprocess.run([lean, "-c", call], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", TRAINS)
def test_a_person_presses_train_and_the_run_ends(lean_server: Server, open_page: Opener, name: str) -> None:
    page = open_page(f"{lean_server.address}/{name}")
    page.wait_for_selector("[class*='st-key-'] .goldviz-figure")
    page.get_by_role("button", name="Train", exact=True).last.wait_for()
    assert train(page)
    state(page, "Training")
    expect(page.get_by_text("cannot be reached")).to_have_count(0)
    page.get_by_role("button", name="Stop", exact=True).last.click()
    state(page, "Stopped")


def test_a_laboratory_that_needs_an_extra_says_which_command_installs_it(
    lean_server: Server, open_page: Opener
) -> None:
    page = open_page(f"{lean_server.address}/gold-forecast")
    page.get_by_role("button", name="Train", exact=True).last.click()
    expect(page.get_by_text("pip install 'goldviz[markets]'").first).to_be_visible()
