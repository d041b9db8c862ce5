"""What worker processes do for a question of one's own: write its program with a run's weights, and carry it out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float

from goldviz.labs.neural_programmer.execution import Answer, execute, hardened
from goldviz.labs.neural_programmer.language import table_of, understood
from goldviz.labs.neural_programmer.programmer import CLOSE, PRINT_WORD, Programmer, distance
from goldviz.labs.neural_programmer.questions import Questions, as_numbers
from goldviz.labs.neural_programmer.settings import NeuralProgrammer
from goldviz.labs.neural_programmer.train import programmer
from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.training.state import network_at_rest
from goldviz.training.threads import one_thread

if TYPE_CHECKING:
    from goldviz.runs.jobs.jobs import Report


@dataclass(frozen=True)
class Reply:
    """A question as it was read, its program's weights, the rows that the hardened program selects, and the answers.

    An answer is a number, or printed cells: those of which more than half is printed.
    """

    question: str
    operations: Float[np.ndarray, "iteration operation"]
    columns: Float[np.ndarray, "iteration column"]
    rows: Float[np.ndarray, "stage row"]
    soft: str
    hard: str
    right: str
    is_right: bool


def ask(report: Report, checkpoint: KeptWeights, sentence: str, table: str) -> Reply:
    """Ask the network of the run's first seed a question of a table.

    Raises :class:`goldviz.labs.neural_programmer.language.QuestionError` for a question or a table that is not
    understood, :class:`goldviz.runs.store.schema.StoreError` where the run or its state is gone, and
    :class:`goldviz.training.state.StateError` where the state holds no such network.
    """
    settings = NeuralProgrammer.checked_json(checkpoint.settings)
    question = understood(sentence, settings.columns, settings.conditions)
    encoding = as_numbers([question], settings.conditions)
    questions = Questions.on(encoding, torch.tensor([table_of(table, settings.columns)]))
    network = loaded(checkpoint)
    with one_thread(), torch.no_grad():
        program = network(encoding.words)
        hard = [hardened(weights) for weights in program]
        soft = execute(questions.tables, encoding.pivots, *program).answer
        firm, rows = execute(questions.tables, encoding.pivots, *hard)
    report(1, 1)
    prints = encoding.words[:, 0] == PRINT_WORD
    return Reply(
        str(question),
        program.operations[0].numpy(),
        program.columns[0].numpy(),
        rows[0].numpy(),
        _in_words(soft, questions),
        _in_words(firm, questions),
        _in_words(questions.answer, questions),
        bool(distance(firm, questions.answer, prints) < CLOSE),
    )


def _in_words(answer: Answer, questions: Questions) -> str:
    if int(questions.asked.words[0, 0]) != PRINT_WORD:
        return f"{float(answer.number):.2f}"
    cells = questions.tables[answer.cells > 0.5].tolist()
    return ", ".join(f"{cell:.2f}" for cell in cells) or "nothing"


@lru_cache(maxsize=4)
def loaded(checkpoint: KeptWeights) -> Programmer:
    """The first seed's network; raises as :func:`ask` does."""
    settings = NeuralProgrammer.checked_json(checkpoint.settings)
    network, state = programmer(settings, settings.seeds[0]), checkpoint.state(NeuralProgrammer)
    return network_at_rest(network, f"programmer/{settings.seeds[0]}/network", state)
