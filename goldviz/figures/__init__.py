"""Labelled arrays in, Plotly figures out."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import plotly.graph_objects as go
    import xarray as xr


class _Room(ModuleType):
    """This package, also a question: ``goldviz.figures(ds)`` answers with the figures of a run by name."""

    def __call__(self, dataset: xr.Dataset) -> Mapping[str, go.Figure]:
        # The Python face stands above this room and knows what a run is; drawing never asks it.
        answer: Mapping[str, go.Figure] = importlib.import_module("goldviz.api").figures(dataset)
        return answer


# Importing a subpackage puts it under its name into the package, so the name has to answer as both.
sys.modules[__name__].__class__ = _Room
