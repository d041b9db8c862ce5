"""What an instant page shows, computed where it is asked for: in a worker process, or at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import instants

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.runs.jobs.jobs import Report


def compute(report: Report, name: str, settings: str) -> xr.Dataset:
    """The numbers of the instant laboratory ``name`` for settings in JSON; raises as its ``compute`` does.

    A laboratory that takes longer has a ``compute_and_report(settings, report)`` beside its ``compute``, which tells
    how far it is and may be stopped.
    """
    view_settings = instants()[name].checked_json(settings)
    part = laboratory_of(view_settings).part("compute")
    reporting = getattr(part, "compute_and_report", None)
    dataset: xr.Dataset = reporting(view_settings, report) if reporting else view_settings.compute()
    return dataset
