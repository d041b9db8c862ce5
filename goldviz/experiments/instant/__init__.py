"""Instant pages: what takes so little time that the page computes it, with no run.

Every module of this package may declare an :class:`~goldviz.experiments.instant.base.Instant`; none needs to be
listed. What is computed stands in :mod:`goldviz.experiments.procedures` and is imported on the first use.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from goldviz.experiments.base import SettingsError
from goldviz.experiments.instant.base import Instant


@cache
def instants() -> dict[str, type[Instant]]:
    """All instant pages by name. Imports their declarations, which load neither torch nor Streamlit."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(Instant.registry.items()))


def instant(name: str) -> type[Instant]:
    """The instant page of this name; raises :class:`~goldviz.experiments.base.SettingsError` where there is none."""
    known = instants()
    if name not in known:
        raise SettingsError({"page": f"There is no instant page {name[:60]!r}; there are {', '.join(known)}."})
    return known[name]
