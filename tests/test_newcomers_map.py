"""The table of changes in docs/architecture.md is true: its first six changes are made, in the files that it names."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LAB = "depth_gradients"


def rows() -> dict[str, str]:
    """What each row says to edit, by what it says to change."""
    table = PAGE.partition("## To change something")[2].partition("\n## ")[0]
    found = re.findall(r"^\| (.+?) \| (.+?) \|.*\|$", table, flags=re.MULTILINE)
    return {change: edit for change, edit in found if change != "to change"}


def files_of(edit: str) -> list[tuple[Path, str]]:
    """The files that a row names, each with the name that it says stands there; "" where it says none."""
    named = re.findall(r"`([\w./<>]+/[\w.]*|[\w.<>]+/[\w./<>]+)`(?:: `([^`]+)`)?", edit.replace("<lab>", LAB))
    return [(Path(file), symbol) for file, symbol in named]


def test_the_table_has_twenty_changes_or_more() -> None:
    assert len(rows()) >= 20


def test_the_page_is_one_page() -> None:
    assert len(PAGE.partition("## Add a laboratory")[0].splitlines()) <= 125


@pytest.mark.parametrize(("change", "edit"), rows().items(), ids=rows())
def test_the_files_of_a_change_are_there(change: str, edit: str) -> None:
    named = files_of(edit)
    assert named or edit == "the recipe below", edit
    for file, symbol in named:
        path = ROOT / file
        assert path.exists(), file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        assert symbol in text, (file, symbol)
    if symbols := re.findall(r"named in its `__init__.py`: `(\w+)`", edit):
        assert symbols[0] in (ROOT / named[0][0] / "__init__.py").read_text(encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the package in which a change is made."""
    leave = shutil.ignore_patterns("__pycache__", "shipped", "*.safetensors")
    shutil.copytree(ROOT / "goldviz", tmp_path / "goldviz", ignore=leave)
    return tmp_path


def edited(checkout: Path, change: str, before: str, after: str) -> None:
    """Make a change in the one file that the table names first for it."""
    file = checkout / files_of(rows()[change])[0][0]
    source = file.read_text(encoding="utf-8")
    assert source.count(before) == 1, (file, before, source.count(before))
    file.write_text(source.replace(before, after), encoding="utf-8")


def says(checkout: Path, code: str) -> str:
    """What Python prints there."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "GOLDVIZ_DATABASE_URL": f"sqlite:///{checkout}/runs.db"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


TRY = """
import goldviz
from goldviz.declare.settings import facts
def tried(name, setting, **small):
    declared = goldviz.experiments()[name]
    run = goldviz.run(name, progress=False, **small, **{setting: "new"})
    assert run.attrs["status"] == "finished", run.attrs
    declared.checked({**small, setting: "new"}).findings(run)
    print(facts(declared, setting)["labels"]["new"])
"""
SMALL_DEPTH = "depth=2, width=4, epochs=2, samples=20"


@pytest.mark.slow
def test_a_new_optimiser_is_one_edit(checkout: Path) -> None:
    entry = '    "new": OptimiserRule("Rprop", "Rprop", {}),\n'
    edited(checkout, "an optimiser", "OPTIMISERS = {\n", f"OPTIMISERS = {{\n{entry}")
    depth = f"tried('depth-gradients', 'optimiser', {SMALL_DEPTH})"
    time = "tried('recurrent-gradients', 'optimiser', hidden=3, length=4, steps=2)"
    assert says(checkout, f"{TRY}\n{depth}; {time}") == "Rprop\nRprop"


@pytest.mark.slow
def test_a_new_activation_is_one_edit(checkout: Path) -> None:
    cubic = "Activation(lambda z: z**3, lambda z: 3 * z**2, 3.0, 1.0, 'z**3', '3 * z**2')"
    entry = f'    "new": ActivationFamily("Cubic", lambda _slope: {cubic}),\n'
    edited(checkout, "an activation", "ACTIVATIONS = {\n", f"ACTIVATIONS = {{\n{entry}")
    assert says(checkout, f"{TRY}\ntried('depth-gradients', 'activation', {SMALL_DEPTH})") == "Cubic"


RALSTON = """
    "ralston": ODEMethod(
        "Ralston", ButcherTableau(2, ((), (2 / 3,)), (1 / 4, 3 / 4)), colour="#123456", dash="dot", symbol="x"
    ),
"""
FOLLOW = """
import math, pathlib, runpy, sys
import goldviz
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import facts
def followed(name, setting, **small):
    small |= {setting: "ralston"}
    run = goldviz.run(name, progress=False, **small)
    assert run.attrs["status"] == "finished", run.attrs
    declared = goldviz.experiments()[name].checked(small)
    declared.findings(run)
    assert declared.estimated_seconds() > 0 and declared.estimated_bytes() > 0
    for figure in laboratories()[name].figures().FIGURES.values():
        figure(run).to_json()
    pathlib.Path("exported.py").write_text(declared.script(), encoding="utf-8")
    print(facts(type(declared), setting)["labels"]["ralston"])
"""


@pytest.mark.slow
def test_a_new_ode_method_is_one_edit(checkout: Path) -> None:
    edited(checkout, "an ODE method", "METHODS = {\n", f"METHODS = {{{RALSTON}")
    flow = "followed('continuous-depth', 'method', samples=20, width=4, steps=2, batch=8, blocks=2, gradient='adjoint')"
    assert says(checkout, f"{FOLLOW}\n{flow}") == "Ralston"
    script_runs(checkout)
    gaps = "followed('ode-rnn', 'solver', networks='ode_rnn', hidden=3, width=4, observations=4, batch=4, steps=2)"
    assert says(checkout, f"{FOLLOW}\n{gaps}") == "Ralston, fused"
    script_runs(checkout)
    beside = (
        "import goldviz; from goldviz.models.continuous.methods import METHODS;"
        "from goldviz.declare.registry import laboratories;"
        "view = goldviz.compute('residual-flow', beside='ralston');"
        "figure = laboratories()['residual-flow'].figures().FIGURES['convergence'](view);"
        "print([trace.name for trace in figure.data if trace.name][3].split(':')[0],"
        "-2.05 < float(view['slope'].sel(solver='ralston')) < -1.95,"
        "METHODS['ralston'].tableau.stability_polynomial, METHODS['ralston'].tableau.stages)"
    )
    assert says(checkout, beside) == "Ralston True (1.0, 1.0, 0.5) 2"


def script_runs(checkout: Path) -> None:
    """The exported script of the copy runs alone, where goldviz is not to be had."""
    folder = checkout / "alone"
    folder.mkdir(exist_ok=True)
    shutil.move(checkout / "exported.py", folder / "exported.py")
    code = "import runpy, sys; sys.modules['goldviz'] = None; sys.argv = ['exported.py', 'curves.json']; "
    code += "runpy.run_path('exported.py', run_name='__main__')"
    subprocess.run([sys.executable, "-I", "-c", code], cwd=folder, check=True, timeout=120)
    assert "loss" in (folder / "curves.json").read_text(encoding="utf-8")


@pytest.mark.slow
def test_another_threshold_is_one_edit(checkout: Path) -> None:
    code = (
        f"import goldviz; run = goldviz.run('depth-gradients', {SMALL_DEPTH}, progress=False);"
        f"declared = goldviz.experiments()['depth-gradients']({SMALL_DEPTH});"
        "print(*(f'{f.number} {f.threshold}' for f in declared.findings(run)), sep='\\n')"
    )
    before = says(checkout, code)
    edited(checkout, "a finding's threshold", "LARGEST_UPDATE = 10**-1.5", "LARGEST_UPDATE = 1e-7")
    after = says(checkout, code)
    assert "above 1e-07" in after
    assert "above 1e-07" not in before


@pytest.mark.slow
def test_another_colour_is_one_edit(checkout: Path) -> None:
    edited(checkout, "a network's colour", '"plain", "#d55e00"', '"plain", "#123456"')
    code = (
        "import goldviz; from goldviz.declare.registry import laboratories;"
        "run = goldviz.run('depth-gradients', depth=2, width=4, epochs=2, samples=20, progress=False);"
        "lab = laboratories()['depth-gradients'].figures();"
        "print(['#123456' in spec(run).to_json() for spec in lab.FIGURES.values()].count(True) > 3,"
        "'#123456' in lab.picture(run))"
    )
    assert says(checkout, code) == "True True"


def test_another_preset_is_one_edit(checkout: Path) -> None:
    preset = 'Preset("Fix it: very wide", "fix", "Wide.", {"width": 500}),'
    start = "presets: ClassVar[tuple[Preset, ...]] = (\n"
    edited(checkout, "a preset", start, f"{start}        {preset}\n")
    code = (
        "import goldviz; declared = goldviz.experiments()['depth-gradients'];"
        "print(declared.preset('fix-it-very-wide').width)"
    )
    assert says(checkout, code) == "500"


@pytest.mark.slow
def test_another_column_of_the_runs_page_is_one_edit(checkout: Path) -> None:
    start = "COLUMNS: Mapping[str, Callable[[Run], Any]] = {\n"
    edited(checkout, "a column of the runs page", start, f'{start}    "Writes": lambda run: run.version,\n')
    code = (
        "from streamlit.testing.v1 import AppTest; import goldviz; from goldviz.runs.store.run_store import Store;"
        "Store().create(goldviz.experiments()['depth-gradients']());"
        "page = AppTest.from_string('from goldviz.ui.runs.page import show; show()', default_timeout=60).run();"
        "assert not page.exception, page.exception; print(list(page.dataframe[0].value)[:3])"
    )
    assert says(checkout, code).splitlines()[-1] == "['Run', 'Result', 'Writes']"
