"""What laboratories' tests share. Those of a page ask for ``on_pages``: the others do not pay for it."""

from tests.figures.conftest import build_run, run
from tests.pages.store import database, on_pages, pages_by_navigation

__all__ = ["build_run", "database", "on_pages", "pages_by_navigation", "run"]
