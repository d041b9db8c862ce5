"""What a worker does with a market that a visitor brings: look into its file, and make a market of it.

What a file is refused for is an answer like any other, so that it is looked into once and not whenever the page is
drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldviz.data.markets.clock import utc_now
from goldviz.data.markets.files import Choices, TablePreview, look_into, market_from_file
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.tables.brought_files import brought_content
from goldviz.data.tables.workbook_parts import Report

BYTES_OF_A_COLUMN = 4_000


@dataclass(frozen=True)
class Looked:
    """What was seen in a file, or the sentence for which it is ``refused``."""

    preview: TablePreview | None = None
    refused: str = ""

    @property
    def nbytes(self) -> int:
        """About what it takes in memory: what was read in each column, and the first rows."""
        return BYTES_OF_A_COLUMN * (1 + (len(self.preview.columns) if self.preview is not None else 0))


@dataclass(frozen=True)
class Made:
    """The market of a file, or the sentence for which it is ``refused``."""

    market: Market | None = None
    refused: str = ""

    @property
    def nbytes(self) -> int:
        """About what it takes in memory."""
        channels = self.market.channels if self.market is not None else ()
        return sum(int(channel.values.memory_usage()) for channel in channels)


def look(report: Report, key: str, name: str, choices: Choices) -> Looked:
    """What the file of this key holds, as :func:`goldviz.data.markets.files.look_into` says it.

    Raises :class:`MarketError` where the server has let go of the file.
    """
    content = brought_content(key, name, MarketError)
    try:
        return Looked(look_into(content, name, choices, report))
    except MarketError as error:
        return Looked(refused=str(error))


def make(report: Report, key: str, name: str, choices: Choices) -> Made:
    """The market in the file of this key, as :func:`goldviz.data.markets.files.market_from_file` makes it.

    Raises :class:`MarketError` where the server has let go of the file.
    """
    content, now = brought_content(key, name, MarketError), utc_now()
    try:
        return Made(market_from_file(content, name, choices, retrieved=now, report=report))
    except MarketError as error:
        return Made(refused=str(error))
