"""The table of changes in docs/architecture.md is true: changes are made in the files that it names, and work.

Most of them are made in one copy of the checkout, and one process tries them all there.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.javascript import node

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


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the package in which a change is made."""
    leave = shutil.ignore_patterns("shipped", "*.safetensors")
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


@dataclass(frozen=True)
class Change:
    """An edit: in a file that a row names (by its number there), ``after`` takes the place of ``before``."""

    row: str
    before: str
    after: str
    number: int = 0

    def file(self, checkout: Path) -> Path:
        """Where it is made."""
        return checkout / files_of(rows()[self.row])[self.number][0]

    def make(self, checkout: Path) -> None:
        """Make it there."""
        source = self.file(checkout).read_text(encoding="utf-8")
        self.file(checkout).write_text(source.replace(self.before, self.after), encoding="utf-8")


def entry(row: str, opening: str, line: str, number: int = 0) -> Change:
    """A new first entry of a table."""
    return Change(row, f"{opening}\n", f"{opening}\n    {line}\n", number)


CUBIC = "Activation(lambda z: z**3, lambda z: 3 * z**2, 3.0, 1.0, 'z ** 3', '3 * z ** 2')"
MEDIAN = "lambda values, answers, fold, unchanged: np.full(len(fold.test), np.median(answers.values[past_of(fold)]))"
FIGURES = "FIGURES, shared_limits = offered(\n    DepthGradients,\n"
FIGURE = '    figure("endings", "How do the losses end?", curves("loss")),\n'
WEIGHT_NORM = '    measurements["weight_norm"] = '
PAGE_OF_NOTES = """\"\"\"Notes: what was thought of the runs.\"\"\"

import streamlit as st

ICON = ":material/edit_note:"


def show() -> None:
    st.title("Notes")


show()
"""
CUTS = "how a text is split, what is missing of a market, or how forecasts walk forward"
FAMILIES = "an activation, an initialisation or a normalisation"
CHANGES = (
    entry("an optimiser", "OPTIMISERS = {", '"new": OptimiserRule("Rprop", "Rprop", {}),'),
    entry(FAMILIES, "ACTIVATIONS = {", f'"new": ActivationFamily("Cubic", lambda _slope: {CUBIC}),'),
    entry(
        FAMILIES,
        "INITIALISATIONS = {",
        '"new": Initialisation("Small", lambda weight, bias, gain, generator: weight.fill_(0.01)),',
        1,
    ),
    entry(FAMILIES, "NORMALISATIONS = {", '"new": Normalisation("RMS norm", "RMSNorm"),', 2),
    entry(
        "a forecast baseline",
        "MEAN_FORECASTS = {",
        f'"new": Baseline("median so far", NetworkStyle("median", "#5b6770", "dot", "y-up-open"), {MEDIAN}),',
    ),
    entry(CUTS, "SPLIT_PATTERNS = {", '"new": SplitPattern("At vowels", "[aeiou]"),'),
    entry(CUTS, "MISSING_PATTERNS = {", '"new": MissingPattern("nearly nothing", _hide_channels),', 1),
    entry(CUTS, "SCHEMES = {", '"new": WindowScheme("Doubled", lambda start, block, length: block - 2 * length),', 2),
    Change("a finding's threshold", "LARGEST_UPDATE = 10**-1.5", "LARGEST_UPDATE = 1e-7"),
    Change("a colour", '"plain", "#d55e00"', '"plain", "#123456"'),
    entry("a preset", "presets: ClassVar[tuple[Preset, ...]] = (", 'Preset("Fix: wide", "W.", {"width": 500}),'),
    Change("a new figure", FIGURES, f"{FIGURES}{FIGURE}"),
    entry(
        "a new variable",
        "    variables: ClassVar[Mapping[str, Variable]] = {",
        '"largest_weight": Variable(("epoch", "network", "seed"), "Largest weight"),',
    ),
    Change(
        "a new variable",
        WEIGHT_NORM,
        f'    measurements["largest_weight"] = network.block_weight.detach().abs().amax()\n{WEIGHT_NORM}',
        1,
    ),
    entry(
        "a column of the runs page",
        "COLUMNS: Mapping[str, Callable[[Run], Any]] = {",
        '"Writes": lambda run: run.version,',
    ),
    entry(
        "a section of the report",
        "SECTIONS: dict[str, Callable[[Lane], str]] = {",
        '"How many": lambda lane: f"<p>{len(lane.specs)} figures</p>",',
    ),
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.row)
def test_the_place_of_a_change_is_there_once(change: Change) -> None:
    file = change.file(ROOT)
    assert file.read_text(encoding="utf-8").count(change.before) == 1, (file, change.before)


TRY = """
import json
import goldviz
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import facts

LABS = laboratories()
told = {}

def trained(name, **settings):
    run = goldviz.run(name, progress=False, **settings)
    assert run.attrs["status"] == "finished", run.attrs
    return run

families = dict.fromkeys(("optimiser", "activation", "initialisation", "normalisation"), "new")
small = dict(depth=2, width=4, epochs=2, samples=20)
run = trained("depth-gradients", **small, **families)
declared = goldviz.experiments()["depth-gradients"]
settings = declared.checked({**small, **families})
told["families"] = [facts(declared, name)["labels"]["new"] for name in families]
told["cards"] = [finding.threshold for finding in goldviz.findings(trained("depth-gradients", **small))]
trained("recurrent-gradients", optimiser="new", hidden=3, length=4, steps=2)

from goldviz.export.report import report_of_run
figures = LABS["depth-gradients"].figures()
told["colours"] = ["#123456" in spec.draw(run).to_json() for spec in figures.FIGURES.values()].count(True)
told["picture"] = figures.picture(run)
told["questions"] = [spec.question for spec in figures.FIGURES.values() if spec.draw(run).data]
told["variable"] = [*run["largest_weight"].dims], run["largest_weight"].values.min()
told["report"] = report_of_run(settings, run, {})
told["preset"] = declared.preset("fix-wide").width

from goldviz.labs.backpropagation_steps.exchange import network_data
from goldviz.labs.backpropagation_steps.gradients import Loss, total
from goldviz.labs.backpropagation_steps.network import changed
from goldviz.labs.backpropagation_steps.settings import BackpropagationSteps
steps = BackpropagationSteps(activation="new", seed=3)
told["network"] = {"network": network_data(steps), "edits": ""}
told["loss"] = float(total(changed(steps), Loss(steps.loss, steps.penalty)))

gold = trained(
    "gold-forecast", scheme="new", missing="new", train_years=1, test_years=0.5, refits=1, window=4,
    hidden=3, epochs=1, batch=64,
)
market = [facts(goldviz.experiments()["gold-forecast"], name)["labels"]["new"] for name in ("missing", "scheme")]
told["market"] = market, gold.sizes["fold"]
told["baselines"] = [str(name) for name in gold["baseline"].values]
tables = LABS["gold-forecast"].figures().FIGURES.items()
told["baseline in"] = [name for name, spec in tables if "median" in spec.draw(gold).to_json()]

from goldviz.labs.text_tokens.compute import compute
from goldviz.labs.text_tokens.settings import TextTokens
told["pattern"] = facts(TextTokens, "pattern")["labels"]["new"]
tokens = TextTokens(text="a queue", pattern="new", corpus="own", vocabulary=257)
told["pieces"] = compute(tokens)["pieces"].values.tolist()

from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest
from goldviz.runs.store.run_store import Store
Store().create(settings)
plain_init = PagesManager.__init__
def init(self, *arguments, **named):
    plain_init(self, *arguments, **named)
    PagesManager.uses_pages_directory = False  # as the server says when it starts
PagesManager.__init__ = init
page = AppTest.from_file("app.py", default_timeout=60).run()
page.switch_page("pages/runs.py").run()
assert not page.exception, page.exception
told["columns"] = list(page.dataframe[0].value)[:3]
page.switch_page("pages/notes.py").run()
assert not page.exception, page.exception
told["page"] = page.title[0].value
print(json.dumps(told, default=float))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process says that tries all changes in a copy of the checkout."""
    checkout = tmp_path_factory.mktemp("checkout")
    # What Python has compiled goes along: it is good for every module that is not changed.
    leave = shutil.ignore_patterns("shipped", "*.safetensors")
    for name in ("goldviz", "pages"):
        shutil.copytree(ROOT / name, checkout / name, ignore=leave)
    shutil.copy(ROOT / "app.py", checkout)
    for change in CHANGES:
        change.make(checkout)
    (checkout / files_of(rows()["a page without a laboratory"])[0][0] / "notes.py").write_text(PAGE_OF_NOTES)
    said: dict[str, Any] = json.loads(says(checkout, TRY).splitlines()[-1])
    return said


@pytest.mark.slow
def test_new_members_of_families_train(told: dict[str, Any]) -> None:
    assert told["families"] == ["Rprop", "Cubic", "Small", "RMS norm"]


@pytest.mark.slow
def test_a_new_activation_is_computed_in_the_browser_as_in_python(told: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "from.json").write_text(json.dumps([told["network"]]))
    node("network_all.mjs", tmp_path / "from.json", tmp_path / "to.json")
    (computed,) = json.loads((tmp_path / "to.json").read_text())
    assert computed["loss"] == pytest.approx(told["loss"], rel=1e-12)
    assert told["network"]["network"]["activations"][0]["words"] == "Cubic"


@pytest.mark.slow
def test_another_baseline_is_one_edit(told: dict[str, Any]) -> None:
    assert told["baselines"][0] == "new"
    assert told["baseline in"]


@pytest.mark.slow
def test_another_split_pattern_is_one_edit(told: dict[str, Any]) -> None:
    assert told["pattern"] == "At vowels"
    assert told["pieces"][0] == len(["a", " q", "u", "e", "u", "e"])


@pytest.mark.slow
def test_another_pattern_of_missing_values_or_of_windows_is_one_edit(told: dict[str, Any]) -> None:
    assert told["market"] == [["nearly nothing", "Doubled"], 1]


@pytest.mark.slow
def test_another_threshold_is_one_edit(told: dict[str, Any]) -> None:
    assert any("above 1e-07" in threshold for threshold in told["cards"])
    assert "make advice" in PAGE.partition("| a finding's threshold |")[2].partition("\n")[0]


@pytest.mark.slow
def test_another_colour_is_one_edit(told: dict[str, Any]) -> None:
    assert told["colours"] > 3
    assert "#123456" in told["picture"]


@pytest.mark.slow
def test_another_preset_is_one_edit(told: dict[str, Any]) -> None:
    assert told["preset"] == 500


@pytest.mark.slow
def test_another_figure_is_one_edit(told: dict[str, Any]) -> None:
    assert told["questions"][0] == "How do the losses end?"


@pytest.mark.slow
def test_another_variable_is_declared_and_recorded(told: dict[str, Any]) -> None:
    dims, least = told["variable"]
    assert dims == ["epoch", "network", "seed"]
    assert least > 0


@pytest.mark.slow
def test_another_column_of_the_runs_page_is_one_edit(told: dict[str, Any]) -> None:
    assert told["columns"] == ["Run", "Result", "Writes"]


@pytest.mark.slow
def test_another_section_of_the_report_is_one_edit(told: dict[str, Any]) -> None:
    assert "<h2>How many</h2><p>0 figures</p>" in told["report"]


@pytest.mark.slow
def test_another_page_is_one_file(told: dict[str, Any]) -> None:
    assert told["page"] == "Notes"


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
def followed(name, setting, value, **small):
    small |= {setting: value}
    run = goldviz.run(name, progress=False, **small)
    assert run.attrs["status"] == "finished", run.attrs
    declared = goldviz.experiments()[name].checked(small)
    goldviz.findings(run)
    assert declared.estimated_seconds() > 0 and declared.estimated_bytes() > 0
    for figure in laboratories()[name].figures().FIGURES.values():
        figure(run).to_json()
    pathlib.Path("exported.py").write_text(laboratories()[name].script(declared), encoding="utf-8")
    print(facts(type(declared), setting)["labels"][value])
    return run
"""


@pytest.mark.slow
def test_a_new_ode_method_is_one_edit(checkout: Path) -> None:
    edited(checkout, "an ODE method, or a recurrent cell", "METHODS = {\n", f"METHODS = {{{RALSTON}")
    small = "samples=20, width=4, steps=2, batch=8, blocks=2, gradient='adjoint'"
    flow = f"followed('continuous-depth', 'method', 'ralston', {small})"
    assert says(checkout, f"{FOLLOW}\n{flow}") == "Ralston"
    script_runs(checkout)
    small = "networks='ode_rnn', hidden=3, width=4, observations=4, batch=4, steps=2"
    gaps = f"followed('ode-rnn', 'solver', 'ralston', {small})"
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


MINIMAL_GATED = """
def _minimal_gated(inputs: int, hidden: int, **options: Any) -> RecurrentWeights:
    from goldviz.models.recurrent.minimal_gated_unit import MinimalGatedUnit

    return MinimalGatedUnit(inputs, hidden, **options)


CELLS = {
    "mgu": RecurrentCell(
        NetworkStyle("MGU", "#123456", "dot", "x"),
        parts=(CellPart("f", "gate", "update"), CellPart("h̃", "candidate")),
        layers={"mgu": CellLayer("Minimal gated unit", _minimal_gated)},
        values=10,
    ),
"""
EXPLAINED = """
run = followed("recurrent-gradients", "networks", "mgu", hidden=3, length=6, steps=2, batch=4, look_every=1)
from goldviz.labs.recurrent_gradients.measures import weights_of
from goldviz.labs.recurrent_gradients.figures.network import parts_of
settings = goldviz.experiments()["recurrent-gradients"].checked({"networks": "mgu", "hidden": 3, "length": 6})
count = weights_of(settings, "mgu")
assert count.total == int(run["parameter_count"].squeeze()), (count, run["parameter_count"])
assert math.isfinite(float(run["log_jacobian_norm"].sel(lag=5).isel(look=-1).squeeze()))
assert math.isfinite(float(run["lag_contribution"].sel(lag=2).isel(look=-1).squeeze()))
[part] = parts_of(run)
print(count.formula, [node.label for node in part.nodes if "gate" in node.at])
valves = goldviz.compute("lstm-valves", cell="mgu", hidden=3, length=5)
drawn = laboratories()["lstm-valves"].figures().FIGURES["cell"](valves).to_json()
assert "Inside the MGU" in drawn and "gate: 0." in drawn, drawn
lens = goldviz.compute("jacobian-lens", cell="mgu", hidden=3, length=5)
for figure in laboratories()["jacobian-lens"].figures().FIGURES.values():
    if all(name in lens for name in figure.needs):
        figure(lens).to_json()
"""


@pytest.mark.slow
def test_a_new_recurrent_cell_is_a_class_and_an_entry(checkout: Path) -> None:
    shutil.copy(ROOT / "tests/models/recurrent/minimal_gated_unit.py", checkout / "goldviz/models/recurrent")
    cells = checkout / "goldviz/models/recurrent/cells.py"
    source = cells.read_text(encoding="utf-8")
    assert source.count("CELLS = {\n") == 1
    cells.write_text(source.replace("CELLS = {\n", MINIMAL_GATED.lstrip()), encoding="utf-8")
    assert says(checkout, f"{FOLLOW}{EXPLAINED}").splitlines() == ["MGU", "2 h (d + h + 1) ['f']"]
    script_runs(checkout)
    jump = "followed('ode-rnn', 'cell', 'mgu', networks='ode_rnn', hidden=3, width=4, observations=4, batch=4, steps=2)"
    assert says(checkout, f"{FOLLOW}\n{jump}") == "MGU"
    script_runs(checkout)
    spell = "followed('char-language-model', 'model', 'mgu', hidden=4, steps=2, batch=8)"
    assert says(checkout, f"{FOLLOW}\n{spell}") == "MGU"
