"""What can be wrong with a command, and the exit codes that say so."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from goldviz.extras import missing_extra

FAILED, REFUSED, INTERRUPTED, UNREAD = 1, 2, 130, 141
"""Exit codes: the work failed; the command was wrong and nothing was started; stopped from the keyboard; nobody reads.

The last two are 128 and the number of the signal that ends other programs there, as shells count.
"""


class CommandError(ValueError):
    """A command that cannot be carried out; the message is a sentence for a person."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence; ``--help`` says the rest.

    ``fill`` adds its arguments once it has something to read, for those that take long to know.
    """

    def __init__(self, *, fill: Callable[[argparse.ArgumentParser], None] | None = None, **words: Any) -> None:
        super().__init__(**words)
        self._fill = fill

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As every parser does, with its arguments at hand."""
        if self._fill is not None:
            fill, self._fill = self._fill, None
            fill(self)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise :class:`CommandError`."""
        raise CommandError(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.")


def in_print(text: str) -> str:
    """A text on one line, with escapes for what cannot be printed.

    >>> in_print("a\\n\\udc80b")
    'a\\\\n\\\\udc80b'
    """
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def check_values(argv: Sequence[str]) -> None:
    """Raise :class:`CommandError` for an option whose value is ``--``, which argparse drops without a word, and for
    text that is no file's name and no setting's value anywhere."""
    for part in argv:
        if "\0" in part:
            raise CommandError(f"An argument is {in_print(part)[:60]!r}; allowed is text without NUL characters.")
        option, _, value = part.partition("=")
        if option.startswith("--") and value == "--":
            raise CommandError(f"Option {option} is '--'; give it a value, or leave it out.")


def told(error: Exception) -> tuple[int | None, tuple[str, ...]]:
    """The exit code of what went wrong and its sentences; no code where it is a fault that nobody foresaw."""
    from goldviz.declare.settings import SettingsError
    from goldviz.runs.store.run_store import UnknownRunError
    from goldviz.runs.store.schema import StoreError

    if isinstance(error, SettingsError):
        return REFUSED, tuple(error.sentences.values())
    if isinstance(error, UnknownRunError):
        return REFUSED, (str(error),)
    if isinstance(error, StoreError | OSError) or getattr(error, "for_a_person", False):
        return FAILED, (str(error),)
    if isinstance(error, ImportError) and (sentence := missing_extra(error)):
        return FAILED, (sentence,)
    return None, ()
