"""What is asked of the hub: one answer about a model, and the bytes of its files, which go on where they stopped.

huggingface_hub 2 throws away what had arrived when a download ends early, reports every 10 MB, waits half a minute
before it gives up, and tells the hub which agent asks. So its connection, its cache and its keys are used here, and
the requests are made with it directly. Import this when it is needed: its HTTP library takes a while to load.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2
from filelock import Timeout
from huggingface_hub import constants, get_session, get_token
from huggingface_hub.errors import OfflineModeIsEnabled
from huggingface_hub.utils import WeakFileLock  # type: ignore[attr-defined]

from goldviz.data.hub.faults import (
    damaged,
    fault_of_the_answer,
    fault_of_the_disk,
    fault_of_the_line,
    offline,
    unreadable,
    web_page,
)

LONGEST_ANSWER = 20_000_000
"""Bytes of the answer about a model; those of repositories with thousands of files have a few million."""

MOST_FRUITLESS = 3
"""So many times in succession a cut line may bring nothing before the download gives up."""

PAUSE = 1.0
"""Seconds between two such attempts."""

WAIT_FOR_OTHERS = 0.5


def ask_about(repo: str, endpoint: str, revision: str | None, seconds: float) -> dict[str, Any]:
    """The hub's JSON about a model, with the size and the content's name of each file."""
    path = f"/revision/{quote(revision, safe='')}" if revision else ""
    address = f"{endpoint}/api/models/{repo}{path}?blobs=true"
    try:
        with (
            _offline_named(repo),
            get_session().stream("GET", address, headers=_headers(), timeout=seconds) as response,
        ):
            if response.status_code >= 400:
                raise fault_of_the_answer(repo, response)
            content = _whole_answer(repo, response, seconds)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise fault_of_the_line(repo, _host(endpoint), error, seconds) from error
    if content.lstrip().startswith(b"<"):
        raise web_page(repo)
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        raise unreadable(repo) from None
    if not isinstance(answer, dict):
        raise unreadable(repo)
    return answer


def fetch_blob(
    repo: str, address: str, blob: Path, size: int, seconds: float, progress: Callable[[int], None], lock: Path
) -> None:
    """Fill ``blob``, whose name is the hash of its content; a part of it from before is gone on with.

    ``progress`` is told how many bytes are there, and may raise to end the download; what is there stays. Only one
    process at a time writes, others wait and find it done.
    """
    try:
        blob.parent.mkdir(parents=True, exist_ok=True)
        with _held_lock(lock, lambda: progress(bytes_there(blob))):
            if not blob.is_file():
                _fill_part(repo, address, _part_of(blob), blob.name, size, seconds, progress)
                _part_of(blob).replace(blob)
    except OSError as error:
        raise fault_of_the_disk(repo, error) from error
    progress(size)


def bytes_there(blob: Path) -> int:
    """How much of a blob is on this machine, whole or in part."""
    return _size_of(blob) or _size_of(_part_of(blob))


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _part_of(blob: Path) -> Path:
    return blob.with_name(f"{blob.name}.incomplete")


def _fill_part(
    repo: str, address: str, part: Path, name: str, size: int, seconds: float, report: Callable[[int], None]
) -> None:
    fruitless, ever = 0, False
    while True:
        before = _size_of(part)
        try:
            _append(repo, address, part, size, seconds, report)
            break
        except httpx2.HTTPError as error:
            grew = _size_of(part) > before
            ever = ever or grew
            fruitless = 0 if grew else fruitless + 1
            broke_off = isinstance(error, httpx2.NetworkError | httpx2.RemoteProtocolError)
            # A hub that never answered is not asked again; one that broke off is.
            if not broke_off or not ever or fruitless > MOST_FRUITLESS:
                raise fault_of_the_line(repo, _host(address), error, seconds) from error
        report(_size_of(part))
        time.sleep(PAUSE if fruitless else 0)
    if _content_name(part, name, size) != name:
        part.unlink()
        raise damaged(repo, urlsplit(address).path.rsplit("/", 1)[-1])


def _append(repo: str, address: str, part: Path, size: int, seconds: float, report: Callable[[int], None]) -> None:
    """Ask for what is missing of ``part`` and write it; httpx2's errors come through."""
    with part.open("ab") as file:
        there = file.tell()
        # What is too long was never a part of this file.
        if there > size:
            there = file.truncate(0)
        report(there)
        if there == size:
            return
        headers = {**_headers(), "Accept-Encoding": "identity"}
        if there:
            headers["Range"] = f"bytes={there}-"
        with _offline_named(repo), get_session().stream("GET", address, headers=headers, timeout=seconds) as response:
            if response.status_code == 416:
                # The part does not belong to this file; the next download begins anew.
                file.truncate(0)
            if response.status_code >= 400:
                raise fault_of_the_answer(repo, response)
            # An answer without a part is the whole: this server cannot go on in the middle.
            if there and response.status_code != 206:
                there = file.truncate(0)
            for piece in response.iter_bytes():
                there += len(piece)
                if there > size:
                    file.truncate(0)
                    raise damaged(repo, urlsplit(address).path.rsplit("/", 1)[-1])
                file.write(piece)
                report(there)
    if there < size:
        raise httpx2.RemoteProtocolError("the answer ended early")


def _content_name(path: Path, name: str, size: int) -> str:
    """The name that the hub gives such content: SHA-256 for large files, git's SHA-1 of a blob for small ones."""
    digest = hashlib.sha256() if len(name) == 64 else hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _headers() -> dict[str, str]:
    """Nothing about this machine, and its owner's key only where the owner lets every visitor download with it."""
    may_use_key = os.environ.get("GOLDVIZ_HUB_KEY", "").strip().lower() == "on"
    key = get_token() if may_use_key and not constants.HF_HUB_DISABLE_IMPLICIT_TOKEN else None
    return {"User-Agent": "goldviz", **({"Authorization": f"Bearer {key}"} if key else {})}


def _whole_answer(repo: str, response: httpx2.Response, seconds: float) -> bytes:
    """The answer, unless it is endless or comes drop by drop."""
    deadline = time.monotonic() + 3 * seconds
    content = bytearray()
    for piece in response.iter_bytes():
        content += piece
        if len(content) > LONGEST_ANSWER:
            raise unreadable(repo)
        if time.monotonic() > deadline:
            raise httpx2.ReadTimeout("the answer comes too slowly")
    return bytes(content)


@contextmanager
def _offline_named(repo: str) -> Iterator[None]:
    try:
        yield
    except OfflineModeIsEnabled as error:
        raise offline(repo) from error


@contextmanager
def _held_lock(lock: Path, waiting: Callable[[], None]) -> Iterator[None]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    while True:
        try:
            with WeakFileLock(lock, timeout=WAIT_FOR_OTHERS):
                yield
            return
        except Timeout:
            waiting()


def _host(address: str) -> str:
    return urlsplit(address).netloc or address


def link_file(blob: Path, place: Path, repo: str) -> None:
    """Put a blob into a snapshot, as the hub's own client does: a link, or the file itself where links cannot be."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            return
        place.unlink(missing_ok=True)
        try:
            place.symlink_to(os.path.relpath(blob, place.parent))
        except OSError:
            blob.replace(place)
    except OSError as error:
        raise fault_of_the_disk(repo, error) from error
