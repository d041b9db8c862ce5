"""The lexicon: no word is both good and bad, none is listed twice, and every slot has enough to draw from."""

from collections import defaultdict

import pytest

from goldviz.data.texts.policy.lexicon import POLICY_LEXICON

LISTED = {slot: terms for slot, terms in POLICY_LEXICON.items() if not callable(terms)}


def test_no_term_is_listed_twice_in_a_slot():
    for slot, terms in LISTED.items():
        words = [term.forms[""] for term in terms]
        assert sorted(set(words)) == sorted(words), slot


def test_no_term_has_two_signs():
    signs = defaultdict(set)
    for slot in ("measure", "holding", "condition", "ratio", "event"):
        for term in LISTED[slot]:
            signs[term.forms[""]].add(term.sign)
    assert [words for words, found in signs.items() if len(found) > 1] == []


@pytest.mark.parametrize("slot", ["measure", "move", "change", "turn", "state", "event", "ratio", "more", "above"])
def test_both_signs_are_there_in_like_numbers(slot):
    good, bad = (sum(term.sign == sign for term in LISTED[slot]) for sign in (1, -1))
    assert 0.5 < good / bad < 2.1
    assert good + bad == len(LISTED[slot])


def test_all_terms_of_a_slot_have_the_same_forms():
    assert [slot for slot, terms in LISTED.items() if len({frozenset(term.forms) for term in terms}) != 1] == []
