"""A viewer without a browser: speaks Streamlit's protocol over a web socket, as its frontend does.

A viewer sends what a browser sends when a page is opened or a button is pressed, waits for the message that the script
has finished, and asks for frames as the page's figures do. It keeps the hashes of messages that may be left out next
time, and no widget values: the server takes those of the run before.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

PAUSE_SECONDS = 0.25
"""How long a page's script waits before it asks again."""


class Update(NamedTuple):
    """An answer with something new: of which lane, up to which step, when it was asked for and had, and its bytes."""

    lane: str
    step: int
    asked: float
    had: float
    size: int


@dataclass
class Viewer:
    """One open page."""

    socket: ClientConnection
    page: str
    query: str = ""
    script: str = ""
    received_bytes: int = 0
    buttons: dict[str, str] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    figures: dict[str, set[str]] = field(default_factory=dict)
    """The names of the figures in view that follow a run, by the lane."""
    frames: str = ""
    """The address that the figures ask."""

    async def rerun(self, *, pressed: str = "") -> float:
        """Ask for a run of the page and wait until it is done; returns the seconds."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_name, state.page_script_hash = self.query, self.page, self.script
        state.context_info.color_scheme = "light"
        state.context_info.timezone = "Etc/UTC"
        state.cached_message_hashes.extend(self.known)
        if pressed:
            state.widget_states.widgets.add(id=self.buttons[pressed], trigger_value=True)
        started = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        while not self._finished(await self.socket.recv()):
            pass
        return time.perf_counter() - started

    def _finished(self, data: bytes | str) -> bool:
        message = ForwardMsg()
        message.ParseFromString(bytes(data, "latin-1") if isinstance(data, str) else data)
        self.received_bytes += len(data)
        if message.metadata.cacheable:
            self.known.add(message.hash)
        match message.WhichOneof("type"):
            case "navigation":
                self.script = message.navigation.page_script_hash
            case "page_info_changed":
                self.query = message.page_info_changed.query_string
            case "delta":
                self._remember_button(message)
                self._remember_figure(message)
            case "script_finished":
                return message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        return False

    def _remember_figure(self, message: ForwardMsg) -> None:
        if message.delta.new_element.WhichOneof("type") == "bidi_component":
            source = json.loads(message.delta.new_element.bidi_component.json or "{}").get("frames")
            if source:
                if source["address"] != self.frames:
                    self.frames, self.figures = source["address"], {}
                self.figures.setdefault(source["lane"], set()).add(source["name"])

    def _remember_button(self, message: ForwardMsg) -> None:
        if message.delta.new_element.WhichOneof("type") == "button":
            button = message.delta.new_element.button
            self.buttons[button.label] = button.id

    async def follow(self, port: int, until: float) -> list[Update]:
        """Ask for what is new of the figures in view, as a browser does, until a moment; one entry for each answer.

        In a thread of its own: asyncio's threads are few, and viewers beyond them would wait for the first ones' end.
        """
        with ThreadPoolExecutor(1) as own:
            return await asyncio.get_running_loop().run_in_executor(own, self._follow, port, until)

    def _follow(self, port: int, until: float) -> list[Update]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        has: dict[str, dict[str, Any]] = {lane: {"wants": sorted(names)} for lane, names in self.figures.items()}
        updates: list[Update] = []
        while time.time() < until:
            asked = time.time()
            connection.request("GET", f"{self.frames}?has={quote(json.dumps(has))}")
            answer = connection.getresponse()
            content = answer.read()
            if answer.status == 200:
                length = int.from_bytes(content[:4], "little")
                for lane in json.loads(content[4 : 4 + length])["lanes"]:
                    known = has[lane["id"]]
                    known.update(edition=lane["version"], has=known["wants"], sense=lane["sense"])
                    updates.append(Update(lane["id"], lane["last"], asked, time.time(), len(content)))
            time.sleep(PAUSE_SECONDS)
        connection.close()
        return updates

    @property
    def run_id(self) -> str:
        """The run that the page's link names."""
        return parse_qs(self.query).get("runs", [""])[0]


@asynccontextmanager
async def open_viewer(port: int, page: str, query: str = "") -> AsyncIterator[Viewer]:
    """A web socket to the server; the page itself is asked for by the first :meth:`Viewer.rerun`."""
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    async with connect(address, max_size=None, subprotocols=["streamlit"], compression=None) as socket:
        yield Viewer(socket, page, query)
