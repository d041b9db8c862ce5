"""What the cards of planted faults say to do is tried: what helps is shown to, and a placebo never is."""

import re
from pathlib import Path

import pytest
import torch

from goldviz.watching.trial import PLACEBO, tried_on
from tests.watching.loops import FAULTS
from tests.watching.repairs import PLANTED

SEEDS = 3
HELPED = dict.fromkeys(FAULTS, SEEDS) | {
    "rate too large": 2,
    "no warm-up": 0,
    "double softmax": 0,
    "saturated gates": 1,
}
"""In how many of three networks a trial over three orders of the data shows that the advice helped.

With a warm-up the loss is lower by 2 to 46 %, yet the control's own spread is as large. A second softmax costs this
task nothing. Redrawn gates learn faster in all three, in two of them not for sure.
"""


def test_each_planted_fault_has_its_repair_and_four_in_five_are_shown_to_help() -> None:
    assert set(PLANTED) == set(FAULTS)
    assert sum(HELPED.values()) >= 0.8 * SEEDS * len(FAULTS)
    assert sum(count > SEEDS / 2 for count in HELPED.values()) >= 0.8 * len(FAULTS)


def test_the_page_tells_these_counts() -> None:
    page = (Path(__file__).parents[2] / "docs" / "watch.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| ([0-3]) \|$", page, re.MULTILINE)
    assert [(name, int(count)) for name, count in rows] == [*HELPED.items()]
    assert f"shown to help in {sum(HELPED.values())} of {SEEDS * len(FAULTS)} trials" in page


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_a_repair_helps_as_often_as_it_is_said_to_and_a_placebo_never(name: str) -> None:
    planted, helped = PLANTED[name], 0
    for seed in range(SEEDS):
        torch.manual_seed(seed)
        cures = {"repair": planted.repair}
        results = tried_on(planted.step, planted.state(), [], steps=planted.steps, orders=3, cures=cures)
        told = {one.kind: one for one in results}
        assert not told[PLACEBO].helped
        helped += told["repair"].helped
    assert helped == HELPED[name]
