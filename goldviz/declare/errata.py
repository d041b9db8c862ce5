"""Errata of the documents: where one is mistaken and what holds instead, in ``errata.toml`` beside the laboratories."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from goldviz.declare.registry import ROOM

HEADING = "Errata of the documents"
ABOUT = (
    "The laboratory follows five documents. Where one of them is mistaken, goldviz does what is right and says so here."
)


@dataclass(frozen=True)
class Erratum:
    """What a document ``says`` at a ``place``, such as "1.2, eq. 1", and what ``holds``; both in Markdown."""

    document: str
    place: str
    says: str
    holds: str


@cache
def errata() -> tuple[Erratum, ...]:
    """All errata, in their order in the documents."""
    read = tomllib.loads((files(ROOM) / "errata.toml").read_text(encoding="utf-8"))
    return tuple(Erratum(**entry) for entry in read["erratum"])


def as_markdown() -> str:
    """The page ``docs/errata.md``."""
    rows = (f"| {one.document} | {one.place} | {one.says} | {one.holds} |" for one in errata())
    head = ["| document | place | what it says | what holds |", "|---|---|---|---|"]
    return "\n".join([f"# {HEADING}", "", ABOUT, "", *head, *rows]) + "\n"
