"""Numbers of things as a sentence says them: 1 row was, 2,300 rows were."""

from __future__ import annotations


def how_many(number: int, noun: str, one: str = "", several: str = "") -> str:
    """A number with its noun, and with the form of a verb that agrees.

    >>> how_many(1, "row"), how_many(2300, "row"), how_many(1, "row", "was", "were"), how_many(0, "row", "was", "were")
    ('1 row', '2,300 rows', '1 row was', '0 rows were')
    """
    verb = one if number == 1 else several
    return f"{number:,} {noun}{'' if number == 1 else 's'} {verb}".rstrip()
