"""Words and numbers of cards agree: what a share is of, how many seeds say it, and how much a quantity is."""

import re
from dataclasses import replace

import numpy as np
import pytest

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.diagnostics.findings import Finding, Rule
from goldviz.diagnostics.findings.rule import nothing, sureness
from goldviz.runs.examples import example
from tests.labs.drawn_findings import EVERY_LAB_WITH_CARDS, WITH_CARDS, conclusions_of

BARE = re.compile(r"\{(\w+):percent\} of ([\w ]+)")
"""A share of things of which nothing else is said: the title says what of them."""
SAID = re.compile(r"right|error|loss")
"""What else may be said of a share: that these are right, or what it is a multiple of."""


def cards(lab: Laboratory, slug: str, **arrays: np.ndarray) -> list[Finding]:
    """Of a recorded run, with the last of some variables as they are told here, one value for each seed."""
    run = example(lab.declared, slug).load()
    seeds = max(map(len, arrays.values()), default=1)
    run = run.isel(seed=[0] * seeds).assign_coords(seed=list(range(seeds)))
    for name, values in arrays.items():
        place = [-1 if dim == "seed" else 1 for dim in run[name].dims]
        run[name] = run[name].copy(data=np.broadcast_to(np.reshape(values, place), run[name].shape).astype(float))
    return conclusions_of(lab).all(lab.declared.preset(slug).changed(seeds=tuple(range(seeds))), run)


def misread(rule: Rule, lab: Laboratory) -> bool:
    """Whether a number is a bare share, and the title holds where it is small: it would be read the other way round."""
    share = BARE.fullmatch(rule.number) if isinstance(rule.number, str) else None
    line = rule.line_for(lab.declared.preset(lab.declared.presets[0].slug))
    return share is not None and not SAID.search(share[2]) and not (line.measure == share[1] and line.rises)


@EVERY_LAB_WITH_CARDS
def test_no_bare_share_is_of_the_things_that_the_title_does_not_mean(lab: Laboratory) -> None:
    assert [rule.kind for rule in conclusions_of(lab).rules if misread(rule, lab)] == []


def test_a_share_that_would_be_misread_is_noticed() -> None:
    lab = laboratories()["neural-programmer"]
    rules = [replace(rule, number="{right:percent} of questions") for rule in conclusions_of(lab).rules]
    assert {rule.kind for rule in rules if misread(rule, lab)} >= {"some_wrong", "most_wrong"}


@EVERY_LAB_WITH_CARDS
def test_where_seeds_agree_or_not_a_card_counts_them(lab: Laboratory) -> None:
    """Of networks that each seed trains, a card may add what was asked, and says that in place of no seed."""
    rules = conclusions_of(lab).rules
    named = any(hasattr(one, "name") for one in conclusions_of(lab).readings(*_first(lab)))
    otherwise = [rule.kind for rule in rules if rule.confidence is not sureness and rule.run_says is nothing]
    assert not named or otherwise == []


def _first(lab: Laboratory) -> tuple[object, object]:
    slug = lab.declared.presets[0].slug
    return lab.declared.preset(slug), example(lab.declared, slug)


def test_one_seed_that_differs_is_told_with_its_number() -> None:
    lab = laboratories()["attention-against-recurrence"]
    found = cards(lab, "no-order-at-all", accuracy_by_distance=np.array([1.0, 1.0, 0.72]))
    [card] = [one for one in found if one.kind == "finds_it_anywhere"]
    assert card.number.endswith("; on 2 of 3 seeds, 72 % on the other")
    assert card.confidence.startswith("2 of 3 seeds agree; ")


@pytest.mark.parametrize(("right", "kind"), [(0.50, "guesses"), (0.56, "guesses"), (0.64, "some_wrong")])
def test_one_bit_that_a_coin_gets_right_as_often_is_no_answer(right: float, kind: str) -> None:
    lab = laboratories()["adaptive-computation"]
    kinds = {card.kind for card in cards(lab, "parity", accuracy=np.array([right]))}
    assert kinds & {"guesses", "some_wrong", "most_wrong", "longer_where_harder", "not_longer_where_harder"} >= {kind}
    assert kind != "guesses" or not kinds & {"some_wrong", "not_longer_where_harder"}


@pytest.mark.parametrize("slug", [preset.slug for preset in laboratories()["leaderboard"].declared.presets])
def test_no_lead_is_praised_that_a_trap_may_have_made(slug: str) -> None:
    found = cards(laboratories()["leaderboard"], slug)
    assert not ({"bad", "good"} <= {card.severity for card in found})


@pytest.mark.parametrize("lab", WITH_CARDS, ids=lambda lab: lab.name)
def test_no_subject_of_a_title_holds_what_parts_a_list(lab: Laboratory) -> None:
    """A label with a comma would be two networks in "the a, b and c"."""
    for reading in conclusions_of(lab).readings(*_first(lab)):
        clause = getattr(reading, "clause", {})
        assert not [one for one in getattr(reading, "labels", {}).values() if "," in clause.get(one, one)]
