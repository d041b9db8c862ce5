"""A loopback server that speaks Yahoo's chart interface, for the real yfinance client.

In a test: ``with FakeYahoo() as yahoo:`` and set ``GOLDVIZ_YAHOO`` to ``yahoo.address``. From then on
``yahoo.faults["GC=F"] = "429"`` makes that symbol fail. From a shell, for an app in another process:

    python -m tests.data.markets.fake_yahoo --port 8600 --fault GC=F=429 --fault SI=F=cut
"""

from __future__ import annotations

import argparse
import http.server
import json
import socket
import struct
import threading
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

import numpy as np
import pandas as pd

from goldviz.data.markets.symbols import SYMBOLS

CHART = "/v8/finance/chart/"
NO_SUCH_SYMBOL = "No data found, symbol may be delisted"
MAINTENANCE = "<html><body><h1>Will be right back...</h1>Thank you for your patience.</body></html>"


@cache
def walk(symbol: str, *, first: str = "2000-01-03", last: str = "2025-12-31") -> pd.Series:
    """Closes of a random walk on the symbol's own calendar, the same on every day; every 97th day has no price."""
    days = pd.date_range(first, last, freq="D")
    if symbol != "BTC-USD":
        days = days[days.day_of_week < 5]
    noise = np.random.default_rng(zlib.crc32(symbol.encode())).standard_normal(len(days))
    closes = 100 * np.exp(0.01 * np.cumsum(noise))
    closes[96::97] = np.nan
    return pd.Series(closes, index=days)


def chart(symbol: str, series: pd.Series, zone: str) -> dict[str, Any]:
    """The JSON of a chart whose days begin at midnight in ``zone``, in the order of ``series``."""
    # Where the clocks skip midnight, the day begins at one.
    days = pd.DatetimeIndex(series.index)
    midnights = days.tz_localize(zone, ambiguous=np.ones(len(days), bool), nonexistent="shift_forward")
    stamps = midnights.as_unit("s").asi8.tolist()
    closes = [None if np.isnan(close) else close for close in series.tolist()]
    prices = dict.fromkeys(("open", "high", "low", "close"), closes)
    volumes = [None if close is None else 1000 for close in closes]
    meta = {
        "currency": "USD",
        "symbol": symbol,
        "instrumentType": "FUTURE",
        "exchangeTimezoneName": zone,
        "gmtoffset": 0,
        "validRanges": ["1d", "5d", "max"],
        "priceHint": 2,
        "regularMarketTime": 1_700_000_000,
    }
    indicators = {"quote": [{**prices, "volume": volumes}], "adjclose": [{"adjclose": closes}]}
    return {"chart": {"result": [{"meta": meta, "timestamp": stamps, "indicators": indicators}], "error": None}}


def refusal(code: str, description: str) -> dict[str, Any]:
    return {"chart": {"result": None, "error": {"code": code, "description": description}}}


class FakeYahoo:
    """The server, listening while the ``with`` lasts; its tables may be changed at any time."""

    def __init__(self, port: int = 0) -> None:
        self.series = {symbol: walk(symbol) for symbol in SYMBOLS}
        """The closes by symbol; put another series in a symbol's place to change what is served."""
        self.zones = {symbol: about.release.zone for symbol, about in SYMBOLS.items()}
        self.faults: dict[str, str] = {}
        self.asked: list[str] = []
        """The symbol of every chart that was asked for, in order."""
        self.closing = threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        yahoo = self

        class Answer(Handler):
            owner = yahoo

        return Answer


class Handler(http.server.BaseHTTPRequestHandler):
    """One request: a cookie, a crumb, or a chart."""

    owner: FakeYahoo

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path.startswith(CHART):
            self.chart(unquote(parts.path.removeprefix(CHART)), parse_qs(parts.query))
        elif parts.path == "/v1/test/getcrumb":
            self.text(200, "crumb")
        else:
            self.text(404, "")

    def chart(self, symbol: str, query: dict[str, list[str]]) -> None:
        self.owner.asked.append(symbol)
        fault = self.owner.faults.get(symbol)
        if fault is not None:
            FAULTS[fault](self, symbol)
        elif symbol not in self.owner.series:
            FAULTS["404"](self, symbol)
        else:
            self.json(200, chart(symbol, self.asked_for(symbol, query), self.owner.zones.get(symbol, "UTC")))

    def asked_for(self, symbol: str, query: dict[str, list[str]]) -> pd.Series:
        series = self.owner.series[symbol]
        if "period1" not in query:
            return series.iloc[-1:]
        begin, end = (pd.Timestamp(int(query[name][0]), unit="s") for name in ("period1", "period2"))
        return series[(series.index >= begin.normalize()) & (series.index < end)]

    def json(self, status: int, answer: dict[str, Any]) -> None:
        self.text(status, json.dumps(answer), "application/json")

    def text(self, status: int, body: str, kind: str = "text/html") -> None:
        content = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def slow(self, symbol: str) -> None:
        self.owner.closing.wait(60)

    def cut(self, symbol: str) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b'{"chart": {"result": [{"meta": {"currency"')

    def hang_up(self, symbol: str) -> None:
        self.close_connection = True

    def reset(self, symbol: str) -> None:
        # Closing without lingering sends a reset instead of an orderly end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def empty(self, symbol: str) -> None:
        answer = chart(symbol, self.owner.series[symbol].iloc[:1], "UTC")
        answer["chart"]["result"][0]["indicators"] = {"quote": [{}], "adjclose": [{}]}
        del answer["chart"]["result"][0]["timestamp"]
        self.json(200, answer)

    def no_rows(self, symbol: str) -> None:
        self.json(200, chart(symbol, self.owner.series[symbol].iloc[:0], "UTC"))

    def no_prices(self, symbol: str) -> None:
        self.json(200, chart(symbol, self.owner.series[symbol].iloc[-30:] * np.nan, "UTC"))

    def delisted(self, symbol: str) -> None:
        described = "Data doesn't exist for startDate = 946857600, endDate = 1795219200"
        self.json(400, refusal("Bad Request", described))

    def log_message(self, *_: object) -> None:
        """Keep the tests' output clean."""


FAULTS: dict[str, Callable[[Handler, str], None]] = {
    "429": lambda request, _: request.text(429, "Too Many Requests"),
    "401": lambda request, _: request.json(401, refusal("Unauthorized", "Invalid Crumb")),
    "404": lambda request, _: request.json(404, refusal("Not Found", NO_SUCH_SYMBOL)),
    "500": lambda request, _: request.json(500, refusal("Internal Server Error", "backend failure")),
    "500 page": lambda request, _: request.text(500, "<html>Oops</html>"),
    "maintenance": lambda request, _: request.text(200, MAINTENANCE),
    "page": lambda request, _: request.text(200, "<html>Log in to this network</html>"),
    "other json": lambda request, _: request.text(200, '["hello"]', "application/json"),
    "unfinished": lambda request, _: request.json(200, {"chart": {"result": [{"meta": {}}], "error": None}}),
    "slow": Handler.slow,
    "cut": Handler.cut,
    "hang up": Handler.hang_up,
    "reset": Handler.reset,
    "empty": Handler.empty,
    "no rows": Handler.no_rows,
    "no prices": Handler.no_prices,
    "delisted": Handler.delisted,
}
"""What can go wrong with one symbol, by name."""


def main() -> None:
    options = argparse.ArgumentParser(description="Serve random walks as Yahoo would serve prices.")
    options.add_argument("--port", type=int, default=8600)
    options.add_argument("--fault", action="append", default=[], metavar="SYMBOL=FAULT", help=f"one of {list(FAULTS)}")
    chosen = options.parse_args()
    with FakeYahoo(chosen.port) as yahoo:
        yahoo.faults.update(fault.rsplit("=", 1) for fault in chosen.fault)
        print(f"GOLDVIZ_YAHOO={yahoo.address}", flush=True)
        yahoo.thread.join()


if __name__ == "__main__":
    main()
