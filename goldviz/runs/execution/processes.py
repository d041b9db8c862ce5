"""How many processes may share the work of one run, where its procedure can share it."""

from __future__ import annotations

import os


class ProcessesError(ValueError):
    """A number of processes that is not allowed."""

    for_a_person = True


def processes_for_run(runs: int = 1) -> int:
    """``GOLDVIZ_REFIT_PROCESSES``, or this machine's cores divided among ``runs`` runs, at least one.

    Raises :class:`ProcessesError` where the variable is not a number from 1 to 1024.
    """
    text = os.environ.get("GOLDVIZ_REFIT_PROCESSES", "").strip()
    if not text:
        return max(1, (os.cpu_count() or 1) // runs)
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise ProcessesError(f"GOLDVIZ_REFIT_PROCESSES is {text!r}; allowed is a whole number from 1 to 1024.")
    return int(text)
