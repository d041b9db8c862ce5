"""What there is to run: ``goldviz.experiments()`` gives name -> settings class; their base and errors stand here."""

from __future__ import annotations

import sys
from types import ModuleType

from goldviz.declare.registry import experiment
from goldviz.declare.registry import experiments as _experiments
from goldviz.declare.settings import Experiment, SettingsError

__all__ = ["Experiment", "SettingsError", "experiment"]


class _Room(ModuleType):
    """This module, also a question."""

    def __call__(self) -> dict[str, type[Experiment]]:
        """All experiments by name."""
        return _experiments()


# Importing it puts it under its name into the package, so the name has to answer as both.
sys.modules[__name__].__class__ = _Room
