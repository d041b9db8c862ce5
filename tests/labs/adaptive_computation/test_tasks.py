"""What is thought about: answers by Python's own arithmetic, and how hard each input is."""

import pytest
import torch

from goldviz.declare.settings import SettingsError
from goldviz.labs.adaptive_computation.settings import AdaptiveComputation
from goldviz.labs.adaptive_computation.tasks import STOP, TESTS, difficulties, followed, in_words, number, puzzles

BITS = 5


def drawn(task: str, **more):
    settings = AdaptiveComputation(task=task, bits=BITS, **more)
    return settings, puzzles(settings, TESTS, torch.Generator().manual_seed(0))


def test_the_answer_is_the_bit_before_stop() -> None:
    _, stop = drawn("stop", most=3)
    symbols = stop.inputs.argmax(2).T.tolist()
    for row, answer, difficulty in zip(symbols, stop.targets[:, 0].tolist(), stop.difficulty.tolist(), strict=True):
        assert row.index(STOP) == difficulty
        assert row[difficulty - 1] == answer
        assert row.count(STOP) == 1


def test_parity_is_that_of_the_plus_signs() -> None:
    _, parity = drawn("parity")
    signs = parity.inputs[0].tolist()
    assert [sum(sign > 0 for sign in row) % 2 for row in signs] == parity.targets[:, 0].tolist()
    assert [sum(sign != 0 for sign in row) for row in signs] == parity.difficulty.tolist()


def test_the_sum_is_that_of_the_numbers_and_its_carry_is_as_long_as_adding_by_hand_makes_it() -> None:
    _, sums = drawn("addition")
    for given, bits, difficulty in zip(sums.inputs[0], sums.targets, sums.difficulty.tolist(), strict=True):
        first, second = (number(part) for part in given.chunk(2))
        assert first + second == sum(int(bit) << place for place, bit in enumerate(bits.tolist()))
        carry, length, longest = 0, 0, 0
        for place in range(BITS):
            ones = (first >> place & 1) + (second >> place & 1)
            length = 1 if ones == 2 else length + 1 if ones == 1 and carry else 0
            carry = int(length > 0)
            longest = max(longest, length)
        assert longest == difficulty


@pytest.mark.parametrize("task", ["stop", "parity", "addition"])
def test_the_first_input_of_each_difficulty_is_followed(task) -> None:
    settings, unseen = drawn(task)
    places = followed(unseen, settings)
    assert unseen.difficulty[places].tolist() == difficulties(settings)
    words = [in_words(unseen, place, task) for place in places]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": 0.0}, "Epsilon is 0.0; allowed is a number from 1e-06"),
        ({"tau": -1.0}, "Tau is -1.0; allowed is a number from 0"),
        ({"most": 0}, "Most is 0; allowed is a whole number from 1"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(changes, words) -> None:
    with pytest.raises(SettingsError, match=words):
        AdaptiveComputation.checked(changes)
