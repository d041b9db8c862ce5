"""Why a model could not be had from the hub, in one sentence that names the model and says what can be done about it.

The hub answers 401 for a model that is private and for one that is not there, so that nobody learns which.
"""

from __future__ import annotations

import errno
import ssl
from typing import TYPE_CHECKING

from goldviz.coded_errors import Code, CodedError

if TYPE_CHECKING:
    import httpx2

TRY_LATER = "try again later, or choose a model that is on this machine"
GO_ON = "try again, and it goes on where it stopped"
CHECK_LINE = "check its network connection, firewall and proxy, or choose a model that is on this machine"
LOG_IN = "log in on this server with `hf auth login` and set GOLDVIZ_HUB_KEY=on"
LONGEST_SAYING = 80


class HubError(CodedError):
    """A model of the hub that could not be had: the reason, and what the user can do.

    >>> str(HubError("owner/name", "the hub is closed", "try again later", "no_answer"))
    'owner/name: the hub is closed; try again later.'
    """

    def __init__(self, repo: str, reason: str, advice: str, code: Code) -> None:
        super().__init__(f"{repo}: {reason}; {advice}.", code)
        self.args = (repo, reason, advice, code)
        self.repo, self.reason, self.advice = repo, reason, advice


def fault_of_the_answer(repo: str, response: httpx2.Response) -> HubError:
    """The error to raise for an answer with a status of 400 or above."""
    status, code = response.status_code, response.headers.get("X-Error-Code", "")
    message = printable(response.headers.get("X-Error-Message", ""))
    if code == "GatedRepo":
        reason = f"its owner asks for consent before a download ({status})"
        return HubError(repo, reason, f"accept the terms on its page, {LOG_IN}, and try again", "key")
    if code in {"EntryNotFound", "RevisionNotFound"}:
        return HubError(repo, f"the hub no longer has this version ({status})", "look it up again", "gone")
    if status in {401, 404}:
        reason = f"the hub has no model of this name that is open to you ({status})"
        return HubError(repo, reason, f"check its spelling, or {LOG_IN} if it is private", "gone")
    if status == 429:
        wait = "wait a few minutes before you try again, or choose a model that is on this machine"
        return HubError(repo, "the hub refuses because it was asked too often (429)", wait, "busy")
    status_text = f"{status}: {message}" if message else str(status)
    if status >= 500:
        return HubError(repo, f"the hub reports a fault of its own ({status_text})", TRY_LATER, "bad_answer")
    return HubError(repo, f"the hub refuses the request ({status_text})", TRY_LATER, "bad_answer")


def fault_of_the_line(repo: str, host: str, error: Exception, seconds: float) -> HubError:
    """The error to raise where no whole answer came from ``host`` within ``seconds`` for each part of it."""
    import httpx2

    if isinstance(error, httpx2.ConnectError) and _is_about_certificates(error):
        advice = "check this machine's clock, its proxy and its certificates"
        return HubError(repo, f"the certificate of {host} cannot be trusted", advice, "certificate")
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError):
        return HubError(repo, f"{host} cannot be reached from this machine", CHECK_LINE, "no_answer")
    if isinstance(error, httpx2.TimeoutException):
        return HubError(repo, f"{host} did not answer within {seconds:g} seconds", GO_ON, "no_answer")
    if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        return no_address(repo, host)
    if isinstance(error, httpx2.TooManyRedirects):
        return HubError(repo, f"{host} sends from one address to the next without end", TRY_LATER, "bad_answer")
    return HubError(repo, f"the connection to {host} broke off", GO_ON, "no_answer")


def fault_of_the_disk(repo: str, error: OSError) -> HubError:
    """The error to raise where what was downloaded cannot be kept."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return HubError(repo, "the disk is full", "make room, try again, and it goes on where it stopped", "no_space")
    reason = f"the hub's folder on this machine cannot be written ({error.strerror or error})"
    return HubError(repo, reason, "set HF_HOME to a folder that can be", "disk")


def no_room(repo: str, missing: int, free: int, reserve: int) -> HubError:
    """There is less room on the disk, in bytes, than the download needs and the ``reserve`` that it leaves."""
    reason = (
        f"{missing / 1e6:,.0f} MB are still to come and the disk has {free / 1e6:,.0f} MB free, "
        f"of which {reserve / 1e6:,.0f} MB are left alone"
    )
    return HubError(repo, reason, "make room, try again, and it goes on where it stopped", "no_space")


def no_address(repo: str, address: str) -> HubError:
    """What was given as the hub's address cannot be one."""
    advice = "set HF_ENDPOINT to an address such as https://huggingface.co"
    return HubError(repo, f"{printable(address)} is no address of a hub", advice, "not_allowed")


def web_page(repo: str) -> HubError:
    """Something between this machine and the hub answered in the hub's place."""
    advice = "check in a browser whether this network asks you to log in first, or try again later"
    return HubError(repo, "a web page came instead of the hub's answer", advice, "bad_answer")


def unreadable(repo: str) -> HubError:
    """An answer that does not say what the hub says about a model."""
    return HubError(repo, "the hub's answer cannot be read", TRY_LATER, "bad_answer")


def damaged(repo: str, file: str) -> HubError:
    """A file whose content is not what the hub announced."""
    reason = f"what arrived as {file} is not what the hub announced, and was thrown away"
    return HubError(repo, reason, "try again", "damaged")


def switched_off(repo: str) -> HubError:
    """The owner of this server wants no downloads."""
    advice = "choose a model that is on this machine"
    return HubError(repo, "downloads are switched off on this server (GOLDVIZ_HUB=off)", advice, "switched_off")


def offline(repo: str) -> HubError:
    """The user of this machine wants nothing asked of the hub."""
    advice = "unset it to download, or choose a model that is on this machine"
    return HubError(repo, "HF_HUB_OFFLINE is set, so nothing is asked of the hub", advice, "switched_off")


def printable(text: str, longest: int = LONGEST_SAYING) -> str:
    """Foreign text on one line, cut to what a sentence can hold."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _is_about_certificates(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError) or "CERTIFICATE_VERIFY_FAILED" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
