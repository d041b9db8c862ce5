"""Questions mean what their words say, right answers are numpy's, and odd questions and tables get one sentence."""

import numpy as np
import pytest
import torch

from goldviz.declare.settings import SettingsError
from goldviz.labs.neural_programmer.instruments import Unseen, look
from goldviz.labs.neural_programmer.language import QuestionError, table_of, understood
from goldviz.labs.neural_programmer.programmer import Program
from goldviz.labs.neural_programmer.questions import Questions, as_numbers, drawn, programs_as_asked
from goldviz.labs.neural_programmer.settings import NeuralProgrammer


def answered(sentence: str, table: list[list[float]]):
    asked = as_numbers([understood(sentence, len(table[0]), 2)], 2)
    answer = Questions.on(asked, torch.tensor([table])).answer
    return float(answer.number), answer.cells[0].tolist()


TABLE = [[0.1, 0.9], [0.5, 0.2], [0.7, 0.6]]


def test_answers_are_what_the_words_mean() -> None:
    assert answered("sum a", TABLE)[0] == pytest.approx(1.3)
    assert answered("sum b where a greater 0.3", TABLE)[0] == pytest.approx(0.8)
    assert answered("count where b lesser 0.6", TABLE)[0] == 1
    assert answered("count where b lesser 0.95 and a greater 0.4", TABLE)[0] == 2
    assert answered("print b where a lesser 0.6", TABLE) == (0, [[0, 1], [0, 1], [0, 0]])


@pytest.mark.parametrize("conditions", [1, 2])
def test_drawn_answers_are_numpys(conditions: int) -> None:
    settings = NeuralProgrammer(columns=3, conditions=conditions, iterations=4, rows=5)
    questions = drawn(settings, 300, torch.Generator().manual_seed(0))
    counts = set()
    for words, pivots, table, number, cells in zip(
        questions.asked.words.tolist(),
        questions.asked.pivots.numpy(),
        questions.tables.numpy(),
        questions.answer.number.tolist(),
        questions.answer.cells.numpy(),
        strict=True,
    ):
        rows = np.ones(5, dtype=bool)
        for comparison, column in zip(words[2::2], words[3::2], strict=True):
            if comparison == 1:
                rows &= table[:, column - 1] > pivots[0]
            elif comparison == 2:
                rows &= table[:, column - 1] < pivots[1]
        counts.add(sum(comparison > 0 for comparison in words[2::2]))
        wanted = {0: table[rows, words[1] - 1].sum(), 1: rows.sum(), 2: 0}[words[0]]
        assert number == pytest.approx(float(wanted), abs=1e-5)
        printed = np.zeros((5, 3))
        if words[0] == 2:
            printed[rows, words[1] - 1] = 1
        np.testing.assert_array_equal(cells, printed)
    assert counts == set(range(conditions + 1))


def test_the_questions_own_programs_are_all_right_and_none_is_lucky() -> None:
    class Perfect(torch.nn.Module):
        """Writes what the question spells."""

        def forward(self, words):
            asked = unseen.questions.asked
            chosen = asked if len(words) == len(asked.words) else unseen.of_followed.asked
            return Program(*programs_as_asked(chosen, 3))

    unseen = Unseen.drawn(NeuralProgrammer(columns=3, conditions=2, iterations=4), torch.Generator().manual_seed(0))
    shares = look(Perfect(), unseen)
    assert [float(shares[name]) for name in ("right", "as_asked", "lucky", "gap")] == [1, 1, 0, 0]


def test_a_wrong_program_with_a_right_answer_is_told_from_a_right_one() -> None:
    class Counts(torch.nn.Module):
        """Counts all rows, whatever is asked."""

        def forward(self, words):
            operations = torch.zeros(len(words), 2, 7)
            operations[:, 0, 0] = operations[:, 1, 5] = 1
            return Program(operations, torch.ones(len(words), 2, 1))

    unseen = Unseen.drawn(NeuralProgrammer(rows=2), torch.Generator().manual_seed(0))
    shares = look(Counts(), unseen)
    words = unseen.questions.asked.words
    own = ((words[:, 0] == 1) & (words[:, 2] == 0)).float().mean()
    assert float(shares["as_asked"]) == pytest.approx(float(own))
    # A count that happens to be all rows is right, by luck.
    assert float(shares["right"]) > float(own) + 0.02
    assert float(shares["lucky"]) == pytest.approx(float(shares["right"]) - float(own), abs=0.02)


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("", "The question has 0 words; allowed are 1 to 12"),
        ("sum a " * 500, "The question has 1,000 words"),
        ("sum a where b equals 0.4", "The word 'equals' is unknown; allowed are sum, count, print, where"),
        ("sum <b>", "The word '<b>' is unknown"),
        ("sum c", "The question asks for column c; the table has a, b."),
        ("count where a greater nan", "The word 'nan' is unknown"),
        ("where a sum", "in no order that is read; allowed is: sum a where b greater 0.4"),
        ("sum where a greater 0.4", "in no order"),
        ("sum a where b greater", "in no order"),
        ("sum a where b greater 0.4 and a greater 0.5", "in no order"),
        ("sum a where b greater 0.4 and a lesser 0.5", "has 2 conditions; allowed is what was learned: 1"),
    ],
)
def test_odd_questions_get_one_sentence(sentence: str, words: str) -> None:
    with pytest.raises(QuestionError, match=words) as error:
        understood(sentence, 2, 1)
    assert len(str(error.value)) < 250


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The table has 0 rows; allowed are 1 to 20"),
        (" \n;\n", "The table has 0 rows"),
        ("0.1 0.2\n" * 21, "The table has 21 rows"),
        ("0.1 0.2\n0.3", "Row 2 has 1 numbers; allowed is one for each column: 2"),
        ("0.1 x", "Row 1 holds 'x'; allowed are numbers from 0 to 1"),
        ("0.1 1.5", "Row 1 holds '1.5'"),
        ("0.1 nan", "Row 1 holds 'nan'"),
    ],
)
def test_odd_tables_get_one_sentence(text: str, words: str) -> None:
    with pytest.raises(QuestionError, match=words):
        table_of(text, 2)


def test_settings_that_do_not_fit_are_refused() -> None:
    with pytest.raises(SettingsError, match="Iterations are 2; with two conditions allowed are 4 to 6"):
        NeuralProgrammer.checked({"conditions": 2})
    with pytest.raises(SettingsError, match="5"):
        NeuralProgrammer.checked({"columns": 6})
