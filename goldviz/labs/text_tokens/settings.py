"""Text into tokens: what is cut, how, and from which text the merges are learned (document 002, 2.1 to 2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import model_validator

from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.split_patterns import LONGEST_EXPRESSION, SPLIT_PATTERNS, checked_expression
from goldviz.declare import standard
from goldviz.declare.instant import Instant
from goldviz.declare.settings import About, Preset, setting

PATTERN_LABELS = standard.labels_of(SPLIT_PATTERNS) | {"own": "Your expression"}
CORPORA = {
    "python": "Python's documentation",
    "words": "The same, single spaces",
    "code": "Python's own code",
    "names": "First names",
    "cities": "City names",
    "own": "The text itself",
}
LONGEST_TEXT = 1500
"""Characters of the text that is cut: what a link can carry."""
TABLE = (
    "dog. dog! dog?    hello world (dog) !!! HELLO'S it's 1234567.89 2026-11-21 rose 0.25%\n"
    "for dog in dogs:\n    print(dog)"
)
NUMBERS = "7 42 365 1024 31415 123456 1234567 12345678 123456789"
MANY_LANGUAGES = (
    "The price of gold rose today. Ο χρυσός ακρίβυνε σήμερα. 今日は金の価格が上がった。 שער הזהב עלה היום. 👩‍👩‍👧‍👦"
)


class TextTokens(Instant):
    """Learn byte pairs on a text, and see what two ways to cut a text make of it."""

    about = About(
        "text-tokens",
        "Text into tokens",
        icon=":material/data_array:",
        section="Language",
        rank=44,
        room="Tokens",
        sought="BPE byte pair encoding tokeniser tokenizer WordPiece vocabulary GPT",
        question="How does a text become tokens, and why does it matter where it is cut?",
    )

    text: str = setting(TABLE, min_length=1, max_length=LONGEST_TEXT, group="Text", essential=True, control="cut text")
    """The text that becomes tokens."""
    pattern: str = setting("gpt2", group="Cuts", essential=True, one_of=PATTERN_LABELS)
    """Where the left tokeniser cuts a text before it joins pairs. No token crosses a cut."""
    beside: str = setting("cl100k", group="Cuts", essential=True, one_of=PATTERN_LABELS)
    """Where the right tokeniser cuts, to compare."""
    vocabulary: int = setting(1000, ge=256, le=4096, group="Vocabulary", essential=True, unit="tokens")
    """How many tokens there are: the 256 single bytes, and one for each merge."""
    corpus: str = standard.kept(
        "a text", "python", "words", "code", "names", "cities", "own", group="Text", control="corpus", labels=CORPORA
    )
    """The text that the merges are learned from (the corpus)."""
    expression: str = setting(
        r"\p{L}+|\p{N}+|\s+",
        max_length=LONGEST_EXPRESSION,
        group="Cuts",
        essential=True,
        allowed=f"a regular expression of at most {LONGEST_EXPRESSION} characters that takes at most 2 seconds",
    )
    """Your own regular expression: each match is a piece, and so is what lies between two matches."""
    part: int = setting(0, ge=0, le=5, group="Text", unit="of five")
    """Learn from one fifth of the corpus, or from all of it (0)."""

    @model_validator(mode="after")
    def _the_expression_can_be_read(self) -> Self:
        if "own" in self.patterns:
            try:
                checked_expression(self.expression)
            except TextError as error:
                raise ValueError(str(error).removesuffix(".")) from None
        return self

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "The document's examples under both patterns. Both cut before every . ! and ?, and cut four spaces alike.",
        ),
        Preset(
            "The smallest example",
            "aaabdaaabac: three merges make five tokens of eleven bytes.",
            {"text": "aaabdaaabac", "corpus": "own", "pattern": "none", "beside": "gpt2", "vocabulary": 259},
        ),
        Preset(
            "Spaces in code",
            "Learned from code, both vocabularies have tokens of eight spaces or more.",
            {"corpus": "code"},
        ),
        Preset(
            "Break it: no pattern",
            "Without cuts, 3 to 5 % of the learned tokens hold several words, and 24 to 30 % a word's end with the "
            "blank after it. In 4 to 7 %, letters and signs such as . or ( are mixed (on each fifth of the corpus).",
            {"beside": "none"},
        ),
        Preset(
            "Break it: spaces apart",
            "Words and spaces are cut apart, so spaces need tokens of their own: about a quarter more tokens for the "
            "same corpus.",
            {"beside": "apart"},
        ),
        Preset(
            "Break it: other languages",
            "Learned from each fifth of the English corpus, these 175 bytes still take 157 to 160 tokens: letters that "
            "the corpus lacks stay single bytes.",
            {"text": MANY_LANGUAGES},
        ),
        Preset(
            "Fix it: learn from the text",
            "The same text, learned from itself: pairs that it repeats become tokens, and 124 tokens are enough.",
            {"text": MANY_LANGUAGES, "corpus": "own"},
        ),
        Preset(
            "Fix it: digits from the right",
            "Taken in threes from the right, digits line up: thousands with thousands, millions with millions.",
            {"text": NUMBERS, "pattern": "cl100k", "beside": "cl100k_right"},
        ),
    )

    @property
    def patterns(self) -> tuple[str, str]:
        """Left and right."""
        return self.pattern, self.beside

    def expression_of(self, pattern: str) -> str:
        """The expression that a pattern cuts with."""
        return self.expression if pattern == "own" else SPLIT_PATTERNS[pattern].expression

    def without_effect(self) -> Mapping[str, str]:
        """An expression that nothing is cut with."""
        return {} if "own" in self.patterns else {"expression": "Nothing is cut with an expression of your own."}
