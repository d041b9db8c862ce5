"""A promise is counted in trials that had no say in it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.diagnostics.findings.held_out import LOWERS, TAKES_AWAY, held_out
from goldviz.diagnostics.findings.trial import Trial

SEEDS = 5


def trial(set_up, gone=(True,) * SEEDS, after=0.5, complained=SEEDS):
    """A set-up in which the loss was 1 and the first seeds were complained of."""
    before = np.arange(SEEDS) < complained
    losses = (np.ones(SEEDS), np.broadcast_to(np.asarray(after, float), SEEDS))
    return Trial(
        "", {"depth": set_up}, "slow", "", "Half.", {}, {"plain": (before, ~np.array(gone))}, {"plain": losses}
    )


def test_a_promise_that_is_always_kept_is_counted_in_every_set_up():
    held = held_out([trial(depth) for depth in range(7)])
    assert (held.promise, held.kept, held.counted, held.set_ups) == (TAKES_AWAY, 35, 35, 7)
    assert held.offered
    assert held.words == "Takes this away: kept in 35 of 35 held-out trials, 7 set-ups."


def test_the_promise_is_the_one_that_was_kept_more_often():
    held = held_out([trial(depth, gone=(False,) * SEEDS) for depth in range(7)])
    assert (held.promise, held.kept) == (LOWERS, 35)
    assert held.words.startswith("Lowers the loss: kept in 35 of 35")
    assert held_out([trial(depth, after=1.0) for depth in range(7)]).promise is TAKES_AWAY


def test_what_two_of_eight_set_ups_broke_is_not_offered():
    broken = [trial(depth, gone=(False,) * SEEDS, after=1.0) for depth in (8, 9)]
    assert not held_out([*map(trial, range(6)), *broken]).offered
    assert held_out([*map(trial, range(8)), *broken]).offered


def test_fewer_than_ten_trials_are_too_few():
    nine = [trial(1), trial(2, complained=4)]
    assert (held_out(nine).counted, held_out(nine).offered) == (9, False)
    assert held_out([*nine, trial(3, complained=1)]).offered


def test_trials_of_one_set_up_are_held_out_together():
    held = held_out([trial(1)] * 10)
    assert (held.counted, held.offered) == (0, False)


def test_a_seed_that_was_not_complained_of_is_no_trial():
    assert held_out([trial(depth, complained=0) for depth in range(9)]).counted == 0


outcomes = st.lists(
    st.tuples(st.lists(st.booleans(), min_size=SEEDS, max_size=SEEDS), st.sampled_from([0.5, 1.0, 1.04, 2.0])),
    min_size=1,
    max_size=12,
)


@given(outcomes)
def test_a_count_never_has_more_than_the_best_promise_kept(seen):
    trials = [trial(depth, gone, after) for depth, (gone, after) in enumerate(seen)]
    held = held_out(trials)
    every = [promise.kept(one).sum() for promise in (TAKES_AWAY, LOWERS) for one in trials]
    assert held.kept <= max(sum(every[: len(trials)]), sum(every[len(trials) :]))
    assert held.kept <= held.counted <= SEEDS * len(trials)


@given(outcomes, st.randoms(use_true_random=False))
def test_the_order_of_trials_does_not_matter(seen, random):
    trials = [trial(depth, gone, after) for depth, (gone, after) in enumerate(seen)]
    first = held_out(trials)
    random.shuffle(trials)
    assert held_out(trials) == first


@pytest.mark.parametrize("promises", [(LOWERS,), (TAKES_AWAY,)])
def test_only_a_promise_that_may_be_made_is_made(promises):
    assert held_out([trial(depth) for depth in range(5)], promises).promise is promises[0]
