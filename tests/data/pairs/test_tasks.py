"""Pairs are what their task says, their alignment is the one that it says, and odd sentences are refused."""

from itertools import pairwise

import pytest
import torch

from goldviz.coded_errors import Code
from goldviz.data.pairs.dates import FORMATS
from goldviz.data.pairs.pairs import NO_WORD, SentenceError
from goldviz.data.pairs.table import task_of
from tests.refusals import refused

NAMES = ("reversal", "sorting", "phrases", "dates")


def drawn(name: str, length: int | None = None, count: int = 40):
    task = task_of(name, 5, 3, 8)
    pairs = task.draw(count, length or task.lengths[-1], torch.Generator().manual_seed(3))
    rows = zip(pairs.source.tolist(), pairs.target.tolist(), pairs.aligned.tolist(), strict=True)
    words = [
        ([task.source_words[word] for word in source], [task.target_words[word] for word in target], aligned)
        for source, target, aligned in rows
    ]
    return task, words


@pytest.mark.parametrize("name", NAMES)
def test_every_length_has_pairs_that_the_task_itself_understands(name: str) -> None:
    task = task_of(name, 5, 2, 9)
    for length in (*task.lengths, *task.beyond):
        pairs = task.draw(7, length, torch.Generator().manual_seed(length))
        assert pairs.source.shape == (7, length)
        assert pairs.target.shape == pairs.aligned.shape
        for source in pairs.source.tolist():
            sentence = " ".join(task.source_words[word] for word in source)
            assert task.understood(sentence) == source


def test_letters_are_turned_round_and_sorted() -> None:
    for source, target, aligned in drawn("reversal")[1]:
        assert target == source[::-1]
        assert [source[place] for place in aligned] == target
    for source, target, aligned in drawn("sorting")[1]:
        assert target == sorted(source)
        assert [source[place] for place in aligned] == target
        assert sorted(aligned) == [*range(len(source))]


def test_phrases_turn_round_inside_and_stay_in_order() -> None:
    task, pairs = drawn("phrases", 8, 200)
    for source, target, aligned in pairs:
        assert [source[place].lower() for place in aligned] == [word.lower() for word in target]
        links = [place for place, word in enumerate(source) if word in ("and", "of", "with", "for")]
        ends = [-1, *links, len(source)]
        expected = []
        for start, end in pairwise(ends):
            expected += [*range(end - 1, start, -1), *([end] if end < len(source) else [])]
        assert aligned == expected
    assert len({len(source) - 2 * sum(word == "of" for word in source) for source, _, _ in pairs}) > 1
    numbers = task.understood("Area economic european")
    assert [task.source_words[number] for number in numbers] == ["area", "economic", "european"]


def test_dates_become_iso_and_each_sign_stands_for_its_word() -> None:
    for length in (6, 7, 8, 10):
        for source, target, aligned in drawn("dates", length, 60)[1]:
            assert len(target) == 10
            assert target[4] == target[7] == "-"
            for sign, place in zip(target, aligned, strict=True):
                if place == NO_WORD:
                    assert sign in "-0"
                elif source[place].isdigit():
                    assert source[place] == sign
                else:
                    assert len(source[place]) >= 3


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_read_as_it_is_written(name: str) -> None:
    task_of("dates", 5, 2, 3).understood(name)


@pytest.mark.parametrize(
    ("name", "sentence", "code", "facts"),
    [
        ("reversal", "", "empty", ("40 words",)),
        ("reversal", " \n ", "empty", ()),
        ("reversal", "a b ß", "never_read", ("'ß'", "a, b, c, d, e")),
        ("reversal", "a " * 1000, "too_long", ("1,000 words", "40")),
        ("phrases", "area <script>", "never_read", ("'<script>'",)),
        ("phrases", "economic area", "ungrammatical", ("at 'economic'",)),
        ("phrases", "area of", "ungrammatical", ("ends with 'of'",)),
        ("phrases", "area bank", "ungrammatical", ("at 'bank'",)),
        ("phrases", "area new new new new", "ungrammatical", ("at 'new'",)),
        ("dates", "3 2001 September", "ungrammatical", ("3 September 2001",)),
        ("dates", "tomorrow", "never_read", ("'tomorrow'",)),
    ],
)
def test_odd_sentences_are_refused(name: str, sentence: str, code: Code, facts: tuple[str, ...]) -> None:
    with refused(SentenceError, code, *facts) as error:
        task_of(name, 5, 3, 8).understood(sentence)
    assert len(str(error.value)) < 700


def test_noun_phrases_are_known_by_the_documents_phrase_at_every_length() -> None:
    for length in range(3, 15):
        task = task_of("phrases", 5, length, length)
        pair = task.probe(torch.Generator().manual_seed(length))
        words = [task.source_words[word] for word in pair.source[0].tolist()]
        assert len(words) == length
        assert task.understood(" ".join(words)) == pair.source[0].tolist(), "in the task's own grammar"
        answer = [task.target_words[word] for word in pair.target[0].tolist()]
        assert " ".join(answer).startswith("Common European Economic Area" if length == 4 else "European Economic Area")
        assert pair.source[0][pair.aligned[0]].tolist() == pair.target[0].tolist()


def test_other_tasks_look_into_a_drawn_pair_of_the_middle_length() -> None:
    task = task_of("reversal", 10, 4, 8)
    drawn = task.draw(1, 6, torch.Generator().manual_seed(3))
    assert torch.equal(task.probe(torch.Generator().manual_seed(3)).source, drawn.source)
