"""A file that a proxy before goldviz refuses, which is said in a sentence."""

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.ports import free_port

Opener = Callable[..., Page]

SENTENCES = {
    403: "A proxy or frame around goldviz refused the file. Open goldviz in a tab of its own.",
    413: "The file is too large for a proxy before goldviz. Whoever runs that can raise its limit.",
    507: "The server holds as many files as it may. Wait five minutes, or reload the page.",
    500: "The server refused the file (500). Choose it again, or a smaller one.",
}


def head_of(visitor: socket.socket) -> bytes:
    """The lines of a request up to the empty one, and what came with them."""
    received = b""
    while b"\r\n\r\n" not in received:
        more = visitor.recv(65536)
        if not more:
            break
        received += more
    return received


def passed_on(source: socket.socket, target: socket.socket) -> None:
    """Pass on all that comes, to the end."""
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


def serve(visitor: socket.socket, upstream: tuple[str, int], status: int) -> None:
    """Answer one request: an upload with ``status``, as HTML; any other by the server behind."""
    with visitor:
        request = head_of(visitor)
        if re.match(rb"(PUT|POST) \S*/_stcore/upload_file/", request):
            answer = f"HTTP/1.1 {status} Refused\r\nContent-Type: text/html\r\nContent-Length: 2\r\n"
            visitor.sendall(f"{answer}Connection: close\r\n\r\nno".encode())
            # What is still sent is read: a line that is cut would hide the answer.
            visitor.settimeout(5)
            with suppress(OSError):
                while visitor.recv(65536):
                    pass
            return
        if b"upgrade: websocket" not in request.lower():
            request = re.sub(rb"(?i)\r\nconnection: [^\r]*", b"\r\nConnection: close", request, count=1)
        with socket.create_connection(upstream) as server:
            server.sendall(request)
            Thread(target=passed_on, args=(visitor, server), daemon=True).start()
            passed_on(server, visitor)


@contextmanager
def refusing(upstream: str, status: int) -> Iterator[str]:
    """A proxy before the server at this address, which refuses uploads with ``status``; yields its own address."""
    host, port = upstream.removeprefix("http://").split(":")
    with socket.create_server(("127.0.0.1", free_port())) as listener:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    visitor, _ = listener.accept()
                    Thread(target=serve, args=(visitor, (host, int(port)), status), daemon=True).start()

        Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def bring(page: Page, file: Path) -> None:
    """Open the dialog at *A file*, and bring this one."""
    page.get_by_role("button", name="Change data").click()
    page.get_by_role("tab", name="A file").click()
    page.locator("input[type=file]").set_input_files(str(file))


@pytest.mark.parametrize("status", SENTENCES)
def test_what_a_proxy_refuses_is_said_in_a_sentence(
    status: int, server: Server, open_page: Opener, tmp_path: Path
) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("date,gold\n2020-01-01,1500\n", encoding="utf-8")
    with refusing(server.address, status) as address:
        page = open_page(f"{address}/gold-market")
        bring(page, file)
        uploader = page.get_by_test_id("stFileUploader")
        expect(uploader).to_contain_text(SENTENCES[status])
        expect(uploader).not_to_contain_text(re.compile("Axios|Request failed"))
        page.close()
