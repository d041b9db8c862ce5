"""Which words two lists have in common."""

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.policy_documents.documents.word_matching import Stretch, word_runs

LISTS = st.lists(st.sampled_from("abcde"), max_size=30)


@given(LISTS, LISTS)
def test_short_texts_are_matched_as_difflib_does(old: list[str], new: list[str]) -> None:
    known = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    assert [(run.changed, *run.words) for run in word_runs(old, new)] == [
        (tag != "equal", *place) for tag, *place in known
    ]


def test_sentences_that_changed_places_stay_where_most_are_in_order() -> None:
    sentences = [[*(f"w{number}x{word}" for word in range(30)), "."] for number in range(100)]
    moved = [sentences[-1], *sentences[:-1]]
    old, new = ([word for sentence in text for word in sentence] for text in (sentences, moved))
    assert [run.words for run in word_runs(old, new) if run.changed] == [
        Stretch(0, 0, 0, 31),
        Stretch(99 * 31, 3100, 3100, 3100),
    ]
