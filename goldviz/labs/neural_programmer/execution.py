"""Operations on tables, each by its weight: document 004, section 3.4, after Neelakantan et al. 2016, section 2.

Rows carry a selection from 0 to 1. With all weight on one operation and one column a step is that operation; between
such points everything has a gradient but the comparisons, which need none: tables are not learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.labs.neural_programmer.language import AND, COUNT, GREATER, KEEP, LESSER, PRINT, SUM

Tables = Float[Tensor, "question row column"]
Selection = Float[Tensor, "question row"]


class Answer(NamedTuple):
    """What the last step gives: a number, for ``sum`` and ``count``, and how much of each cell is printed."""

    number: Float[Tensor, " question"]
    cells: Tables


@dataclass(frozen=True)
class Execution:
    """Tables with a question's comparisons, ready for the steps of a program."""

    tables: Tables
    larger: Tables
    smaller: Tables

    @classmethod
    def of(cls, tables: Tables, pivots: Float[Tensor, "question 2"]) -> Execution:
        """1 in ``larger`` where a cell is above the first pivot, in ``smaller`` where it is below the second."""
        larger = (tables > pivots[:, None, :1]).to(tables.dtype)
        return cls(tables, larger, (tables < pivots[:, None, 1:]).to(tables.dtype))

    def selection(self) -> Selection:
        """All rows, as every program begins."""
        return self.tables.new_ones(self.tables.shape[:2])

    def selected(
        self,
        rows: Selection,
        before: Selection,
        operation: Float[Tensor, "question operation"],
        column: Float[Tensor, "question column"],
    ) -> Selection:
        """The rows after a step: those compared, those of both steps before (``and``), or else the rows as they were.

        The paper clears the selection where another operation is chosen; here it stays.
        """
        comparisons = operation[:, GREATER, None, None] * self.larger + operation[:, LESSER, None, None] * self.smaller
        matches = (comparisons * column[:, None]).sum(-1)
        stay = torch.cat([operation[:, : KEEP + 1], operation[:, SUM : PRINT + 1]], 1).sum(1)
        return stay[:, None] * rows + matches + operation[:, AND, None] * torch.minimum(rows, before)

    def answer(
        self,
        rows: Selection,
        operation: Float[Tensor, "question operation"],
        column: Float[Tensor, "question column"],
    ) -> Answer:
        """What a last step makes of the rows that the steps before it selected."""
        values = (self.tables * column[:, None]).sum(-1)
        number = operation[:, SUM] * (rows * values).sum(1) + operation[:, COUNT] * rows.sum(1)
        return Answer(number, operation[:, PRINT, None, None] * rows[:, :, None] * column[:, None])


class Executed(NamedTuple):
    """A program's answer, and the rows selected before its first step and after each."""

    answer: Answer
    rows: Float[Tensor, "question stage row"]


def execute(
    tables: Tables,
    pivots: Float[Tensor, "question 2"],
    operations: Float[Tensor, "question iteration operation"],
    columns: Float[Tensor, "question iteration column"],
) -> Executed:
    """Run programs of weights; with one-hot weights they are programs as anyone writes them."""
    execution = Execution.of(tables, pivots)
    stages = [execution.selection()]
    for place in range(operations.shape[1]):
        answer = execution.answer(stages[-1], operations[:, place], columns[:, place])
        before = stages[max(len(stages) - 2, 0)]
        stages.append(execution.selected(stages[-1], before, operations[:, place], columns[:, place]))
    return Executed(answer, torch.stack(stages, 1))


def hardened(weights: Float[Tensor, "*place choice"]) -> Float[Tensor, "*place choice"]:
    """All weight on the largest.

    >>> hardened(torch.tensor([0.2, 0.7, 0.1]))
    tensor([0., 1., 0.])
    """
    return torch.zeros_like(weights).scatter_(-1, weights.argmax(-1, keepdim=True), 1.0)
