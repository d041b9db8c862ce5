"""What a look at a programmer shows: the programs of some questions, and how many of many it answers rightly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from goldviz.labs.neural_programmer.execution import Answer, execute, hardened
from goldviz.labs.neural_programmer.language import AGGREGATES, CHANGE_ROWS, READ_A_COLUMN, Question
from goldviz.labs.neural_programmer.programmer import CLOSE, PRINT_WORD, Program, Programmer, answer_loss, distance
from goldviz.labs.neural_programmer.questions import (
    Questions,
    as_numbers,
    drawn,
    followed,
    programs_as_asked,
    tables,
)

if TYPE_CHECKING:
    from goldviz.labs.neural_programmer.settings import NeuralProgrammer

Measured = dict[str, Tensor]
Steps = list[tuple[int, int]]
"""A program: operations with the columns that they read."""
TESTS = 256
"""Unseen questions of each seed."""
OTHER_TABLES = 4
"""On so many more tables a program that is right on its own has to be right, too."""


@dataclass(frozen=True)
class Unseen:
    """What a seed's network is asked: questions, the same on other tables, and a few that are followed."""

    questions: Questions
    elsewhere: Questions
    followed: tuple[Question, ...]
    of_followed: Questions

    @classmethod
    def drawn(cls, settings: NeuralProgrammer, generator: Generator) -> Unseen:
        """All followed questions have one table."""
        questions = drawn(settings, TESTS, generator)
        again = type(questions.asked)(*(one.repeat(OTHER_TABLES, 1) for one in questions.asked))
        elsewhere = Questions.on(again, tables(settings, TESTS * OTHER_TABLES, generator))
        sample = followed(settings, generator)
        table = tables(settings, 1, generator).mul(100).round().div(100)
        encoding = as_numbers(sample, settings.conditions)
        return cls(questions, elsewhere, tuple(sample), Questions.on(encoding, table.repeat(len(sample), 1, 1)))

    def right_answers(self) -> Float[Tensor, " question"]:
        """Those of the questions that are followed, as one number each."""
        return as_one_number(self.of_followed.answer, self.of_followed.tables)

    @cached_property
    def spelt(self) -> list[Steps]:
        """The programs that the questions' own words spell."""
        columns = self.questions.tables.shape[2]
        return _steps(Program(*programs_as_asked(self.questions.asked, columns)))

    def sorts(self) -> list[Bool[Tensor, " question"]]:
        """Which questions are of each sort: what is asked for, with so many conditions."""
        words = self.questions.asked.words
        counts = (words[:, 2::2] > 0).sum(1)
        numbers = range(words.shape[1] // 2)
        return [(words[:, 0] == name) & (counts == count) for name in range(len(AGGREGATES)) for count in numbers]


def as_one_number(answer: Answer, tables: Float[Tensor, "question row column"]) -> Float[Tensor, " question"]:
    """The number of an answer and the sum of what it prints; a program that is right gives only one of the two."""
    return answer.number + (answer.cells * tables).sum((1, 2))


@torch.no_grad()
def look(network: Programmer, test: Unseen) -> Measured:
    """How unseen questions are answered, softly and by the hardened program."""
    questions = test.questions
    prints = questions.asked.words[:, 0] == PRINT_WORD
    program = network(questions.asked.words)
    hard = Program(hardened(program.operations), hardened(program.columns))
    soft = execute(questions.tables, questions.asked.pivots, *program).answer
    firm = execute(questions.tables, questions.asked.pivots, *hard).answer
    right = distance(firm, questions.answer, prints) < CLOSE
    everywhere = right & _right_elsewhere(hard, test.elsewhere)
    as_asked = torch.tensor([own == spelt for own, spelt in zip(_steps(hard), test.spelt, strict=True)])
    return {
        "test_loss": answer_loss(soft, questions.answer, prints),
        "right": right.float().mean(),
        "as_asked": as_asked.float().mean(),
        "lucky": (right & ~everywhere).float().mean(),
        "gap": distance(soft, firm, prints).mean(),
        "right_by_sort": torch.stack([right[sort].float().mean() for sort in test.sorts()]),
    }


def _right_elsewhere(hard: Program, elsewhere: Questions) -> Bool[Tensor, " question"]:
    """Whether each program is right on all other tables."""
    again = (weights.repeat(OTHER_TABLES, 1, 1) for weights in hard)
    answer = execute(elsewhere.tables, elsewhere.asked.pivots, *again).answer
    apart = distance(answer, elsewhere.answer, elsewhere.asked.words[:, 0] == PRINT_WORD)
    return (apart < CLOSE).reshape(OTHER_TABLES, -1).all(0)


def _steps(hard: Program) -> list[Steps]:
    """Each program as its steps: operation and column, -1 where none is read.

    Steps before the last that leave the rows as they are, are left out; two comparisons stand in one order.
    """
    choices = hard.operations.argmax(2)
    read = torch.isin(choices, torch.tensor(READ_A_COLUMN))
    columns = torch.where(read, hard.columns.argmax(2), -1).tolist()
    programs = []
    for operations, of_columns in zip(choices.tolist(), columns, strict=True):
        steps = list(zip(operations, of_columns, strict=True))
        changes = [step for step in steps[:-1] if step[0] in CHANGE_ROWS]
        programs.append([*sorted(changes[:2]), *changes[2:], *steps[-1:]])
    return programs


@torch.no_grad()
def of_followed(network: Programmer, test: Unseen) -> Measured:
    """The programs of the followed questions, the rows that they select, and their answers."""
    questions = test.of_followed
    program = network(questions.asked.words)
    hard = (hardened(program.operations), hardened(program.columns))
    soft = execute(questions.tables, questions.asked.pivots, *program)
    firm = execute(questions.tables, questions.asked.pivots, *hard)
    prints = questions.asked.words[:, 0] == PRINT_WORD
    return {
        "operation_weight": program.operations,
        "column_weight": program.columns,
        "selection": soft.rows,
        "soft_answer": as_one_number(soft.answer, questions.tables),
        "hard_answer": as_one_number(firm.answer, questions.tables),
        "question_right": (distance(firm.answer, questions.answer, prints) < CLOSE).float(),
    }
