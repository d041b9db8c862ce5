"""What the entries of a vocabulary hold: letters, signs, both, spaces, digits, or part of a character."""

from __future__ import annotations

from collections import Counter

import regex

from goldviz.arrays.labelled import Run
from goldviz.data.texts.byte_pieces import BYTES, BytePieces, pairs_of
from goldviz.data.texts.split_patterns import split

KINDS = {
    "letters": "letters",
    "mixed": "letters and signs",
    "signs": "signs",
    "digits": "digits",
    "spaces": "spaces alone",
    "words": "several words",
    "part": "part of a character",
}
BEGINNING = 50_000
"""Characters of a text in which signs are looked at."""
BLANKS = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍"}
SIGN = regex.compile(r"[^\s\p{L}\p{M}\p{N}]")
LETTER = regex.compile(r"\p{L}")


def kind_of(entry: bytes) -> str:
    """What an entry holds; spaces before and after the rest count for nothing.

    >>> [kind_of(entry) for entry in (b" dog", b"e ", b"dog.", b"(d", b" !!", b"20", b"  ", b"a b", b"\\xc3")]
    ['letters', 'letters', 'mixed', 'mixed', 'signs', 'digits', 'spaces', 'words', 'part']
    """
    try:
        text = entry.decode()
    except UnicodeDecodeError:
        return "part"
    if text.isspace():
        return "spaces"
    letters, signs = LETTER.search(text), SIGN.search(text)
    if letters and signs:
        return "mixed"
    if letters:
        return "words" if len(text.split()) > 1 else "letters"
    return "signs" if signs else "digits"


def counted(pieces: BytePieces) -> list[int]:
    """How many learned entries are of each kind, in the order of :data:`KINDS`."""
    counts = Counter(map(kind_of, learned(pieces)))
    return [counts[kind] for kind in KINDS]


def learned(pieces: BytePieces) -> tuple[bytes, ...]:
    """The entries that are no single bytes."""
    return pieces.vocabulary[BYTES:]


def longest_spaces(pieces: BytePieces) -> int:
    """How many spaces the longest entry of spaces alone has; 1 is the byte itself.

    >>> longest_spaces(BytePieces(((32, 32), (256, 256))))
    4
    """
    return max((len(entry) for entry in learned(pieces) if not entry.strip(b" ")), default=1)


def cut_at_beginning(text: str, expression: str) -> tuple[int, float, float]:
    """How many pieces a text's beginning is cut into, and the shares of its signs that are one, or in one with letters.

    One space before a sign does not count.

    >>> cut_at_beginning("dog. !! it's", r" ?\\p{L}+('s)?| ?[^\\s\\p{L}]+")
    (4, 0.25, 0.25)
    """
    signs = alone = with_letters = 0
    pieces = Counter(split(text[:BEGINNING], expression))
    for piece, times in pieces.items():
        count = times * len(SIGN.findall(piece))
        signs += count
        alone += count if len(piece.lstrip(" ")) == 1 else 0
        with_letters += count if LETTER.search(piece) else 0
    return pieces.total(), alone / max(signs, 1), with_letters / max(signs, 1)


def shown(entry: bytes) -> str:
    """An entry as a table shows it: blanks as signs, part of a character as its bytes.

    >>> shown(b" dog"), shown(b"a\\n"), shown(b"\\xc3")
    ('␣dog', 'a⏎', '⟨C3⟩')
    """
    try:
        text = entry.decode()
    except UnicodeDecodeError:
        return "".join(f"⟨{byte:02X}⟩" for byte in entry)
    return "".join(BLANKS.get(sign, sign if sign.isprintable() else f"⟨U+{ord(sign):04X}⟩") for sign in text)


def learned_entries(ds: Run, side: int) -> dict[str, list[str | int]]:
    """The columns of a table of every entry that one side learned, in the order of its merges."""
    count = ds.attrs["learned"][side]
    pairs = pairs_of(ds["pair"].values[side, :count].tolist())
    entries = BytePieces(pairs).vocabulary
    return {
        "Token": list(range(BYTES, BYTES + count)),
        "Entry": [shown(entry) for entry in entries[BYTES:]],
        "From": [f"{shown(entries[first])} + {shown(entries[second])}" for first, second in pairs],
        "Found": ds["times"].values[side, :count].astype(int).tolist(),
        "Holds": [KINDS[kind_of(entry)] for entry in entries[BYTES:]],
    }
