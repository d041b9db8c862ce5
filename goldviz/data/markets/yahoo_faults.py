"""Why a download failed, in one sentence that names the symbol and says what can be done about it.

yfinance tells less than Yahoo said: behind its exceptions a status of 500 looks like a delisted symbol. So the last
answer to a request for prices is judged itself, and the exception only where there was none.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass

from goldviz.coded_errors import Code
from goldviz.data.markets.market import MarketError
from goldviz.data.markets.symbols import SYMBOLS
from goldviz.data.tables.file_table import plain_words

LATER = "try again later, or load a file instead"
OTHER_DATES = "choose another symbol or other dates, or load a file instead"
LONGEST_QUOTE = 80


@dataclass(frozen=True)
class Answer:
    """What Yahoo answered when it was asked for prices."""

    status: int
    text: str


class DownloadError(MarketError):
    """Prices of one symbol that could not be had: the reason, and what the user can do.

    ``everywhere`` says that the reason lies with this machine's connection and holds for every symbol; ``others``
    are further symbols that failed along with this one.

    >>> str(DownloadError("GC=F", "Yahoo is down for maintenance", "try again later", "busy"))
    'GC=F: Yahoo is down for maintenance; try again later.'
    """

    def __init__(
        self,
        symbol: str,
        reason: str,
        advice: str,
        code: Code,
        everywhere: bool = False,
        others: tuple[DownloadError, ...] = (),
    ) -> None:
        end = "" if advice.endswith("?") else "."
        super().__init__(" ".join([f"{symbol}: {reason}; {advice}{end}", *map(str, others)]), code)
        self.args = (symbol, reason, advice, code, everywhere, others)
        self.symbol, self.reason, self.advice, self.everywhere, self.others = symbol, reason, advice, everywhere, others


def download_fault(symbol: str, error: Exception, answer: Answer | None, seconds: float) -> DownloadError:
    """The error to raise for ``error``, after ``answer`` to the last request for prices (None: there was none).

    ``seconds`` is how long Yahoo was given to answer.
    """
    if answer is None:
        return _fault_of_the_line(symbol, error, seconds)
    if answer.status >= 400:
        return _fault_of_the_status(symbol, answer)
    if "Will be right back" in answer.text:
        return DownloadError(symbol, "Yahoo is down for maintenance", LATER, "busy")
    if not answer.text.lstrip().startswith(("{", "[")):
        advice = "check in a browser whether this network asks you to log in first, or try again later"
        return DownloadError(symbol, "a web page came instead of prices", advice, "bad_answer")
    if _has_no_quotes(answer):
        return no_rows(symbol)
    return DownloadError(symbol, "Yahoo's answer cannot be read as prices", LATER, "bad_answer")


def no_rows(symbol: str) -> DownloadError:
    """Yahoo knows the symbol and has nothing for the dates."""
    return DownloadError(
        symbol, "Yahoo has no prices for these dates, and the symbol may be delisted", OTHER_DATES, "no_values"
    )


def no_prices(symbol: str, days: int) -> DownloadError:
    """Yahoo listed days, all of them without a value."""
    return DownloadError(symbol, f"Yahoo lists {days} days and has a price for none of them", LATER, "no_values")


def _fault_of_the_line(symbol: str, error: Exception, seconds: float) -> DownloadError:
    from curl_cffi.requests import exceptions

    message = str(error)
    broke_off = isinstance(error, exceptions.RequestException) and error.code in {52, 55, 56}
    if isinstance(error, exceptions.Timeout) and "Operation timed out" in message:
        return DownloadError(symbol, f"Yahoo did not answer within {seconds:g} seconds", LATER, "no_answer")
    if isinstance(error, exceptions.ConnectionError | exceptions.ProxyError | exceptions.Timeout) and not broke_off:
        advice = "check its network connection, firewall and proxy, or load a file instead"
        return DownloadError(symbol, "Yahoo cannot be reached from this machine", advice, "no_answer", everywhere=True)
    if isinstance(error, exceptions.RequestException):
        reason = "the connection broke off in the middle of Yahoo's answer"
        return DownloadError(symbol, reason, "try again", "no_answer")
    what = f"{type(error).__name__}: {plain_words(message, LONGEST_QUOTE)}"
    return DownloadError(symbol, f"the download failed on this machine ({what})", LATER, "no_answer")


def _fault_of_the_status(symbol: str, answer: Answer) -> DownloadError:
    status, description = answer.status, _description(answer)
    if status == 429:
        wait = "wait at least ten minutes before you try again, or load a file instead"
        return DownloadError(symbol, "Yahoo refuses because it was asked too often (429)", wait, "busy")
    if status == 404 and symbol in SYMBOLS:
        return DownloadError(symbol, "Yahoo has no data under this symbol just now (404)", LATER, "not_offered")
    if status == 404:
        reason = "Yahoo has no data under this symbol, so it is misspelt or delisted (404)"
        return DownloadError(symbol, reason, _spelling(symbol), "not_offered")
    if "Data doesn't exist" in description:
        return no_rows(symbol)
    answer_text = f"{status}: {description}" if description else str(status)
    if status >= 500:
        return DownloadError(symbol, f"Yahoo reports a fault of its own ({answer_text})", LATER, "bad_answer")
    return DownloadError(symbol, f"Yahoo refuses the request ({answer_text})", LATER, "bad_answer")


def _spelling(symbol: str) -> str:
    similar = difflib.get_close_matches(symbol, SYMBOLS, n=1)
    if similar:
        return f"did you mean {similar[0]} ({SYMBOLS[similar[0]].words})?"
    return "look it up on finance.yahoo.com and enter it exactly as it stands there"


def _description(answer: Answer) -> str:
    try:
        return plain_words(str(json.loads(answer.text)["chart"]["error"]["description"]), LONGEST_QUOTE)
    except (ValueError, KeyError, TypeError):
        return ""


def _has_no_quotes(answer: Answer) -> bool:
    try:
        results = json.loads(answer.text)["chart"]["result"]
        return not results or not results[0]["indicators"]["quote"][0]
    except (ValueError, KeyError, TypeError, IndexError):
        return False
