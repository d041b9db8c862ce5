"""Runs: recording them, keeping them, carrying them out."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


class _Room(ModuleType):
    """This package, also a question: ``goldviz.runs()`` answers with the latest kept runs."""

    def __call__(self, limit: int = 50) -> pd.DataFrame:
        from goldviz.runs.store.listing import latest

        return latest(limit)


# Importing a subpackage puts it under its name into the package, so the name has to answer as both.
sys.modules[__name__].__class__ = _Room
