"""The parts of a workbook's archive, each looked through before anything is built of it.

A small archive can stand for a huge one: by compression, by numbers in its XML, and by entities. So parts are counted
and weighed before the archive is opened, and a part's elements are counted while it streams by.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import IO, Any, NoReturn
from xml.parsers import expat

from goldviz.data.markets.market import MarketError

Report = Callable[[float, float], None]
"""Told how much is done of how much; what it raises ends the reading."""

MOST_UNPACKED = 200 * 10**6
"""Bytes of XML in all parts of a workbook."""

MOST_PARTS = 5_000
MOST_ELEMENTS = 100_000
"""Elements of a part that is built as a whole: of what the workbook consists, and its styles."""

MOST_NAMED = {"sheet": 500, "Relationship": 5_000, "Override": 5_000, "Default": 5_000}
"""Those among them of which each is looked up among all others."""

LONGEST_MARKUP = 2**20
"""Bytes without an element: a longer tag, comment or text is nobody's."""

PIECE = 2**16
ENTRY_MARK = b"PK\x01\x02"
NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def unheard(done: float, total: float) -> None:
    """The report of a reading that nobody waits for elsewhere."""


class Parts(zipfile.ZipFile):
    """A workbook's archive that hands out only what it has looked through.

    Raises :class:`MarketError` where there are too many parts, two of one name, or too much in them, and
    ``zipfile.BadZipFile`` where it is damaged.
    """

    def __init__(self, content: bytes, file: str, report: Report) -> None:
        self._file, self._report, self._handed_out = file, report, 0
        # The list of parts is built as a whole, a kilobyte for each entry.
        if content.count(ENTRY_MARK) > MOST_PARTS:
            raise MarketError(f"{file} has more than {MOST_PARTS:,} parts; allowed are workbooks with fewer.")
        super().__init__(BytesIO(content))
        parts = self.infolist()
        if len({part.filename for part in parts}) < len(parts):
            raise MarketError(f"{file} has two parts of one name; allowed are workbooks with one part for each.")
        if any(part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for part in parts):
            raise MarketError(f"{file} is packed in an unusual way; allowed are workbooks as Excel saves them.")
        sizes = sorted((part.file_size for part in parts), reverse=True)
        if sum(sizes) > MOST_UNPACKED:
            raise MarketError(f"{file} unpacks to {sum(sizes):,} bytes; allowed are at most {MOST_UNPACKED:,}.")
        self._total = max(1, sum(sizes[:2]))
        """Most of what is read of a workbook stands in its sheet and in its shared strings."""

    def open(self, name: Any, mode: Any = "r", pwd: bytes | None = None, *, force_zip64: bool = False) -> IO[bytes]:
        """A part to be built as a whole, after its elements were counted."""
        counts: Counter[str] = Counter()

        def start(element: str, _attributes: object) -> None:
            counts[element.rpartition(" ")[2]] += 1

        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = start
        for total in self.feed(str(name), parser, counts.total):
            if total > MOST_ELEMENTS or any(counts[one] > most for one, most in MOST_NAMED.items()):
                self.refuse("more elements beside its cells")
        return super().open(name, mode, pwd, force_zip64=force_zip64)

    def feed(self, name: str, parser: expat.XMLParserType, elements: Callable[[], int]) -> Iterator[int]:
        """Feed a part to a parser, piece by piece; yields the number of ``elements`` so far after each piece.

        Raises :class:`MarketError` for a document type and for endless markup, and ``expat.ExpatError`` for bad XML.
        """
        parser.StartDoctypeDeclHandler = self._refuse_document_type
        last = silent = 0
        with super().open(name) as part:
            while piece := part.read(PIECE):
                parser.Parse(piece, False)
                silent = 0 if elements() > last else silent + len(piece)
                last = elements()
                if silent > LONGEST_MARKUP:
                    self.refuse("longer texts")
                self._handed_out += len(piece)
                self._report(min(self._handed_out, self._total), self._total)
                yield last
        parser.Parse(b"", True)
        yield elements()

    def refuse(self, more: str) -> NoReturn:
        """Raise the sentence for a workbook that has ``more`` than one of prices needs."""
        raise MarketError(f"{self._file} has {more} than a workbook of prices needs; save its sheet as CSV or Parquet.")

    def _refuse_document_type(self, *_: object) -> NoReturn:
        raise MarketError(f"{self._file} declares a document type, which no workbook needs; allowed are plain ones.")
