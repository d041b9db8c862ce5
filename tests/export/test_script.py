import ast
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import goldviz.api
from goldviz.declare.settings import SettingsError
from goldviz.export.script import script
from goldviz.labs.depth_gradients import LAB
from goldviz.labs.depth_gradients.settings import DepthGradients

SETTINGS = DepthGradients(
    depth=4,
    width=8,
    samples=100,
    features=4,
    epochs=5,
    batch=32,
    seeds=(0, 7),
    read_out="untied",
    normalisation="batch",
)


def run_alone(script, folder, absent=("goldviz", "jaxtyping", "safetensors")):
    """Run a script in an empty folder without these libraries; returns what it kept."""
    (folder / "exported.py").write_text(script, encoding="utf-8")
    code = (
        f"import os, runpy, sys; sys.modules.update(dict.fromkeys({absent}));"
        "sys.argv = ['exported.py', 'out.json']; runpy.run_path('exported.py', run_name='__main__');"
        "own = {module.__file__ for name, module in sys.modules.items() if name.partition('.')[0] == 'goldviz'};"
        "sys.exit(None if own == {os.path.abspath('exported.py')} else f'modules came from {own}')"
    )
    subprocess.run([sys.executable, "-I", "-c", code], cwd=folder, check=True, timeout=240)
    return json.loads((folder / "out.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_the_script_repeats_the_run_to_the_bit(tmp_path):
    dataset = goldviz.api.run(SETTINGS, progress=False)
    seen = run_alone(LAB.script(SETTINGS), tmp_path)
    assert seen["coordinates"]["seed"] == [0, 7]
    for name in map(str, dataset.data_vars):
        variable = SETTINGS.variables[name]
        values = seen["finals"][name] if variable.once else seen["curves"][name]["values"]
        np.testing.assert_array_equal(np.array(values, np.float32), dataset[name].astype(np.float32), err_msg=name)


@pytest.mark.slow
def test_changes_hold_from_the_step_after_theirs(tmp_path):
    plain = run_alone(LAB.script(SETTINGS), tmp_path)["curves"]["loss"]["values"]
    changed = run_alone(LAB.script(SETTINGS, {2: {"learning_rate": 0.3}}), tmp_path)["curves"]["loss"]["values"]
    assert changed[:2] == plain[:2]
    assert changed[2:] != plain[2:]


def test_building_a_script_does_not_load_torch():
    code = (
        "import sys; from goldviz.labs.depth_gradients import LAB; "
        "LAB.script(LAB.declared()); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_the_heading_names_libraries_and_every_module_with_its_subject():
    documentation = ast.get_docstring(ast.parse(LAB.script(SETTINGS)))
    assert "Exported from goldviz; needs Python 3.11, torch and numpy.\n" in documentation
    lines = LAB.script(SETTINGS).splitlines()
    first = '    "goldviz.labs.depth_gradients.train": "What a run of'
    assert lines[lines.index("MODULES = {") + 1].startswith(first)


def test_the_run_s_own_module_comes_first_and_the_run_itself_last():
    parts = [ast.unparse(node.test) for node in ast.parse(LAB.script(SETTINGS)).body if isinstance(node, ast.If)]
    assert parts[:2] == ["__name__ not in MODULES", "__name__ == 'goldviz.labs.depth_gradients.train'"]
    assert parts[-1] == "__name__ == '__main__'"


TRAIN = '''
"""What a run does."""

from __future__ import annotations

import math as mathematics
from typing import TYPE_CHECKING

import made_up.rates as speeds
from jaxtyping import Float
from made_up import rooms
from made_up.noise import scale as noise

if TYPE_CHECKING:
    from made_up.never import Never

Row = Float[list, "time"]
VERSE = """
kept
  as it is
"""


def scale(settings) -> Never:
    """What this module calls a scale."""
    from made_up.late import offset

    return offset() + settings.factor


def train(settings, record) -> Row:
    """Say what every module calls a scale."""
    for _ in record.steps(1):
        record("scales", [scale(settings), noise(), speeds.scale(), rooms.scale(), mathematics.pi])
    record.once("verse", VERSE)
    speeds.refuse(settings.factor)
'''
RATES = '''
"""Rates."""


def scale():
    """What this module calls a scale."""
    return 3


def refuse(factor):
    """Refuse large factors."""
    if factor > 100:
        raise ValueError("too large")
'''
LATE = '''
"""Imported by a call."""
from __future__ import annotations
import bisect
import late_library


def offset():
    """A thousand."""
    return 1000
'''
NOISE = '''
"""Noise, as loud as its table says."""

import tomllib
from importlib.resources import files

from made_up import rates

LOUDNESS = tomllib.loads(files("made_up").joinpath("noise.toml").read_text(encoding="utf-8"))


def scale():
    return LOUDNESS["scale"] * rates.scale()
'''
PACKAGE = {
    "__init__": "raise AssertionError('is never carried out')",
    "train": TRAIN.lstrip(),
    "rates": RATES.lstrip(),
    "noise": NOISE.lstrip(),
    "rooms/__init__": '"""A package whose own text counts."""\n\n\ndef scale():\n    return 4\n',
    "late": LATE.lstrip(),
}


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """A package whose modules call different things by one name; its sources are read and never imported."""
    for name, source in PACKAGE.items():
        file = tmp_path / "made_up" / f"{name}.py"
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(source, encoding="utf-8")
    (tmp_path / "made_up" / "noise.toml").write_text("scale = 10\n", encoding="utf-8")
    monkeypatch.setattr("goldviz.export.sections.files", tmp_path.joinpath)
    (tmp_path / "goldviz").symlink_to(Path(goldviz.api.__file__).parent)
    return lambda **settings: script("Made up: does it work?", "made_up.train", settings, {})


def alone(script, folder):
    """The process of a script that is run by itself, with a library that one of its functions needs."""
    folder.mkdir()
    (folder / "alone.py").write_text(script, encoding="utf-8")
    code = "import runpy, sys, types; sys.modules['late_library'] = types.ModuleType('late_library');"
    command = [sys.executable, "-I", "-c", f"{code} runpy.run_path('alone.py', run_name='__main__')"]
    return subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=60)


def test_every_module_keeps_its_names_to_itself(made_up, tmp_path):
    text = made_up(factor=1).replace("sys.argv[1:]", "['out.json']")
    done = alone(text, tmp_path / "there")
    assert done.returncode == 0, done.stderr
    kept = json.loads((tmp_path / "there" / "out.json").read_text())
    assert kept["curves"]["scales"]["values"] == [[1001, 30, 3, 4, math.pi]]
    assert kept["finals"]["verse"] == "\nkept\n  as it is\n"


def test_libraries_of_calls_are_told_apart(made_up):
    told = "needs Python 3.11. Some of its functions import more when they are called: late_library."
    assert told in made_up(factor=1).replace("\n", " ")


def test_a_traceback_shows_the_module_s_line(made_up, tmp_path):
    text = made_up(factor=1000)
    done = alone(text, tmp_path / "there")
    line = text.splitlines().index('            raise ValueError("too large")') + 1
    assert f'alone.py", line {line}, in refuse\n    raise ValueError("too large")\n' in done.stderr


def test_a_relative_import_is_refused(made_up, tmp_path):
    (tmp_path / "made_up" / "rates.py").write_text("from . import noise\n")
    with pytest.raises(ValueError, match=r"made_up\.rates imports by a relative name"):
        made_up(factor=1)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"depth": 3}, "Depth cannot change while a run goes on; dropout, learning_rate, clip can."),
        (
            {"learning_rate": "__import__('os')"},
            "Learning rate is \"__import__('os')\"; allowed is a number from 1e-07 to 10.",
        ),
    ],
)
def test_changes_that_are_not_allowed_never_reach_the_script(changes, sentence):
    with pytest.raises(SettingsError) as error:
        LAB.script(SETTINGS, {1: changes})
    assert str(error.value) == sentence
