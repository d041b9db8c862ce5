"""Count the lines of goldviz by room, laboratory and kind, hold them to their budgets, and write ``docs/size.md``.

``docs/size.toml`` has the budgets and, where a laboratory needs more than its aim, the sentence that says why.
``--check`` only says what passes its budget; ``--budgets`` sets every budget a little above today's lines.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "goldviz"
PAGE = ROOT / "docs" / "size.md"
BUDGETS = ROOT / "docs" / "size.toml"

PACKAGE_AIM = 82_000
AIMS = {"trained": 1_200, "instant": 700}
"""Lines of Python that a laboratory should need."""
ROOM_TO_GROW = 1.01
SCRIPTS = (".js", ".mjs", ".css")
KINDS = ("code", "words", "docstring", "comment", "import", "blank")
SENTENCE = 3
"""Words from which on a text is read by somebody, and is not a name or a key."""

IRREGULAR = re.compile(
    "begun|born|bought|broken|brought|built|chosen|done|drawn|driven|fallen|fed|found|frozen|given|gone|grown|heard|"
    "held|kept|known|learnt|lent|lost|made|meant|met|redrawn|risen|said|seen|sent|shown|sought|spent|spoken|taken|"
    "taught|thought|told|torn|understood|unknown|unseen|unwritten|won|written"
)
"""Past participles that do not end in *-ed*. Those that are nouns or directions too are left out: cut, forecast,
hidden, hit, left, put, read, run, set, split."""
NO_PARTICIPLES = ("bed", "embed", "feed", "need", "red", "seed", "speed")


def is_bare_participle(name: str) -> bool:
    """Whether a name says how a thing came and not what it is: one word, a past participle.

    >>> [name for name in ("found", "trained", "seed", "found_at") if is_bare_participle(name)]
    ['found', 'trained']
    """
    return bool(IRREGULAR.fullmatch(name)) or (name.isalpha() and name.endswith("ed") and name not in NO_PARTICIPLES)


@dataclass(frozen=True)
class Module:
    """A file of Python, as its lines and names are counted."""

    source: str

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(ast.parse(self.source)))

    @cached_property
    def comments(self) -> list[tokenize.TokenInfo]:
        tokens = tokenize.generate_tokens(io.StringIO(self.source).readline)
        return [token for token in tokens if token.type == tokenize.COMMENT]

    @property
    def kinds(self) -> Counter[str]:
        """How many lines there are of each kind. A docstring's blank lines are its own."""
        lines = self.source.splitlines()
        kinds = ["code" if line.strip() else "blank" for line in lines]
        for number, width in self._text_on_lines(lines).items():
            if 2 * width >= len(lines[number - 1].strip()):
                kinds[number - 1] = "words"
        for comment in self.comments:
            if comment.line.lstrip().startswith("#"):
                kinds[comment.start[0] - 1] = "comment"
        for node in self.nodes:
            match node:
                case ast.Import() | ast.ImportFrom():
                    kind = "import"
                case ast.Expr(value=ast.Constant(value=str())):
                    kind = "docstring"
                case _:
                    continue
            kinds[node.lineno - 1 : node.end_lineno] = [kind] * (node.end_lineno - node.lineno + 1)
        return Counter(kinds)

    def _text_on_lines(self, lines: list[str]) -> Counter[int]:
        """How many characters of each line are of a sentence."""
        widths: Counter[int] = Counter()
        for node in self.nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.split()) >= SENTENCE:
                for number in range(node.lineno, node.end_lineno + 1):
                    begin = node.col_offset if number == node.lineno else 0
                    end = node.end_col_offset if number == node.end_lineno else None
                    widths[number] += len(lines[number - 1][begin:end].strip())
        return widths

    @property
    def local_names(self) -> Counter[str]:
        """In how many functions each name is bound: as a parameter, or by an assignment, loop, ``with`` or ``as``."""
        functions = [node for node in self.nodes if isinstance(node, FUNCTIONS)]
        return Counter(name for function in functions for name in set(_bound_names(function)))


FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def _bound_names(function: ast.AST) -> Iterator[str]:
    """Names that a function binds, without those of functions and classes in it."""
    nodes = list(ast.iter_child_nodes(function))
    while nodes:
        node = nodes.pop()
        match node:
            case ast.arg(arg=str(name)) if name not in ("self", "cls"):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case _:
                pass
        if not isinstance(node, FUNCTIONS | ast.ClassDef):
            nodes += ast.iter_child_nodes(node)


@dataclass(frozen=True)
class Part:
    """A laboratory, a room, or a folder of tests."""

    name: str
    how: str
    files: tuple[Path, ...]

    @cached_property
    def modules(self) -> list[Module]:
        return [Module(file.read_text(encoding="utf-8")) for file in self.files if file.suffix == ".py"]

    @cached_property
    def kinds(self) -> Counter[str]:
        return sum((module.kinds for module in self.modules), Counter())

    @property
    def lines(self) -> int:
        return sum(len(module.source.splitlines()) for module in self.modules)

    @property
    def script_lines(self) -> int:
        return sum(_line_count(file) for file in self.files if file.suffix in SCRIPTS)


def _line_count(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


@dataclass(frozen=True)
class Budget:
    """Lines of Python that a laboratory or room may have, and why they are so many."""

    lines: int
    why: str = ""


def laboratories(package: Path = PACKAGE) -> list[Part]:
    folders = [folder for folder in sorted((package / "labs").iterdir()) if (folder / "__init__.py").is_file()]
    return [
        Part(f"labs/{folder.name}", "trained" if (folder / "train.py").is_file() else "instant", _files(folder))
        for folder in folders
    ]


def rooms(of: Path, apart: str = "") -> list[Part]:
    """Each folder but the one that is ``apart``, and the files beside the folders."""
    folders = [folder for folder in sorted(of.iterdir()) if folder.is_dir() and folder.name != apart]
    found = [Part(folder.name, "shared", _files(folder)) for folder in folders]
    return [*(room for room in found if room.files), Part("beside them", "shared", _files(of, within=False))]


def _files(folder: Path, within: bool = True) -> tuple[Path, ...]:
    files = folder.rglob("*") if within else folder.glob("*")
    return tuple(sorted(file for file in files if file.suffix in (".py", *SCRIPTS)))


def budgets(file: Path = BUDGETS) -> dict[str, Budget]:
    return {name: Budget(**entry) for name, entry in tomllib.loads(file.read_text(encoding="utf-8")).items()}


def complaints(parts: Iterable[Part], allowed: Mapping[str, Budget]) -> list[str]:
    """What passes its budget or has none, and which budgets above their aim nobody has given a reason for.

    A laboratory without a budget may have its aim.
    """
    sentences = []
    for part in parts:
        aim = AIMS.get(part.how, sys.maxsize)
        budget = allowed.get(part.name, Budget(aim) if part.how in AIMS else None)
        if budget is None:
            sentences.append(f"{part.name} has {part.lines:,} lines, and no budget in docs/size.toml.")
        elif part.lines > budget.lines:
            sentences.append(
                f"{part.name} has {part.lines:,} lines, and its budget is {budget.lines:,}. Make it smaller, or move "
                "its budget in docs/size.toml and say there why."
            )
        elif budget.lines > aim and not budget.why:
            sentences.append(f"{part.name} may have {budget.lines:,} lines, {aim:,} is the aim, and nothing says why.")
    return sentences


def budgets_of_today(parts: Iterable[Part], allowed: Mapping[str, Budget]) -> str:
    """The file of budgets, each a little above today's lines or at its aim. Sentences stay where they are needed."""
    entries = [
        "# Lines of Python that a laboratory or a room may have. A budget moves up with a sentence that says why.\n"
    ]
    for part in parts:
        aim = AIMS.get(part.how, 0)
        lines = max(10 * round(part.lines * ROOM_TO_GROW / 10 + 1), aim)
        why = allowed[part.name].why if part.name in allowed and lines > aim else ""
        entries.append(f'["{part.name}"]\nlines = {lines}\n' + (f'why = "{why}"\n' if why else ""))
    return "\n".join(entries)


def page(labs: list[Part], shared: list[Part], tests: list[Part], allowed: Mapping[str, Budget]) -> str:
    """``docs/size.md``."""
    package = [*labs, *shared]
    modules = [module for part in package for module in part.modules]
    names = sum((module.local_names for module in modules), Counter())
    bare = Counter({name: count for name, count in names.items() if is_bare_participle(name)})
    comments = [comment.string for module in modules for comment in module.comments]
    return f"""# Size

Lines by laboratory, room and kind, at the last `make size`. `make lint` holds every laboratory and room to its budget
in `docs/size.toml`; a budget moves up with a sentence that says why. `make size BUDGETS=today` sets all budgets a
little above today's lines.

Lines of *words* are those of which at least half is text of three words or more. *Comments* have their lines to
themselves. A *local name* counts once for each function that binds it, and is a *bare participle* where
`is_bare_participle` in `docs/make_size.py` says so.

| | now | aim |
|---|---:|---:|
| lines of Python in the package | {_sum(package):,} | {PACKAGE_AIM:,} |
| lines of JavaScript and style sheets in it | {sum(part.script_lines for part in package):,} | |
| lines of Python in the tests | {_sum(tests):,} | |
| local names that are bare participles, of {names.total():,} | {bare.total():,} | 300 |
| exceptions from the formatter | {sum(comment.startswith("# fmt:") for comment in comments)} | 0 |
| comments | {len(comments):,} | |

The most frequent bare participles: {", ".join(f"`{name}` {count}" for name, count in bare.most_common(10))}.

## Laboratories

A laboratory that trains should need {AIMS["trained"]:,} lines of Python, one that computes at once {AIMS["instant"]:,}.

{_table(labs, allowed)}

{_reasons(labs, allowed)}

## Shared rooms

{_table(shared, allowed)}

{_reasons(shared, allowed)}

## Tests

{_table(tests)}
"""


def _sum(parts: Iterable[Part]) -> int:
    return sum(part.lines for part in parts)


def _table(parts: Iterable[Part], allowed: Mapping[str, Budget] | None = None) -> str:
    columns = ["", "lines", *(["budget"] if allowed else []), *KINDS, "JS, CSS"]
    rows = [f"| {' | '.join(columns)} |", "|---" + "|---:" * (len(columns) - 1) + "|"]
    for part in parts:
        cells = [part.name, f"{part.lines:,}"]
        if allowed:
            cells.append(f"{allowed[part.name].lines:,}" if part.name in allowed else "none")
        cells += [f"{count:,}" for count in (*(part.kinds[kind] for kind in KINDS), part.script_lines)]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _reasons(parts: Iterable[Part], allowed: Mapping[str, Budget]) -> str:
    """A line for each budget that has a sentence."""
    return "\n".join(f"- `{p.name}`: {allowed[p.name].why}" for p in parts if p.name in allowed and allowed[p.name].why)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="say what passes its budget, and write nothing")
    parser.add_argument("--budgets", action="store_true", help="set all budgets a little above today's lines")
    options = parser.parse_args()
    labs, shared = laboratories(), rooms(PACKAGE, apart="labs")
    if options.check:
        sys.exit("\n".join(complaints([*labs, *shared], budgets())) or None)
    if options.budgets:
        BUDGETS.write_text(budgets_of_today([*labs, *shared], budgets()), encoding="utf-8")
    # Its rows are of laboratories that it loads; what is counted here is read as text.
    from make_uses import table

    text = f"{page(labs, shared, rooms(ROOT / 'tests'), budgets())}\n{table()}"
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
