"""What the models read: lists of short texts, such as names, in symbols.

Three corpora come with installed packages: first names (Faker), cities (tzdata) and the lines of Python's own
documentation. A fourth is a text of the visitor's own, of which each line is an item.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from goldviz.data.texts.dated_texts import DatedTextError
from goldviz.data.texts.kept_texts import load_text
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.uploaded_text import decoded_text
from goldviz.labs.char_language_model.sizes import FEWEST_ITEMS

BOUNDARY = 0
"""The symbol that stands before and after every item; document 002 writes it as a dot."""
BOUNDARY_SIGNS = (".", "·", "¶", "§", "¤")
"""Its sign is the first of these that no item has."""
MOST_SYMBOLS = 128
LONGEST_ITEM = 100
"""Characters; longer items are cut into pieces."""
MOST_CHARACTERS = 1_000_000
"""Of a longer text, lines are drawn at random."""
WHAT_A_FILE_IS = (
    "A plain text file (.txt), at most 50 MB. Each line is an item to learn, such as a name; of a text of more than a "
    "million characters lines are drawn at random."
)
ZONES_THAT_ARE_NO_PLACES = ("Etc", "SystemV", "US")


@dataclass(frozen=True)
class Corpus:
    """Items as they are read, the signs of the symbols (the boundary's first), and what was done to the text."""

    items: tuple[str, ...]
    symbols: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, items: Iterable[str], notes: tuple[str, ...] = ()) -> Corpus:
        """The corpus of these items.

        Raises:
            TextError: there are fewer than 20 items, one symbol alone, or more than 128.

        >>> Corpus.of(["ab", "ba"] * 10).symbols
        ('.', 'a', 'b')
        """
        kept = tuple(items)
        if len(kept) < FEWEST_ITEMS:
            raise TextError(
                f"The text has {len(kept)} line{'' if len(kept) == 1 else 's'} with something in it; "
                f"allowed are at least {FEWEST_ITEMS}, for each line is an item to learn."
            )
        signs = sorted(set("".join(kept)))
        if len(signs) < 2:
            raise TextError(
                f"The text is made of one character, {signs[0]!r}: there is nothing to predict. "
                "Allowed are at least 2 different ones."
            )
        if len(signs) + 1 > MOST_SYMBOLS:
            raise TextError(
                f"The text has {len(signs):,} different characters; allowed are at most {MOST_SYMBOLS - 1}, "
                "for the table of pairs has a row and a column for each."
            )
        boundary = next(sign for sign in BOUNDARY_SIGNS if sign not in signs)
        return cls(kept, (boundary, *signs), notes)


@lru_cache(maxsize=8)
def corpus(name: str) -> Corpus:
    """The corpus of this name, or the kept text of that name.

    Raises:
        TextError: the text is not there any more, or cannot be learned from.
    """
    if name in CORPORA:
        return Corpus.of(CORPORA[name]())
    return own_corpus(load_text(name))


def own_corpus(text: str) -> Corpus:
    """The lines of a text as items; raises :class:`TextError` where it cannot be learned from."""
    sampled, notes = _shortened(text)
    return Corpus.of(lines_of(sampled), notes)


def of_a_file(content: bytes, file: str) -> tuple[bytes, tuple[str, ...]]:
    """What is kept of a visitor's file, and notes on it.

    Raises:
        TextError: the file is empty, binary, or cannot be learned from.
    """
    try:
        text, notes = decoded_text(content, file)
    except DatedTextError as error:
        raise TextError(str(error)) from None
    sampled, more = _shortened(text)
    own_corpus(sampled)
    return sampled.encode(), (*notes, *more)


def lines_of(text: str) -> Iterator[str]:
    """Lines with something in them, blanks made one, long ones cut.

    >>> list(lines_of("to  be\\n\\n or not"))
    ['to be', 'or not']
    """
    for line in unicodedata.normalize("NFC", text).splitlines():
        words = " ".join("".join(sign for sign in line if sign.isprintable() or sign.isspace()).split())
        for start in range(0, len(words), LONGEST_ITEM):
            yield words[start : start + LONGEST_ITEM]


def _shortened(text: str) -> tuple[str, tuple[str, ...]]:
    """A text of at most :data:`MOST_CHARACTERS`, and a note where lines were drawn from a longer one."""
    if len(text) <= MOST_CHARACTERS:
        return text, ()
    lines = text.splitlines()
    random.Random(0).shuffle(lines)  # noqa: S311 - which lines are read is no secret
    kept, room = [], MOST_CHARACTERS
    for line in lines:
        kept.append(line[:room])
        room -= len(line) + 1
        if room <= 0:
            break
    return "\n".join(kept), (
        f"Of {len(text) / 1e6:.1f} million characters, lines of {MOST_CHARACTERS / 1e6:.0f} million were drawn at "
        "random and are read.",
    )


def first_names() -> list[str]:
    """Every first name of the letters a to z that the Faker package has, in small letters, sorted: 16,527 of 40.54."""
    from faker.providers import person

    found: set[str] = set()
    for module in pkgutil.iter_modules(person.__path__):
        provider = importlib.import_module(f"{person.__name__}.{module.name}").Provider
        lists = (getattr(provider, name) for name in dir(provider) if name.startswith("first_name"))
        found.update(name for names in lists if not callable(names) and not isinstance(names, property)
                     for name in names if isinstance(name, str))  # fmt: skip
    return sorted({name.lower() for name in found if re.fullmatch("[A-Za-z]+", name)})


def city_names() -> list[str]:
    """The places that time zones are named after, in small letters, sorted."""
    import tzdata

    zones = files(tzdata).joinpath("zones").read_text(encoding="utf-8").split()
    places = [zone for zone in zones if "/" in zone and not zone.startswith(ZONES_THAT_ARE_NO_PLACES)]
    return sorted({place.rpartition("/")[2].replace("_", " ").lower() for place in places})


def python_documentation() -> list[str]:
    """The lines of the help topics of the Python that runs this; they differ by its version."""
    from pydoc_data.topics import topics

    return list(lines_of("\n".join(topics.values())))


CORPORA: dict[str, Callable[[], list[str]]] = {
    "names": first_names,
    "cities": city_names,
    "python": python_documentation,
}
