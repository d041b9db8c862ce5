"""How many threads torch uses inside one operation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch on one thread, and restore the number of threads afterwards.

    The laboratory's networks are too small to share an operation out: a second thread waits more than it works.
    One thread also fixes the order of every sum, so a run gives the same numbers on a busy machine.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
