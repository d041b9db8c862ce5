"""What there is to run, for a notebook: ``goldviz.experiments()`` gives name -> settings class."""

from __future__ import annotations

import sys
from types import ModuleType

from goldviz.declare.registry import experiment, experiments
from goldviz.declare.settings import Experiment, SettingsError

__all__ = ["Experiment", "SettingsError", "experiment", "experiments"]


class _Question(ModuleType):
    """This module, also a question: calling it answers with all experiments by name."""

    def __call__(self) -> dict[str, type[Experiment]]:
        return experiments()


sys.modules[__name__].__class__ = _Question
