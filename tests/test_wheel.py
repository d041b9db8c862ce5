"""The wheel has everything in it: installed elsewhere, the shell serves the app from any folder."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.ports import free_port

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([*build, str(folder), str(ROOT)], check=True, timeout=240)
    return next(folder.glob("goldviz-*.whl"))


@pytest.mark.slow
def test_app_pages_examples_and_assets_travel_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in (
        "goldviz/_app/app.py",
        "goldviz/_app/pages/home.py",
        "goldviz/_app/pages/depth_gradients.py",
        "goldviz/_app/.streamlit/config.toml",
        "goldviz/data/texts/policy/lexicon.toml",
        "goldviz/ui/assets/live_figure.js",
        "goldviz/labs/inside_bert/assets/attention_explorer.js",
        "goldviz/labs/inside_bert/assets/attention_explorer.html",
        "goldviz/labs/depth_gradients/recorded/as-in-the-document.safetensors",
        "goldviz/labs/jacobian_lens/recorded/picture.svg",
    ):
        assert name in names
    assert not any(name.startswith(("tests/", "docs/", "benchmarks/")) for name in names)


@pytest.mark.slow
def test_the_installed_shell_serves_the_app_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    zipfile.ZipFile(wheel).extractall(site)
    port = free_port()
    environment = {
        **os.environ,
        "PYTHONPATH": str(site),
        "GOLDVIZ_DATABASE_URL": f"sqlite:///{tmp_path / 'runs.sqlite'}",
        "GOLDVIZ_WORKERS": "0",
    }
    call = "import sys, goldviz; from goldviz.cli import main; print(goldviz.__file__); sys.exit(main(sys.argv[1:]))"
    with (tmp_path / "log").open("wb") as log:
        serving = subprocess.Popen(
            [sys.executable, "-c", call, "serve", "--port", str(port)],
            cwd=elsewhere,
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        assert _answers(f"http://127.0.0.1:{port}/_stcore/health", serving), (tmp_path / "log").read_text()
        assert _answers(f"http://127.0.0.1:{port}/goldviz/plotly.min.js", serving)
    finally:
        serving.send_signal(signal.SIGTERM)
        serving.wait(60)
    said = (tmp_path / "log").read_text()
    assert str(site) in said
    assert f"http://127.0.0.1:{port}" in said


def _answers(address: str, serving: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and serving.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    return False
