"""Words that pages share: durations, states of a run, text from people."""

from __future__ import annotations

import re

STATES = {
    "queued": ("Waiting", "gray", ":material/hourglass_empty:"),
    "running": ("Training", "blue", ":material/play_arrow:"),
    "paused": ("Paused", "orange", ":material/pause:"),
    "finished": ("Finished", "green", ":material/check:"),
    "stopped": ("Stopped", "orange", ":material/stop:"),
    "diverged": ("Diverged", "red", ":material/trending_up:"),
    "failed": ("Failed", "red", ":material/error:"),
    "interrupted": ("Interrupted", "red", ":material/power_off:"),
    "example": ("Recorded example", "gray", ":material/inventory_2:"),
}
"""For each state of a run: its word, its colour and its icon."""


def plain(text: str) -> str:
    """Text from a person as Markdown that shows exactly that text.

    >>> plain("a_b <b>[x](y)")
    'a\\\\_b &lt;b&gt;\\\\[x\\\\](y)'
    """
    escaped = re.sub(r"([\\`*_{}\[\]#+!|~$:])", r"\\\1", text)
    return escaped.replace("<", "&lt;").replace(">", "&gt;")


def duration(seconds: float) -> str:
    """A length of time as people say it.

    >>> duration(0.42), duration(7.4), duration(95), duration(7300)
    ('0.4 s', '7 s', '2 min', '2 h')
    """
    if seconds < 1:
        return f"{max(seconds, 0.1):.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"
