"""Sequences of the four tasks: what is told, and what is wanted."""

import pytest
import torch

from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine
from goldviz.labs.neural_turing_machine.tasks import FLAG, MARK, PRIORITY, lengths_to_test, sequences, trained_batch

BITS = 4


def batch(task, length=5, repeats=2, flag=True):
    settings = NeuralTuringMachine(task=task, bits=BITS, flag=flag)
    return sequences(settings, length, repeats, 3, torch.Generator().manual_seed(2))


def test_copy_wants_the_rows_that_were_told():
    made = batch("copy")
    assert made.inputs.shape == (11, 3, BITS + 3)
    torch.testing.assert_close(made.targets, made.inputs[:5, :, :BITS])
    assert made.inputs[:, :, BITS + MARK].nonzero()[:, 0].unique().tolist() == [5]
    assert made.inputs[:, :, BITS + FLAG].nonzero()[:, 0].unique().tolist() == [*range(6, 11)]
    assert not made.inputs[5:, :, :BITS].any()


def test_repeat_copy_wants_them_several_times():
    made = batch("repeat", repeats=3)
    assert len(made.targets) == 15
    torch.testing.assert_close(made.targets[10:], made.inputs[:5, :, :BITS])


def test_recall_wants_the_row_behind_the_one_asked_for():
    made = batch("recall", length=8)
    assert len(made.targets) == 1
    for number in range(3):
        rows = made.inputs[:8, number, :BITS].tolist()
        assert len({tuple(row) for row in rows}) == 8
        place = rows.index(made.inputs[8, number, :BITS].tolist())
        assert made.targets[0, number].tolist() == rows[place + 1]


def test_sorting_wants_the_row_of_the_highest_priority_first():
    made = batch("priority")
    for number in range(3):
        told = sorted(
            ((row[BITS + PRIORITY].item(), row[:BITS].tolist()) for row in made.inputs[:5, number]), reverse=True
        )
        assert made.targets[:, number].tolist() == [bits for _, bits in told]


def test_without_the_flag_nothing_is_told_while_answers_are_wanted():
    assert not batch("copy", flag=False).inputs[6:].any()


def test_lengths_are_drawn_up_to_the_longest():
    settings, generator = NeuralTuringMachine(length=3), torch.Generator().manual_seed(0)
    assert {len(trained_batch(settings, 2, generator).targets) for _ in range(40)} == {1, 2, 3}
    recall = NeuralTuringMachine(task="recall", length=3)
    assert {trained_batch(recall, 2, generator).first_answer for _ in range(40)} == {3, 4}


@pytest.mark.parametrize(
    ("changes", "lengths"),
    [
        ({}, [3, 6, 9, 12, 16, 18]),
        ({"length": 20}, [10, 16, 18, 20, 30, 40]),
        ({"task": "recall", "length": 4, "bits": 3}, [2, 4, 6, 8]),
    ],
)
def test_tests_go_to_twice_the_length_and_past_the_memory(changes, lengths):
    assert lengths_to_test(NeuralTuringMachine(**changes)) == lengths
