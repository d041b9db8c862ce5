"""A store of the test's own, and threads in place of worker processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from goldviz.ui.serving import services


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    file = tmp_path / "runs.sqlite"
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{file}")
    monkeypatch.setenv("GOLDVIZ_WORKERS", "0")
    yield file
    services.close()
