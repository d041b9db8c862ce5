"""Words that pages share: durations, states of a run, text from people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

STATES = {
    "queued": ("Waiting", "gray", ":material/hourglass_empty:"),
    "running": ("Training", "blue", ":material/play_arrow:"),
    "paused": ("Paused", "orange", ":material/pause:"),
    "finished": ("Finished", "green", ":material/check:"),
    "stopped": ("Stopped", "orange", ":material/stop:"),
    "diverged": ("Diverged", "red", ":material/trending_up:"),
    "failed": ("Failed", "red", ":material/error:"),
    "interrupted": ("Interrupted", "red", ":material/power_off:"),
    "unclear": ("Unclear", "red", ":material/help:"),
    "example": ("Recorded example", "gray", ":material/inventory_2:"),
}
"""For each state of a run: its word, its colour and its icon."""


PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
SPECIAL_PAIRS = re.compile(
    r"(?<=://)(?=\w)|(?<=\bwww)(?=\.)|(?<=@)(?=\w)|(?<=:)(?=material/|streamlit:)|(?<=[-<>~])(?=[-=>])", re.IGNORECASE
)
"""Where Streamlit makes a link, an icon or an arrow even of escaped text."""
WORD_JOINER = "\u2060"


def plain(text: str) -> str:
    """Text from a person as one line of Markdown that shows exactly that text.

    Punctuation is escaped. An invisible word joiner keeps apart what Streamlit would replace all the same.

    >>> plain("a_b <b>[x](y)")
    'a\\\\_b \\\\<b\\\\>\\\\[x\\\\]\\\\(y\\\\)'
    >>> plain("a -> b")
    'a \\\\-\\u2060\\\\> b'
    """
    apart = SPECIAL_PAIRS.sub(WORD_JOINER, " ".join(text.split()))
    return PUNCTUATION.sub(r"\\\1", apart)


def numbered(titles: Sequence[str]) -> list[str]:
    """The titles with a number behind each that stands before it already.

    >>> numbered(["Depth 3", "Depth 3", "Depth 4"])
    ['Depth 3', 'Depth 3 (2)', 'Depth 4']
    """
    counts: Counter[str] = Counter()
    names = []
    for title in titles:
        counts[title] += 1
        names.append(title + (f" ({counts[title]})" if counts[title] > 1 else ""))
    return names


def duration(seconds: float) -> str:
    """A length of time as people say it.

    >>> duration(0.42), duration(7.4), duration(95), duration(7300), duration(300_000)
    ('0.4 s', '7 s', '2 min', '2 h', '3 days')
    """
    if seconds < 1:
        return f"{max(seconds, 0.1):.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds / 86_400:.0f} days"
