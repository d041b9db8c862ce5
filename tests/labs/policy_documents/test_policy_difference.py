"""The difference of two texts as HTML."""

import re

from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.policy_documents.documents.difference import text_difference
from goldviz.labs.policy_documents.parts.difference import LONGEST_CHANGE, MOST_CHARACTERS, difference_html

TEXTS = st.lists(st.sampled_from(["<script>", "&amp;", '"', "rates", "rose", "</del>", ".", "it's"]), max_size=20).map(
    " ".join
)


@given(TEXTS, TEXTS)
def test_no_tag_but_ours_is_in_it(before: str, after: str) -> None:
    found, left = difference_html(before, after, text_difference(before, after), {0: 1, 1: 2})
    assert set(re.findall("<[^>]*>", found)) <= {"<ins>", "</ins>", "<del>", "</del>", "<sup>", "</sup>"}
    assert left == 0


def test_a_long_stretch_without_changes_is_shortened() -> None:
    same = "the same words " * 200
    before, after = f"{same}one end", f"{same}two end"
    found, _ = difference_html(before, after, text_difference(before, after), {})
    assert found.startswith("… ")
    assert len(found) < 400


def test_what_does_not_fit_is_counted() -> None:
    before = " ".join(f"old{number} same{number} as{number} it{number} was{number}" for number in range(790))
    after = before.replace("old", "new")
    found, left = difference_html(before, after, text_difference(before, after), {})
    assert len(found) < MOST_CHARACTERS + 2_000
    assert left > 100


def test_a_change_of_a_whole_document_has_its_middle_left_out() -> None:
    before, after = "old words " * 1_000, "new signs " * 1_000
    found, _ = difference_html(before, after, text_difference(before, after), {})
    assert found.count(" … ") == 2
    assert len(found) < 4 * LONGEST_CHANGE + 200
