"""Two laboratories written by the recipe alone train, draw, explain, and are exported and reported at once."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import goldviz
from goldviz.cli import main
from goldviz.declare import registry
from goldviz.declare.laboratory import Laboratory
from tests.labs.scripts_alone import run_alone

FOLDER = Path(__file__).parents[1] / "by_recipe" / "memories"
NAMES = {"hopfield": "hopfield", "echo-state": "echo_state"}
SHORT = {"hopfield": {"units": 40, "steps": 12}, "echo-state": {"units": 20, "steps": 12, "look_every": 4}}
TABLES = registry.laboratories, registry.experiments, registry.instants


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Both laboratories, as far as entry points know."""
    folder = tmp_path_factory.mktemp("installed")
    about = folder / "memories-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: memories\nVersion: 1.0\n", encoding="utf-8")
    points = [f"{name} = tests.by_recipe.memories.{package}" for name, package in NAMES.items()]
    (about / "entry_points.txt").write_text("\n".join([f"[{registry.ROOM}]", *points, ""]), encoding="utf-8")
    sys.path.insert(0, str(folder))
    for table in TABLES:
        table.cache_clear()
    yield
    sys.path.remove(str(folder))
    for table in TABLES:
        table.cache_clear()


@pytest.fixture(params=NAMES)
def lab(request: pytest.FixtureRequest) -> Laboratory:
    return registry.laboratories()[request.param]


def test_it_keeps_what_laboratories_promise(lab: Laboratory, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-lab", lab.name]) == 0, capsys.readouterr().out


def test_its_figures_are_drawn_at_every_step_with_shared_limits_and_words(lab: Laboratory) -> None:
    runs = [goldviz.run(lab.name, **SHORT[lab.name], seeds=seeds, progress=False) for seeds in ([0], [1, 2])]
    limits = lab.figures().shared_limits(runs)
    for name, spec in lab.figures().FIGURES.items():
        for run in runs:
            for step in run[run.attrs["step_dimension"]].values:
                drawn = spec(run, epoch=int(step), limits=limits)
                assert any(np.isfinite(np.asarray(trace.y, float)).any() for trace in drawn.data), name
        ranges = {spec(run, limits=limits).layout.yaxis.range for run in runs}
        assert len(ranges) == 1
        assert spec.shows.endswith(".")
        assert drawn.layout.yaxis.title.text
        assert drawn.layout.xaxis.title.text


def test_its_run_is_explained_reported_and_repeated_by_its_script(lab: Laboratory, tmp_path: Path) -> None:
    run = goldviz.run(lab.name, **SHORT[lab.name], progress=False)
    findings = goldviz.findings(run)
    assert findings
    assert all(finding.number for finding in findings)
    page = goldviz.report(run)
    assert lab.declared.title in page
    assert all(spec.question in page for spec in lab.figures().FIGURES.values())
    alone = run_alone({"alone": lab.script(lab.declared(**SHORT[lab.name]))}, tmp_path)
    assert alone["alone"]


def test_it_says_what_its_source_says() -> None:
    """Hebb's rule holds 0.14 patterns a unit (Hopfield 1982), Storkey's more; a larger radius remembers longer."""
    stored = goldviz.run("hopfield", units=100, steps=40, noise=0.0, seeds=range(5), progress=False).overlap
    of_hebb, of_storkey = (stored.sel(network=rule).mean("seed").values for rule in ("hebb", "storkey"))
    assert of_hebb[9] > 0.97
    assert of_hebb[29] < 0.75
    assert of_storkey[19] > of_hebb[19] + 0.05
    heard = goldviz.run("echo-state", seeds=range(5), progress=False).memory.isel(look=-1).sum("lag")
    assert bool((heard.sel(network="whole") > heard.sel(network="half") + 2).all())


def test_a_laboratory_takes_few_lines() -> None:
    for package in NAMES.values():
        files = {
            file.name: len(file.read_text(encoding="utf-8").splitlines()) for file in (FOLDER / package).glob("*.py")
        }
        assert files["figures.py"] <= 30
        assert sum(files.values()) - files["settings.py"] - files["findings.py"] <= 200
