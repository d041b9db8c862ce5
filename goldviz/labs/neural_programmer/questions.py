"""Questions and tables to learn from: drawn at random, with the answer alone as what is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from goldviz.labs.neural_programmer.execution import Answer, execute
from goldviz.labs.neural_programmer.language import (
    AGGREGATES,
    AND,
    COMPARISONS,
    GREATER,
    KEEP,
    LESSER,
    NO_PIVOT,
    OPERATIONS,
    SUM,
    Condition,
    Question,
)

if TYPE_CHECKING:
    from goldviz.labs.neural_programmer.settings import NeuralProgrammer

LOWEST, SPAN = 0.2, 0.6
"""Numbers in questions are from 0.2 to 0.8, cells from 0 to 1."""


class Asked(NamedTuple):
    """Questions as numbers.

    ``words`` are those of each place: what is asked for, its column, and of each condition the comparison and its
    column; 0 stands for none, except in the first place. ``pivots`` are the numbers behind greater and lesser.
    """

    words: Int[Tensor, "question place"]
    pivots: Float[Tensor, "question 2"]


@dataclass(frozen=True)
class Questions:
    """Questions, each with a table and its right answer."""

    asked: Asked
    tables: Float[Tensor, "question row column"]
    answer: Answer

    @classmethod
    def on(cls, encoding: Asked, tables: Float[Tensor, "question row column"]) -> Questions:
        """The same with the answers that their own words mean."""
        operations, columns = programs_as_asked(encoding, tables.shape[2])
        return cls(encoding, tables, execute(tables, encoding.pivots, operations, columns).answer)

    def to(self, device: torch.device) -> Questions:
        """The questions where a network is."""
        return Questions(
            Asked(*(one.to(device) for one in self.asked)),
            self.tables.to(device),
            Answer(*(one.to(device) for one in self.answer)),
        )


def places(columns: int, conditions: int) -> tuple[int, ...]:
    """How many words may stand in each place of a question."""
    return (len(AGGREGATES), columns + 1, *(len(COMPARISONS) + 1, columns + 1) * conditions)


def drawn(settings: NeuralProgrammer, count: int, generator: Generator) -> Questions:
    """Questions with tables of their own: every number of conditions and each comparison as likely as another."""

    def chosen(choices: int) -> Int[Tensor, " question"]:
        return torch.randint(choices, (count,), generator=generator)

    aggregate, column, conditions = chosen(3), chosen(settings.columns), chosen(settings.conditions + 1)
    words = [aggregate, torch.where(aggregate == 1, 0, column + 1)]
    first = chosen(2) + 1
    for place in range(settings.conditions):
        present = conditions > place
        words += [
            torch.where(present, first if place == 0 else 3 - first, 0),
            torch.where(present, chosen(settings.columns) + 1, 0),
        ]
    numbers = LOWEST + SPAN * torch.rand(count, 2, generator=generator)
    # Of two numbers the smaller goes to "greater": rows between them are asked for.
    numbers = numbers.sort(1).values if settings.conditions == 2 else numbers[:, :1].expand(count, 2)
    if settings.conditions == 2:
        own = numbers.gather(1, (first - 1)[:, None]).expand(count, 2)
        numbers = torch.where(conditions[:, None] == 1, own, numbers)
    pivots = torch.where(conditions[:, None] > 0, numbers, NO_PIVOT)
    return Questions.on(Asked(torch.stack(words, 1), pivots), tables(settings, count, generator))


def tables(settings: NeuralProgrammer, count: int, generator: Generator) -> Float[Tensor, "question row column"]:
    """So many tables of numbers from 0 to 1."""
    return torch.rand(count, settings.rows, settings.columns, generator=generator)


def programs_as_asked(
    encoding: Asked, columns: int
) -> tuple[Float[Tensor, "question iteration operation"], Float[Tensor, "question iteration column"]]:
    """The program that a question's words spell: a step for each condition, ``and``, and what is asked for."""
    count, conditions = len(encoding.words), (encoding.words.shape[1] - 2) // 2
    steps, of_columns = [], []
    for place in range(conditions):
        comparison = encoding.words[:, 2 + 2 * place]
        steps.append(torch.where(comparison == 0, KEEP, torch.where(comparison == 1, GREATER, LESSER)))
        of_columns.append(encoding.words[:, 3 + 2 * place])
        if place:
            steps.append(torch.where(comparison == 0, KEEP, AND))
            of_columns.append(torch.zeros(count, dtype=torch.long, device=encoding.words.device))
    steps.append(encoding.words[:, 0] + SUM)
    of_columns.append(encoding.words[:, 1])
    operations = torch.nn.functional.one_hot(torch.stack(steps, 1), len(OPERATIONS))
    one_column = torch.nn.functional.one_hot((torch.stack(of_columns, 1) - 1).clamp(min=0), columns)
    return operations.to(encoding.pivots.dtype), one_column.to(encoding.pivots.dtype)


def as_numbers(questions: list[Question], conditions: int) -> Asked:
    """Questions in words as numbers."""
    rows = []
    for question in questions:
        row = [AGGREGATES.index(question.aggregate), 0 if question.column is None else question.column + 1]
        for place in range(conditions):
            own = question.conditions[place] if place < len(question.conditions) else None
            row += [0, 0] if own is None else [1 + COMPARISONS.index(own.comparison), own.column + 1]
        rows.append(row)
    return Asked(torch.tensor(rows), torch.tensor([question.pivots for question in questions]))


def followed(settings: NeuralProgrammer, generator: Generator) -> list[Question]:
    """The questions that are followed through training: each thing asked for, with every sort of condition.

    A condition is on the column behind the one that is asked for, where there are several.
    """

    def question(aggregate: str, names: tuple[str, ...]) -> Question:
        column = int(torch.randint(settings.columns, (), generator=generator))
        numbers = (LOWEST + SPAN * torch.rand(len(names), generator=generator)).sort().values.tolist()
        conditions = tuple(
            Condition((column + place) % settings.columns, name, round(number, 2))
            for place, (name, number) in enumerate(zip(names, numbers, strict=True), start=1)
        )
        return Question(aggregate, None if aggregate == "count" else column, conditions)

    sorts: list[tuple[str, ...]] = [("greater",), ("lesser",), ()]
    if settings.conditions > 1:
        sorts.insert(0, COMPARISONS)
    return [question(aggregate, names) for names in sorts for aggregate in AGGREGATES]
