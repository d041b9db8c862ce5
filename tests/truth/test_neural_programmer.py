"""*Neural programmer*: what its first example recorded, computed once more by numpy."""

import numpy as np
import pytest

from goldviz.labs.neural_programmer.settings import NeuralProgrammer
from goldviz.runs.examples import example


@pytest.fixture(scope="module")
def run():
    return example(NeuralProgrammer, NeuralProgrammer.presets[0].slug)


def last(run, name):
    return run[name].values[-1]


def test_the_program_that_emerged_is_exact(run):
    assert last(run, "right").item() == last(run, "as_asked").item() == 1
    assert last(run, "lucky").item() == 0
    assert (last(run, "question_right") == 1).all()


def test_weights_add_up_to_1_and_rows_begin_selected(run):
    for name in ("operation_weight", "column_weight"):
        np.testing.assert_allclose(run[name].values.sum(-1), 1, atol=1e-6)
    assert (run["selection"].values[:, :, 0] == 1).all()


def test_hard_answers_are_the_questions_own_on_the_recorded_table(run):
    cells = run["cell"].values[:, 0].astype(float)
    for question, hard, right in zip(
        run["question"].values, last(run, "hard_answer"), run["right_answer"].values, strict=True
    ):
        words = str(question).split()
        rows = np.ones(len(cells), dtype=bool)
        if "where" in words:
            pivot = float(words[-1])
            rows = cells > pivot if "greater" in words else cells < pivot
        expected = rows.sum() if words[0] == "count" else cells[rows].sum()
        assert right == pytest.approx(expected, abs=1e-4)
        assert hard == pytest.approx(expected, abs=1e-4)


def test_soft_rows_are_the_weights_own(run):
    """After the first step: greater and lesser of the column, by their weights, and what stays."""
    operations, cells = last(run, "operation_weight").astype(float), run["cell"].values[:, 0].astype(float)
    names = run["operation"].values.tolist()
    for place, question in enumerate(run["question"].values):
        words = str(question).split()
        pivot = float(words[-1]) if "where" in words else 0.5
        weight = dict(zip(names, operations[place, 0], strict=True))
        stay = sum(weight[name] for name in ("keep", "and", "sum", "count", "print"))
        rows = stay + weight["greater"] * (cells > pivot) + weight["lesser"] * (cells < pivot)
        np.testing.assert_allclose(last(run, "selection")[place, 1], rows, atol=1e-5)
