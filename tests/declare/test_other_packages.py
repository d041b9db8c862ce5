"""A laboratory of another package: found by its entry point, and held to what all laboratories promise."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import goldviz
from goldviz.cli import main
from goldviz.declare import registry
from goldviz.ui import chrome

RECIPE = Path(__file__).parents[2] / "docs" / "architecture.md"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The recipe's laboratory as ``walks.random_walk``, installed as far as entry points know."""
    text = RECIPE.read_text(encoding="utf-8")
    package = tmp_path / "walks" / "random_walk"
    package.mkdir(parents=True)
    for name, source in re.findall(r"```python file=goldviz/labs/random_walk/(\S+)\n(.*?)```", text, flags=re.DOTALL):
        (package / name).write_text(source.replace("goldviz.labs.random_walk", "walks.random_walk"), encoding="utf-8")
    (package / "show.py").write_text("from walks.random_walk.page import PAGE\n\nPAGE.show()\n", encoding="utf-8")
    about = tmp_path / "walks-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: walks\nVersion: 1.0\n", encoding="utf-8")
    points = f"[{registry.ROOM}]\nrandom-walk = walks.random_walk\ngone = walks.gone\n"
    (about / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    tables = registry.laboratories, registry.experiments, registry.instants
    for table in tables:
        table.cache_clear()
    yield package
    for table in tables:
        table.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "walks"]:
        del sys.modules[name]


def test_it_runs_has_a_page_and_is_held_to_the_promises(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = goldviz.run("random-walk", steps=3, progress=False)
    assert run["position"].shape == (3, 1)
    assert "The laboratory gone of walks.gone is left out: No module named 'walks.gone'" in caplog.text
    page = next(page for page in chrome.laboratories() if page.title == "Random walk")
    assert page.file == str(folder / "show.py")
    assert main(["check-lab", "random-walk"]) == 0
    assert capsys.readouterr().out == "random-walk keeps what laboratories promise.\n"
    declared = registry.experiments()["random-walk"]
    monkeypatch.setattr(declared, "question", "A walk.")
    assert main(["check-lab", "walks.random_walk"]) == 1
    assert capsys.readouterr().out == "Its question is no question: 'A walk.'.\n"
    assert main(["check-lab", "random-wolk"]) == 2
    assert capsys.readouterr().err == ("goldviz: There is no laboratory 'random-wolk'; did you mean 'random-walk'?\n")
    assert main(["check-lab", "walks.nowhere"]) == 2
    assert "The package walks.nowhere has no laboratory" in capsys.readouterr().err
