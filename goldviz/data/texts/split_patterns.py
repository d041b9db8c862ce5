"""Splitting a text before merges are learned: no merge crosses a split (document 002, 2.2).

The expressions are those of OpenAI's tiktoken; they need the package ``regex``, for Python's own has no ``\\p{L}``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

import regex

from goldviz.data.texts.pieces import TextError

_CONTRACTIONS = "'(?i:[sdmt]|ll|ve|re)"
_WORDS = r"[^\r\n\p{L}\p{N}]?+\p{L}++"
_THOUSANDS = r"\p{N}{1,3}(?=(?:\p{N}{3}){0,19}+(?!\p{N}))|\p{N}{3}"
_SIGNS = r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"


@dataclass(frozen=True)
class SplitPattern:
    """What a pattern is called, and its expression, each match of which is a piece; an empty one splits nothing."""

    words: str
    expression: str


SPLIT_PATTERNS = {
    "gpt2": SplitPattern("GPT-2", r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"),
    "cl100k": SplitPattern("GPT-4 (cl100k)", rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}{{1,3}}+|{_SIGNS}"),
    "cl100k_right": SplitPattern("GPT-4, digits from the right", rf"{_CONTRACTIONS}|{_WORDS}|{_THOUSANDS}|{_SIGNS}"),
    "apart": SplitPattern("GPT-2, spaces apart", r"'(?:[sdmt]|ll|ve|re)|\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+"),
    "none": SplitPattern("No pattern", ""),
}
"""By name; settings, labels and tokenisers read the table. GPT-4's takes digits in threes from the left; from the
right, thousands are as they are written (of more than 60 digits the first from the left, so that the time stays in
proportion)."""

LONGEST_EXPRESSION = 300
MOST_REPEATS = 1000
"""Of counts in braces, all of an expression multiplied: ``regex`` writes a repeated part out as often as it must come,
and a part of a part so often again."""
_UNREAD = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_CALL = re.compile(r"\(\?(?:R|[+-]?\d+|&\w+|P>\w+)\)")
"""A call of the whole expression or of a group, outside of escapes and sets: one that begins with itself takes memory
without end before the time is up."""
SECONDS = 2.0
"""Of the processor, for one text: an expression may take longer than anybody waits."""


def checked_expression(expression: str) -> str:
    """The expression, if it can be understood.

    Raises:
        TextError: it is too long, repeats too much, calls itself or a group, or is none.

    >>> checked_expression(r"\\p{L}+")
    '\\\\p{L}+'
    """
    if len(expression) > LONGEST_EXPRESSION:
        raise TextError(f"The expression has {len(expression):,} characters; allowed are at most {LONGEST_EXPRESSION}.")
    repeats = math.prod(max(1, int(count)) for count in re.findall(r"[{,](\d+)(?=[,}])", expression))
    if repeats > MOST_REPEATS:
        raise TextError(
            f"The counts in braces multiply to {repeats:.3g} repetitions; allowed are at most {MOST_REPEATS:,}."
        )
    if call := _CALL.search(_UNREAD.sub("", expression)):
        raise TextError(
            f"The expression calls itself or one of its groups, by {call[0]}; allowed is one without such calls."
        )
    try:
        regex.compile(expression)
    except (regex.error, RecursionError, OverflowError) as error:
        raise TextError(f"The expression cannot be read: {error}. Allowed is one such as \\p{{L}}+|\\s+.") from None
    return expression


def split(text: str, expression: str) -> Iterator[str]:
    """The pieces of a text, one after another; what no match takes is a piece of its own, so nothing is lost.

    Raises:
        TextError: the expression takes more than :data:`SECONDS`.

    >>> list(split("(dog) !!!", SPLIT_PATTERNS["gpt2"].expression)), list(split("a1b", "[a-z]"))
    (['(', 'dog', ')', ' !!!'], ['a', '1', 'b'])
    """
    if not expression:
        yield from [text] if text else []
        return
    try:
        # In order, because an expression may search from the end.
        spans = sorted(match.span() for match in regex.finditer(expression, text, timeout=SECONDS))
    except (TimeoutError, MemoryError):
        raise TextError(
            f"The expression takes more than {SECONDS:g} seconds on this text; allowed is a simpler one, "
            "such as without a + inside of a +."
        ) from None
    edges = [0, *chain.from_iterable(spans), len(text)]
    yield from (text[start:end] for start, end in pairwise(edges) if start < end)
