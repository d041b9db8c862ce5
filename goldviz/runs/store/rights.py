"""Who may open what goldviz keeps: as a server starts, what earlier versions left open to other accounts is closed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import platformdirs

from goldviz.data.tables.kept_files import PLACES, market_folder
from goldviz.data.tables.private_files import closed_to_others, open_to_others
from goldviz.data.tables.sealed_names import KEY
from goldviz.data.tables.whole_files import UNFINISHED_FILE
from goldviz.runs.store.schema import StoreError, default_url, file_of, files_of, is_foreign

LIBRARIES = "yfinance"
"""The folder of what a library keeps among the markets."""


class Place(NamedTuple):
    """Something that goldviz keeps, in words, and what of it is to be closed: a folder before what is in it."""

    words: str
    path: Path
    paths: list[Path]


def close_what_is_kept() -> list[str]:
    """Take other accounts' rights to the database and the folders of data away; returns what there is to tell.

    A folder that holds other files, too, stays open itself: they may be there for others.
    """
    paths_closed: list[str] = []
    sentences: list[str] = []
    for place in _places():
        paths_mended, refusals = closed_to_others(place.paths)
        if paths_mended:
            paths_closed.append(place.words)
        for reason in list(refusals.values())[:1]:
            sentences.append(
                f"Other accounts of this machine have rights to {place.words}, which could not be taken away: "
                f"{reason}. Let its owner say chmod -R go-rwx {place.path}."
            )
    if paths_closed:
        first = f"{', '.join(paths_closed[:-1])} and {paths_closed[-1]}" if paths_closed[1:] else paths_closed[0]
        sentences.insert(0, f"Other accounts of this machine had rights to {first}; they have none any more.")
    data = market_folder()
    if not _is_own(data) and open_to_others(data):
        sentences.append(
            f"The folder {data} holds other files, too, and stays open: other accounts can list the kept markets in "
            "it, whose names are their keys. Name a folder of goldviz's own in GOLDVIZ_DATA."
        )
    return sentences


def _places() -> Iterator[Place]:
    """An address that is none is told of where the database is opened."""
    home = Path(platformdirs.user_data_dir("goldviz", appauthor=False))
    yield Place(f"the folder {home}", home, [home])
    with suppress(StoreError):
        file = file_of(default_url())
        if file is not None and not (file.is_file() and is_foreign(file)):
            yield Place(f"the database {file}", file, files_of(file))
    data = market_folder()
    yield Place(f"the folder {data}", data, [*([data] if _is_own(data) else []), *_kept_in(data)])


def _kept_in(data: Path) -> Iterator[Path]:
    """What goldviz keeps in the folder of data; looked through only as far as its folders are closed already."""
    for entry in _entries(data):
        if entry.is_dir() and _is_kept(entry):
            yield entry
            yield from _entries(entry)
        elif _is_kept(entry):
            yield entry


def _is_own(data: Path) -> bool:
    """Whether a folder holds nothing that is not goldviz's."""
    return all(map(_is_kept, _entries(data)))


def _is_kept(entry: Path) -> bool:
    if entry.is_dir():
        return entry.name in {*PLACES, LIBRARIES}
    return entry.suffix == UNFINISHED_FILE or (entry.suffix == ".parquet" and bool(KEY.fullmatch(entry.stem)))


def _entries(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(folder.iterdir())
    return []
