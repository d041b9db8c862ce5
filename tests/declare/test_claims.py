"""A claim from notebook and shell, and what becomes of its numbers on the way."""

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import goldviz
from goldviz.cli import main
from goldviz.declare.claims import Claim, Evidence, Part, claim_of, claims, evidence, keep
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import SettingsError
from goldviz.diagnostics.measure import measure, measures_in, seeds
from goldviz.labs.depth_gradients import LAB as DEPTH

last_loss = measure(lambda run: run["loss"][-1])
apart = measure(lambda one, other: last_loss(one) - last_loss(other))


class OwnMeasures(Laboratory):
    """The laboratory, with measures of this file."""

    measures = measures_in(sys.modules[__name__])


LAB = OwnMeasures(DEPTH.package, DEPTH.name, DEPTH.settings)

CLAIM = Claim(
    LAB,
    "C0",
    "The second lane ends lower.",
    "001, 1.1",
    lanes=("as-in-the-document", {"depth": 2}),
    parts={
        "the first ends at {:.1f}": Part("last_loss", above=0, lanes=(1,)),
        "the second at {:.1f}": Part("last_loss", below=5, lanes=(2,)),
        "they are {:.1f} apart": Part("apart", above=0),
    },
)


def run(*losses: float) -> xr.Dataset:
    """A run whose seeds end at these losses."""
    return xr.Dataset({"loss": (("epoch", "seed"), np.array([[9.0] * len(losses), losses]))})


@pytest.mark.parametrize(
    "read",
    [lambda run: run["evaluated"], lambda run: run["loss"].values[5], lambda run: sum(()) / len(())],
    ids=["no variable", "no entry", "none to divide by"],
)
def test_a_run_that_ended_before_it_recorded_what_is_measured_has_no_number(read: Callable[..., float]) -> None:
    assert math.isnan(Part("measured").number(measure(read), [xr.Dataset({"loss": ("step", [1.0])})]))


def test_each_part_reads_its_lanes_seed_seeds() -> None:
    pairs = list(zip(seeds(run(4.0, 5.0)), seeds(run(1.0, 2.5)), strict=True))
    numbers = CLAIM.read(pairs)
    assert numbers == {"last_loss 1": [4.0, 5.0], "last_loss 2": [1.0, 2.5], "apart": [3.0, 2.5]}


def test_a_run_that_ended_before_it_recorded_something_leaves_a_claim_undecided() -> None:
    numbers = CLAIM.read([(run(4.0), xr.Dataset()), (run(5.0), run(2.0))])
    assert math.isnan(numbers["apart"][0])
    assert numbers["apart"][1] == 3.0
    assert CLAIM.judged(numbers).word == "undecided"


def test_a_case_sets_the_seed_of_every_lane_and_the_page_runs_all_at_once() -> None:
    assert [lane.differences() for lane in CLAIM.in_case(3)] == [{"seeds": [3]}, {"seeds": [3], "depth": 2}]
    assert [lane.differences()["seeds"] for lane in CLAIM.together] == [list(CLAIM.cases)] * 2


def test_what_is_kept_is_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = claim_of("C66")
    monkeypatch.setattr(Laboratory, "recorded", tmp_path)
    found = Evidence.of(
        claim, {part.name: [38_810.0, math.nan, math.inf, 1.23456789, 0.0] for part in claim.parts.values()}
    )
    try:
        keep(claim.lab, {"C66": found, "C0": found})
        again = evidence(claim.lab)
        assert list(again) == ["C66"]
        np.testing.assert_array_equal(
            again["C66"].numbers["plain.parameters"], [38_810, math.nan, math.inf, 1.23457, 0]
        )
        assert again["C66"].tests(claim)
    finally:
        evidence.cache_clear()


def test_a_claim_without_kept_numbers_is_not_tested() -> None:
    assert CLAIM.verdict is None
    assert CLAIM.word == "not tested"


def test_a_notebook_lists_claims_and_tests_one() -> None:
    assert [claim.number for claim in goldviz.claims()] == list(claims())
    claim = claim_of("c80")
    assert claim.verdict is not None
    assert goldviz.examine("C80", progress=False).sentence == claim.verdict.sentence
    with pytest.raises(SettingsError, match="no claim 'C9999'"):
        goldviz.examine("C9999")


def test_the_shell_lists_claims_shows_one_and_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(claims())
    assert main(["claims", "C80"]) == 0
    verdict = claim_of("C80").verdict
    assert verdict is not None
    assert verdict.sentence in capsys.readouterr().out
    assert main(["claims", "--run"]) == 2
    assert main(["claims", "C9999"]) == 2
    assert "Give its number" in (complaints := capsys.readouterr().err)
    assert "There is no claim 'C9999'" in complaints
