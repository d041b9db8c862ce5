"""A Chromium that is asked what is on screen and nothing else, as close to a visitor's as one that is watched can be.

Playwright turns on what a debugger wants to hear of each page. V8 then notes the place of every exception that a script
throws and catches, and Plotly's script throws several while it is read, which takes some 150 ms longer for it alone.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from serving.chromium import FLAGS

PATIENCE_SECONDS = 60.0
LOOK_SECONDS = 0.15


class Visitor:
    """A page with a cache of its own."""

    def __init__(self, connection: ClientConnection, before: str) -> None:
        self._connection, self._number, self._session = connection, 0, ""
        self._context = self._ask("Target.createBrowserContext")["browserContextId"]
        target = self._ask("Target.createTarget", url="about:blank", browserContextId=self._context)["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._ask("Page.enable")
        size = {"width": 1440, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", **size)
        self._ask("Page.addScriptToEvaluateOnNewDocument", source=before)

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        session = {"sessionId": self._session} if self._session else {}
        self._connection.send(json.dumps({"id": self._number, "method": method, "params": parameters, **session}))
        while True:
            answer = json.loads(self._connection.recv(timeout=PATIENCE_SECONDS))
            if answer.get("id") == self._number:
                result: dict[str, Any] = answer["result"]
                return result

    def painted_at(self, address: str, count: int) -> dict[str, float]:
        """Milliseconds from the start of the navigation to each of so many moments watched for."""
        self._ask("Page.navigate", url=address)
        for _ in range(round(PATIENCE_SECONDS / LOOK_SECONDS)):
            time.sleep(LOOK_SECONDS)
            said = self._ask("Runtime.evaluate", expression="JSON.stringify(window.paintedAt ?? {})")["result"]["value"]
            found: dict[str, float] = json.loads(said)
            if len(found) == count and all(found.values()):
                return found
        raise TimeoutError(f"{address} came to {', '.join(found)} only.")

    def leave(self) -> None:
        """Close the page, and forget what it kept."""
        self._session = ""
        self._ask("Target.disposeBrowserContext", browserContextId=self._context)


@contextmanager
def quiet_chromium() -> Iterator[ClientConnection]:
    """The connection to the system's Chromium, without a window."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        words = [program, "--headless", *FLAGS, "--no-first-run", "--remote-debugging-port=0", "about:blank"]
        browser = subprocess.Popen([*words, f"--user-data-dir={folder}"], stderr=subprocess.DEVNULL)
        try:
            port, path = _where(Path(folder, "DevToolsActivePort"))
            with connect(f"ws://127.0.0.1:{port}{path}", max_size=None) as connection:
                yield connection
        finally:
            browser.terminate()
            browser.wait()


def _where(file: Path) -> list[str]:
    for _ in range(round(PATIENCE_SECONDS / LOOK_SECONDS)):
        if file.exists() and len(lines := file.read_text().split()) == 2:
            return lines
        time.sleep(LOOK_SECONDS)
    raise TimeoutError("Chromium does not say where it is.")
