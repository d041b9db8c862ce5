"""What laboratories' tests share. Those of a page ask for ``on_pages``: the others do not pay for it."""

from pathlib import Path

import pytest

from tests.figures.conftest import build_run, run
from tests.pages.store import database, on_pages, pages_by_navigation
from tests.thinned import REPRESENTATIVES

__all__ = ["build_run", "database", "on_pages", "pages_by_navigation", "run"]

LABORATORIES = Path(__file__).parent
WITHOUT_REPRESENTATION = ("test_page.py", "test_figures.py")
"""How a page answers and what its figures draw. Where a laboratory represents none, the ordinary suite opens its page,
draws all figures, compares what they draw with what was kept, and computes what they tell anew."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    represented = {name.replace("-", "_") for name in REPRESENTATIVES}
    for item in items:
        folder = item.path.parent
        left_out = item.path.name in WITHOUT_REPRESENTATION and folder.name not in represented
        if folder.parent == LABORATORIES and left_out and not item.get_closest_marker("untrusted"):
            item.add_marker(pytest.mark.slow)
