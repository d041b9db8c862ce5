"""What a page needs: a store of the test's own, with threads in place of worker processes, and known pages.

Nothing here loads Streamlit before a test asks for it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    from goldviz.ui.serving import services

    file = tmp_path / "runs.sqlite"
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{file}")
    monkeypatch.setenv("GOLDVIZ_WORKERS", "0")
    yield file
    services.close()


@pytest.fixture
def pages_by_navigation(monkeypatch: pytest.MonkeyPatch) -> None:
    """What The server tells Streamlit once about the folder pages/; AppTest forgets it at every run."""
    from streamlit.runtime.pages_manager import PagesManager

    begin = PagesManager.__init__

    def begin_without_pages_folder(self: Any, *arguments: Any, **options: Any) -> None:
        begin(self, *arguments, **options)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "uses_pages_directory", False)
    monkeypatch.setattr(PagesManager, "__init__", begin_without_pages_folder)


@pytest.fixture
def on_pages(database: Path, pages_by_navigation: None) -> Path:
    """All that a test of pages needs."""
    return database
