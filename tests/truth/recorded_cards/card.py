"""What a card should say by the recorded arrays, and where it says something else."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tests.truth.recorded_cards.printed import Printed, numbers_in, numbers_of_line


class Card(NamedTuple):
    """The numbers that a card's texts should print, in their order, and whether its title is true.

    A whole number is one that is counted or set, and has to be printed exactly. ``named`` are the networks that the
    title is true of, which it has to name, and no other; None where it names none. ``true`` is what else has to hold.
    ``says`` are words that have to stand on the card, because the arrays decide between them and others.
    """

    true: bool
    number: tuple[float, ...] = ()
    threshold: tuple[float, ...] = ()
    confidence: tuple[float, ...] = ()
    title: tuple[float, ...] = ()
    explanation: tuple[float, ...] = ()
    named: Iterable[str] | None = None
    says: tuple[str, ...] = ()


TEXTS = ("title", "number", "threshold", "confidence", "explanation")


def disagreements(finding, card: Card, names: Iterable[str]) -> Iterator[str]:
    """Every text of a finding whose numbers are not the card's, and what is untrue of its title."""
    for text in TEXTS:
        said, due = getattr(finding, text), getattr(card, text)
        printed = numbers_of_line(said) if text == "threshold" else numbers_in(said)
        if len(printed) != len(due) or not all(map(Printed.agrees_with, printed, due)):
            yield f"{finding.kind}, {text} “{said}”: the run gives {due}"
    if not card.true:
        yield f"{finding.kind}: the run does not say “{finding.title}”"
    whole = " | ".join(getattr(finding, text) for text in TEXTS)
    yield from (f"{finding.kind}: “{words}” is missing from “{whole}”" for words in card.says if words not in whole)
    listed = re.findall("|".join(sorted(names, key=len, reverse=True)), finding.title)
    if card.named is not None and [*card.named] != listed:
        yield f"{finding.kind}: “{finding.title}” is true of {list(card.named)}"
