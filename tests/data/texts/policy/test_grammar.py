"""Patterns: forms of words, agreement, signs, conditions, and what is said where a pattern asks for too much."""

import numpy as np
import pytest

from goldviz.data.texts.policy.grammar import (
    Pattern,
    PatternError,
    nouns,
    patterns,
    phrases,
    sentence_cased,
    sign_of,
    verbs,
    written,
)
from tests.refusals import refused

LEXICON = {
    "measure": (*nouns("unemployment", -1), *nouns("wages", 1, plural=True)),
    "move": (*verbs("rise/rose/risen", 1), *verbs("drop/dropped", -1)),
    "cost": nouns("costs of {good}", -1, plural=True),
    "good": phrases("coal | steel | wheat"),
}


def texts_of(text, tone="0", where="", count=60):
    pattern = Pattern(text, "plain", tone, where)
    generator = np.random.default_rng(0)
    return {written(pattern, LEXICON, generator) for _ in range(count)}


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("decline", ("declined", "decline", "declined", "declining", "declines")),
        ("agree", ("agreed", "agree", "agreed", "agreeing", "agrees")),
        ("imply", ("implied", "imply", "implied", "implying", "implies")),
        ("stay", ("stayed", "stay", "stayed", "staying", "stays")),
        ("reach", ("reached", "reach", "reached", "reaching", "reaches")),
        ("slip/slipped", ("slipped", "slip", "slipped", "slipping", "slips")),
        ("go up/went up/gone up", ("went up", "go up", "gone up", "going up", "goes up")),
        (
            "break down/broke down/broken down",
            ("broke down", "break down", "broken down", "breaking down", "breaks down"),
        ),
    ],
)
def test_verbs_have_their_forms(verb, forms):
    (term,) = verbs(verb, 1)
    assert tuple(term.forms[form] for form in ("", "do", "done", "doing", "present")) == forms


def test_verbs_and_pronouns_agree_with_their_subject():
    found = texts_of("{measure} {measure.is} known: {measure.it} {move.present/measure}.")
    assert {text for text, _ in found} == {
        "Unemployment is known: it rises.",
        "Unemployment is known: it drops.",
        "Wages are known: they rise.",
        "Wages are known: they drop.",
    }


def test_the_tone_is_the_product_of_the_signs():
    assert texts_of("{measure} {move}.", "measure*move") == {
        ("Unemployment rose.", -1),
        ("Unemployment dropped.", 1),
        ("Wages rose.", 1),
        ("Wages dropped.", -1),
    }
    assert texts_of("No {measure} {move}.", "-measure*move") == {
        (f"No {text[0].lower()}{text[1:]}", -sign) for text, sign in texts_of("{measure} {move}.", "measure*move")
    }


def test_a_condition_holds_in_every_draw():
    found = texts_of("{measure} {move} but {measure2} {move2}.", "measure2*move2", "measure*move=measure2*move2")
    assert found == {
        ("Unemployment rose but wages dropped.", -1),
        ("Unemployment dropped but wages rose.", 1),
        ("Wages rose but unemployment dropped.", 1),
        ("Wages dropped but unemployment rose.", -1),
    }


def test_a_slot_is_filled_once_and_its_own_slots_too():
    for text, _ in texts_of("{cost}; {cost} again, and {good}."):
        first, second = text.lower().removesuffix(".").split(";")
        assert second.strip().startswith(first + " again")


def test_sentences_begin_with_a_capital():
    assert sentence_cased("gold rose. silver fell by 1.5 percent? yes. 3 others did.") == (
        "Gold rose. Silver fell by 1.5 percent? Yes. 3 others did."
    )


def test_lines_are_patterns():
    assert [one.text for one in patterns("one {measure}.\n\ntwo.\n", "plain")] == ["one {measure}.", "two."]


@pytest.mark.parametrize(
    ("text", "tone", "where", "code", "facts"),
    [
        ("{nothing}.", "0", "", "not_offered", ("slot 'nothing'", "cost, good, measure, move")),
        ("{measure.doing}.", "0", "", "not_offered", ("slot 'measure'", "form 'doing'")),
        ("{measure.present/move", "0", "", "ungrammatical", ("'{measure.present/move'",)),
        ("{measure}.", "move", "", "not_offered", ("product 'move'",)),
        ("{measure}.", "0", "measure=0", "never_true", ("'measure=0'",)),
        ("{good}{good2}{good3}{good4}", "0", "", "too_few", ("slot 'good4'",)),
    ],
)
def test_a_pattern_that_cannot_be_is_named(text, tone, where, code, facts):
    with refused(PatternError, code, *facts):
        texts_of(text, tone, where)


def test_products_of_signs_hold_numbers_too():
    (rise,) = verbs("rise/rose/risen", 1)
    assert sign_of("-move*1", {"move": rise}) == -1
    assert sign_of("0", {}) == 0
