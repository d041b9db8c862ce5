"""A number of a run is computed in one place: what tells it reads measures by name, and computes none."""

import ast
from pathlib import Path

import pytest

from goldviz.declare.claims import claims_of
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.diagnostics.measure import seeds
from goldviz.runs.examples import example

LABS = Path(__file__).parents[2] / "goldviz" / "labs"
TELLING = sorted(path for name in ("claims.py", "stories.py") for path in LABS.glob(f"*/{name}"))
SELECTING = {"astype", "dropna", "isel", "item", "notnull", "ravel", "reshape", "sel", "squeeze", "transpose", "values"}
REDUCING = {"argmax", "argmin", "max", "mean", "median", "min", "std", "sum", "var"}
OF_ARRAYS = SELECTING | REDUCING
OF_SEVERAL = {"average", "fmean", "mean", "median", "nanmean", "std", "sum"}
"""Attributes by which an array is read or made into a number, and functions that make one number of several."""


def arithmetic(source: str) -> list[str]:
    """Places where functions of this module make a number of a run by themselves."""
    tree = ast.parse(source)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    imported = [f"{node.lineno}: numpy" for node in imports if any(name.name == "numpy" for name in node.names)]
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))]
    return imported + [
        f"{node.lineno}: {ast.unparse(node)}" for one in functions for node in ast.walk(one) if computes(node)
    ]


def computes(node: ast.AST) -> bool:
    """Whether it reads an array, or computes with two numbers; a line's multiple of a number is none."""
    if isinstance(node, ast.Attribute):
        return node.attr in OF_ARRAYS
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in OF_SEVERAL
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and node.value.id in {"run", "ds", "dataset"}
    if not isinstance(node, ast.BinOp):
        return False
    return not any(isinstance(side, ast.Constant) for side in (node.left, node.right))


@pytest.mark.parametrize("path", TELLING, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_tells_a_number_computes_none(path: Path) -> None:
    assert arithmetic(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "    return float(run['loss'][-1])",
        "    return run.loss.isel(epoch=-1)",
        "    return last(run) / first(run)",
        "    return 10.0 ** last(run) - first(run)",
        "    return fmean(last(one) for one in run)",
        "    import numpy",
    ],
)
def test_a_number_that_is_computed_where_it_is_told_is_found(line: str) -> None:
    assert arithmetic(f"def told(run):\n{line}\n") != []


def test_a_line_may_be_a_multiple_of_a_measure() -> None:
    assert arithmetic("def told(run):\n    return last(run) > 2.5 * first(run)\n") == []


@pytest.mark.parametrize("lab", laboratories().values(), ids=lambda lab: lab.name)
def test_every_measure_says_what_it_is(lab: Laboratory) -> None:
    for name, measure in lab.measures.items():
        assert measure.words.endswith("."), name
        assert not measure.words.startswith("The same"), name


@pytest.mark.parametrize("lab", laboratories().values(), ids=lambda lab: lab.name)
def test_claims_read_the_laboratory_s_measures(lab: Laboratory) -> None:
    named = lab.measures
    for claim in claims_of(lab):
        for part in claim.parts:
            assert named.get(part.measure.name) is part.measure, (claim.number, part.words)


def test_a_measure_of_all_seeds_is_that_of_each() -> None:
    lab = laboratories()["depth-gradients"]
    assert issubclass(lab.declared, Experiment)
    run = example(lab.declared, "as-in-the-document")
    measure = lab.measures["residual_over_plain"]
    assert measure.by_seed(run).tolist() == [measure(one) for one in seeds(run)]
    assert measure.first(run) == measure(seeds(run)[0])
