"""What ``make test`` leaves out is chosen by names: each of them names something."""

import re
from pathlib import Path

from goldviz.declare.registry import laboratories
from tests.browser.conftest import ORDINARY
from tests.thinned import REPRESENTATIVES, TRAINED_AS_WELL

BROWSER = Path(__file__).parent / "browser"


def test_representatives_are_laboratories() -> None:
    assert {*REPRESENTATIVES, *TRAINED_AS_WELL} <= set(laboratories())


def test_every_journey_of_the_ordinary_suite_is_there() -> None:
    journeys = {
        name for path in BROWSER.glob("test_*.py") for name in re.findall(r"^def (test_\w+)", path.read_text(), re.M)
    }
    assert journeys >= ORDINARY
