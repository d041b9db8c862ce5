"""The glossary: what the documents' terms mean, each defined once, in ``glossary.toml`` beside the laboratories.

A term has a name, the ``forms`` in which texts use it, two sentences, an equation in one line, its place in the
documents, and the laboratory in which it is seen.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from goldviz.declare.registry import ROOM


@dataclass(frozen=True)
class Term:
    """One term. ``words`` are two sentences, ``source`` is "001, 2.1.3, eq. 8" or a paper, ``laboratory`` its name."""

    name: str
    forms: tuple[str, ...]
    words: str
    equation: str
    source: str
    laboratory: str

    @property
    def place(self) -> str:
        """Where it stands: in a document, or in a paper where the documents use it without saying what it is.

        >>> Term("gradient", (), "", "", "001, 1.2", "").place, Term("GARCH", (), "", "", "Bollerslev 1986", "").place
        ('Document 001, 1.2', 'Bollerslev 1986')
        """
        return f"Document {self.source}" if self.source[0].isdigit() else self.source

    @property
    def slug(self) -> str:
        """Its name in an address.

        >>> Term("hidden state", (), "", "", "", "").slug
        'hidden-state'
        """
        return self.name.lower().replace(" ", "-")


@cache
def terms() -> tuple[Term, ...]:
    """All terms, by the alphabet."""
    read = tomllib.loads((files(ROOM) / "glossary.toml").read_text(encoding="utf-8"))
    entries = (Term(**{**term, "forms": tuple(term["forms"])}) for term in read["term"])
    return tuple(sorted(entries, key=lambda term: term.name.lower()))
