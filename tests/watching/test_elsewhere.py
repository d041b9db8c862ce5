"""How often a watched card's cure helped elsewhere is what the laboratories' own trials say, counted anew."""

import re
import subprocess
import sys

import numpy as np
import pytest
import torch

from goldviz.declare.registry import laboratories
from goldviz.watching.elsewhere import REMEDIES, helped_elsewhere
from goldviz.watching.findings import CURES, as_json, findings_of
from goldviz.watching.trial import APPLIED
from tests.watching.loops import weight_tying


@pytest.mark.parametrize("kind", REMEDIES)
def test_each_count_is_of_trials_of_that_very_advice(kind: str) -> None:
    """Words that ``make advice`` no longer knows would leave a card silent."""
    own = [trial for lab in laboratories().values() for trial in lab.advice_trials if trial.words == REMEDIES[kind]]
    complained = sum(int(trial.complained.sum()) for trial in own if trial.kind == kind)
    counts = re.fullmatch(r"In goldviz's own networks it helped in (\d+) of (\d+) trials\.", helped_elsewhere(kind))
    assert counts is not None
    helped, of = map(int, counts.groups())
    assert 10 <= of <= complained
    assert 0 <= helped <= of
    assert kind in CURES


def test_counts_are_those_of_the_recorded_trials_and_no_card_invents_one() -> None:
    assert helped_elsewhere("saturated") == "In goldviz's own networks it helped in 27 of 30 trials."
    assert helped_elsewhere("exploding", recurrent=True) == "In goldviz's own networks it helped in 42 of 44 trials."
    assert helped_elsewhere("exploding") == ""
    assert helped_elsewhere("first_loss") == "In goldviz's own networks it helped in 10 of 10 trials."
    assert {kind for kind in (*CURES, *APPLIED) if helped_elsewhere(kind)} == set(REMEDIES)


@pytest.mark.slow
def test_a_script_imports_no_laboratory_for_it() -> None:
    """They take seconds, in the middle of somebody's training."""
    code = (
        "import sys; from goldviz.watching.elsewhere import helped_elsewhere; "
        "print(helped_elsewhere('saturated')); print([one for one in sys.modules if one.startswith('goldviz.labs.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == [helped_elsewhere("saturated"), "[]"]


def test_a_card_and_its_json_say_it() -> None:
    torch.manual_seed(0)
    run = weight_tying().dataset()
    [card] = [card for card in findings_of(run) if card.kind == "first_loss"]
    assert card.effect == helped_elsewhere("first_loss")
    assert as_json(card, run)["effect"] == card.effect
    assert np.isfinite(run["loss"].values).all()
