"""Folders of files that are named by their content, beside the kept markets."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from goldviz.data.markets.kept_markets import market_folder
from goldviz.data.tables.private_files import private_folder
from goldviz.data.tables.whole_files import make_room, remove, size_of, write_whole


@dataclass(frozen=True)
class KeptFiles:
    """A folder with files of one ending that may take ``budget`` bytes in all; the least recently used go first.

    ``words`` say what they are to a person, and ``lost`` what is lost with them. Reading and writing raise OSError
    where the disk does; making room never does.
    """

    folder: str
    ending: str
    budget: int
    words: str = ""
    lost: str = ""

    def path(self, name: str) -> Path:
        """Where the file of this name lies, if it is there."""
        return market_folder() / self.folder / f"{name}{self.ending}"

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, which counts as used just now; None where there is none."""
        path = self.path(name)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        with suppress(OSError):  # A folder that can only be read has no order of use, and needs none.
            os.utime(path)
        return content

    def write(self, name: str, content: bytes) -> None:
        """Keep a file. Whoever reads at the same time sees the old one or the new one."""
        path = self.path(name)
        private_folder(path.parent)
        write_whole(path, content)

    def make_room(self, survivor: str) -> None:
        """Remove the least recently used files beyond the budget, but not the one of this name."""
        path = self.path(survivor)
        make_room(path.parent, self._paths(), self.budget, survivor=path)

    def size(self) -> int:
        """How many bytes the files take."""
        return size_of(self._paths())

    def clear(self) -> None:
        """Remove all files."""
        remove(self._paths())

    def _paths(self) -> list[Path]:
        return list((market_folder() / self.folder).glob(f"*{self.ending}"))


BROUGHT = "Runs and links that use them need them brought again."
PLACES = {
    place.folder: place
    for place in (
        KeptFiles("brought", ".file", 300 * 10**6, "Files that are looked into", "They need to be chosen again."),
        KeptFiles("texts", ".txt", 200 * 10**6, "Texts that were brought", BROUGHT),
        KeptFiles("series", ".series", 300 * 10**6, "Series that were brought", BROUGHT),
        KeptFiles("documents", ".json.gz", 500 * 10**6, "Documents that were brought", BROUGHT),
        KeptFiles("models", ".safetensors", 2 * 10**9, "Models to start from", BROUGHT),
        KeptFiles("labels", ".txt", 2 * 10**6, "Names of brought files", "Data are called by their keys again."),
        KeptFiles("vectors", ".vector", 300 * 10**6, "Vectors of texts"),
        KeptFiles("downloads", ".parquet", 200 * 10**6, "Downloaded symbols"),
    )
}
"""All folders of files that are kept, each under its bound."""
