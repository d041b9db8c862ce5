"""Every test of this folder looks at pages."""

from pathlib import Path

import pytest

from tests.pages.store import database, on_pages, pages_by_navigation

__all__ = ["database", "on_pages", "pages_by_navigation"]


@pytest.fixture(autouse=True)
def _on_pages(on_pages: Path) -> None:
    """Each has a store of its own."""
