"""Every claim of every laboratory is tested: its numbers are of its own settings, and come out again."""

import json
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from goldviz.api import dataset_of
from goldviz.declare.claims import Claim, Evidence, claims, claims_of, evidence
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from tests.thinned import represented

CLAIMING = [lab for lab in laboratories().values() if claims_of(lab)]
EVERY_CLAIM = pytest.mark.parametrize("claim", claims().values(), ids=lambda claim: claim.number)
CHEAP_SECONDS = 1.5
FEWEST_CASES, MOST_LANES = 5, 4


def kept(claim: Claim) -> Evidence:
    return evidence(claim.lab)[claim.number]


def test_a_claim_is_a_sentence_with_its_place_and_its_cases() -> None:
    for number, claim in claims().items():
        assert re.fullmatch(r"C[1-9]\d*", claim.number), number
        assert claim.sentence.endswith("."), number
        assert re.match(r"00[1-5], ", claim.place), claim.place
        assert len(set(claim.cases)) == len(claim.cases) >= FEWEST_CASES, number
        assert 1 <= len(claim.settings) <= MOST_LANES, number
        assert len({part.name for part in claim.parts.values()}) == len(claim.parts), number
        assert all(words.count("{") == 1 for words in claim.parts), number


def test_every_number_is_used_once() -> None:
    numbers = [claim.number for lab in laboratories().values() for claim in claims_of(lab)]
    assert len(set(numbers)) == len(numbers)


def test_the_kept_numbers_are_of_the_claim_s_own_settings() -> None:
    for claim in claims().values():
        assert kept(claim).tests(claim), f"make claims NAME={claim.number}"
        assert {len(values) for values in kept(claim).numbers.values()} == {len(claim.cases)}, claim.number


def test_numbers_of_other_settings_are_no_evidence() -> None:
    claim = claims_of(laboratories()["jacobian-lens"])[0]
    good = Evidence.of(claim, {part.name: [1.0] * len(claim.cases) for part in claim.parts.values()})
    assert good.tests(claim)
    for change in (
        {"settings": [{**good.settings[0], "length": 61}, *good.settings[1:]]},
        {"settings": [{**good.settings[0], "no_such": 1}, *good.settings[1:]]},
        {"cases": [0, 1, 2, 3, 5]},
        {"numbers": {"another": [1.0] * 5}},
    ):
        assert not Evidence(**{**vars(good), **change}).tests(claim), change


@pytest.mark.parametrize("lab", represented(CLAIMING), ids=lambda lab: lab.name)
def test_a_cheap_claim_comes_out_again(lab: Laboratory) -> None:
    """One case of the laboratory's cheapest claim."""
    claim = min(claims_of(lab), key=seconds)
    if seconds(claim) > CHEAP_SECONDS:
        pytest.skip(f"The cheapest claim takes {seconds(claim):.0f} s a case; test-long tries all.")
    assert_again(claim, 1)


ROUNDING = 1e-7
"""What processors differ by in sums of float32 that ought to be 0."""


@pytest.mark.slow
@EVERY_CLAIM
def test_every_claim_comes_out_again(claim: Claim) -> None:
    assert_again(claim, 1)


def assert_again(claim: Claim, count: int) -> None:
    once = replace(claim, cases=claim.cases[:count])
    for name, values in once.measured(partial(dataset_of, progress=False)).items():
        np.testing.assert_allclose(values, kept(claim).numbers[name][:count], rtol=5e-3, atol=ROUNDING)


def seconds(claim: Claim) -> float:
    """About how long one case takes."""
    return sum(lane.estimated_seconds() if isinstance(lane, Experiment) else 0.3 for lane in claim.settings)


def test_the_kept_files_hold_claims_of_today_alone() -> None:
    for lab in laboratories().values():
        file = lab.recorded / "claims.json"
        numbers = [row["number"] for row in json.loads(file.read_text(encoding="utf-8"))] if file.exists() else []
        assert numbers == [claim.number for claim in claims_of(lab)], lab.name
