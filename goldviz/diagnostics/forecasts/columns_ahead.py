"""Columns that know tomorrow, in a run: what is recorded of them, what cards say, and the rule that says it."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import Line, Rule
from goldviz.diagnostics.forecasts.lookahead import NextMoveLink
from goldviz.diagnostics.forecasts.words import plain_number, signed

MOST_NAMED = 2
"""Columns that cards name."""
LINE = "chance, and what honest columns of a market tell"


def recorded_columns(run: Run) -> tuple[NextMoveLink, ...]:
    """The links that a run has kept, the strongest first."""
    text = run.attrs.get("columns_ahead", "[]")
    return tuple(NextMoveLink(**entry) for entry in (json.loads(text) if isinstance(text, str) else text))


def columns_in_words(links: Sequence[NextMoveLink]) -> str:
    """The columns with their correlations, the strongest two by name.

    >>> columns_in_words([NextMoveLink("Plan", 0.3, 0.1), NextMoveLink("Model", -0.2, 0.1, of_size=True)])
    'Plan (+0.30) and Model (size −0.20)'
    """
    words = [f"{link.channel} ({'size ' if link.of_size else ''}{signed(link.correlation)})" for link in links]
    more = f" and {len(words) - MOST_NAMED} more" if len(words) > MOST_NAMED else ""
    return f"{', '.join(words[:MOST_NAMED])}{more}" if more else " and ".join(words)


def columns_in_numbers(links: Sequence[NextMoveLink]) -> str:
    """The same beside what honest columns reach; empty where there is no such column."""
    return f"{columns_in_words(links)}; honest ones reach {plain_number(links[0].limit)}" if links else ""


COLUMN_AHEAD = Rule(
    "column_ahead",
    "warning",
    "A column tells moves before they come",
    # No network is over it by itself: the run says so, unless a laboratory's readings do.
    line=Line(lambda n: np.zeros(1, dtype=bool), LINE),
    number="",
    run_says=lambda run: columns_in_numbers(recorded_columns(run)),
    confidence="correlation where the networks learned, before any training",
    explanation="Honest columns add little to what is known: set its release time, or leave it out.",
    must_tell=True,
)
