"""Every claim of every laboratory is tested: its numbers are of its own settings, and come out again."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from goldviz.api import dataset_of
from goldviz.declare.claims import Claim, Evidence, Part, claims, claims_of, evidence
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from tests.thinned import represented

CLAIMING = [lab for lab in laboratories().values() if claims_of(lab)]
EVERY_CLAIM = pytest.mark.parametrize("claim", claims().values(), ids=lambda claim: claim.number)
CHEAP_SECONDS = 1.5
DOCS = Path(__file__).parents[2] / "docs"
FEWEST_CASES, MOST_LANES = 5, 4


def seconds(claim: Claim) -> float:
    """About how long one case takes."""
    return sum(lane.estimated_seconds() if isinstance(lane, Experiment) else 0.3 for lane in claim.settings)


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
        assert not all(part.control for part in claim.parts.values()), number


def test_every_number_is_used_once() -> None:
    numbers = [claim.number for lab in laboratories().values() for claim in claims_of(lab)]
    assert len(set(numbers)) == len(numbers)


def test_the_kept_numbers_are_of_the_claim_s_own_settings() -> None:
    for claim in claims().values():
        assert kept(claim).tests(claim), f"make claims NAME={claim.number}"
        assert {len(values) for values in kept(claim).numbers.values()} == {len(claim.cases)}, claim.number


@pytest.mark.parametrize(
    ("title", "belongs"),
    [
        ("Questions of our own, which no document says", lambda claim: claim.kind == "question"),
        ("Identities", lambda claim: claim.kind == "identity"),
        ("Controls stand in", lambda claim: any(part.control for part in claim.parts.values())),
        ("Lines halfway from chance", lambda claim: any(part.chance is not None for part in claim.parts.values())),
    ],
)
def test_the_docs_list_the_claims_that_say_so(title: str, belongs: Callable[[Claim], bool]) -> None:
    words = (DOCS / "claims.md").read_text(encoding="utf-8")
    (listed,) = re.findall(rf"^- {title}: ((?:C\d+(?:,\s+)?)+)\.", words, re.MULTILINE)
    assert re.findall(r"C\d+", listed) == [number for number, claim in claims().items() if belongs(claim)]


def test_a_verdict_in_a_table_of_the_docs_is_the_claim_s() -> None:
    pages = [page.read_text(encoding="utf-8") for page in DOCS.glob("*.md")]
    rows = [row for page in pages for row in re.findall(r"^\| (C\d+) \|.*\| ([^|]*) \|$", page, re.MULTILINE)]
    assert rows
    assert [row for row in rows if row[1].partition(":")[0] != claims()[row[0]].word] == []


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
DIGITS = 5e-3
ONE_CASE_IN = 100
"""So often a number that training made lies farther from its kept one's fellows, where another processor rounds."""
OTHER_SEEDS = (23, 24, 25, 26, 27)


@pytest.mark.slow
@EVERY_CLAIM
def test_every_claim_comes_out_again(claim: Claim) -> None:
    assert_again(claim, 1)


def assert_again(claim: Claim, count: int) -> None:
    """What is computed at once is held to digits; what training made, which rounding moves, to its spread over cases.

    No part's verdict may turn to its opposite by it.
    """
    numbers = kept(claim).numbers
    fresh = replace(claim, cases=claim.cases[:count]).measured(partial(dataset_of, progress=False))
    for part in claim.parts.values():
        for value, before in zip(fresh[part.name], numbers[part.name], strict=False):
            assert np.isclose(value, before, rtol=DIGITS, atol=ROUNDING, equal_nan=True) or (
                issubclass(claim.lab.declared, Experiment) and is_one_of(value, part, numbers[part.name])
            ), f"{part.name} is {value} and was {before}"
    assert_not_turned(claim, {name: [*fresh[name], *values[count:]] for name, values in numbers.items()})


def is_one_of(value: float, part: Part, values: Sequence[float]) -> bool:
    """Whether a number may be of one more case, by the spread of those that are kept."""
    if part.scale == "share":
        return value in values
    numbers = np.array([*values, value])
    *fellows, number = np.log(numbers) if part.scale == "ratio" else numbers
    count, spread = len(fellows), np.std(fellows, ddof=1)
    reach = stats.t.ppf(1 - 0.5 / ONE_CASE_IN, count - 1) * spread * math.sqrt(1 + 1 / count)
    return bool(abs(number - np.mean(fellows)) <= reach)


@pytest.mark.parametrize(("value", "may_be"), [(32.4, True), (18.6579, True), (1.0, False), (1e4, False)])
def test_a_number_that_training_made_is_held_to_the_spread_of_its_cases(value: float, may_be: bool) -> None:
    claim = claims()["C10"]
    part = next(part for part in claim.parts.values() if not part.control)
    assert is_one_of(value, part, kept(claim).numbers[part.name]) == may_be


def assert_not_turned(claim: Claim, numbers: Mapping[str, Sequence[float]]) -> None:
    """No part that held is refuted by these numbers, and none that was refuted holds."""
    assert claim.verdict is not None
    for before, after in zip(claim.verdict.parts, claim.judged(numbers).parts, strict=True):
        assert {before.word, after.word} != {"holds", "does not hold"}, f"{before.sentence}; now {after.sentence}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim",
    [claim for claim in claims().values() if claim.over in ("seed", "seeds") and seconds(claim) <= CHEAP_SECONDS],
    ids=lambda claim: claim.number,
)
def test_other_seeds_turn_no_verdict(claim: Claim) -> None:
    other = replace(claim, cases=OTHER_SEEDS)
    assert_not_turned(claim, other.measured(partial(dataset_of, progress=False)))


def test_the_kept_files_hold_claims_of_today_alone() -> None:
    for lab in laboratories().values():
        file = lab.recorded / "claims.json"
        numbers = [row["number"] for row in json.loads(file.read_text(encoding="utf-8"))] if file.exists() else []
        assert numbers == [claim.number for claim in claims_of(lab)], lab.name
