"""Reports and tables are made of the run built by hand that figures are drawn of."""

from tests.figures.conftest import build_run, run

__all__ = ["build_run", "run"]
