"""Texts that cannot be learned from are refused in a sentence; long ones are sampled, and it is said."""

import pytest

from goldviz.coded_errors import Code
from goldviz.data.texts import corpora
from goldviz.data.texts.corpora import CORPORA, corpus, of_a_file, own_corpus, running_text
from goldviz.data.texts.items import lines_of
from goldviz.data.texts.pieces import TextError
from tests.refusals import refused


def lines(count: int, word: str = "abc") -> str:
    return "\n".join(f"{word}{chr(97 + number % 20)}" for number in range(count))


@pytest.mark.parametrize(
    ("text", "code", "facts"),
    [
        ("", "too_few", ("0 lines", "20")),
        ("one line alone", "too_few", ("1 line ",)),
        ("\n".join("a" * 30), "constant", ("one character, 'a'",)),
        ("\n".join(chr(0x4E00 + number) * 3 for number in range(400)), "too_large", ("400 different characters",)),
    ],
)
def test_a_text_that_cannot_be_learned_is_refused(text: str, code: Code, facts: tuple[str, ...]) -> None:
    with refused(TextError, code, *facts):
        own_corpus(text)


def test_of_a_huge_text_lines_are_drawn_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "MOST_CHARACTERS", 10_000)
    huge = lines(7_000)
    read = own_corpus(huge)
    assert len(huge) > 30_000
    assert sum(len(item) + 1 for item in read.items) <= 10_001
    assert set(read.items) <= set(huge.split())
    assert read.items[:100] != tuple(huge.split()[:100])
    assert "Of 0.0 million characters, lines of 0 million" in read.notes[0]


def test_long_lines_are_cut_and_blanks_and_signs_that_nobody_sees_made_plain() -> None:
    read = own_corpus("\n".join(["x" * 250, "a\t\u200b b\x07"] * 10))
    assert {len(item) for item in read.items} == {100, 50, 3}
    assert "a b" in read.items


def test_a_dot_in_the_text_leaves_the_boundary_another_sign() -> None:
    assert own_corpus(lines(30)).symbols[0] == "."
    assert own_corpus(lines(30, "a.")).symbols[0] == "·"


@pytest.mark.parametrize("name", list(CORPORA))
def test_every_text_that_ships_can_be_learned(name: str) -> None:
    read = corpus(name)
    assert len(read.items) > 400
    assert not read.notes


@pytest.mark.parametrize("name", list(CORPORA))
def test_a_text_as_it_runs_keeps_its_line_ends_and_has_every_item(name: str) -> None:
    text = running_text(name)
    assert list(lines_of(text)) == list(corpus(name).items)
    assert text.count("\n") >= len(corpus(name).items) - 1


@pytest.mark.slow
def test_of_fifty_megabytes_a_million_characters_are_drawn_and_it_is_said() -> None:
    whole = b"\n".join(b"the %07d-th line of a long text" % number for number in range(1_600_000))[: 50 * 10**6]
    kept, notes = of_a_file(whole, "long.txt")
    assert len(kept) <= 10**6
    assert any("Of 50.0 million characters, lines of 1 million were drawn at random" in note for note in notes)
    lines = set(kept.decode().splitlines()[:-1])
    assert len(lines) > 25_000
    assert lines <= set(whole.decode().splitlines())
