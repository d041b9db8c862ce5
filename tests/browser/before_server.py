"""What may stand between a browser and the server: a proxy, and a site that shows pages in a frame."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler, TCPServer, ThreadingTCPServer
from typing import cast
from urllib.parse import urlsplit

HEAD = re.compile(rb"\A[A-Z]+ \S+ HTTP/1\.1\r\n")
HOST = re.compile(rb"(?mi)^Host: [^\r]*")


class _Passing(BaseRequestHandler):
    """One connection of a browser's: all that it sends goes on, with the server's name for its own in each head."""

    def __init__(self, *given: object, upstream: tuple[str, int], strips: str) -> None:
        self._upstream, self._strips = upstream, strips.encode()
        super().__init__(*given)  # type: ignore[arg-type]

    def handle(self) -> None:
        with socket.create_connection(self._upstream) as server, suppress(OSError):
            back = threading.Thread(target=_pump, args=(server, self.request), daemon=True)
            back.start()
            while chunk := self.request.recv(65_536):
                server.sendall(self._changed(chunk))
            server.shutdown(socket.SHUT_WR)
            back.join()

    def _changed(self, chunk: bytes) -> bytes:
        if not HEAD.match(chunk):
            return chunk
        host = ":".join(map(str, self._upstream)).encode()
        return HOST.sub(b"Host: " + host, chunk, count=1).replace(b" " + self._strips, b" ", 1)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while chunk := source.recv(65_536):
            target.sendall(chunk)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def proxy(address: str, *, port: int = 0, strips: str = "") -> Iterator[str]:
    """A proxy as nginx is when nothing is said: the server hears its own address as ``Host``, not the visitor's.

    It takes the path ``strips`` away from what is asked for. Yields its address.
    """
    upstream = urlsplit(address)
    passing = partial(_Passing, upstream=(cast("str", upstream.hostname), cast("int", upstream.port)), strips=strips)
    with _Threading(("127.0.0.1", port), passing) as up:
        yield from _serving(up)


@contextmanager
def framing_site(*, port: int = 0) -> Iterator[str]:
    """A site whose page shows in a frame whatever address its query names; yields its address."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = f'<!doctype html><iframe width="1200" height="800" src="{urlsplit(self.path).query}"></iframe>'
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", port), Page) as up:
        yield from _serving(up)


class _Threading(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    block_on_close = False


def _serving(up: TCPServer) -> Iterator[str]:
    threading.Thread(target=up.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{up.server_address[1]}"
    finally:
        up.shutdown()
