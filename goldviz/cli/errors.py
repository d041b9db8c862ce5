"""What can be wrong with a command, and the exit codes that say so."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

FAILED, REFUSED, INTERRUPTED = 1, 2, 130
"""Exit codes: the work failed; the command was wrong and nothing was started; stopped from the keyboard."""


class CommandError(ValueError):
    """A command that cannot be carried out; the message is a sentence for a person."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence; ``--help`` says the rest."""

    def error(self, message: str) -> NoReturn:
        """Raise :class:`CommandError`."""
        raise CommandError(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.")


def check_values(argv: Sequence[str]) -> None:
    """Raise :class:`CommandError` for an option whose value is ``--``, which argparse drops without a word."""
    for part in argv:
        option, _, value = part.partition("=")
        if option.startswith("--") and value == "--":
            raise CommandError(f"Option {option} is '--'; give it a value, or leave it out.")
