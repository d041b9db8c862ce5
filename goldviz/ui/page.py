"""A page that is neither a live laboratory nor an instant one: whatever its function draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """What ``pages/`` shows: anything with a ``show``."""

    show: Callable[[], None]
