"""What a laboratory offers stays as it is until somebody means to change it."""

import json
import math

from goldviz.declare.laboratory import Laboratory
from tests.labs.offered import kept_in, offered, plain
from tests.labs.small_runs import EVERY_LABORATORY

CLOSE = 1e-6
"""How much of an estimate rounding may change, on another machine."""


@EVERY_LABORATORY
def test_a_laboratory_offers_what_it_offered(lab: Laboratory) -> None:
    """What is new is not compared before it is kept."""
    kept, now = json.loads(kept_in(lab).read_text(encoding="utf-8")), plain(offered(lab))
    other = {name: now.get(name) for name, before in kept.items() if not alike(before, now.get(name))}
    assert other == {}, "where it is meant, make kept keeps it"


def alike(before: object, now: object) -> bool:
    if isinstance(before, list) and isinstance(now, list):
        return len(before) == len(now) and all(map(alike, before, now))
    if isinstance(before, float) and isinstance(now, (float, int)):
        return math.isclose(before, now, rel_tol=CLOSE)
    return before == now
