"""Splitting a text before merges are learned: no merge crosses a split (document 002, 2.2).

The expressions are those of OpenAI's tiktoken; they need the package ``regex``, for Python's own has no ``\\p{L}``.
"""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

import regex

from goldviz.data.tables.hold_process import held
from goldviz.data.texts import pattern_process
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

OURS = frozenset(pattern.expression for pattern in SPLIT_PATTERNS.values())
LONGEST_EXPRESSION = 300
MOST_REPEATS = 1000
"""Of counts in braces, all of an expression multiplied: ``regex`` writes a repeated part out as often as it must come,
and a part of a part so often again."""
SECONDS = 2.0
"""Of the processor, for one text: an expression may take longer than anybody waits."""
MOST_MEMORY = 10**9
"""Bytes, with the text: calls of groups, and what is kept to go back to, may take more than there is."""
PATIENCE_SECONDS = 60.0
"""By the clock, where others have the processor."""


def checked_expression(expression: str) -> str:
    """The expression, if it can be understood.

    Raises:
        TextError: it is too long, takes too much to be read, or is none.

    >>> checked_expression(r"\\p{L}+")
    '\\\\p{L}+'
    """
    if len(expression) > LONGEST_EXPRESSION:
        raise TextError(
            f"The expression has {len(expression):,} characters; allowed are at most {LONGEST_EXPRESSION}.", "too_long"
        )
    repeats = math.prod(max(1, int(count)) for count in re.findall(r"[{,](\d+)(?=[,}])", expression))
    if repeats > MOST_REPEATS:
        raise TextError(
            f"The counts in braces multiply to {repeats:.3g} repetitions; allowed are at most {MOST_REPEATS:,}.",
            "too_large",
        )
    if fault := _fault(expression):
        raise TextError(fault.sentence, fault.code)
    return expression


@lru_cache(1024)
def _fault(expression: str) -> TextError | None:
    """Why an expression cannot be used; asked once in a process."""
    try:
        _edges("", expression)
    except TextError as error:
        return TextError(str(error), error.code)
    return None


def split(text: str, expression: str) -> Iterator[str]:
    """The pieces of a text, one after another; what no match takes is a piece of its own, so nothing is lost.

    Raises:
        TextError: the expression takes more than :data:`SECONDS` or :data:`MOST_MEMORY`, or is none.

    >>> list(split("(dog) !!!", SPLIT_PATTERNS["gpt2"].expression)), list(split("a1b", "[a-z]"))
    (['(', 'dog', ')', ' !!!'], ['a', '1', 'b'])
    """
    if not expression:
        yield from [text] if text else []
        return
    own = expression not in OURS
    edges = (
        _edges(text, expression)
        if own
        else chain.from_iterable(match.span() for match in regex.finditer(expression, text))
    )
    yield from (text[start:end] for start, end in pairwise(chain([0], edges, [len(text)])) if start < end)


def _edges(text: str, expression: str) -> Iterable[int]:
    """Where the matches of a person's expression begin and end, found by a process with bounds."""
    command = held(pattern_process, MOST_MEMORY, int(SECONDS) + 2, str(SECONDS))
    question = json.dumps(expression).encode() + b"\n" + text.encode("utf-8", "surrogatepass")
    try:
        done = subprocess.run(command, input=question, capture_output=True, timeout=PATIENCE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise TextError(_too_much(f"{SECONDS:g} seconds"), "too_large") from None
    # A library that gets no memory ends its process by a signal, and so does the system beyond the time.
    if done.returncode == pattern_process.TIME or done.returncode == -getattr(signal, "SIGXCPU", 0):
        raise TextError(_too_much(f"{SECONDS:g} seconds"), "too_large")
    if done.returncode:
        raise TextError(_too_much(f"{MOST_MEMORY / 1e9:g} GB of memory"), "too_large")
    fault, _, edges = done.stdout.partition(b"\n")
    if words := json.loads(fault):
        raise TextError(f"The expression cannot be read: {words}. Allowed is one such as \\p{{L}}+|\\s+.", "expression")
    return memoryview(edges).cast("q")


def _too_much(limit: str) -> str:
    return (
        f"The expression takes more than {limit} on this text; allowed is a simpler one, "
        "such as without a + inside of a +."
    )
