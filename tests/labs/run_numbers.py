"""Places of a module that make a number of a run by themselves, by its syntax tree.

What comes from a run is followed through a function: its dataset, a reading of it, what a measure says, and names that
are given any of these. Text is none: what stands in an f-string has been told.
"""

import ast
from collections.abc import Iterator

DATASETS = {"dataset", "ds", "run", "runs"}
HANDED = DATASETS | {"case", "n"}
"""Names of what a function is handed of a run: a dataset, or a card's case and reading."""
TYPES = {"Case", "Reading"}
"""Types of such parameters."""
SELECTING = {"astype", "dropna", "isel", "item", "notnull", "ravel", "reshape", "sel", "squeeze", "transpose", "values"}
REDUCING = {"argmax", "argmin", "max", "mean", "median", "min", "quantile", "std", "sum", "var"}
OF_ARRAYS = SELECTING | REDUCING
"""Attributes by which an array is read or made into a number."""
OF_SEVERAL = {"average", "fmean", "mean", "nanmean", "std", "sum"}
"""Functions that make one number of several; a card's own median over seeds is none of them."""
EXTREMES = {"max", "min"}
"""The same where they are called with one argument, which holds several."""
DESCRIBING = {"attrs", "dims", "shape", "sizes"}
"""Attributes of a variable that are none of its numbers."""
THUMBNAILS = {"picture", "skill_svg"}
"""Functions of figures whose text is a picture."""
TEXT = {"join", "str"}
"""Calls that end in text."""
COMPUTED = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)

Function = ast.FunctionDef | ast.Lambda


def arithmetic(source: str) -> list[str]:
    """Each place where a function of this module makes a number of a run."""
    tree = ast.parse(source)
    places = [f"{node.lineno}: {ast.unparse(node)}" for node in ast.walk(tree) if _is_numpy(node)]
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    places += [f"{node.lineno}: {ast.unparse(node)}" for one in functions for node in _computing(one)]
    return sorted(set(places), key=lambda place: int(place.partition(":")[0]))


def captions_arithmetic(source: str) -> list[str]:
    """Each place where a figure's words, which a function returns as text, make a number of a run.

    They may tell one as it was recorded; and a thumbnail is drawn, not told.
    """
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef) and _tells(node)]
    return [
        f"{place.lineno}: {ast.unparse(place)}" for one in functions for place in _computing(one) if not _reads(place)
    ]


def _tells(function: ast.FunctionDef) -> bool:
    returns = "" if function.returns is None else ast.unparse(function.returns)
    return returns in ("str", "Words") and function.name not in THUMBNAILS


def _reads(place: ast.AST) -> bool:
    return isinstance(place, ast.Subscript) or (isinstance(place, ast.Attribute) and place.attr in SELECTING)


def _is_numpy(node: ast.AST) -> bool:
    return isinstance(node, ast.Import) and any(name.name == "numpy" for name in node.names)


def _computing(function: Function) -> Iterator[ast.AST]:
    followed = Followed(function)
    return (node for node in ast.walk(function) if followed.computes(node))


class Followed:
    """One function, and the names in it that hold something of a run."""

    def __init__(self, function: Function) -> None:
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs, function.args.vararg]
        self.names = {one.arg for one in arguments if one is not None and _is_of_a_run(one)}
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        self.mappings = {one.func for one in calls if _name(one.func) == "values" and not one.args}
        described = [node for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr in DESCRIBING]
        self.described = {node.value for node in described}
        for _ in range(4):
            for node in ast.walk(function):
                self._follow(node)

    def _follow(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                for one, value in zip(target.elts, node.value.elts, strict=True) if pairs else [(target, node.value)]:
                    self._take(value, one)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            self._take(node.value, node.target)
        elif isinstance(node, ast.For | ast.comprehension):
            self._take(node.iter, node.target)

    def _take(self, value: ast.AST | None, target: ast.AST) -> None:
        if self.holds(value):
            self.names |= {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}

    def holds(self, node: ast.AST | None) -> bool:
        """Whether an expression holds something of a run, text apart."""
        if node is None or isinstance(node, ast.JoinedStr | ast.Constant | ast.Compare | ast.Lambda):
            return False
        if isinstance(node, ast.Name):
            return node.id in self.names
        if isinstance(node, ast.Attribute) and node.attr == "dataset":
            return True
        if isinstance(node, ast.Call) and _name(node.func) in TEXT:
            return False
        return any(self.holds(child) for child in ast.iter_child_nodes(node))

    def computes(self, node: ast.AST) -> bool:
        """Whether it reads an array of a run, or computes with its numbers; a line's multiple of a number is none."""
        if isinstance(node, ast.Attribute):
            return node.attr in OF_ARRAYS and node not in self.mappings and self.holds(node.value)
        if isinstance(node, ast.Call):
            reducing = OF_SEVERAL | (EXTREMES if len(node.args) == 1 else set())
            return _name(node.func) in reducing and any(map(self.holds, node.args))
        if isinstance(node, ast.Subscript):
            return _is_dataset(node.value) and node not in self.described and self.holds(node.value)
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, COMPUTED):
            return False
        multiple = isinstance(node.op, ast.Mult | ast.Div) and _is_number(node.left, node.right)
        return (
            not multiple and not _is_text(node.left, node.right) and (self.holds(node.left) or self.holds(node.right))
        )


def _is_of_a_run(argument: ast.arg) -> bool:
    typed = (
        {node.id for node in ast.walk(argument.annotation) if isinstance(node, ast.Name)}
        if argument.annotation
        else set()
    )
    return argument.arg in HANDED or bool(typed & TYPES) or "xr.Dataset" in ast.unparse(argument.annotation or argument)


def _is_dataset(node: ast.AST) -> bool:
    return _name(node) in DATASETS


def _is_number(*sides: ast.AST) -> bool:
    """Whether one of both is a number that is written there, or a constant by its name."""
    written = (isinstance(side, ast.Constant) and isinstance(side.value, int | float) for side in sides)
    return any(written) or any(_name(side).isupper() for side in sides)


def _is_text(*sides: ast.AST) -> bool:
    texts = ast.JoinedStr | ast.List | ast.ListComp | ast.Tuple
    return any(
        isinstance(side, texts) or (isinstance(side, ast.Constant) and isinstance(side.value, str)) for side in sides
    )


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
