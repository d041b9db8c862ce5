"""Folders of files that are named by their content, beside the kept markets."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from goldviz.data.markets.kept_markets import market_folder
from goldviz.data.tables.whole_files import make_room, write_whole


@dataclass(frozen=True)
class KeptFiles:
    """A folder with files of one ending that may take ``budget`` bytes in all; the least recently used go first.

    Reading and writing raise OSError where the disk does; making room never does.
    """

    folder: str
    ending: str
    budget: int

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
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)

    def make_room(self, spared: str) -> None:
        """Remove the least recently used files beyond the budget, but not the one of this name."""
        path = self.path(spared)
        make_room(path.parent, list(path.parent.glob(f"*{self.ending}")), self.budget, spared=path)
