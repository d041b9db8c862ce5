"""Experiments: what can be set, what is recorded, and what a run does.

Every module of this package may declare an :class:`~goldviz.experiments.base.Experiment`; none needs to be listed.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from functools import cache
from types import ModuleType

from goldviz.experiments.base import Experiment, SettingsError


@cache
def experiments() -> dict[str, type[Experiment]]:
    """All experiments by name. Imports their declarations, which load neither torch nor Streamlit."""
    for module in pkgutil.iter_modules(__path__):
        if not module.ispkg:
            importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(Experiment.registry.items()))


def experiment(name: str) -> type[Experiment]:
    """The experiment of this name; raises :class:`SettingsError` where there is none."""
    known = experiments()
    if name not in known:
        raise SettingsError({"experiment": f"There is no experiment {name[:60]!r}; there are {', '.join(known)}."})
    return known[name]


class _Room(ModuleType):
    """This package, also a question: ``goldviz.experiments()`` answers with all experiments by name."""

    def __call__(self) -> dict[str, type[Experiment]]:
        return experiments()


# Importing a subpackage puts it under its name into the package, so the name has to answer as both.
sys.modules[__name__].__class__ = _Room
