"""Visitors who have gone: what their sessions held is given back at a known moment."""

import asyncio
import time
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from streamlit.runtime.session_manager import SessionInfo

from goldviz.ui.serving import server
from goldviz.ui.serving.sessions import ClosingStorage


@dataclass
class Session:
    """A session that tells when it was shut down."""

    id: str
    ended: list[str] = field(default_factory=list)

    def shutdown(self) -> None:
        self.ended.append(self.id)


def _info(session: Any) -> SessionInfo:
    return SessionInfo(client=None, session=session)


def test_a_session_is_shut_down_when_its_time_is_over_or_its_place_is_taken_and_once() -> None:
    ended: list[str] = []
    now, storage = 100.0, ClosingStorage(maxsize=2, ttl_seconds=10)
    storage._cache._timer = lambda: now  # type: ignore[attr-defined]
    for name in ("first", "second", "third"):
        storage.save(_info(Session(name, ended)))
    assert ended == ["first"]
    storage.delete("second")
    now += 11
    storage.close_gone()
    storage.close_gone()
    assert ended == ["first", "third"], "one that was handed back is not shut down"
    assert storage.list() == []


VISITS = 40


@pytest.mark.slow
def test_a_server_gives_descriptors_back_when_its_visitors_have_gone(tmp_path: Path) -> None:
    from tests.browser.app_server import running

    environment = {"STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "2"}
    with running(f"sqlite:///{tmp_path / 'runs.sqlite'}", tmp_path / "server.log", more=environment) as up:
        process = psutil.Process(up.process.pid)
        asyncio.run(_visit(up.address, 3))
        time.sleep(server.COLLECT_SECONDS + 5)
        before = process.num_fds()
        asyncio.run(_visit(up.address, VISITS))
        held = process.num_fds()
        assert held > before + 4, "a session holds descriptors while its visitor may come back"
        time.sleep(server.COLLECT_SECONDS + 5)
        assert process.num_fds() <= before + 4


async def _visit(address: str, count: int) -> None:
    from websockets.asyncio.client import connect
    from websockets.typing import Origin, Subprotocol

    where = urllib.parse.urlsplit(address)
    for _ in range(count):
        async with connect(
            f"ws://{where.netloc}/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            origin=Origin(address),
            compression=None,
        ):
            await asyncio.sleep(0.05)
