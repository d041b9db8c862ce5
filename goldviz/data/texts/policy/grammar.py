"""Sentence patterns with slots: how words are drawn into them, agree with each other, and give the sentence its tone.

A pattern is a sentence with slots, such as ``{measure} {move} in {month}.`` A slot's name is that of a list of terms,
with a digit where a sentence draws twice from one list (``{measure2}``), and each slot is drawn once for the whole
text: a subject that is named again is the same subject. After a dot stands the form (``{move.doing}``: "rising"),
after a slash the slot that a verb agrees with (``{move.present/measure}``: "rises" or "rise").

The tone of a pattern is a product of the signs of its slots, written ``measure*move``, ``-measure*move`` or ``0``;
``where`` is an equation of such products that a draw must satisfy, so that a contrast is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod

import numpy as np

from goldviz.coded_errors import CodedError

SLOT_IN_PATTERN = re.compile(r"\{([a-z_]+)(\d?)(?:\.([a-z_]+))?(?:/([a-z_]+\d?))?\}")
SENTENCE_START = re.compile(r"(?:^|(?<=[.?!] ))[a-z]")
MOST_DRAWS = 1000
SINGULAR = {
    "was": "was",
    "is": "is",
    "has": "has",
    "had": "had",
    "does": "does",
    "it": "it",
    "its": "its",
    "this": "this",
}
PLURAL = {
    "was": "were",
    "is": "are",
    "has": "have",
    "had": "had",
    "does": "do",
    "it": "they",
    "its": "their",
    "this": "these",
}


class PatternError(CodedError):
    """A pattern that asks for a slot, a form or a condition that there is not."""


@dataclass(frozen=True)
class Term:
    """A word or phrase in all forms that a pattern may ask for; the plain one is ``forms[""]``.

    ``sign`` says what more of it means: 1 good, -1 bad, 0 neither, for the economy or the market it belongs to. A
    verb has the sign of its direction. ``plural`` is for the verbs that agree with it.
    """

    forms: Mapping[str, str]
    sign: int = 0
    plural: bool = False


NOTHING_DECIDED: Mapping[str, Term] = {}
Draw = Callable[[np.random.Generator], Term]
Lexicon = Mapping[str, Sequence[Term] | Draw]
"""For each slot's name the terms to draw from, or what draws one (a date, a range of rates)."""


def phrases(words: str, sign: int = 0) -> tuple[Term, ...]:
    """Terms that have no other forms than one with an article, listed with bars between.

    >>> [term.forms["a"] for term in phrases("sharp | unexpected")]
    ['a sharp', 'an unexpected']
    """
    return tuple(Term({"": text, "a": f"{_article(text)} {text}"}, sign) for text in _listed_with_bars(words))


def nouns(words: str, sign: int = 0, plural: bool = False) -> tuple[Term, ...]:
    """Nouns that verbs and pronouns agree with: forms ``was``, ``is``, ``has``, ``does``, ``it``, ``its``, ``this``.

    >>> term, = nouns("wages", 1, plural=True)
    >>> term.forms["was"], term.forms["its"]
    ('were', 'their')
    """
    agreeing = PLURAL if plural else SINGULAR
    return tuple(
        Term({"": text, "a": f"{_article(text)} {text}", **agreeing}, sign, plural) for text in _listed_with_bars(words)
    )


def verbs(words: str, sign: int = 0) -> tuple[Term, ...]:
    """Verbs, listed with bars: a regular one by its base, another by base, past and participle with slashes.

    Forms: the past (plain), ``do``, ``done``, ``doing``, ``present`` ("rises", or "rise" with a plural). Of a verb
    of several words the first one changes. A doubled final letter is written in the past: ``slip/slipped``.

    >>> rise, move = verbs("rise/rose/risen | move up", 1)
    >>> rise.forms["done"], rise.forms["doing"], move.forms[""], move.forms["present"]
    ('risen', 'rising', 'moved up', 'moves up')
    """
    return tuple(Term(_verb_forms(*text.split("/")), sign) for text in _listed_with_bars(words))


@dataclass(frozen=True)
class Pattern:
    """A text with slots, its kind, its tone as a product of signs, and what a draw must satisfy."""

    text: str
    kind: str
    tone: str = "0"
    where: str = ""


def patterns(texts: str, kind: str = "story", tone: str = "0", where: str = "") -> tuple[Pattern, ...]:
    """A pattern for each line of ``texts``."""
    return tuple(Pattern(line, kind, tone, where) for line in texts.splitlines() if line)


def written(
    pattern: Pattern, lexicon: Lexicon, generator: np.random.Generator, beforehand: Mapping[str, Term] = NOTHING_DECIDED
) -> tuple[str, int]:
    """A text drawn from a pattern, and the sign of its tone; ``beforehand`` holds slots that are decided.

    Raises :class:`PatternError` where the lexicon lacks a slot or form, or no draw satisfies the pattern's condition.

    >>> lexicon = {"measure": nouns("unemployment", -1), "move": verbs("rise/rose/risen", 1)}
    >>> pattern = Pattern("{measure} {measure.has} {move.done}.", "direction", "measure*move")
    >>> written(pattern, lexicon, np.random.default_rng(0))
    ('Unemployment has risen.', -1)
    """
    for _ in range(MOST_DRAWS):
        terms = dict(beforehand)
        text = filled(pattern.text, lexicon, generator, terms)
        if not pattern.where or _pattern_holds(pattern.where, terms):
            return sentence_cased(text), sign_of(pattern.tone, terms)
    raise PatternError(f"No draw satisfies {pattern.where!r} of the pattern {pattern.text!r}.", "never_true")


def filled(text: str, lexicon: Lexicon, generator: np.random.Generator, terms: dict[str, Term]) -> str:
    """The text with its slots filled; ``terms`` holds what is decided before, and takes what is drawn here."""
    words = []
    for part in _pattern_parts(text):
        if isinstance(part, str):
            words.append(part)
            continue
        slot, form, other = part
        if slot not in terms:
            terms[slot] = drawn_term(slot, lexicon, generator, terms)
        if other and terms[other].plural:
            form = "do"
        if form not in terms[slot].forms:
            raise PatternError(
                f"The slot {slot!r} has no form {form!r}, for which this text asks: {text!r}.", "not_offered"
            )
        words.append(terms[slot].forms[form])
    return "".join(words)


def drawn_term(
    slot: str, lexicon: Lexicon, generator: np.random.Generator, others: Mapping[str, Term] = NOTHING_DECIDED
) -> Term:
    """A term for a slot, one that says something else than the ``others``, which other slots have.

    Raises :class:`PatternError` where the lexicon lacks the slot, or has no other term for it.
    """
    terms = lexicon.get(slot.rstrip("0123456789"))
    if terms is None:
        raise PatternError(f"There is no slot {slot!r}; allowed are {', '.join(sorted(lexicon))}.", "not_offered")
    if callable(terms):
        return terms(generator)
    words = {other.forms[""] for other in others.values()}
    for _ in range(MOST_DRAWS):
        term = _without_slots(terms[int(generator.random() * len(terms))], lexicon, generator)
        if term.forms[""] not in words:
            return term
    raise PatternError(f"The lexicon has too few terms for the slot {slot!r}.", "too_few")


def sentence_cased(text: str) -> str:
    """The text with a capital letter at the start of each sentence."""
    return SENTENCE_START.sub(lambda match: match.group().upper(), text)


def sign_of(product: str, terms: Mapping[str, Term]) -> int:
    """The value of a product of signs: factors are slots or whole numbers, with a minus in front or not."""
    sign, factors = (-1, product[1:]) if product.startswith("-") else (1, product)
    names = [name for name in factors.split("*") if not name.isdigit()]
    if missing := [name for name in names if name not in terms]:
        raise PatternError(f"The product {product!r} names {missing[0]!r}, which the text lacks.", "not_offered")
    return sign * prod(int(factor) if factor.isdigit() else terms[factor].sign for factor in factors.split("*"))


def _pattern_holds(where: str, terms: Mapping[str, Term]) -> bool:
    left, right = where.split("=")
    return sign_of(left, terms) == sign_of(right, terms)


def _without_slots(term: Term, lexicon: Lexicon, generator: np.random.Generator) -> Term:
    """The term with its own slots filled, the same in all its forms: "prices of {good}" are those of one good."""
    if "{" not in term.forms[""]:
        return term
    terms: dict[str, Term] = {}
    return replace(term, forms={form: filled(text, lexicon, generator, terms) for form, text in term.forms.items()})


@cache
def _pattern_parts(text: str) -> tuple[str | tuple[str, str, str], ...]:
    """Plain text and slots in turn, a slot as its name, its form, and the slot that it agrees with."""
    parts: list[str | tuple[str, str, str]] = []
    end = 0
    for match in SLOT_IN_PATTERN.finditer(text):
        parts += [text[end : match.start()], (match[1] + match[2], match[3] or "", match[4] or "")]
        end = match.end()
    parts.append(text[end:])
    if any("{" in part or "}" in part for part in parts if isinstance(part, str)):
        raise PatternError(f"A slot of this text cannot be read: {text!r}.", "ungrammatical")
    return tuple(part for part in parts if part)


def _listed_with_bars(words: str) -> list[str]:
    return [text for text in (" ".join(part.split()) for part in words.split("|")) if text]


def _article(text: str) -> str:
    return "an" if text[0] in "aeio" or (text.startswith(("un", "up", "ultim")) and not text.startswith("uni")) else "a"


def _verb_forms(base: str, past: str = "", participle: str = "") -> dict[str, str]:
    head, space, rest = base.partition(" ")
    rest = space + rest
    past_form = past.partition(" ")[0] or _regular_past(head)
    stem = past_form[:-2] if past_form == head + head[-1] + "ed" else head
    return {
        "": past_form + rest,
        "do": base,
        "done": (participle.partition(" ")[0] or past_form) + rest,
        "doing": (stem[:-1] if stem.endswith("e") and not stem.endswith("ee") else stem) + "ing" + rest,
        "present": _third_person(head) + rest,
    }


def _regular_past(head: str) -> str:
    if head.endswith("e"):
        return head + "d"
    return head[:-1] + "ied" if head[-1] == "y" and head[-2] not in "aeiou" else head + "ed"


def _third_person(head: str) -> str:
    if head.endswith(("s", "sh", "ch", "x", "o")):
        return head + "es"
    return head[:-1] + "ies" if head[-1] == "y" and head[-2] not in "aeiou" else head + "s"
