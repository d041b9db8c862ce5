"""No two cards of *Pre-training and fine-tuning* contradict each other, in what they say or in what they advise."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.bert_pretraining.findings import RULES, findings_of
from goldviz.labs.bert_pretraining.settings import BertPretraining
from goldviz.runs.examples import example
from tests.labs.bert_pretraining.test_findings import AHEAD, EVEN, run_of

LEARNED = {"reads_context", "words_by_heart", "forgotten"}
JUDGED = {
    "tone_from_words",
    "tone_from_context",
    "labels_by_heart",
    "patterns_only",
    "hard_kind",
    "pretraining_paid_off",
    "frozen_holds_back",
}
EXCLUDED = {
    "diverged": {rule.kind for rule in RULES} - {"diverged"},
    "exploding": {"vanishing", "learning_rate_too_small"},
    "learning_rate_too_large": {"learning_rate_too_small", "loss_spike", "vanishing", "reads_context"},
    "learning_rate_too_small": {"loss_spike", "reads_context"},
    "vanishing": {"reads_context"},
    "reads_context": {"exploding", "loss_spike", "clipping_every_step"},
    "worse_than_word_frequencies": {"only_word_frequencies", *LEARNED},
    "only_word_frequencies": LEARNED,
    "tone_not_learned": JUDGED,
    "tone_from_words": {"tone_from_context"},
    "pretraining_paid_off": {"frozen_holds_back"},
    "reading_raised_tone": {"reading_lowered_tone", "reading_left_tone"},
    "reading_lowered_tone": {"reading_left_tone"},
}
"""For each kind of card, those that say the opposite, or that would make no sense beside it."""


def contradictions(settings, dataset):
    """Pairs of cards that exclude each other, and settings that two cards' remedies move in opposite directions."""
    findings = findings_of.all(settings, dataset)
    kinds = {finding.kind for finding in findings}
    found = [(one, other) for one in kinds for other in EXCLUDED.get(one, set()) & kinds]
    blamed = [finding for finding in findings if finding.severity != "good"]
    for one, other in combinations(blamed, 2):
        opposed = moves(settings, one) & {(name, -way) for name, way in moves(settings, other)}
        found += [(one.kind, other.kind, name) for name, _ in opposed]
    return found


def moves(settings, finding):
    """Which numbers a card's remedies raise (1) and lower (-1); another optimiser's rate is no comparison."""
    return {
        (name, int(np.sign(value - getattr(settings, name))))
        for remedy in finding.remedies
        if "optimiser" not in remedy.changes
        for name, value in remedy.changes.items()
        if not isinstance(value, str)
    }


def test_every_kind_of_the_table_is_a_rule():
    kinds = {rule.kind for rule in RULES}
    assert kinds >= {*EXCLUDED, *(kind for kinds in EXCLUDED.values() for kind in kinds)}


@pytest.mark.parametrize("preset", BertPretraining.presets, ids=lambda preset: preset.slug)
def test_no_recorded_run_is_told_two_things(preset):
    assert not contradictions(BertPretraining.preset(preset.slug), example(BertPretraining, preset.slug))


@given(
    losses=st.tuples(st.sampled_from([4.0, 7.0, 40.0]), st.floats(0.1, 60)),
    unseen=st.floats(0.1, 20),
    after=st.floats(0.1, 30),
    shares=st.tuples(*[st.sampled_from([0.3, 0.45, 0.6, 0.95])] * 3),
    update=st.sampled_from([1e-7, 1e-5, 1e-3, 0.05, 2.0]),
    norms=st.sampled_from([1.0, 1e-4]),
    largest=st.sampled_from([1.0, 1e5]),
    clipped=st.sampled_from([0.1, 1.0]),
    special=st.sampled_from([0.1, 0.9]),
    heart=st.booleans(),
    jump=st.booleans(),
    attention=st.sampled_from([(EVEN, AHEAD), (EVEN, EVEN)]),
    words=st.sampled_from([0, 80]),
    frozen=st.booleans(),
    optimiser=st.sampled_from(["adamw", "sgd"]),
    learning_rate=st.sampled_from([1e-5, 1e-3, 3e-3, 0.09, 1.0]),
    warm_up=st.sampled_from([0.0, 0.15, 0.6]),
    clip=st.sampled_from([0.0, 0.1, 5.0]),
    masked_share=st.sampled_from([0.05, 0.15, 0.8]),
    rehearsal=st.sampled_from([0.0, 2.0]),
)
def test_no_drawn_run_is_told_two_things(
    losses, unseen, after, shares, update, norms, largest, clipped, special, heart, jump, attention, words, **settings
):
    known, new, trained = shares
    run = run_of(
        words=words,
        losses=losses,
        unseen=(7.0, unseen),
        after=after,
        known=known,
        new=new,
        trained=trained,
        update=update,
        norms=(norms, norms, 1.0),
        largest=largest,
        clipped=clipped,
        special=special,
        attention=attention,
        kinds=(known, new),
    )
    if heart and words:
        run["unseen_masked_loss"][1, 0] = 0.5 * unseen
    if jump and words:
        run["loss"][50:54] *= 5
    assert not contradictions(BertPretraining(pretraining_steps=words, fine_tuning_steps=40, **settings), run)
