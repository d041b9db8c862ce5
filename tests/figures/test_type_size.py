"""Words have three sizes, in pages and in pictures: a page's name, what is read, and what is looked up."""

import re
from pathlib import Path

import goldviz
from goldviz.figures.theme import HEADING, TEXT

SIZES = {26, HEADING, TEXT}
WRITTEN = re.compile(
    r"font_size\"?[=:] ?(\d+)|(?:text|tick)?font\"?[=:] ?\{\"size\": ?(\d+)"
    r"|font-size: ?(\d+)px|font: ?(\d+)px|font-size=\"(\d+)\""
)


def test_words_have_three_sizes() -> None:
    room = Path(goldviz.__file__).parent
    files = [
        file for kind in ("py", "css", "js", "svg") for file in room.rglob(f"*.{kind}") if ".min." not in file.name
    ]
    others = {
        f"{file.relative_to(room)}: {match.group()}"
        for file in files
        for match in WRITTEN.finditer(file.read_text(encoding="utf-8"))
        if int(next(filter(None, match.groups()))) not in SIZES
    }
    assert not others


def test_gold_is_no_control_s_colour() -> None:
    sheets = Path(goldviz.__file__).parent.rglob("*.css")
    gold = re.compile(r"([^{}]*)\{[^{}]*var\(--(?:ink-accent|goldviz-gold)\)")
    named = {" ".join(rule.split()) for sheet in sheets for rule in gold.findall(sheet.read_text(encoding="utf-8"))}
    assert not [rule for rule in named if re.search(r"focus|hover|button|summary|\ba\b", rule)]
