"""How the process keeps memory between training steps."""

from __future__ import annotations

import torch

LARGEST = 30 * 2**20


def keep_freed_memory() -> None:
    """Make glibc keep the memory that a training step frees for the next step.

    By default glibc gives freed memory above a small threshold back to Linux, and every step pays for getting its pages
    again: a tenth of a step's time here. The threshold adapts to the largest block freed so far, up to 32 MiB, so one
    large block, allocated and never touched, raises it for good. Elsewhere than on Linux this does nothing of note.
    """
    torch.empty(LARGEST, dtype=torch.uint8)
