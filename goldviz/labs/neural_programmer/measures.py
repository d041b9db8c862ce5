"""A run of *Neural programmer* as plain arrays: the numbers that claims and pages tell, and programs as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.recorded import at_last
from goldviz.diagnostics.measure import measure
from goldviz.labs.neural_programmer.language import in_words
from goldviz.labs.neural_programmer.settings import NeuralProgrammer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from goldviz.arrays.labelled import Run

LABELS = {"programmer": "Programmer"}


class Reading(TrainingReading):
    """What was recorded of the programmer, for each seed; NaN where nothing was. All is of unseen questions at the
    last look."""

    labels = LABELS
    declared = NeuralProgrammer
    right = measure(at_last("right", "look"))
    """The share of questions that the hardened program answers rightly."""
    as_asked = measure(at_last("as_asked", "look"))
    """The share of questions whose program is the question's own, step by step."""
    lucky = measure(at_last("lucky", "look"))
    """The share of questions that are right on their own table, by a program that is wrong on another."""
    gap = measure(at_last("gap", "look"))
    """How far the soft answer is from the hardened program's, mean over the questions."""


more_right = measure(lambda plain, noisy: Reading.right["programmer"](noisy) - Reading.right["programmer"](plain))
"""How much more often the hardened program is right with gradient noise than without."""


class WrittenProgram(NamedTuple):
    """A question, its program as text, its answers, and whether the hardened one is right."""

    question: str
    steps: tuple[str, ...]
    hard: float
    soft: float
    right: float
    is_right: bool


def program_text(operations: NDArray[Any], columns: NDArray[Any]) -> tuple[str, ...]:
    """A program of weights, (iteration, choice) each, with all weight on the largest, a step a line.

    >>> program_text(np.eye(7)[[1, 4]], np.array([[0.2, 0.8], [0.9, 0.1]]))
    ('greater b', 'sum a')
    """
    return tuple(
        in_words(int(operation), int(column))
        for operation, column in zip(operations.argmax(-1), columns.argmax(-1), strict=True)
    )


def look_at(run: Run, step: int | None) -> int:
    """Which look is the last that is not after ``step``."""
    return -1 if step is None else max(int(np.searchsorted(run["look"].values, step, side="right")) - 1, 0)


def programs_at(run: Run, step: int | None) -> list[WrittenProgram]:
    """The programs of the followed questions at the last look that is not after ``step``; none before the first."""
    if "operation_weight" not in run or not run.sizes.get("look"):
        return []
    now = run.isel(look=look_at(run, step))
    operations, columns = now["operation_weight"].values, now["column_weight"].values
    return [
        WrittenProgram(
            str(question),
            program_text(operations[place], columns[place]),
            float(now["hard_answer"].values[place]),
            float(now["soft_answer"].values[place]),
            float(now["right_answer"].values[place]),
            bool(now["question_right"].values[place] > 0),
        )
        for place, question in enumerate(now["question"].values)
    ]
