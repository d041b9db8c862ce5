"""A loopback server that speaks the Hugging Face hub's interface, for the real client and real sockets.

In a test: ``with FakeHub() as hub:``, lay models in with ``hub.add("owner/name", {"config.json": b"{}"})`` and pass
``hub.address`` as endpoint. From then on ``hub.faults["owner/name"] = "429"`` makes that model fail. Large files are
answered by a redirect to a second address, as the real hub does. From a shell, for an app in another process:

    python -m tests.data.hub.fake_hub --port 8700 --model owner/name --fault owner/name=cut --pace 200000
"""

from __future__ import annotations

import argparse
import hashlib
import http.server
import json
import re
import socket
import ssl
import struct
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

LARGE = 1000
"""Files from this size on are kept apart, under their SHA-256."""

RESOLVE = re.compile(r"/([^/]+/[^/]+)/resolve/([^/]+)/([^/]+)")
ABOUT = re.compile(r"/api/models/([^/]+/[^/]+?)(?:/revision/([^/]+))?")


@dataclass(frozen=True)
class Asked:
    """A request that came: its method and path, and those of its headers that matter."""

    method: str
    path: str
    start: int
    key: str | None
    agent: str


class Model:
    """The files of one model, as one commit."""

    def __init__(self, files: dict[str, bytes], config: dict[str, Any] | None = None, gated: str = "") -> None:
        self.files, self.config, self.gated = files, config, gated

    @property
    def commit(self) -> str:
        parts = (part for name in sorted(self.files) for part in (name.encode(), self.files[name]))
        return hashlib.sha1(b"\0".join(parts)).hexdigest()

    def about(self) -> dict[str, Any]:
        """What the hub says of a model when it is asked with ``blobs=true``."""
        siblings = [self.sibling(name) for name in sorted(self.files)]
        return {
            "id": "a/model",
            "sha": self.commit,
            "private": False,
            "gated": self.gated or False,
            "tags": [],
            "downloads": 1,
            "likes": 1,
            "siblings": siblings,
            **({"config": self.config} if self.config else {}),
        }

    def sibling(self, name: str) -> dict[str, Any]:
        content = self.files[name]
        facts: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": git_name(content)}
        if len(content) >= LARGE:
            facts["blobId"] = git_name(b"pointer to " + large_name(content).encode())
            facts["lfs"] = {"sha256": large_name(content), "size": len(content), "pointerSize": 134}
        return facts


def git_name(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def large_name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class QuietServer(http.server.ThreadingHTTPServer):
    """A server that says nothing of clients that went away: a test is about what they saw."""

    def handle_error(self, *_: object) -> None:
        """Keep the tests' output clean."""


class FakeHub:
    """The server, listening while the ``with`` lasts; its tables may be changed at any time."""

    def __init__(self, port: int = 0, certificate: Path | None = None) -> None:
        self.models: dict[str, Model] = {}
        self.faults: dict[str, str] = {}
        """A key of ``FAULTS`` for each model that is to fail."""
        self.asked: list[Asked] = []
        self.pace = 0.0
        """Bytes a second of the contents of files; 0 is as fast as it goes."""
        self.closing = threading.Event()
        self.pages = QuietServer(("127.0.0.1", port), self._handler())
        self.store = QuietServer(("127.0.0.1", 0), self._handler())
        self.secure = certificate is not None
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.pages.socket = context.wrap_socket(self.pages.socket, server_side=True)
        self.threads = [
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
            for server in (self.pages, self.store)
        ]

    @property
    def address(self) -> str:
        return f"http{'s' if self.secure else ''}://127.0.0.1:{self.pages.server_port}"

    def add(self, repo: str, files: dict[str, bytes], **about: Any) -> Model:
        self.models[repo] = Model(files, **about)
        return self.models[repo]

    def add_folder(self, repo: str, folder: Path) -> Model:
        return self.add(repo, {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()})

    def __enter__(self) -> Self:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        for server in (self.pages, self.store):
            server.shutdown()
        for thread in self.threads:
            thread.join()
        for server in (self.pages, self.store):
            server.server_close()

    def _handler(self) -> type[Handler]:
        hub = self

        class Answer(Handler):
            owner = hub

        return Answer


class Handler(http.server.BaseHTTPRequestHandler):
    """One request: about a model, for a file, or for the content of a large one."""

    owner: FakeHub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        begin = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        self.start = int(begin[1]) if begin else 0
        self.owner.asked.append(
            Asked(self.command, path, self.start, self.headers["Authorization"], self.headers["User-Agent"])
        )
        if path.startswith("/store/"):
            _, _, owner, name, content = path.split("/")
            self.content(f"{owner}/{name}", content)
        elif about := ABOUT.fullmatch(path):
            self.about(about[1], about[2])
        elif resolve := RESOLVE.fullmatch(path):
            self.resolve(*resolve.groups())
        else:
            self.text(404, "")

    def about(self, repo: str, revision: str | None) -> None:
        fault = FAULTS_OF_ABOUT.get(self.owner.faults.get(repo, ""))
        model = self.owner.models.get(repo)
        if fault is not None:
            fault(self)
        elif model is None:
            self.refuse(401, "RepoNotFound", "Invalid username or password.")
        elif revision not in {None, "main", model.commit}:
            self.refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        else:
            self.json(200, model.about())

    def resolve(self, repo: str, revision: str, name: str) -> None:
        fault = FAULTS_OF_FILES.get(self.owner.faults.get(repo, ""))
        model = self.owner.models.get(repo)
        if fault is not None:
            fault(self)
        elif model is None:
            self.refuse(401, "RepoNotFound", "Invalid username or password.")
        elif revision not in {"main", model.commit}:
            self.refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        elif name not in model.files:
            self.refuse(404, "EntryNotFound", "Entry not found")
        elif model.gated and not self.headers["Authorization"]:
            self.refuse(401, "GatedRepo", f"Access to model {repo} is restricted.")
        elif len(model.files[name]) >= LARGE:
            self.redirect(repo, model, model.files[name])
        else:
            facts = {"ETag": f'"{git_name(model.files[name])}"', "X-Repo-Commit": model.commit}
            self.bytes(200, model.files[name], "text/plain", facts)

    def redirect(self, repo: str, model: Model, content: bytes) -> None:
        name = large_name(content)
        store = f"http://127.0.0.1:{self.owner.store.server_port}/store/{repo}/{name}"
        facts = {
            "Location": store,
            "X-Repo-Commit": model.commit,
            "X-Linked-ETag": f'"{name}"',
            "X-Linked-Size": str(len(content)),
        }
        self.bytes(302, b"", "text/plain", facts)

    def content(self, repo: str, wanted: str) -> None:
        content = next(held for held in self.owner.models[repo].files.values() if large_name(held) == wanted)
        fault = FAULTS_OF_CONTENT.get(self.owner.faults.get(repo, ""))
        if fault is not None:
            fault(self, content)
        else:
            self.part(content)

    def part(self, content: bytes) -> None:
        """The content from where it was asked for."""
        self.begin(content)
        self.pour(content[self.start :])

    def begin(self, content: bytes) -> None:
        self.send_response(206 if self.start else 200)
        if self.start:
            self.send_header("Content-Range", f"bytes {self.start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - self.start))
        self.end_headers()

    def pour(self, content: bytes) -> None:
        if self.command == "HEAD":
            return
        step = max(1, int(self.owner.pace / 20)) if self.owner.pace else max(1, len(content))
        for begin in range(0, len(content), step):
            self.wfile.write(content[begin : begin + step])
            if self.owner.pace and self.owner.closing.wait(0.05):
                return

    def json(self, status: int, answer: Any) -> None:
        self.bytes(status, json.dumps(answer).encode(), "application/json")

    def text(self, status: int, body: str, kind: str = "text/html") -> None:
        self.bytes(status, body.encode(), kind)

    def refuse(self, status: int, code: str, message: str) -> None:
        facts = {"X-Error-Code": code, "X-Error-Message": message}
        self.bytes(status, json.dumps({"error": message}).encode(), "application/json", facts)

    def bytes(self, status: int, content: bytes, kind: str, facts: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in (facts or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def slow(self, *_: object) -> None:
        self.owner.closing.wait(60)
        self.close_connection = True

    def drops(self) -> None:
        """An answer that comes byte by byte."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        for _ in range(1000):
            self.wfile.write(b" ")
            if self.owner.closing.wait(0.05):
                return

    def hang_up(self, *_: object) -> None:
        self.close_connection = True

    def reset(self, *_: object) -> None:
        # Closing without lingering sends a reset instead of an orderly end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def cut(self, content: bytes) -> None:
        """Half of what is left, then an orderly end."""
        self.begin(content)
        self.pour(content[self.start : self.start + (len(content) - self.start + 1) // 2])
        self.close_connection = True

    def reset_later(self, content: bytes) -> None:
        """Half of the content, then a reset; what is asked for after that comes whole."""
        if self.start:
            self.part(content)
            return
        self.begin(content)
        self.pour(content[: len(content) // 2])
        # What was sent must have arrived: a reset throws away what the other side has not read.
        time.sleep(0.2)
        self.reset()

    def cut_for_good(self, content: bytes) -> None:
        """A third of the content at first, and nothing ever after."""
        if not self.start:
            self.begin(content)
            self.pour(content[: len(content) // 3])
        self.close_connection = True

    def other_content(self, content: bytes) -> None:
        self.part(content[:-1] + bytes([content[-1] ^ 1]))

    def more_content(self, content: bytes) -> None:
        self.part(content + b"more")

    def no_ranges(self, content: bytes) -> None:
        """The whole content whatever was asked for; the first time it is cut."""
        gone_on, self.start = bool(self.start), 0
        if gone_on:
            self.part(content)
        else:
            self.cut(content)

    def no_part(self, content: bytes) -> None:
        """The first half, and whatever was asked for after it is refused."""
        if self.start:
            self.text(416, "")
        else:
            self.cut(content)

    def stalls(self, content: bytes) -> None:
        self.begin(content)
        self.pour(content[self.start : self.start + 10])
        self.wfile.flush()
        self.slow()

    def loop(self) -> None:
        self.bytes(302, b"", "text/plain", {"Location": self.path})

    def log_message(self, *_: object) -> None:
        """Keep the tests' output clean."""


NAMES_OF_A_MODEL = ("config.json", "vocab.txt", "model.safetensors")
FAULTS_OF_ABOUT: dict[str, Callable[[Handler], None]] = {
    "401": lambda request: request.text(401, ""),
    "403": lambda request: request.refuse(403, "", "Access to this resource is disabled."),
    "404": lambda request: request.refuse(404, "RepoNotFound", "Repository not found"),
    "429": lambda request: request.text(429, "Too Many Requests"),
    "500": lambda request: request.refuse(500, "", "Internal Error - We're working on it!"),
    "503 page": lambda request: request.text(503, "<html>Oops</html>"),
    "page": lambda request: request.text(200, "<html>Log in to this network</html>"),
    "not json": lambda request: request.text(200, '{"sha": ', "application/json"),
    "deep json": lambda request: request.text(200, '{"a":' + "[" * 100_000, "application/json"),
    "other json": lambda request: request.json(200, ["hello"]),
    "no sizes": lambda request: request.json(
        200, {"sha": "0" * 40, "siblings": [{"rfilename": name} for name in NAMES_OF_A_MODEL]}
    ),
    "hostile names": lambda request: request.json(
        200, {"sha": "../../../../tmp", "siblings": [{"rfilename": "config.json", "size": 1, "blobId": "../x"}]}
    ),
    "slow": Handler.slow,
    "drops": Handler.drops,
    "hang up": Handler.hang_up,
    "reset": Handler.reset,
    "loop": Handler.loop,
}
FAULTS_OF_FILES: dict[str, Callable[[Handler], None]] = {
    "file 404": lambda request: request.refuse(404, "EntryNotFound", "Entry not found"),
    "file 500": lambda request: request.refuse(500, "", "Internal Error"),
    "file reset": Handler.reset,
}
FAULTS_OF_CONTENT: dict[str, Callable[[Handler, bytes], None]] = {
    "cut": Handler.cut,
    "reset later": Handler.reset_later,
    "cut for good": Handler.cut_for_good,
    "other content": Handler.other_content,
    "more content": Handler.more_content,
    "no ranges": Handler.no_ranges,
    "no part": Handler.no_part,
    "stalls": Handler.stalls,
    "content 403": lambda request, _: request.text(403, "<Error>expired</Error>", "application/xml"),
}
FAULTS = (*FAULTS_OF_ABOUT, *FAULTS_OF_FILES, *FAULTS_OF_CONTENT)
"""What can go wrong with one model, by name: when it is looked up, when a file is asked for, when its bytes come."""


def main() -> None:
    options = argparse.ArgumentParser(description="Serve random models as the hub would serve real ones.")
    options.add_argument("--port", type=int, default=8700)
    options.add_argument("--model", action="append", default=[], metavar="OWNER/NAME[=FOLDER]")
    options.add_argument("--fault", action="append", default=[], metavar="OWNER/NAME=FAULT", help=f"one of {FAULTS}")
    options.add_argument("--pace", type=float, default=0.0, help="bytes a second of files; 0 is as fast as it goes")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder, FakeHub(chosen.port) as hub:
        for model in chosen.model or ["owner/name"]:
            repo, _, given = model.partition("=")
            hub.add_folder(repo, Path(given) if given else random_folder(Path(folder) / repo))
        hub.faults.update(fault.rsplit("=", 1) for fault in chosen.fault)
        hub.pace = chosen.pace
        print(f"HF_ENDPOINT={hub.address}", flush=True)
        hub.threads[0].join()


def random_folder(folder: Path) -> Path:
    from tests.random_bert import write_random_bert

    return write_random_bert(folder)


if __name__ == "__main__":
    main()
