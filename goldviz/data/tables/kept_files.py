"""Folders of files that are named by their content, beside the kept markets."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from goldviz.data.tables.private_files import private_folder
from goldviz.data.tables.whole_files import make_room, remove, size_of, write_whole


def market_folder() -> Path:
    """``GOLDVIZ_DATA``, or a folder in the user's data folder. It need not exist."""
    folder = os.environ.get("GOLDVIZ_DATA", "").strip()
    if folder:
        return Path(folder).expanduser().absolute()
    return Path(platformdirs.user_data_dir("goldviz", appauthor=False)) / "markets"


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
    named: re.Pattern[str] = re.compile(".+")
    """Other files of the folder are not goldviz's."""

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
        make_room(path.parent, self.paths(), self.budget, survivor=path)

    def size(self) -> int:
        """How many bytes the files take."""
        return size_of(self.paths())

    def clear(self) -> None:
        """Remove all files."""
        remove(self.paths())

    def paths(self) -> list[Path]:
        """Where all of them lie."""
        paths = (market_folder() / self.folder).glob(f"*{self.ending}")
        return [path for path in paths if self.named.fullmatch(path.stem)]


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
        KeptFiles("cells", ".safetensors", 5 * 10**9, "Runs of sweeps", "A sweep that needs them trains them again."),
    )
}
"""All folders of files that are kept, each under its bound."""
