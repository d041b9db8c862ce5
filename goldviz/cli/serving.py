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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from goldviz.cli.errors import FAILED, CommandError

if TYPE_CHECKING:
    from types import FrameType

HOSTS = "GOLDVIZ_HOSTS"
"""The names under which the server answers beside its own, separated by commas."""
HOST = re.compile(r"[0-9a-z]([0-9a-z.-]*[0-9a-z])?|\[?[0-9a-f:]*:[0-9a-f:.]*\]?", re.IGNORECASE)


def app_path() -> Path:
    """Where app.py lies: in the package that pip installed, or at the top of a checkout."""
    package = Path(__file__).parents[1]
    places = (package / "_app" / "app.py", package.parent / "app.py")
    for place in places:
        if place.is_file():
            return place
    raise CommandError(f"The dashboard is missing from this installation; looked for {places[0]} and {places[1]}.")


def serve(address: str, port: int, more_hosts: list[str], open_browser: bool) -> int:
    """Run the server until it is told to stop; raises :class:`CommandError` where it could not listen.

    ``more_hosts`` are further names under which it answers.
    """
    app, environment = app_path(), _with_hosts(more_hosts)
    check_port(address, port)
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless", "true"]
    command += ["--server.address", address, "--server.port", str(port)]
    # In a session of its own the server does not see Ctrl-C, which would cut its workers short.
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True, env=environment)
    with _passed_on(server) as told:
        if _wait_until_up(server, address, port):
            where = f"http://{f'[{address}]' if ':' in address else address}:{port}"
            print(f"goldviz is at {where} (Ctrl-C stops it)", flush=True)
            if open_browser:
                webbrowser.open(where)
        code = server.wait()
    return 0 if told else code or FAILED


def _with_hosts(more: list[str]) -> dict[str, str]:
    for name in more:
        if not HOST.fullmatch(name):
            raise CommandError(f"--allow-host is {name!r}; allowed is a name or an address, without scheme and port.")
    return {**os.environ, HOSTS: ",".join([*more, os.environ.get(HOSTS, "")])}


@contextmanager
def _passed_on(server: subprocess.Popen[bytes]) -> Iterator[list[int]]:
    """Signals that end this process end the server, the second one at once; yields those that came."""
    told: list[int] = []

    def tell(number: int, _frame: FrameType | None) -> None:
        if told:
            server.kill()
        else:
            server.terminate()
        told.append(number)

    before = {number: signal.signal(number, tell) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield told
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
