"""What small runs record stays as it is until somebody means to change it."""

import json

import pytest

from goldviz.declare.laboratory import Laboratory
from tests.labs.small_numbers import kept_in, of, recorded
from tests.labs.small_runs import TRAINED

CLOSE = 0.02
"""How much of a mean size another processor may change it: those without vector instructions changed 0.003."""
UNSTEADY = {"interval_error"}
"""What a rounding changes by more: an error of a solver, next to nothing."""


@pytest.mark.parametrize("lab", TRAINED, ids=lambda lab: lab.name)
def test_small_runs_record_what_they_recorded(lab: Laboratory) -> None:
    """A new variable, or run, is not compared before it is kept."""
    kept = json.loads(kept_in(lab).read_text(encoding="utf-8"))
    now = {name: numbers for small in of(lab) for name, numbers in recorded(small).items()}
    names = {name for name in kept if name.split()[1] not in UNSTEADY}
    other = {name: now.get(name) for name in names if not alike(kept[name], now.get(name))}
    assert other == {}, "where it is meant, make kept keeps it"


def alike(before: list[float], now: list[float] | None) -> bool:
    if now is None:
        return False
    counts, (mean, size) = before[:2], before[2:]
    return now[:2] == counts and now[2:] == pytest.approx([mean, size], rel=CLOSE, abs=CLOSE * size)
