"""The machines of document 004 learn their first task on three seeds, not on one alone."""

from collections.abc import Mapping
from typing import Any

import pytest

import goldviz

LEARNED: Mapping[str, tuple[str, Mapping[str, Any], Mapping[str, Any], float]] = {
    "neural-turing-machine": ("sequences_right", {"networks": "ntm"}, {"length": 6}, 0.99),
    "attention-interface": ("sequence_accuracy", {}, {"network": "attention"}, 0.98),
    "adaptive-computation": ("accuracy", {}, {}, 1.0),
    "neural-programmer": ("right", {}, {}, 1.0),
    "translation-transformer": ("sequence_accuracy", {}, {}, 0.99),
}
"""Laboratory -> share that is right, changes of its defaults, which network or length, and the least share."""


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("lab", LEARNED)
def test_three_seeds_learn_the_first_task(lab: str) -> None:
    name, changes, of, least = LEARNED[lab]
    run = goldviz.run(lab, progress=False, seeds=(0, 1, 2), **changes)
    own = run[name].sel(of)
    assert float(own.isel({own.dims[0]: -1}).min()) >= least
