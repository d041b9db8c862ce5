"""The list of planted faults holds what it says: forty, each on two architectures, and each does harm."""

from collections import Counter

import pytest

from tests.watching.planted import PLANTED
from tests.watching.planted.fault import HABITS, ORDER

HARM = 1.05
"""How much worse a faulty script ends than its twin, at least."""
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
