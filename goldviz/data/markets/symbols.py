"""What is known of the symbols that goldviz offers: their words, what to do to them, and when a value is out.

Calendars and pitfalls were measured on daily files of 2000-2026; release times are the markets' own.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldviz.data.markets.market import END_OF_DAY, Release, Transformation

COMEX_SETTLEMENT = Release("13:30", "America/New_York")
STOCK_CLOSE = Release("16:00", "America/New_York")
NEXT_DAY_PUBLICATION = Release("16:15", "America/New_York", business_days=1)
WEEKLY_PUBLICATION = Release("16:15", "America/New_York", days=7, business_days=0)


@dataclass(frozen=True)
class Symbol:
    """How a symbol is read: its words, transformation, release time, unit, and what to know about its gaps."""

    words: str
    transformation: Transformation
    release: Release
    unit: str
    caution: str = ""


SYMBOLS: dict[str, Symbol] = {
    "GC=F": Symbol(
        "Gold, COMEX front future",
        "log_return",
        COMEX_SETTLEMENT,
        "USD/oz",
        "The front contract: at each roll the price jumps to another contract, and no adjustment is made.",
    ),
    "GLD": Symbol("Gold, SPDR fund", "log_return", STOCK_CLOSE, "USD", "Begins in 2004; no overnight session."),
    "SI=F": Symbol("Silver, COMEX front future", "log_return", COMEX_SETTLEMENT, "USD/oz"),
    "DX-Y.NYB": Symbol(
        "US dollar index", "log_return", Release("17:00", "America/New_York"), "index", "Often refused or with gaps."
    ),
    "^TNX": Symbol("US 10-year yield", "difference", Release("15:00", "America/New_York"), "percent"),
    "^VIX": Symbol("VIX, implied stock volatility", "difference", Release("16:15", "America/New_York"), "points"),
    "^GSPC": Symbol("S&P 500", "log_return", STOCK_CLOSE, "index"),
    "EURUSD=X": Symbol("Euro in US dollars", "log_return", Release("23:59", "Europe/London"), "USD"),
    "TIP": Symbol("US inflation-linked bonds, fund", "log_return", STOCK_CLOSE, "USD"),
    "BTC-USD": Symbol("Bitcoin", "log_return", END_OF_DAY, "USD", "Trades seven days a week."),
    "CL=F": Symbol(
        "Crude oil, front future",
        "difference",
        Release("14:30", "America/New_York"),
        "USD/barrel",
        "Closed at -37.63 on 2020-04-20, so it has no log return.",
    ),
}
"""By Yahoo's symbol. The first is the target wherever nothing else is chosen."""

PUBLISHED: dict[str, Symbol] = {
    "DGS10": Symbol("US 10-year yield (FRED)", "difference", NEXT_DAY_PUBLICATION, "percent"),
    "T10Y2Y": Symbol("US 10-year minus 2-year yield (FRED)", "difference", NEXT_DAY_PUBLICATION, "percent"),
    "VIXCLS": Symbol("VIX (FRED)", "difference", NEXT_DAY_PUBLICATION, "points"),
    "DTWEXBGS": Symbol(
        "Broad dollar index (FRED)",
        "log_return",
        WEEKLY_PUBLICATION,
        "index",
        "Published weekly, on the Monday after; seven days is the longest wait but for holidays.",
    ),
    "WALCL": Symbol(
        "Federal Reserve's balance sheet (FRED)",
        "log_return",
        Release("16:30", "America/New_York", business_days=1),
        "million USD",
        "Weekly.",
    ),
}
"""By the name of the published series, as files from FRED carry it."""


def described(name: str) -> Symbol:
    """What is known of a symbol or series; for an unknown one log returns, known at the end of its day (UTC)."""
    return SYMBOLS.get(name) or PUBLISHED.get(name) or Symbol(name, "log_return", END_OF_DAY, "")
