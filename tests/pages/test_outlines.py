"""What stands on every laboratory's page and in its parts stays there until somebody means to change it."""

import json

import pytest

from goldviz.declare.laboratory import Laboratory
from tests.labs.small_runs import LABORATORIES
from tests.pages.outlines import kept_in, outlines

TIMED = "attention-cost"
"""Whose page takes the time of attention before it stands."""


@pytest.mark.parametrize(
    "lab",
    [pytest.param(lab, marks=[pytest.mark.slow] * (lab.name == TIMED), id=lab.name) for lab in LABORATORIES],
)
def test_a_page_and_its_parts_hold_what_they_held(lab: Laboratory) -> None:
    """What is new is not compared before it is kept; a control with another value counts as gone."""
    kept, now = json.loads(kept_in(lab).read_text(encoding="utf-8")), outlines(lab)
    gone = {part: sorted(set(before) - set(now.get(part, []))) for part, before in kept.items()}
    assert {part: lines for part, lines in gone.items() if lines} == {}, "where it is meant, make kept keeps it"
