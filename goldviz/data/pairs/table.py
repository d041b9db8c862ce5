"""The table of tasks, by name."""

from __future__ import annotations

from goldviz.data.pairs.dates import iso_dates
from goldviz.data.pairs.noun_phrases import noun_phrases
from goldviz.data.pairs.pairs import PairTask
from goldviz.data.pairs.symbols import reversal, sorting


def task_of(name: str, symbols: int, shortest: int, longest: int) -> PairTask:
    """The task of this name; dates have sizes of their own, and noun phrases their own words."""
    match name:
        case "reversal":
            return reversal(symbols, shortest, longest)
        case "sorting":
            return sorting(symbols, shortest, longest)
        case "phrases":
            return noun_phrases(shortest, longest)
        case "dates":
            return iso_dates()
    raise ValueError(f"The task is {name!r}; allowed is reversal, sorting, phrases or dates.")
