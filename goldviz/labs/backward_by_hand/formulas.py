"""A small grammar of formulas over named tensors: text in, a tree out. Nothing is ever carried out as Python.

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/" | "@") signed)*
    signed  = "-" signed | power
    power   = transposed ("**" signed)?
    transposed = atom ".T"*
    atom    = number | name | name "(" sum ("," sum)* ")" | "(" sum ")"

"*" multiplies entry by entry, "@" matrices. The signs of printed formulas are read as well: × · ⊙ ᵀ − ^.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

LONGEST = 400
"""Characters of a formula."""
DEEPEST = 24
"""Brackets, signs and powers within one another."""
MOST_PARTS = 120
"""Numbers, names and operations of a formula."""

PRINTED = str.maketrans({"×": "*", "·": "*", "⊙": "*", "−": "-", "–": "-", "^": "**", "ᵀ": ".T"})
TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<sign>\*\*|\.T\b|[-+*/@(),])|(?P<blank>\s+)"
)


class FormulaError(ValueError):
    """A formula that cannot be read, in a sentence for a person."""


@dataclass(frozen=True)
class Number:
    """A number as it is written."""

    value: float
    text: str


@dataclass(frozen=True)
class Name:
    """A tensor or a size by its name."""

    text: str


@dataclass(frozen=True)
class Negative:
    """The negative of a part."""

    of: Formula

    @property
    def text(self) -> str:
        """As one would write it."""
        return f"-{_bracketed(self.of)}"


@dataclass(frozen=True)
class Transposed:
    """A matrix with its rows as columns."""

    of: Formula

    @property
    def text(self) -> str:
        """As one would write it."""
        return f"{_bracketed(self.of)}.T"


@dataclass(frozen=True)
class Operation:
    """Two parts joined by one of + - * / @ **."""

    sign: str
    left: Formula
    right: Formula

    @property
    def text(self) -> str:
        """As one would write it, with a bracket round every part that is an operation itself."""
        return f"{_bracketed(self.left)} {self.sign} {_bracketed(self.right)}"


@dataclass(frozen=True)
class Call:
    """A function of parts."""

    function: str
    arguments: tuple[Formula, ...]

    @property
    def text(self) -> str:
        """As one would write it."""
        return f"{self.function}({', '.join(argument.text for argument in self.arguments)})"


Formula: TypeAlias = "Number | Name | Negative | Transposed | Operation | Call"


def _bracketed(part: Formula) -> str:
    return f"({part.text})" if isinstance(part, (Operation, Negative)) else part.text


def parse(text: str) -> Formula:
    """The tree of a formula; raises :class:`FormulaError` with a sentence for a text that is none, or is too large.

    >>> parse("-a * b.T + sum(c, 0)").text
    '((-a) * b.T) + sum(c, 0)'
    >>> parse("a +")
    Traceback (most recent call last):
    goldviz.labs.backward_by_hand.formulas.FormulaError: The formula ends where a number, name or bracket is missing.
    """
    if len(text) > LONGEST:
        raise FormulaError(f"The formula has {len(text):,} characters; allowed are {LONGEST}.")
    if not text.strip():
        raise FormulaError("The formula is empty.")
    return _Reader(list(_tokens(text.translate(PRINTED)))).whole()


def names_in(formula: Formula) -> Iterator[str]:
    """The names of tensors and sizes in a formula, from left to right, each as often as it stands there."""
    match formula:
        case Name():
            yield formula.text
        case Negative() | Transposed():
            yield from names_in(formula.of)
        case Operation():
            yield from names_in(formula.left)
            yield from names_in(formula.right)
        case Call():
            for argument in formula.arguments:
                yield from names_in(argument)
        case Number():
            pass


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise FormulaError(f"“{text[place]}” is no part of a formula.")
        place = match.end()
        if match.lastgroup != "blank":
            yield str(match.lastgroup), match.group()


class _Reader:
    """Recursive descent over tokens, counting how deep and how large the formula gets."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        parts = sum(text not in "()," for _, text in tokens)
        if parts > MOST_PARTS:
            raise FormulaError(f"The formula has {parts} numbers, names and signs; allowed are {MOST_PARTS}.")

    def whole(self) -> Formula:
        formula = self.sum()
        if self.at < len(self.tokens):
            raise FormulaError(f"After “{formula.text}” there is “{self.peek()}” where a sign such as * or + is due.")
        return formula

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, *signs: str) -> str:
        """The next token if it is one of these signs, else nothing."""
        token = self.peek()
        if token not in signs:
            return ""
        self.at += 1
        return token

    def sum(self) -> Formula:
        formula = self.product()
        while sign := self.take("+", "-"):
            formula = Operation(sign, formula, self.product())
        return formula

    def product(self) -> Formula:
        formula = self.signed()
        while sign := self.take("*", "/", "@"):
            formula = Operation(sign, formula, self.signed())
        return formula

    def signed(self) -> Formula:
        """Every way to go deeper comes through here."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise FormulaError(f"The formula goes more than {DEEPEST} brackets or signs deep.")
        formula: Formula = Negative(self.signed()) if self.take("-") else self.power()
        self.depth -= 1
        return formula

    def power(self) -> Formula:
        base = self.transposed()
        return Operation("**", base, self.signed()) if self.take("**") else base

    def transposed(self) -> Formula:
        formula = self.atom()
        while self.take(".T"):
            formula = Transposed(formula)
        return formula

    def atom(self) -> Formula:
        if self.at == len(self.tokens):
            raise FormulaError("The formula ends where a number, name or bracket is missing.")
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return _number(text)
        if kind == "name":
            return Call(text, self.arguments()) if self.take("(") else Name(text)
        if text != "(":
            raise FormulaError(f"There is “{text}” where a number, a name or a bracket is due.")
        formula = self.sum()
        self.close()
        return formula

    def arguments(self) -> tuple[Formula, ...]:
        values = [self.sum()]
        while self.take(","):
            values.append(self.sum())
        self.close()
        return tuple(values)

    def close(self) -> None:
        if not self.take(")"):
            raise FormulaError("A bracket is opened and not closed.")


def _number(text: str) -> Number:
    value = float(text)
    if not math.isfinite(value):
        raise FormulaError(f"{text} is too large a number.")
    return Number(value, text)
