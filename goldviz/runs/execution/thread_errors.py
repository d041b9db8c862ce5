"""Errors that one thread raises in another, such as a clock in that of a run, which leave nothing half imported."""

from __future__ import annotations

import ctypes
import sys

IMPORTING = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
"""The files of Python's import system, as its frames name them."""


class OverdueError(Exception):
    """Work takes longer than it may. Raised in its thread, wherever that is."""


def raise_in(thread: int, error: type[BaseException]) -> bool:
    """Raise the error in a thread at its next step in Python; whether it will be.

    It is not while the thread imports a module: half of torch would stay behind, and every later import of it fail.
    """
    if _imports(thread):
        return False
    _tell(thread, ctypes.py_object(error))
    if _imports(thread):
        # It has begun between the look and the word.
        take_back(thread)
        return False
    return True


def take_back(thread: int) -> None:
    """Take back an error that has not arrived yet."""
    _tell(thread, None)


def _tell(thread: int, error: ctypes.py_object[type[BaseException]] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)


def _imports(thread: int) -> bool:
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if frame.f_code.co_filename in IMPORTING:
            return True
        frame = frame.f_back
    return False
