"""docs/serving.md's lines for nginx, in the real nginx: page, web socket, upload and base path."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import ROOT, environment_of
from tests.browser.laboratory_page import figure
from tests.ports import free_port

Opener = Callable[..., Page]
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
SAID = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
PATIENCE = 120_000
"""Milliseconds: the server's one process answers, draws and reads a file of a megabyte."""
NAME = "lab.localhost"
"""A browser finds it on this machine, and neither goldviz nor Streamlit takes it for the machine's own."""

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed: apt-get install nginx")


def configuration(folder: Path, port: int, upstream: str, base: str, host: str) -> str:
    """The page's own lines, at this port, with plain HTTP, below a path and with another ``Host`` where asked."""
    (lines,) = re.findall(r"```nginx\n(.*?)```", SAID, flags=re.DOTALL)
    changes = {
        "listen 443 ssl;": f"listen 127.0.0.1:{port};",
        "    ssl_certificate     /etc/ssl/lab.example.crt;\n": "",
        "    ssl_certificate_key /etc/ssl/lab.example.key;\n": "",
        "lab.example": NAME,
        "location / {": f"location {base}/ {{{host}",
        "http://127.0.0.1:8501": upstream,
    }
    for said, here in changes.items():
        assert said in lines, said
        lines = lines.replace(said, here)
    own = "".join(
        f"{kind}_temp_path {folder / kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # Started by root it would work as nobody, who may not write into the test's folder.
    user = "user root;\n" if os.geteuid() == 0 else ""
    return (
        f"{user}daemon off;\npid {folder / 'nginx.pid'};\nerror_log {folder / 'nginx.log'};\nevents {{}}\n"
        f"http {{\naccess_log off;\n{own}{lines}}}\n"
    )


@contextmanager
def goldviz(folder: Path, *options: str) -> Iterator[str]:
    """``goldviz serve`` with these options; yields the address that it prints."""
    environment = environment_of(f"sqlite:///{folder / 'runs.sqlite'}", folder, 0, {"GOLDVIZ_JOB_WORKERS": "0"})
    command = [sys.executable, "-c", "import sys; from goldviz.cli import main; sys.exit(main())"]
    command += ["serve", "--port", str(free_port()), *options]
    with (folder / "goldviz.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, cwd=folder)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().decode().removeprefix("goldviz is at ").partition(" ")[0]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        process.stdout.close()


@contextmanager
def nginx(folder: Path, written: str) -> Iterator[None]:
    assert NGINX is not None
    (folder / "nginx.conf").write_text(written, encoding="utf-8")
    process = subprocess.Popen([NGINX, "-e", folder / "nginx.log", "-p", folder, "-c", folder / "nginx.conf"])
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


def wait_for(address: str) -> None:
    """Until something answers here."""
    for _ in range(200):
        try:
            urllib.request.urlopen(address, timeout=20).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"nothing answers at {address}")


@pytest.mark.parametrize("base", ["", "/class/lab"], ids=["root", "below a path"])
@pytest.mark.parametrize("host", ["", "proxy_set_header Host $host;"], ids=["nginx's own Host", "the visitor's Host"])
def test_nginx_passes_page_web_socket_and_upload(base: str, host: str, open_page: Opener, tmp_path: Path) -> None:
    port = free_port()
    front = f"http://{NAME}:{port}{base}"
    below = ["--base-path", base] if base else []
    with goldviz(tmp_path, "--allow-host", f"{NAME}:{port}", *below) as address:
        upstream, slash, path = address.removeprefix("http://").partition("/")
        assert slash + path == (f"{base}/" if base else "")
        written = configuration(tmp_path, port, f"http://{upstream}", base, host)
        with nginx(tmp_path, written):
            wait_for(f"http://127.0.0.1:{port}{base}/_stcore/health")
            page = open_page(f"{front}/")
            page.locator("[data-testid=stPageLink] a").filter(has_text="Gradient flow in depth").first.click()
            page.wait_for_url(re.compile(re.escape(f"{front}/depth-gradients")), timeout=PATIENCE)
            expect(figure(page, "gradient_by_layer").locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible(
                timeout=PATIENCE
            )
            bring_a_file(open_page(f"{front}/gold-market"), tmp_path / "mine.csv")
            page.close()


def bring_a_file(page: Page, file: Path) -> None:
    """Bring a market of more than a megabyte, which is all that nginx takes by itself."""
    days = pd.date_range("1900-01-01", periods=45_000)
    prices = {
        name: [f"{100 + number % 7}.1234"] * len(days) for number, name in enumerate(("Open", "High", "Low", "Close"))
    }
    pd.DataFrame({"Date": days, **prices}).to_csv(file, index=False)
    assert file.stat().st_size > 2**20
    page.get_by_role("button", name="Change data").click()
    page.get_by_role("tab", name="A file").click()
    page.locator("input[type=file]").set_input_files(str(file))
    expect(page.get_by_role("dialog")).to_contain_text("45,000 rows", timeout=PATIENCE)
