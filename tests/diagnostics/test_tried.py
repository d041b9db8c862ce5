"""What trials say of a remedy, and which remedies that leaves on a card."""

import json
from dataclasses import replace

import numpy as np
import pytest

from goldviz.diagnostics.findings import Check, Finding, Mend, Remedy, remedies
from goldviz.diagnostics.findings.trial import Trial
from goldviz.diagnostics.findings.tried import Tried

YES, NO = [True] * 5, [False] * 5
HALF = Remedy("Take half of {x}.", "Take half of 8.", {"x": 4})
WHOLE = Remedy("Take all.", "Take all.", {"x": 16})


def trial(before=YES, after=NO, loss=((1.0, 0.5),), twin=((1.0, 1.0),), words=HALF.words, changes=HALF.changes, **more):
    """Five seeds; losses as pairs of before and after, one for all seeds or one each."""
    losses = {"plain": _losses(loss), "residual": _losses(twin)}
    known = {"where": "here", "settings": {"depth": 3}, "kind": "slow", "line": "above 3", **more}
    return Trial(
        **known, words=words, changes=changes, complaint={"plain": (np.array(before), np.array(after))}, loss=losses
    )


def _losses(pairs):
    pairs = list(pairs) * (5 // len(pairs))
    return tuple(np.array(part, float) for part in zip(*pairs, strict=True))


def finding(*found, severity="bad"):
    return Finding("slow", "", severity, "", "", "", "", advice="first", changes={"y": 1}, remedies=found)


@pytest.mark.parametrize(
    ("made", "helped"),
    [
        (trial(), 5),
        (trial(after=YES), 5),
        (trial(after=YES, loss=((1.0, 0.97),)), 0),
        (trial(after=YES, loss=((1.0, 0.95),)), 0),
        (trial(after=YES, loss=((1.0, 0.97),), twin=((1.0, 0.1),)), 0),
        (trial(loss=((1.0, 1.04),)), 5),
        (trial(loss=((1.0, 1.2),)), 0),
        (trial(loss=((1.0, np.nan),)), 0),
        (trial(after=YES, loss=((np.nan, 2.0),)), 5),
        (trial(after=YES, loss=((np.nan, 2.1),)), 0),
        (trial(loss=((np.nan, 2.1),)), 0),
        (trial(loss=((np.nan, np.nan),)), 5),
        (trial(before=[True, True, False, False, False]), 2),
        (trial(before=NO), 0),
        (trial(after=YES, loss=((1, 0.5), (1, 0.5), (1, 0.5), (1, 1), (1, 1))), 3),
    ],
)
def test_a_seed_is_helped_where_the_complaint_is_gone_at_no_cost_or_the_loss_is_lower(made, helped):
    assert made.helped.sum() == helped
    assert made.helps == (2 * helped > made.complained.sum())


@pytest.mark.parametrize(
    ("twin", "ruined"),
    [
        (((1.0, 1.2),), []),
        (((1.0, 1.3),), ["residual"]),
        (((1.0, np.nan),), ["residual"]),
        (((np.nan, np.nan),), []),
        (((0.001, 0.01),), []),
        (((1, 9), (1, 9), (1, 1), (1, 1), (1, 1)), []),
    ],
)
def test_a_twin_is_ruined_where_most_seeds_lose_a_quarter(twin, ruined):
    assert trial(twin=twin).ruined == ruined
    assert trial(twin=twin).helps == (not ruined)


def test_trials_of_a_whole_run_are_judged_by_all_networks():
    gone = {"": (np.array(YES), np.array(NO))}
    before, after = np.full(5, np.nan), np.full(5, 0.4)
    made = Trial("here", {}, "diverged", "NaN", "Slower.", {}, gone, {"a": (before, after), "b": (before, before)})
    assert made.helped.all()
    worse = Trial("here", {}, "diverged", "NaN", "Slower.", {}, gone, {"a": (after, before), "b": (before, after)})
    assert not worse.helped.any()


def test_a_trial_comes_back_from_its_json():
    made = trial(loss=((np.nan, 0.123456),))
    again = Trial.from_json(json.loads(json.dumps(made.to_json())))
    assert again.to_json() == made.to_json()
    assert np.isnan(again.loss["plain"][0]).all()
    assert again.loss["plain"][1][0] == 0.1235


def many(count=3, first=0, **more):
    """The same trial in so many set-ups."""
    return [trial(settings={"depth": depth}, **more) for depth in range(first, first + count)]


def test_the_first_remedy_that_kept_its_promise_elsewhere_and_did_not_fail_here_is_offered():
    whole = {"words": WHOLE.words, "changes": WHOLE.changes}
    known = Tried([*many(4), trial(settings={"depth": 4}, loss=((1.0, 1.2),)), *many(5, **whole)], "Loss over zero's")
    card = known.advised(finding(HALF, WHOLE), {"depth": 4})
    assert (card.advice, card.changes) == ("Take all.", {"x": 16})
    assert card.effect == (
        "Takes this away: kept in 25 of 25 held-out trials, 5 set-ups. Tried on this set-up. Loss over zero's: "
        "plain 1 → 0.5; residual 1 → 1."
    )
    assert known.advised(finding(HALF, WHOLE), {"depth": 3}).advice == "Take half of 8."


def test_where_nothing_helped_the_card_says_what_was_tried():
    card = Tried([trial(loss=((1.0, 2.0),))]).advised(finding(HALF), {"depth": 3})
    assert (card.advice, card.changes) == ("", {})
    assert card.effect == "Tried on this set-up, without success: Take half of 8 (0 of 5)."


def test_what_failed_in_the_set_up_made_smaller_is_not_offered_for_what_it_did_elsewhere():
    """Made smaller, a remedy that multiplies a setting comes to another value than on the page."""
    failed = trial(loss=((1.0, 2.0),), changes={"x": 2})
    card = Tried([failed, *many(20, 4, changes={"x": 2})], sizes=", made smaller").advised(finding(HALF), {"depth": 3})
    assert card.effect == "Tried on this set-up, made smaller, without success: Take half of 8 (0 of 5)."


def test_what_no_seed_called_for_in_this_set_up_is_judged_by_other_set_ups():
    silent = trial(before=NO)
    card = Tried([silent, *many(3, 4)]).advised(finding(HALF), {"depth": 3})
    assert card.effect == "Takes this away: kept in 15 of 15 held-out trials, 3 set-ups."
    assert Tried([silent]).advised(finding(HALF), {"depth": 3}).effect == ""
    ruin = trial(before=NO, twin=((1.0, 3.0),))
    card = Tried([ruin, *many(3, 4)]).advised(finding(HALF), {"depth": 3})
    assert card.effect.endswith("without success: Take half of 8 (made a network worse).")


def test_one_set_up_alone_holds_nothing_out():
    assert Tried([trial()]).advised(finding(HALF), {"depth": 3}).advice == ""


@pytest.mark.parametrize(("learned", "ruined"), [(NO, []), ([True, True, False, False, False], ["plain"])])
def test_a_network_is_ruined_where_the_seeds_that_had_learned_lose_it(learned, ruined):
    made = trial(loss=((0.0, 1.0), (0.0, 1.0), (1.0, 0.5), (1.0, 0.5), (1.0, 0.5)))
    assert replace(made, learned={"plain": np.array(learned)}).ruined == ruined


def test_a_trial_keeps_who_had_learned():
    made = replace(trial(), learned={"plain": np.array(YES)})
    again = Trial.from_json(json.loads(json.dumps(made.to_json())))
    assert again.learned["plain"].tolist() == YES
    assert "learned" not in trial().to_json()


def test_what_ruined_a_network_anywhere_is_not_offered():
    assert Tried(many(30)).advised(finding(HALF), {"depth": 99}).advice
    ruin = trial(settings={"depth": 30}, twin=((1.0, 3.0),))
    assert Tried([*many(30), ruin]).advised(finding(HALF), {"depth": 99}).advice == ""


def test_a_remedy_that_switches_its_rule_off_can_only_promise_a_lower_loss():
    gone, lower = many(loss=((1.0, 1.0),)), many()
    off = replace(HALF, switches_off=True)
    assert Tried(gone).advised(finding(HALF), {}).effect.startswith("Takes this away: kept in 15 of 15")
    assert Tried(gone).advised(finding(off), {}).advice == ""
    assert Tried(lower).advised(finding(off), {}).effect.startswith("Lowers the loss: kept in 15 of 15")


def test_what_was_never_tried_is_not_offered():
    assert Tried([trial()]).advised(finding(WHOLE), {"depth": 3}).advice == ""


def test_checks_and_what_good_findings_suggest_stay():
    [check] = remedies(_Settings(), Check("Look at this beside.", {"x": 2}))
    assert check.check
    assert Tried().advised(finding(check), {}).changes == {"x": 2}
    assert Tried().advised(finding(HALF, severity="good"), {}).advice == "first"


def test_what_mends_the_measuring_is_judged_by_the_complaint_alone():
    honest = trial(loss=((1.0, 9.0),), mends=True)
    assert honest.helped.all()
    assert honest.helps
    assert not trial(after=YES, loss=((1.0, 0.1),), mends=True).helped.any()
    assert Trial.from_json(json.loads(json.dumps(honest.to_json()))).helps


def test_what_mends_the_measuring_is_offered_but_where_it_was_tried_in_vain():
    [mend] = remedies(_Settings(), Mend(HALF.words, {"x": 4}))
    assert (mend.mends, mend.check) == (True, False)
    here, gone, vain = {"depth": 3}, trial(loss=((1.0, 9.0),), mends=True), trial(after=YES, mends=True)
    assert Tried([gone]).advised(finding(mend), here).effect == "Mends the measuring."
    assert Tried([vain]).advised(finding(mend), here).advice == ""
    assert Tried([vain]).advised(finding(mend), {}).advice == ""
    assert Tried().advised(finding(mend), here).changes == {"x": 4}


class _Settings:
    x = 1


def test_a_card_names_the_losses_of_the_seeds_complained_of_alone():
    losses = ((4, 1), (2, 1), (1, 9), (1, 9), (1, 9))
    made = trial(before=[True, True, False, False, False], loss=losses, twin=((3, 3), (5, 5), (1, 1), (1, 1), (1, 1)))
    assert made.changes_of_loss() == "plain 3 → 1; residual 4 → 4"
    assert trial(before=NO, loss=losses).changes_of_loss() == "plain 1 → 9; residual 1 → 1"


@pytest.mark.parametrize(
    ("made", "outcome"),
    [
        (trial(), "helped"),
        (trial(after=YES, loss=((1.0, 1.0),)), "did not help"),
        (trial(twin=((1.0, 3.0),)), "ruined a network"),
        (trial(before=NO, twin=((1.0, 3.0),)), "ruined a network"),
        (trial(before=NO), "no seed called for it"),
    ],
)
def test_a_trial_has_one_outcome(made, outcome):
    assert made.outcome == outcome


def test_losses_are_told_seed_by_seed():
    losses = ((1.0, 0.5), (2.0, 0.25), (1.0, float("inf")), (float("nan"), 1.0), (1234.5, 1.0))
    assert trial(loss=losses, twin=((1.0, 1.0),)).losses_by_seed() == (
        "plain 1 → 0.5, 2 → 0.25, 1 → none, none → 1, 1,234 → 1; residual " + ", ".join(["1 → 1"] * 5)
    )


def test_a_remedy_s_words_are_filled_with_what_it_changes_and_keep_numbers_short():
    third = trial(words="Take a rate of {rate:.2g}, not {other}.", changes={"rate": 0.01 / 3})
    assert third.remedy == "Take a rate of 0.0033, not {other}. (rate 0.00333)"
