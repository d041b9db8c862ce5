"""What is imported is declared, nothing else is, and the page about dependencies names it all."""

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

ROOT = Path(__file__).parents[1]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NEEDED_BY_OTHERS = {"h5netcdf", "h5py", "cryptography", "uvloop"}
"""xarray's engine for NetCDF, what that engine reads with, Dask's keys, and the web server's event loop."""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def named(requirements: list[str]) -> set[str]:
    return {canonical(re.match(r"[A-Za-z0-9._-]+", one)[0]) for one in requirements}  # type: ignore[index]


def imported() -> set[str]:
    """The distributions whose modules the package imports."""
    modules = set()
    for file in [*(ROOT / "goldviz").rglob("*.py"), ROOT / "app.py", *(ROOT / "pages").glob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules.add(node.module.partition(".")[0])
    known = packages_distributions()
    foreign = modules - set(sys.stdlib_module_names) - {"goldviz", "pydoc_data"}
    return {canonical(known[module][0]) for module in foreign}


def test_what_is_imported_is_declared_and_no_others() -> None:
    declared = named(DECLARED["project"]["dependencies"])
    assert imported() | NEEDED_BY_OTHERS == declared


def test_every_package_is_on_the_page_about_dependencies() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    words = {canonical(word) for word in re.findall(r"[A-Za-z0-9_.-]*[A-Za-z0-9]", page)}
    groups = [*DECLARED["project"]["dependencies"], *DECLARED["dependency-groups"]["dev"]]
    assert named(groups) - words == set()


def test_what_is_declared_is_pinned() -> None:
    pinned = named((ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines())
    groups = [*DECLARED["project"]["dependencies"], *DECLARED["dependency-groups"]["dev"]]
    assert named(groups) - pinned == set()


def installed(package: str) -> str:
    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return "not installed"


def test_what_is_pinned_is_what_the_tests_run_with() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line)
    assert {package: installed(package) for package in pins} == pins
