"""What a run can be written to: netCDF, a table of curves, a report, a script."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldviz.cli.errors import CommandError
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import experiment
from goldviz.declare.settings import Experiment, SettingsError, either
from goldviz.extras import check_extra

if TYPE_CHECKING:
    import xarray as xr


def checked_file(path: Path, kinds: Mapping[str, Any]) -> Path:
    """The path, if it can be written and its suffix is one of ``kinds``; raises :class:`CommandError`."""
    folder = path.absolute().parent
    if path.suffix not in kinds:
        ending = f"ends in {path.suffix}" if path.suffix else "has no suffix"
        raise CommandError(f"The file {path} {ending}; allowed is {either(kinds)}.")
    if not folder.is_dir():
        raise CommandError(f"The folder {folder} does not exist.")
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise CommandError(f"The file {path} cannot be written.")
    return path


def write_netcdf(dataset: xr.Dataset, path: Path) -> None:
    """Everything that was recorded, as ``xarray.load_dataset`` reads it back."""
    check_extra("netcdf", "A .nc file")
    dataset.to_netcdf(path, engine="h5netcdf")


def write_csv(dataset: xr.Dataset, path: Path) -> None:
    """The curves as one long table."""
    from goldviz.export.table import curves_csv

    path.write_text(curves_csv(dataset), encoding="utf-8")


def write_report(dataset: xr.Dataset, path: Path) -> None:
    """Settings, findings and figures as one HTML file."""
    from goldviz.export.report import report_of_run, report_of_unread_run

    settings_class = experiment(dataset.attrs["experiment"])
    figures = laboratory_of(settings_class).figures().FIGURES
    try:
        settings = _settings(dataset)
    except SettingsError as error:
        report = report_of_unread_run(str(error), dataset, figures)
    else:
        report = report_of_run(settings, dataset, figures)
    path.write_text(report, encoding="utf-8")


def write_script(dataset: xr.Dataset, path: Path) -> None:
    """The Python file that repeats the run."""
    from goldviz.runs.store.arrays import changes_by_step

    settings = _settings(dataset)
    path.write_text(laboratory_of(settings).script(settings, changes_by_step(dataset)), encoding="utf-8")


def _settings(dataset: xr.Dataset) -> Experiment:
    """What a kept run was asked for; raises :class:`SettingsError` where nobody understands it any more."""
    facts = dataset.attrs
    return experiment(facts["experiment"]).from_store(facts["settings_version"], facts["settings"])


Writer = Callable[["xr.Dataset", Path], None]
ARRAYS: dict[str, Writer] = {".nc": write_netcdf}
OUTPUTS: dict[str, Writer] = {".nc": write_netcdf, ".csv": write_csv}
EXPORTS: dict[str, Writer] = {".html": write_report, ".csv": write_csv, ".nc": write_netcdf, ".py": write_script}
