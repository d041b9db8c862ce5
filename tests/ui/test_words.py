"""Words that pages share. What Markdown makes of them is seen in a browser: tests/browser/test_plain_text.py."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.runs.store.rows import STATUSES, UNCLEAR
from goldviz.ui.words import STATES, WORD_JOINER, duration, plain

markdown = st.text(st.sampled_from(string.printable + "é😀\u2028\u00a0"), max_size=80)


def _read(escaped: str) -> str:
    """What CommonMark makes of backslash escapes (section 2.4: any ASCII punctuation can be escaped)."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", escaped)


@given(markdown)
def test_plain_text_reads_back_as_the_text_on_one_line(text: str) -> None:
    assert _read(plain(text)).replace(WORD_JOINER, "") == " ".join(text.split())


@given(markdown)
def test_no_punctuation_stays_active(text: str) -> None:
    active = re.sub(r"\\[!-/:-@\[-`{-~]", "", plain(text))
    assert not set(active) & set(string.punctuation)


@pytest.mark.parametrize(
    "text",
    [
        *("https://a.example", "HTTP://a.example", "www.a.example", "me@a.example", ":material/error:", ":streamlit:"),
        *("a -> b", "a <- b", "a <-> b", "a -- b", "a >= b", "a <= b", "a ~= b"),
    ],
)
def test_what_streamlit_replaces_even_when_escaped_is_kept_apart(text: str) -> None:
    assert WORD_JOINER in plain(text)


@pytest.mark.parametrize(
    "text", ["depth 30 · gain 0.5", "e-mail", "a - b", "x = 3", "16:40", "Fix it: clip", "5 < 6 > 4"]
)
def test_ordinary_names_get_no_invisible_characters(text: str) -> None:
    assert WORD_JOINER not in plain(text)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0.1 s"),
        (0.94, "0.9 s"),
        (1, "1 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3599, "60 min"),
        (3600, "1 h"),
        (47 * 3600, "47 h"),
        (48 * 3600, "2 days"),
        (30 * 86_400, "30 days"),
    ],
)
def test_duration(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@given(st.floats(0.1, 1e8))
def test_a_duration_in_words_is_about_right(seconds: float) -> None:
    number, unit = duration(seconds).split()
    length = float(number) * {"s": 1, "min": 60, "h": 3600, "days": 86_400}[unit]
    assert length == pytest.approx(seconds, rel=0.5)


def test_every_state_of_a_run_has_its_words() -> None:
    assert {*STATUSES, UNCLEAR, "example"} == set(STATES)
    assert len({word for word, _, _ in STATES.values()}) == len(STATES)
