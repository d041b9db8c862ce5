"""The list of planted faults holds what it says: forty, each on two architectures, and each does harm."""

from collections import Counter
from pathlib import Path

import pytest

from goldviz.diagnostics.findings.finding import Finding
from goldviz.watching.trial import APPLIED, PLACEBO, tried_on
from tests.watching.planted import PLANTED, Planted
from tests.watching.planted.fault import HABITS, ORDER

HARM = 1.05
"""How much worse a faulty script ends than its twin, at least."""
MISSED = {
    ("a divergence summed over the batch, an error averaged", "MLP"): "of a loss of several terms too little is read",
    ("a divergence summed over the batch, an error averaged", "CNN"): "as above",
    ("a recurrent matrix drawn near 0", "RNN"): "after a third of the run it learns all the same",
}
"""Faults whose first card names another cause, or none, and why."""
CASES = [(name, architecture) for name, planted in PLANTED.items() for architecture in planted.architectures]


def test_there_are_forty_of_which_half_are_kinds_of_our_own() -> None:
    assert len(PLANTED) == 40
    assert sum(planted.own for planted in PLANTED.values()) >= 20
    assert all(len({*planted.architectures}) == 2 and planted.steps <= 300 for planted in PLANTED.values())
    # Nobody's order of three lines is the only one.
    habits = Counter(PLANTED[name].state(architecture, 0)["habit"] for name, architecture in CASES)
    assert min(habits[habit] for habit in range(len(HABITS))) >= 8


def test_a_script_and_its_twin_begin_with_the_same_rows_and_a_repair_makes_one_of_the_other() -> None:
    planted = PLANTED["the loss is made a tensor anew"]
    faulty, sound = (planted.state("MLP", 0, faulty) for faulty in (True, False))
    first, second = (planted.step(state, ORDER + 1).item() for state in (faulty, sound))
    assert first == second
    assert planted.repair is not None
    planted.repair(faulty)
    for number in range(2, 40):
        for state in (faulty, sound):
            planted.step(state, ORDER + number)
    # One step that did nothing is all that lies between them.
    assert planted.ends(faulty) == pytest.approx(planted.ends(sound), rel=0.2)


def cards(name: str, architecture: str, faulty: bool, folder: Path, seed: int = 0) -> list[Finding]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{folder / 'runs.sqlite'}")
        record, _ = PLANTED[name].train(architecture, seed, faulty)
        return record.findings()


QUICK = (
    "identical_batches", "classes_in_order", "too_good", "inputs_drift", "evaluation_inputs_differ",
    "inputs_of_other_scale", "one_target_dominates", "units_alike", "dropout_on_output", "unregistered_parameters",
    "running_statistics_behind", "output_cannot_reach", "climbs", "weights_written_outside", "penalty_outweighs",
    "rows_mix", "logits_reshaped", "mask_hides_nothing", "cut_in_time", "activations_grow",
)  # fmt: skip
"""Causes that no other test of the ordinary suite has."""


@pytest.mark.parametrize("kind", QUICK)
def test_the_first_card_names_the_cause(kind: str, tmp_path: Path) -> None:
    planted = next(one for one in PLANTED.values() if one.kind == kind)
    assert cards(planted.name, planted.architectures[0], True, tmp_path)[0].kind == kind


@pytest.mark.slow
@pytest.mark.parametrize(("name", "architecture"), CASES)
def test_the_first_card_names_the_cause_on_two_seeds_of_three(name: str, architecture: str, tmp_path: Path) -> None:
    given = [[card.kind for card in cards(name, architecture, True, tmp_path, seed)][:1] for seed in range(3)]
    assert (given.count([PLANTED[name].kind]) >= 2) == ((name, architecture) not in MISSED), given


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "architecture"), CASES)
def test_a_sound_twin_gets_no_card(name: str, architecture: str, seed: int, tmp_path: Path) -> None:
    # One twin keeps a norm that it never calls.
    expected = ["unused"] if name == "a norm over groups of one value" else []
    assert [card.kind for card in cards(name, architecture, False, tmp_path, seed)] == expected


@pytest.mark.slow
@pytest.mark.parametrize(("name", "architecture"), CASES)
def test_a_planted_fault_does_harm(name: str, architecture: str) -> None:
    planted = PLANTED[name]
    for seed in range(3):
        ends = []
        for faulty in (True, False):
            state = planted.state(architecture, seed, faulty)
            for number in range(1, planted.steps + 1):
                planted.step(state, ORDER * (seed + 1) + number)
            ends.append(planted.ends(state))
        assert ends[0] > HARM * ends[1], f"seed {seed}: {ends[0]:.3g} with the fault, {ends[1]:.3g} without"


OWN_CURES = [one for one in PLANTED.values() if one.kind in APPLIED and one.kind != "rate_went_to_zero"]
"""At its start a rate has not gone to 0 yet."""


@pytest.mark.slow
@pytest.mark.parametrize("planted", OWN_CURES, ids=lambda planted: planted.kind)
def test_what_a_card_has_tried_helps_in_four_of_five_where_the_fault_was_planted(planted: Planted) -> None:
    helped = []
    for seed in range(5):
        state = planted.state(planted.architectures[1], seed)
        results = tried_on(planted.trial_step, state, [planted.kind], steps=min(planted.steps, 100), orders=3)
        helped.append({one.kind: one.helped for one in results})
    assert not any(one[PLACEBO] for one in helped)
    assert sum(one[planted.kind] for one in helped) >= 4
