"""With which day the training window of a walk-forward refit begins. A new scheme is an entry of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class WindowScheme:
    """What it is called, and the day with which the window before a block begins: by the first day of all, the block's
    first day, and the least length of a window, all in days."""

    words: str
    first_day: Callable[[float, float, float], float]


SCHEMES = {
    "expanding": WindowScheme("Expanding", lambda start, block, length: start),
    "rolling": WindowScheme("Rolling", lambda start, block, length: block - length),
}
"""By name; a new one is an entry, which settings read, too."""
