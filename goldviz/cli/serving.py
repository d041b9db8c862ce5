"""``goldviz serve``: the dashboard."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from goldviz.cli.errors import FAILED, CommandError
from goldviz.origins import EMBEDDING, HOSTS, MEANINGS, AddressError, listed

if TYPE_CHECKING:
    from types import FrameType

BASE_PATH = "STREAMLIT_SERVER_BASE_URL_PATH"
"""The path below which the server answers where ``--base-path`` does not say; the server reads it anyway."""
PATH = re.compile(r"(?:[\w~-][\w.~-]*(?:/[\w~-][\w.~-]*)*)?", re.ASCII)


def app_path() -> Path:
    """Where app.py lies: in the package that pip installed, or at the top of a checkout."""
    package = Path(__file__).parents[1]
    places = (package / "_app" / "app.py", package.parent / "app.py")
    for place in places:
        if place.is_file():
            return place
    raise CommandError(f"The dashboard is missing from this installation; looked for {places[0]} and {places[1]}.")


@dataclass(frozen=True)
class Served:
    """Where a server is and who may talk to it, as the options of ``goldviz serve`` say it.

    ``hosts`` are further names under which it answers, ``embedding`` the sites that may show it in a frame;
    ``base_path`` is the path below which it answers, the environment's where it is None.
    """

    address: str = "127.0.0.1"
    port: int = 8501
    hosts: Sequence[str] = ()
    embedding: Sequence[str] = ()
    base_path: str | None = None


def serve(site: Served, open_browser: bool) -> int:
    """Run the server until it is told to stop; raises :class:`CommandError` where it could not listen."""
    app, environment, base = app_path(), _environment(site), _base_path(site.base_path)
    address, port = site.address, site.port
    check_port(address, port)
    # By -P neither it nor its workers import from the folder in which it is started, which may be one of many people's.
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(app), "--server.headless", "true"]
    command += ["--server.address", address, "--server.port", str(port), "--server.baseUrlPath", base]
    # In a session of its own the server does not see Ctrl-C, which would cut its workers short.
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True, env=environment)
    with _passed_on(server) as signals:
        if _wait_until_up(server, address, port):
            where = f"http://{f'[{address}]' if ':' in address else address}:{port}{f'/{base}/' if base else ''}"
            print(f"goldviz is at {where} (Ctrl-C stops it)", flush=True)
            if open_browser:
                webbrowser.open(where)
        code = server.wait()
    return 0 if signals else code or FAILED


def _environment(options: Served) -> dict[str, str]:
    """The server's environment, with what the options add to its variables."""
    lists = {HOSTS: ("--allow-host", options.hosts), EMBEDDING: ("--allow-embedding", options.embedding)}
    together = {}
    for variable, (option, values) in lists.items():
        origins = [(text, option) for text in values] + [(text, variable) for text in listed(variable)]
        try:
            for text, setting in origins:
                MEANINGS[variable](text, setting)
        except AddressError as error:
            raise CommandError(str(error)) from None
        together[variable] = ",".join(text for text, _ in origins)
    return {**os.environ, **together}


def _base_path(option: str | None) -> str:
    setting, text = ("--base-path", option) if option is not None else (BASE_PATH, os.environ.get(BASE_PATH, ""))
    path = text.strip("/")
    if not PATH.fullmatch(path):
        raise CommandError(
            f"{setting} is {text!r}; allowed are letters, digits, '-', '.', '_' and '~', with '/' between parts: "
            "lab or class/lab."
        )
    return path


@contextmanager
def _passed_on(server: subprocess.Popen[bytes]) -> Iterator[list[int]]:
    """Signals that end this process end the server, the second one at once; yields those that came."""
    signals: list[int] = []

    def tell(number: int, _frame: FrameType | None) -> None:
        if signals:
            server.kill()
        else:
            server.terminate()
        signals.append(number)

    before = {number: signal.signal(number, tell) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait_until_up(server: subprocess.Popen[bytes], address: str, port: int) -> bool:
    while server.poll() is None:
        with suppress(OSError), socket.create_connection((address, port), timeout=1):
            return True
        time.sleep(0.05)
    return False


def check_port(address: str, port: int) -> None:
    """Raise :class:`CommandError` where nothing can listen at this address and port."""
    if not 1 <= port <= 65_535:
        raise CommandError(f"Port is {port}; allowed is a whole number from 1 to 65535.")
    try:
        family = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except OSError as error:
        raise CommandError(
            f"goldviz cannot listen at {address}, port {port}: {(error.strerror or str(error)).lower()}. "
            "If another program uses the port, name another one with --port."
        ) from None
