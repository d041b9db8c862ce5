"""A file on this machine as a kept market: for notebooks and shells, where nobody is asked in between."""

from __future__ import annotations

from pathlib import Path

from goldviz.data.markets.clock import utc_now
from goldviz.data.markets.file_channel import Choices
from goldviz.data.markets.files import LARGEST_FILE, check_size, market_from_file
from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.market import MarketError
from goldviz.plain_files import content_of, named


def keep_file(path: str | Path, choices: Choices) -> str:
    """Keep the market in a CSV or Parquet file and return its name, which settings take as their data.

    The same file with the same choices has the same name, here and wherever its content was kept. Raises
    :class:`MarketError` for a file that cannot be read, and as :func:`goldviz.data.markets.files.market_from_file`
    does.
    """
    try:
        path = named(path)
        check_size(path.stat().st_size, path.name)
        content = content_of(path, LARGEST_FILE)
    except OSError as error:
        raise MarketError(f"The file {path} cannot be read: {error.strerror}.", "disk") from None
    return keep(market_from_file(content, path.name, choices, retrieved=utc_now()))
