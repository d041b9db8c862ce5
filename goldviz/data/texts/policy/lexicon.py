"""The words of policy and market texts: what is measured, how it moves, how it is judged; who, where and when."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping
from typing import Any

from goldviz.data.texts.policy.circumstances import CIRCUMSTANCES, QUARTERS
from goldviz.data.texts.policy.grammar import Lexicon, Term, nouns, phrases, verbs
from goldviz.data.texts.policy.tables import table_of

MONTHS = phrases(" | ".join(calendar.month_name[1:]))
WORKDAYS = phrases(" | ".join(calendar.day_name[:5]))
QUARTERS_IN_ORDER = phrases(" | ".join(QUARTERS))

TERMS_OF_CLASS: Mapping[str, Callable[..., tuple[Term, ...]]] = {"noun": nouns, "verb": verbs, "phrase": phrases}


def _terms(lists: list[dict[str, Any]]) -> tuple[Term, ...]:
    """The terms of a slot; each of its lists has a ``class`` and ``words``, and may have a ``sign`` and ``plural``."""
    return tuple(
        term
        for words in lists
        for term in TERMS_OF_CLASS[words["class"]](**{key: words[key] for key in words if key != "class"})
    )


_WORDS = {slot: _terms(lists) for slot, lists in table_of(__name__).items()}

POLICY_LEXICON: Lexicon = {
    **CIRCUMSTANCES,
    **_WORDS,
    "measure": (*_WORDS["welcome"], *_WORDS["unwelcome"]),
    "month": MONTHS,
    "weekday": WORKDAYS,
    "quarter": QUARTERS_IN_ORDER,
}
