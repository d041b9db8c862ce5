"""The one connection to Yahoo that a process has: its hosts, its patience, and what was last answered about prices.

Import it when it is needed: its HTTP library takes a tenth of a second to load.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from curl_cffi.requests import Response, Session

from goldviz.data.markets.yahoo_faults import Answer

PRICES = "/v8/finance/chart/"


class YahooSession(Session[Response]):
    """A browser-like session that asks hosts of Yahoo alone, and waits ``seconds`` for each answer.

    ``address`` is a stand-in to which all requests go; '' is Yahoo itself. ``answer`` is what came back from the last
    request for prices, None where nothing did.
    """

    def __init__(self, address: str, seconds: float) -> None:
        super().__init__(impersonate="chrome", trust_env=not address)
        self.address, self.seconds = address, seconds
        self.answer: Answer | None = None

    def request(self, method: Any, url: str, *values: Any, **options: Any) -> Response:
        """Ask; yfinance's own time limits of up to 30 seconds are shortened."""
        parts = urlsplit(url)
        if not f".{parts.hostname}".endswith(".yahoo.com"):
            raise PermissionError(f"{parts.hostname} is not a host of Yahoo")
        if self.address:
            url = urlunsplit((*urlsplit(self.address)[:2], *parts[2:]))
            options["allow_redirects"] = False
        about_prices = parts.path.startswith(PRICES)
        if about_prices:
            self.answer = None
        response = super().request(method, url, *values, **{**options, "timeout": self.seconds})
        if about_prices:
            self.answer = Answer(response.status_code, response.text)
        return response


def shared_session(seconds: float) -> YahooSession:
    """The session of this process; ``GOLDVIZ_YAHOO`` may name a stand-in for Yahoo, http://127.0.0.1:8600 say."""
    return _session_to(os.environ.get("GOLDVIZ_YAHOO", "").strip(), seconds)


@cache
def _session_to(address: str, seconds: float) -> YahooSession:
    return YahooSession(address, seconds)
