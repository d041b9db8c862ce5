"""What a worker does with a market that a visitor brings: look into its file, and make a market of it."""

from __future__ import annotations

from goldviz.data.markets.clock import utc_now
from goldviz.data.markets.file_channel import Choices
from goldviz.data.markets.files import TablePreview, look_into, market_from_file
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.tables.brought_files import Told, brought_content, told
from goldviz.data.tables.file_table import Report


def look(report: Report, key: str, name: str, choices: Choices) -> Told[TablePreview]:
    """What the file of this key holds, as :func:`goldviz.data.markets.files.look_into` says it.

    Raises :class:`MarketError` where the server has let go of the file.
    """
    content = brought_content(key, name, MarketError)
    return told(lambda: look_into(content, name, choices, report), MarketError)


def make(report: Report, key: str, name: str, choices: Choices) -> Told[Market]:
    """The market in the file of this key, as :func:`goldviz.data.markets.files.market_from_file` makes it.

    Raises :class:`MarketError` where the server has let go of the file.
    """
    content, now = brought_content(key, name, MarketError), utc_now()
    return told(lambda: market_from_file(content, name, choices, retrieved=now, report=report), MarketError)
