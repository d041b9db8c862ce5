"""Every contract on imports holds, and every one of them fails where it is broken."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import grimp
import pytest

ROOT = Path(__file__).parents[1]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
VIOLATIONS = {
    "rooms": ("goldviz/declare/settings.py", "import goldviz.runs.store.run_store"),
    "laboratories": ("goldviz/labs/ode_rnn/tasks.py", "import goldviz.labs.gold_forecast.windows"),
    "shared": ("goldviz/ui/pages/home.py", "import goldviz.labs.depth_gradients"),
    "light": ("goldviz/labs/depth_gradients/settings.py", "import torch"),
    "training": ("goldviz/labs/recurrent_gradients/train.py", "import goldviz.figures.theme"),
    "figures": ("goldviz/figures/theme.py", "import goldviz.models.recurrent.lstm"),
    "runs": ("goldviz/runs/recorder.py", "import torch"),
    "streamlit": ("goldviz/labs/continuous_depth/instruments.py", "import streamlit"),
    "ground": ("goldviz/data/markets/market.py", "import goldviz.declare.registry"),
}
"""For each contract a file, and an import in it that the contract forbids."""


def said_of(folder: Path) -> str:
    """What import-linter says there."""
    run = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", run, "--no-cache", "--no-logo"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    return done.stdout + done.stderr


def outcomes(said: str) -> dict[str, str]:
    """Whether each contract is kept, by the contract's name."""
    words = " ".join(said.split())
    found = {kept["name"]: re.search(re.escape(kept["name"]) + " (KEPT|BROKEN)", words) for kept in CONTRACTS}
    assert all(found.values()), said
    return {name: match[1] for name, match in found.items() if match}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    leave = shutil.ignore_patterns("__pycache__", "recorded", "shipped", "assets")
    shutil.copytree(ROOT / "goldviz", folder / "goldviz", ignore=leave)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_every_contract_is_kept(copy: Path) -> None:
    assert outcomes(said_of(copy)) == {contract["name"]: "KEPT" for contract in CONTRACTS}


def test_every_contract_is_tried() -> None:
    assert list(VIOLATIONS) == [contract["id"] for contract in CONTRACTS]


@pytest.fixture(scope="module")
def said_of_all(copy: Path) -> str:
    """What is said where every contract is broken in its own file: reading all imports takes a second each time."""
    sources = {copy / file: (copy / file).read_text(encoding="utf-8") for file, _ in VIOLATIONS.values()}
    for file, forbidden in VIOLATIONS.values():
        with (copy / file).open("a", encoding="utf-8") as module:
            module.write(f"\n{forbidden}\n")
    try:
        return said_of(copy)
    finally:
        for path, source in sources.items():
            path.write_text(source, encoding="utf-8")


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract["id"])
def test_a_contract_fails_where_it_is_broken(said_of_all: str, contract: dict[str, Any]) -> None:
    file, forbidden = VIOLATIONS[contract["id"]]
    assert outcomes(said_of_all)[contract["name"]] == "BROKEN"
    # Under its name, up to the next one's, stand the imports that break it.
    _, broken = " ".join(said_of_all.split()).split("Broken contracts", 1)
    starts = sorted(broken.index(other["name"]) for other in CONTRACTS)
    start = broken.index(contract["name"])
    own = broken[start : next((other for other in starts if other > start), None)]
    importer, imported = file.removesuffix(".py").replace("/", "."), forbidden.removeprefix("import ")
    assert re.search(rf"{re.escape(importer)} -> {re.escape(imported)}\b", own), own


def test_every_module_beside_the_rooms_has_its_place(copy: Path) -> None:
    (copy / "goldviz" / "elsewhere.py").write_text('"""Of no room."""\n', encoding="utf-8")
    try:
        assert outcomes(said_of(copy))["Rooms stand above one another"] == "BROKEN"
    finally:
        (copy / "goldviz" / "elsewhere.py").unlink()


def circles_of(graph: grimp.ImportGraph) -> list[list[str]]:
    """Modules that import each other, by the strongly connected parts of the graph (Tarjan 1972)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_ones: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        open_ones.append(module)
        for other in graph.find_modules_directly_imported_by(module):
            if other not in number:
                visit(other)
            if other in open_ones:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == number[module]:
            circle = open_ones[open_ones.index(module) :]
            del open_ones[-len(circle) :]
            found.extend([sorted(circle)] if len(circle) > 1 else [])

    for module in sorted(graph.modules):
        if module not in number:
            visit(module)
    return found


@pytest.mark.parametrize("types", [False, True], ids=["imported", "named by a type"])
def test_no_modules_import_each_other(types: bool) -> None:
    graph = grimp.build_graph("goldviz", exclude_type_checking_imports=not types, cache_dir=None)
    assert graph.modules >= {"goldviz.api", "goldviz.declare.settings"}
    assert circles_of(graph) == []


def test_a_circle_is_found() -> None:
    graph = grimp.ImportGraph()
    for importer, imported in (("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")):
        graph.add_import(importer=importer, imported=imported)
    assert circles_of(graph) == [["b", "c"]]
