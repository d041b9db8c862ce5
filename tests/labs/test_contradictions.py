"""No two cards of a page contradict each other: which findings exclude which, of one and the same network."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.diagnostics.findings import Conclusions
from goldviz.runs.examples import example
from tests.labs.drawn_findings import (
    FEWER,
    SEVERAL,
    SHAPES,
    WITH_CARDS,
    conclusions_of,
    drawn_conclusions,
    drawn_settings,
    of_several,
    said,
)
from tests.labs.small_runs import Small, with_own
from tests.thinned import represented

EXCLUDED = with_own({}, "EXCLUDED")
"""By laboratory and kind: the kinds that no network may have beside it. What is said ``alone`` excludes all others."""

LABS = [laboratories()[name] for name in EXCLUDED]
EVERY_LAB = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
EVERY_SHAPE = pytest.mark.parametrize("small", represented(small for small in SHAPES if small.lab in LABS), ids=str)


def contradictions(
    lab: Laboratory, conclusions: Conclusions, settings: Experiment, dataset: xr.Dataset
) -> Iterator[str]:
    """Pairs of findings of one network that exclude each other."""
    excluded = EXCLUDED[lab.name]
    for (one, names), (other, others) in combinations(said(conclusions, settings, dataset), 2):
        exclusive = other.kind in excluded.get(one.kind, ()) or one.kind in excluded.get(other.kind, ())
        if names & others and (exclusive or one.alone or other.alone or one.kind == other.kind):
            yield f"{one.kind} and {other.kind} of {' and '.join(sorted(names & others))}"


def test_every_laboratory_with_cards_has_a_table_of_those_that_exclude_each_other() -> None:
    with_a_test_of_their_own = {path.parent.name for path in Path(__file__).parent.glob("*/test_contradictions.py")}
    missing = {lab.folder for lab in WITH_CARDS} - {lab.folder for lab in LABS} - with_a_test_of_their_own
    assert missing == set(), "EXCLUDED in tests/labs/<lab>/cases.py says which findings exclude each other"


@EVERY_LAB
def test_the_table_names_findings_that_there_are(lab: Laboratory) -> None:
    kinds = {rule.kind for rule in lab.part("findings").RULES}
    excluded = EXCLUDED[lab.name]
    assert set(excluded) <= kinds
    assert {other for others in excluded.values() for other in others} <= kinds


@EVERY_LAB
def test_no_recorded_example_contradicts_itself(lab: Laboratory) -> None:
    for preset in lab.declared.presets:
        settings = lab.declared.preset(preset.slug)
        run = example(lab.declared, preset.slug)
        assert not list(contradictions(lab, conclusions_of(lab), settings, run)), preset.slug


@EVERY_SHAPE
@FEWER
@given(seed=st.integers(0, 2**32 - 1))
def test_no_drawn_readings_contradict_each_other(small: Small, seed: int) -> None:
    generator = np.random.default_rng(seed)
    run = of_several(small)
    for drawn in drawn_conclusions(small, run, generator):
        with np.errstate(invalid="ignore"):
            assert not list(contradictions(small.lab, drawn, drawn_settings(small, generator, **SEVERAL), run))
