"""Every test has a store of its own, with threads in place of worker processes."""

from tests.figures.conftest import build_run, run
from tests.pages.conftest import _pages_by_navigation, database

__all__ = ["_pages_by_navigation", "build_run", "database", "run"]
