"""One thought a sentence: no sentence that goldviz can say is longer than 25 words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import goldviz

PACKAGE = Path(goldviz.__file__).parent
LONGEST = 25
EXCEPTIONS = {
    "data/tables/column_words.py": "words of columns in many languages",
    "data/markets/statement_tones.py": "numbers by date",
    "export/script.py": "a comment in a script for those who read Python",
}
FORMULA = re.compile(r"\$[^$]*\$|`[^`]*`|\{[^{}]*\}")
END = re.compile(r"(?<=[.!?])[\"”)*]*\s+(?=[\"“(*]*[A-Z0-9X])|\n\s*\n|\n\s*[-#|]|  \n")


def sentences(text: str) -> list[str]:
    """A text's sentences, with an X for each formula and each place that is filled in later."""
    return END.split(FORMULA.sub("X", text))


def words(sentence: str) -> int:
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Every text of a module with its line, but for documentation; places of an f-string are ``{}``."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        match waiting.pop():
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.JoinedStr(lineno=line, values=parts):
                yield line, "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
            case ast.Constant(lineno=line, value=str(text)):
                yield line, text
            case node:
                waiting.extend(ast.iter_child_nodes(node))


def too_long(source: str) -> list[tuple[int, str]]:
    found = ((line, text) for line, text in texts(source) if len(text.split()) > LONGEST)
    return [(line, one) for line, text in found for one in sentences(text) if words(one) > LONGEST]


def test_no_sentence_has_more_than_25_words() -> None:
    found = [
        f"{name}:{line} {sentence}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if not (name := str(file.relative_to(PACKAGE))).startswith(tuple(EXCEPTIONS))
        for line, sentence in too_long(file.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_an_exception_is_needed(name: str) -> None:
    place = PACKAGE / name
    files = place.rglob("*.py") if place.is_dir() else [place]
    assert any(too_long(file.read_text(encoding="utf-8")) for file in files)


def test_a_long_sentence_is_seen_wherever_it_is_written() -> None:
    long = " ".join(["word"] * 26)
    assert too_long(f'"""{long}"""\nx = f(f"{{n}} {long}", "{long}. And so on.")')[0][0] == 2
    assert len(too_long(f'x = f(f"{{n}} {long}", "{long}. And so on.")')) == 2
    short = " ".join(["word"] * 25)
    assert too_long(f'x = "{short}. W{short[1:]}."') == []
    assert too_long(f'x = "{short} $a + b = c$"') != []
