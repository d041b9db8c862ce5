"""Rules hold on the side of their limits on which they held, and recorded runs are measured as they were."""

import json

import pytest

from goldviz.declare.laboratory import Laboratory
from tests.labs.small_runs import REPRESENTED
from tests.labs.verdicts_at_limits import all_of, kept_in


@REPRESENTED
def test_limits_and_measures_are_those_that_were_kept(lab: Laboratory) -> None:
    """New rules and measures are not compared before they are kept."""
    kept = json.loads(kept_in(lab).read_text(encoding="utf-8"))
    now = all_of(lab, kept["limits"])
    for part, rounding in (("verdicts", 0.0), ("measures", 1e-6)):
        today = {name: now[part].get(name) for name in kept[part]}
        assert today == pytest.approx(kept[part], rel=rounding, abs=0.0), "where it is meant, make drawn keeps it"
