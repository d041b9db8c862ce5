"""Sentences and statements on monetary policy and markets, written by rules, each sentence with a known tone.

The tone (negative, neutral, positive) is that for the economy or the market of which the sentence speaks. It follows
from several words together: "unemployment fell" is positive and "output fell" negative; "did not improve" is the
opposite of "improved"; of a contrast the main clause decides; less than feared is good and less than hoped is not;
a condition that may come true has not happened. A reader of word counts can therefore not tell it, and a reader of the
whole sentence can.

Every text is drawn from a pattern (:mod:`goldviz.data.texts.policy.grammar`). Some patterns are "unseen": no labelled
text has them, so that a score on them can say what was learned and what was only remembered. Pre-training may have read
sentences of them, without tones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from goldviz.data.texts.policy.grammar import Pattern, written
from goldviz.data.texts.policy.lexicon import POLICY_LEXICON
from goldviz.data.texts.policy.patterns import NEUTRAL_PATTERNS, TONED_PATTERNS, UNSEEN_PATTERNS
from goldviz.data.texts.policy.statements import written_statement

Tone = Literal["negative", "neutral", "positive"]
WhichPatterns = Literal["seen", "unseen", "all"]

TONES: tuple[Tone, ...] = ("negative", "neutral", "positive")

NEUTRAL_SENTENCE_SHARE = 1 / 3
PATTERNS_BY_NAME: dict[WhichPatterns, tuple[Pattern, ...]] = {
    "seen": TONED_PATTERNS + NEUTRAL_PATTERNS,
    "unseen": UNSEEN_PATTERNS,
    "all": TONED_PATTERNS + NEUTRAL_PATTERNS + UNSEEN_PATTERNS,
}


@dataclass(frozen=True)
class LabelledText:
    """A sentence, its tone, the kind of reading that its tone asks for, and the pattern that it was drawn from."""

    text: str
    tone: Tone
    kind: str
    pattern: str


def policy_sentences(
    count: int, generator: np.random.Generator, patterns: WhichPatterns = "seen"
) -> list[LabelledText]:
    """``count`` sentences: a third of them neutral, and within that and the rest each pattern as likely as another.

    Raises ``ValueError`` for a count below 0.

    >>> one, = policy_sentences(1, np.random.default_rng(1))
    >>> one.text
    'At 9.4 percent, the participation rate was slightly above what pilots had anticipated.'
    >>> one.tone, one.kind
    ('positive', 'expectation')
    """
    _check_text_count(count)
    neutral = [pattern for pattern in PATTERNS_BY_NAME[patterns] if pattern.tone == "0"]
    leaning = [pattern for pattern in PATTERNS_BY_NAME[patterns] if pattern.tone != "0"]
    texts = []
    for _ in range(count):
        pool = neutral if generator.random() < NEUTRAL_SENTENCE_SHARE else leaning
        pattern = pool[int(generator.random() * len(pool))]
        text, sign = written(pattern, POLICY_LEXICON, generator)
        texts.append(LabelledText(text, TONES[sign + 1], pattern.kind, pattern.text))
    return texts


def policy_documents(count: int, generator: np.random.Generator) -> list[str]:
    """``count`` statements of several paragraphs, on one meeting or one market each, in the order of their time.

    Raises ``ValueError`` for a count below 0.
    """
    _check_text_count(count)
    return [written_statement(generator) for _ in range(count)]


def _check_text_count(count: int) -> None:
    if count < 0:
        raise ValueError(f"The number of texts is {count}; allowed is a whole number from 0.")
