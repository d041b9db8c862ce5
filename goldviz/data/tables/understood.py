"""What was understood of a table as a person reads it: a line for each thing, how sure it is, and what corrects it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Confidence = Literal["sure", "likely", "asked"]


@dataclass(frozen=True)
class Understood:
    """One thing that was understood of a file: ``what`` it is, the sentence, and the argument that corrects it.

    ``options`` are what the argument can be, where these can be listed; ``choice`` is the one of them that holds.
    """

    what: str
    sentence: str
    confidence: Confidence
    argument: str
    options: tuple[str, ...] = ()
    choice: str = ""


@dataclass(frozen=True)
class Question:
    """What only a person can tell: the argument that answers it, and what comes of each of the ``answers``."""

    argument: Literal["price", "split"]
    sentence: str
    answers: Mapping[str, str]


@dataclass(frozen=True)
class Told:
    """What a person said of a table; what is left out is found out from the table.

    ``price`` is the column to forecast. ``split`` is the column whose names are channels, or empty: all rows are one.
    """

    date_column: str = ""
    day_first: bool | None = None
    decimal: str = ""
    price: str = ""
    split: str | None = None


NOTHING_TOLD = Told()
