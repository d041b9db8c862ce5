"""What is imported is declared, nothing else is, and the page about dependencies names it all."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, requires, version
from pathlib import Path

import pytest
import xarray as xr
from packaging.requirements import Requirement

import goldviz
from goldviz.cli.files import write_netcdf
from goldviz.declare.registry import laboratories
from goldviz.extras import EXTRAS, MissingExtraError

ROOT = Path(__file__).parents[1]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = DECLARED["project"]
NEEDED_BY_OTHERS = {"h5netcdf", "h5py", "cryptography", "uvloop"}
"""xarray's engine for NetCDF, what that engine reads with, Dask's keys, and the web server's event loop."""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def named(requirements: list[str]) -> set[str]:
    return {canonical(re.match(r"[A-Za-z0-9._-]+", one)[0]) for one in requirements}  # type: ignore[index]


ALL = [*PROJECT["dependencies"], *(one for extra in EXTRAS for one in PROJECT["optional-dependencies"][extra])]
DEV = DECLARED["dependency-groups"]["dev"]


def names_imported(nodes: Iterable[ast.AST]) -> set[str]:
    """The modules that these statements import."""
    modules = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return modules


def carried_out_at_import(tree: ast.Module) -> Iterator[ast.stmt]:
    """A file's statements outside functions, without what is only there for a type checker."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With | ast.ClassDef) and not (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ):
            waiting += node.body


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Every file of the package by its module's name, and the app's own."""
    files = [*(ROOT / "goldviz").rglob("*.py"), ROOT / "app.py", *(ROOT / "pages").glob("*.py")]
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
            file.read_text(encoding="utf-8")
        )
        for file in files
    }


def reached(trees: dict[str, ast.Module], begin: set[str]) -> set[str]:
    """All modules that are imported, one by another, as soon as these are."""
    every, waiting = set(begin), list(begin)
    while waiting:
        for module in names_imported(carried_out_at_import(trees[waiting.pop()])) - every:
            every.add(module)
            if module in trees:
                waiting.append(module)
    return every


def test_what_is_imported_is_declared_and_no_others(trees: dict[str, ast.Module]) -> None:
    modules = {name.partition(".")[0] for tree in trees.values() for name in names_imported(ast.walk(tree))}
    known = packages_distributions()
    foreign = modules - set(sys.stdlib_module_names) - {"goldviz", "pydoc_data"}
    assert {canonical(known[module][0]) for module in foreign} | NEEDED_BY_OTHERS == named(ALL)


def test_each_extra_s_modules_are_those_of_its_packages() -> None:
    known = packages_distributions()
    for extra, modules in EXTRAS.items():
        assert {canonical(known[module][0]) for module in modules} == named(PROJECT["optional-dependencies"][extra])
    assert set(EXTRAS) == {*re.findall("[a-z]+", PROJECT["optional-dependencies"]["all"][0])} - {"goldviz"}


def test_watching_its_page_and_laboratories_without_an_extra_import_none(trees: dict[str, ast.Module]) -> None:
    rooms = ("goldviz.watching", "goldviz.runs", "goldviz.cli", "goldviz.api", "goldviz.export")
    rooms += ("goldviz.ui.pages", "goldviz.ui.panels", "goldviz.ui.serving", "goldviz.ui.navigation")
    lean = [lab for lab in laboratories().values() if not lab.extra]
    rooms += tuple(lab.package for lab in lean)
    begin = {module for module in trees if module.startswith(tuple(f"{room}." for room in rooms)) or module in rooms}
    modules = {name.partition(".")[0] for name in reached(trees, begin)}
    assert len(lean) >= 15
    assert modules & {module for extra in EXTRAS.values() for module in extra} == set()


def test_what_is_not_installed_is_said_with_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in ("arch", "transformers", "h5py"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"^Forecast lab needs arch, which is not installed: pip install 'gol"):
        goldviz.run("gold-forecast", progress=False)
    with pytest.raises(MissingExtraError, match=r"^Inside BERT needs transformers, which is not installed: pip inst"):
        goldviz.compute("inside-bert")
    with pytest.raises(MissingExtraError, match=r"^A \.nc file needs h5py, .* 'goldviz\[netcdf\]'\.$"):
        write_netcdf(xr.Dataset(), tmp_path / "run.nc")


@pytest.mark.slow
def test_a_script_is_watched_where_no_extra_is_installed(tmp_path: Path) -> None:
    code = f"""
import sys
sys.modules.update(dict.fromkeys({[module for extra in EXTRAS.values() for module in extra]!r}))
import torch, goldviz, goldviz.cli
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
with goldviz.watch(model, optimizer, to="run.gv") as record:
    for _ in range(5):
        loss = model(torch.ones(4, 2)).square().mean()
        loss.backward()
        optimizer.step()
        record.step(loss=loss)
print({{"pandas", "xarray", "scipy", "sklearn", "pyarrow"}} & set(sys.modules))
record.findings()
assert goldviz.cli.main(["list"]) == 0
assert goldviz.cli.main(["run", "leaderboard"]) == 1
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("set()\n")
    assert "pip install 'goldviz[markets]'" in done.stderr


def test_every_package_is_on_the_page_about_dependencies() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    words = {canonical(word) for word in re.findall(r"[A-Za-z0-9_.-]*[A-Za-z0-9]", page)}
    assert named([*ALL, *DEV]) - words == set()


def needed(requirements: list[str]) -> set[str]:
    """These packages and all that they need here, one through another."""
    every: set[tuple[str, str]] = set()
    waiting = [Requirement(one) for one in requirements]
    while waiting:
        one = waiting.pop()
        for extra in {"", *one.extras} - {extra for name, extra in every if name == canonical(one.name)}:
            every.add((canonical(one.name), extra))
            further = [Requirement(text) for text in requires(one.name) or []]
            waiting += [it for it in further if it.marker is None or it.marker.evaluate({"extra": extra})]
    return {name for name, _ in every}


def test_what_is_needed_is_pinned_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {canonical(line.partition("==")[0]) for line in lines if "==" in line}
    assert needed([*ALL, *DEV]) - {"setuptools"} == pinned  # setuptools comes with the virtual environment


def installed(package: str) -> str:
    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return "not installed"


def test_what_is_pinned_is_what_the_tests_run_with() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line)
    assert {package: installed(package) for package in pins} == pins
