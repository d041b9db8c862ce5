"""Texts that models of characters and of pieces read, as items and as running text.

Three corpora come with installed packages: first names (Faker), cities (tzdata) and the lines of Python's own
documentation. A fourth is a text of the visitor's own, of which each line is an item.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files

from goldviz.data.texts.dated_texts import DatedTextError
from goldviz.data.texts.items import Corpus, lines_of
from goldviz.data.texts.kept_texts import load_text
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.uploaded_text import decoded_text

MOST_CHARACTERS = 1_000_000
"""Of a longer text, lines are drawn at random."""
WHAT_A_FILE_IS = (
    "A plain text file (.txt), at most 50 MB. Each line is an item to learn, such as a name; of a text of more than a "
    "million characters lines are drawn at random."
)
ZONES_THAT_ARE_NO_PLACES = ("Etc", "SystemV", "US")


@lru_cache(maxsize=8)
def corpus(name: str) -> Corpus:
    """The corpus of this name, or the kept text of that name.

    Raises:
        TextError: the text is not there any more, or cannot be learned from.
    """
    if name in CORPORA:
        return Corpus.of(CORPORA[name]())
    return own_corpus(load_text(name))


def running_text(name: str) -> str:
    """The text of this name as it runs, line ends and all: of names and cities one a line, or a kept text.

    Raises:
        TextError: the text is not there any more.
    """
    if name == "python":
        from pydoc_data.topics import topics

        return "\n".join(topics.values())
    return "\n".join(CORPORA[name]()) if name in CORPORA else load_text(name)


def own_corpus(text: str) -> Corpus:
    """The lines of a text as items; raises :class:`TextError` where it cannot be learned from."""
    sample, notes = _shortened(text)
    return Corpus.of(lines_of(sample), notes)


def of_a_file(content: bytes, file: str) -> tuple[bytes, tuple[str, ...]]:
    """What is kept of a visitor's file, and notes on it.

    Raises:
        TextError: the file is empty, binary, or cannot be learned from.
    """
    try:
        text, notes = decoded_text(content, file)
    except DatedTextError as error:
        raise TextError(str(error), error.code) from None
    sample, more = _shortened(text)
    own_corpus(sample)
    return sample.encode(), (*notes, *more)


def _shortened(text: str) -> tuple[str, tuple[str, ...]]:
    """A text of at most :data:`MOST_CHARACTERS`, and a note where lines were drawn from a longer one."""
    if len(text) <= MOST_CHARACTERS:
        return text, ()
    lines = text.splitlines()
    random.Random(0).shuffle(lines)  # noqa: S311 - which lines are read is no secret
    drawn_lines, room = [], MOST_CHARACTERS
    for line in lines:
        drawn_lines.append(line[:room])
        room -= len(line) + 1
        if room <= 0:
            break
    return "\n".join(drawn_lines), (
        f"Of {len(text) / 1e6:.1f} million characters, lines of {MOST_CHARACTERS / 1e6:.0f} million were drawn at "
        "random and are read.",
    )


def first_names() -> list[str]:
    """Every first name of the letters a to z that the Faker package has, in small letters, sorted: 16,527 of 40.54."""
    from faker.providers import person

    every_name: set[str] = set()
    for module in pkgutil.iter_modules(person.__path__):
        provider = importlib.import_module(f"{person.__name__}.{module.name}").Provider
        lists = (getattr(provider, name) for name in dir(provider) if name.startswith("first_name"))
        every_name.update(
            name
            for names in lists
            if not callable(names) and not isinstance(names, property)
            for name in names
            if isinstance(name, str)
        )
    return sorted({name.lower() for name in every_name if re.fullmatch("[A-Za-z]+", name)})


def city_names() -> list[str]:
    """The places that time zones are named after, in small letters, sorted."""
    import tzdata

    zones = files(tzdata).joinpath("zones").read_text(encoding="utf-8").split()
    places = [zone for zone in zones if "/" in zone and not zone.startswith(ZONES_THAT_ARE_NO_PLACES)]
    return sorted({place.rpartition("/")[2].replace("_", " ").lower() for place in places})


def python_documentation() -> list[str]:
    """The lines of the help topics of the Python that runs this; they differ by its version."""
    return list(lines_of(running_text("python")))


CORPORA: dict[str, Callable[[], list[str]]] = {
    "names": first_names,
    "cities": city_names,
    "python": python_documentation,
}
