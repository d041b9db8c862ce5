"""What an instant page shows, computed where it is asked for: in a worker process, or at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.registry import instants

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.runs.jobs import Report


def compute(report: Report, name: str, settings: str) -> xr.Dataset:
    """The numbers of the instant laboratory ``name`` for settings in JSON; raises as its ``compute`` does."""
    return instants()[name].checked_json(settings).compute()
