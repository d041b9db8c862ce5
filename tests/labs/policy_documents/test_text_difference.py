"""What changed between two texts."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.policy_documents.documents import word_matching
from goldviz.labs.policy_documents.documents.difference import (
    WORD,
    share_changed,
    text_difference,
    with_changes_put_back,
)

WORDS = st.lists(
    st.sampled_from(["rates", "rose", "fell", "4-1/4", ".", ",", "the", "(", ")", "Committee’s", "-"]), max_size=25
)
TEXTS = WORDS.map(" ".join)
RAGGED = st.lists(
    st.tuples(st.sampled_from(["rates", "rose", "4.5", "fell", ".", ","]), st.sampled_from(["", " ", "\n\n"])),
    max_size=20,
)


def words(text: str) -> list[str]:
    return [found.group() for found in WORD.finditer(text)]


@given(TEXTS, TEXTS, st.integers(1, 4))
def test_passages_cover_both_texts_in_turn(before: str, after: str, least: int) -> None:
    parts = text_difference(before, after, least)
    assert [part.changed for part in parts] == [
        place % 2 == (0 if parts[0].changed else 1) for place in range(len(parts))
    ]
    for text, span in ((before, "before"), (after, "after")):
        covered = [word for part in parts for word in words(text[slice(*getattr(part, span))])]
        assert covered == words(text)
    for part in parts:
        same = words(before[slice(*part.before)]) == words(after[slice(*part.after)])
        assert same or part.changed


@given(RAGGED, RAGGED)
def test_all_changes_put_back_are_the_earlier_text(before: list[tuple[str, str]], after: list[tuple[str, str]]) -> None:
    old, new = ("".join(word + gap for word, gap in text) for text in (before, after))
    parts = text_difference(old, new)
    assert words(with_changes_put_back(old, new, parts, range(len(parts)))) == words(old)


@given(TEXTS, TEXTS)
def test_nothing_put_back_is_the_later_text(before: str, after: str) -> None:
    assert with_changes_put_back(before, after, text_difference(before, after), []) == after


@given(TEXTS)
def test_the_same_text_has_no_change(text: str) -> None:
    assert share_changed(text_difference(text, text)) == 0


def test_one_change_is_put_back_alone() -> None:
    old = "Inflation remains elevated. The Committee raised rates to 4-1/4 percent today."
    new = "Inflation has eased somewhat. The Committee raised rates to 4-1/2 percent today."
    parts = text_difference(old, new)
    changed = [place for place, part in enumerate(parts) if part.changed]
    assert len(changed) == 2
    assert with_changes_put_back(old, new, parts, changed[1:]) == new.replace("1/2", "1/4")


def test_a_new_sentence_begins_after_the_full_stop_before_it() -> None:
    old = "Growth was firm. Prices rose in the spring."
    new = "Growth was firm. Jobs were lost. Prices rose in the spring."
    [part] = [part for part in text_difference(old, new) if part.changed]
    assert new[slice(*part.after)] == "Jobs were lost."


def test_single_equal_words_between_changes_belong_to_them() -> None:
    old, new = "one two the three four five six", "nine eight the seven four five six"
    assert [part.changed for part in text_difference(old, new)] == [True, False]


def test_texts_of_minutes_length_are_compared() -> None:
    old = " ".join(f"word{number % 997} the" for number in range(9_000))
    parts = text_difference(old, old.replace("word500 ", "changed "))
    assert sum(part.words_after for part in parts) == 18_000


REGIMES = {
    "sentences first": {"WORDS_AT_ONCE": 0},
    "no steps": {"MOST_WORD_STEPS": 0},
    "few steps": {"WORDS_AT_ONCE": 0, "MOST_WORD_STEPS": 40},
}


@pytest.mark.parametrize("bounds", REGIMES.values(), ids=REGIMES)
@given(RAGGED, RAGGED, st.integers(1, 3))
def test_bounds_leave_a_true_difference(
    bounds: dict[str, int], before: list[tuple[str, str]], after: list[tuple[str, str]], least: int
) -> None:
    old, new = ("".join(word + gap for word, gap in text) for text in (before, after))
    with pytest.MonkeyPatch.context() as patch:
        for name, bound in bounds.items():
            patch.setattr(word_matching, name, bound)
        parts = text_difference(old, new, least)
        assert share_changed(text_difference(old, old)) == 0
    assert words(with_changes_put_back(old, new, parts, range(len(parts)))) == words(old)
    assert with_changes_put_back(old, new, parts, []) == new
    assert [word for part in parts for word in words(new[slice(*part.after)])] == words(new)
    for part in parts:
        assert part.changed or words(old[slice(*part.before)]) == words(new[slice(*part.after)])


@pytest.mark.parametrize("vocabulary", [1, 2, 150, 30_000])
@pytest.mark.parametrize("stops", ["", " ."])
def test_long_texts_are_compared_in_few_steps(vocabulary: int, stops: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = random.Random(vocabulary)
    old, new = (
        " ".join(f"word{drawn.randrange(vocabulary)}{stops}" for _ in range(7_000 + length)) for length in (0, 3)
    )
    looked: list[int] = []

    class Counted(word_matching.SequenceMatcher):  # type: ignore[type-arg]
        def find_longest_match(self, *part: int):  # type: ignore[no-untyped-def]
            looked.append(sum(1 + len(self.b2j.get(word, ())) for word in self.a[part[0] : part[1]]))
            return super().find_longest_match(*part)

    monkeypatch.setattr(word_matching, "SequenceMatcher", Counted)
    parts = text_difference(old, new)
    assert sum(looked) <= word_matching.MOST_WORD_STEPS
    assert words(with_changes_put_back(old, new, parts, range(len(parts)))) == words(old)
    if vocabulary == 1:
        assert sum(part.words for part in parts if part.changed) == 3 * (1 + bool(stops))


def test_one_word_in_a_long_text_is_found_in_its_place() -> None:
    sentences = [f"Rates rose by {number % 7} points in the {number % 11} th month." for number in range(3_000)]
    old = " ".join(sentences)
    sentences[1_234] = sentences[1_234].replace("rose", "fell")
    new = " ".join(sentences)
    [part] = [part for part in text_difference(old, new) if part.changed]
    assert (old[slice(*part.before)], new[slice(*part.after)], part.compared) == ("rose", "fell", True)


def test_what_was_too_long_and_too_unlike_says_so() -> None:
    old, new = "a b " * 4_000, "b a c " * 4_000
    parts = text_difference(old, new)
    assert [part.compared for part in parts if part.changed] == [False]
    assert all(part.compared for part in text_difference("a b " * 40, "b a c " * 40))
    assert all(part.compared for part in text_difference(old, "x y " * 4_000))
