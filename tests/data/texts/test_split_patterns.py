"""Cuts before merges: the table of the page, nothing lost, and expressions that would take too long refused."""

import resource
from contextlib import suppress
from unittest import mock

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from goldviz.data.texts import split_patterns
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.split_patterns import SPLIT_PATTERNS, checked_expression, split
from tests.refusals import refused

EXPRESSIONS = {name: pattern.expression for name, pattern in SPLIT_PATTERNS.items()}

TABLE = [
    ("dog.", "dog|.", "dog|."),
    ("dog!", "dog|!", "dog|!"),
    ("dog?", "dog|?", "dog|?"),
    ("    hello", "   | hello", "   | hello"),
    (" world", " world", " world"),
    ("(dog) !!!", "(|dog|)| !!!", "(dog|)| !!!"),
    ("HELLO'S it's", "HELLO|'|S| it|'s", "HELLO|'S| it|'s"),
    ("1234567.89", "1234567|.|89", "123|456|7|.|89"),
    ("2026-11-21", "2026|-|11|-|21", "202|6|-|11|-|21"),
    ("rose 0.25%", "rose| 0|.|25|%", "rose| |0|.|25|%"),
    ("a\n\n  b", "a|\n\n | b", "a|\n\n| | b"),
]


@pytest.mark.parametrize(("text", "gpt2", "cl100k"), TABLE)
def test_both_patterns_cut_as_the_table_says(text, gpt2, cl100k):
    assert "|".join(split(text, EXPRESSIONS["gpt2"])) == gpt2
    assert "|".join(split(text, EXPRESSIONS["cl100k"])) == cl100k


@pytest.mark.parametrize(
    ("number", "groups"),
    [("1234567.89", "1|234|567|.|89"), ("123456", "123|456"), ("12", "12"), ("2026-11-21", "2|026|-|11|-|21")],
)
def test_digits_are_taken_in_threes_from_the_right(number, groups):
    assert "|".join(split(number, EXPRESSIONS["cl100k_right"])) == groups


def test_a_long_number_is_cut_in_time_in_proportion():
    pieces = list(split("7" * 20_000, EXPRESSIONS["cl100k_right"]))
    assert len(pieces) == 6667
    assert pieces[-19:] == ["777"] * 19


@given(st.text(), st.sampled_from(list(EXPRESSIONS.values())))
def test_nothing_of_a_text_is_lost(text, expression):
    pieces = list(split(text, expression))
    assert "".join(pieces) == text
    assert all(pieces)


@settings(max_examples=10, deadline=None)
@given(st.text(), st.sampled_from(["[a-z]+", "(?=b)", "a|", "(?r)[ab]{2}", r"\((?:[^()]|(?R))*\)"]))
def test_nothing_of_a_text_is_lost_by_an_expression_of_one_s_own(text, expression):
    pieces = list(split(text, expression))
    assert "".join(pieces) == text
    assert all(pieces)


def test_an_expression_that_takes_too_long_is_one_sentence(monkeypatch):
    monkeypatch.setattr(split_patterns, "SECONDS", 0.05)
    with refused(TextError, "too_large", "0.05 seconds"):
        list(split("a" * 100, checked_expression("(?:(a|aa))+b")))


@pytest.mark.parametrize(
    ("expression", "code", "facts"),
    [
        ("[", "expression", ("unterminated character set",)),
        (r"\p{Foo}", "expression", ("unknown property",)),
        ("(?au)a", "expression", ("ASCII, LOCALE and UNICODE",)),
        ("a" * 301, "too_long", ("301", "300")),
        ("(?:a{999}){999}", "too_large", ("9.98e+05", "1,000")),
        ("(?:(?:a{999}){0,999}){2,}", "too_large", ("1,000",)),
    ],
)
def test_what_is_no_expression_or_too_large_a_one_is_refused(expression, code, facts):
    with refused(TextError, code, *facts):
        checked_expression(expression)


@pytest.mark.parametrize("expression", ["(?x)(?:(?:a{9 9 9}){9 9 9}){9 9 9}", "(" * 150 + ")" * 150])
def test_what_may_take_too_long_to_be_read_is_read_or_refused(expression):
    with mock.patch.object(split_patterns, "SECONDS", 0.2), suppress(TextError):
        checked_expression(expression)


CALLS = ("(?R)", "(?0)", "(?1)", "(?+1)", "(?-1)", "(?&n)", "(?P&n)", "(?P>n)")
DISGUISES = ("{}", "(?#[){}", "(?#(){}", "(?:{})", "(?={})", "{}?", "a*{}", "(?:{}|a)", "[)]?{}", r"\[?{}", "(?i){}")


@pytest.mark.untrusted
@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(DISGUISES), st.sampled_from(CALLS)), min_size=1, max_size=3),
    st.sampled_from(["(?P<n>{})(?R)?", "(?<n>{}|b)", "(?<n>a{})", "(?x) # [ \n (?<n> {} )", "{}(?<n>b)()"]),
)
@example([("{}", "(?P&n)")], "(?P<n>{})(?R)?")
@example([("(?#[){}", "(?R)")], "(?<n>{}|b)")
def test_an_expression_that_calls_itself_ends_within_its_bounds(calls, frame):
    """With a piece of text or in a sentence; the process that asks never holds what the expression takes."""
    expression = frame.replace("{}", "".join(disguise.replace("{}", call) for disguise, call in calls))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with mock.patch.object(split_patterns, "SECONDS", 0.2), suppress(TextError):
        assert "".join(split("ab" * 500, checked_expression(expression))) == "ab" * 500
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


@pytest.mark.parametrize("expression", ["", r"\p{L}+|\s+", r"\d{3}", r"[(?R)]|\(?R|(a)(?(1)b)", EXPRESSIONS["cl100k"]])
def test_what_can_be_read_is_taken_as_it_stands(expression):
    assert checked_expression(expression) == expression


def test_python_s_own_expressions_lack_letters_of_all_languages():
    assert regex.fullmatch(r"\p{L}+", "Größeγ")
