"""Every test has a store of its own, with threads in place of worker processes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime.pages_manager import PagesManager

from goldviz.ui import services


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    file = tmp_path / "runs.sqlite"
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{file}")
    monkeypatch.setenv("GOLDVIZ_WORKERS", "0")
    yield file
    services.close()


@pytest.fixture(autouse=True)
def _pages_by_navigation(monkeypatch: pytest.MonkeyPatch) -> None:
    """What goldviz.ui.server.lifespan tells Streamlit once about the folder pages/; AppTest forgets it at every run."""
    begin = PagesManager.__init__

    def begin_without_pages_folder(self: PagesManager, *arguments: Any, **options: Any) -> None:
        begin(self, *arguments, **options)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "uses_pages_directory", False)
    monkeypatch.setattr(PagesManager, "__init__", begin_without_pages_folder)
