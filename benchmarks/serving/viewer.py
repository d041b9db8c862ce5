"""A viewer without a browser: speaks Streamlit's protocol over a web socket, as its frontend does.

A viewer sends what a browser sends when a page is opened, a button is pressed or a fragment's timer fires, and waits
for the message that the script has finished. It keeps the hashes of messages that may be left out next time, and no
widget values: the server takes those of the run before.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect


@dataclass
class Viewer:
    """One open page. ``interval`` is how often the server asks it to poll, None when it does not."""

    socket: ClientConnection
    page: str
    query: str = ""
    script: str = ""
    fragment: str = ""
    interval: float | None = None
    received_bytes: int = 0
    buttons: dict[str, str] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)

    async def rerun(self, *, fragment: bool = False, pressed: str = "") -> float:
        """Ask for a run of the page, or of its polling fragment, and wait until it is done; returns the seconds."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_name, state.page_script_hash = self.query, self.page, self.script
        state.context_info.color_scheme = "light"
        state.context_info.timezone = "Etc/UTC"
        state.cached_message_hashes.extend(self.known)
        if fragment:
            state.fragment_id, state.is_auto_rerun = self.fragment, True
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
            case "new_session":
                if not message.metadata.run.fragment_ids:
                    self.interval = None
            case "navigation":
                self.script = message.navigation.page_script_hash
            case "auto_rerun":
                self.fragment, self.interval = message.auto_rerun.fragment_id, message.auto_rerun.interval
            case "page_info_changed":
                self.query = message.page_info_changed.query_string
            case "delta":
                self._remember_button(message)
            case "script_finished":
                return message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        return False

    def _remember_button(self, message: ForwardMsg) -> None:
        if message.delta.new_element.WhichOneof("type") == "button":
            button = message.delta.new_element.button
            self.buttons[button.label] = button.id

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
