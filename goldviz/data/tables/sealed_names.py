"""Names of kept files as others see them.

The name of a kept file is a key: whoever has it can choose the file. So others see a sealed name in its place, which is
the same for the same file and opens nothing.
"""

from __future__ import annotations

import hashlib
import re

from goldviz.coded_errors import CodedError

NOT_YOURS = "This is another visitor's file. Ask for its link, or choose another."
KEY = re.compile("[0-9a-f]{16}")
SEALED = re.compile("sealed-[0-9a-f]{8}")
KEPT = f"{KEY.pattern}|{SEALED.pattern}"
"""Pattern of a setting that names a kept file."""
NAME_OF_FILE = re.compile(KEPT)
IN_TEXT = re.compile(rf"(?<![\w.]){KEY.pattern}(?!\w)")


def sealed(name: str) -> str:
    """The sealed name of a key, 32 bits of a SHA-256 of it; any other name stays.

    >>> sealed("0123456789abcdef"), sealed("simulated")
    ('sealed-336fbb99', 'simulated')
    """
    if not KEY.fullmatch(name):
        return name
    return f"sealed-{hashlib.sha256(f'goldviz {name}'.encode()).hexdigest()[:8]}"


def sealed_text(text: str) -> str:
    """A text with sealed names for all keys in it.

    >>> sealed_text("data 0123456789abcdef, loss 0.1234567890123456")
    'data sealed-336fbb99, loss 0.1234567890123456'
    """
    return IN_TEXT.sub(lambda match: sealed(match.group()), text)


def shown_name(name: str) -> str:
    """A kept file as titles and reports call it; any other name stays.

    >>> shown_name("0123456789abcdef") == shown_name("sealed-336fbb99") == "own file 336f"
    True
    """
    seal = sealed(name)
    return f"own file {seal.removeprefix('sealed-')[:4]}" if SEALED.fullmatch(seal) else name


def check_open(name: str, error: type[CodedError]) -> None:
    """Raise ``error`` with a sentence for the sealed name of a file."""
    if SEALED.fullmatch(name):
        raise error(NOT_YOURS, "not_allowed")
