"""What a run can be written to: netCDF, a table of curves, a report, a script."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldviz.cli.errors import CommandError
from goldviz.data.tables.whole_files import write_beside, write_text_beside
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import experiment
from goldviz.declare.settings import Experiment, SettingsError, either
from goldviz.extras import check_extra
from goldviz.watching.declared import WATCHED

if TYPE_CHECKING:
    import xarray as xr


def checked_file(path: Path, kinds: Collection[str]) -> Path:
    """The path, if it can be written and its suffix is one of ``kinds``; raises :class:`CommandError`."""
    folder = path.absolute().parent
    if path.suffix not in kinds:
        ending = f"ends in {path.suffix}" if path.suffix else "has no suffix"
        raise CommandError(f"The file {path} {ending}; allowed is {either(kinds)}.")
    if not folder.is_dir():
        raise CommandError(f"The folder {folder} does not exist.")
    is_taken = path.exists() and not (path.is_file() and os.access(path, os.W_OK))
    if is_taken or not os.access(Path(os.path.realpath(path)).parent, os.W_OK):
        raise CommandError(f"The file {path} cannot be written.")
    return path


def write_netcdf(dataset: xr.Dataset, path: Path) -> None:
    """Everything that was recorded, as ``xarray.load_dataset`` reads it back; of texts, what netCDF can hold."""
    check_extra("netcdf", "A .nc file")
    texts = {name: array for name, array in dataset.coords.items() if array.dtype.kind in "UO"}
    labels = {name: (array.dims, [_held(value) for value in array.values.tolist()]) for name, array in texts.items()}
    told = dataset.assign_coords(labels).assign_attrs({name: _held(value) for name, value in dataset.attrs.items()})
    write_beside(path, lambda beside: told.to_netcdf(beside, engine="h5netcdf"))


def _held(value: Any) -> Any:
    """A text as netCDF can hold it: with a sign for NUL, at which C ends a text, and for what is no character."""
    return value.replace("\0", "\u2400").encode("utf-8", "replace").decode() if isinstance(value, str) else value


def write_csv(dataset: xr.Dataset, path: Path) -> None:
    """The curves as one long table."""
    from goldviz.export.table import curves_csv

    write_text_beside(path, curves_csv(dataset))


def write_report(dataset: xr.Dataset, path: Path, *, still: bool = False) -> None:
    """Settings, findings and figures as one HTML file, ``still`` without Plotly."""
    from goldviz.api import report as report_of
    from goldviz.export.report import report_of_run, report_of_unread_run

    if dataset.attrs["experiment"] == WATCHED:
        report_of(dataset, path, still=still)
        return
    settings_class = experiment(dataset.attrs["experiment"])
    figures = laboratory_of(settings_class).figures().FIGURES
    try:
        settings = _settings(dataset)
    except SettingsError as error:
        report = report_of_unread_run(str(error), dataset, figures, still=still)
    else:
        report = report_of_run(settings, dataset, figures, still=still)
    write_text_beside(path, report)


def write_script(dataset: xr.Dataset, path: Path) -> None:
    """The Python file that repeats the run."""
    from goldviz.runs.store.arrays import changes_by_step

    if dataset.attrs["experiment"] == WATCHED:
        raise CommandError("The run is of a script of your own, which goldviz does not have; allowed is .html or .nc.")
    settings = _settings(dataset)
    write_text_beside(path, laboratory_of(settings).script(settings, changes_by_step(dataset)))


def _settings(dataset: xr.Dataset) -> Experiment:
    """What a kept run was asked for; raises :class:`SettingsError` where nobody understands it any more."""
    facts = dataset.attrs
    return experiment(facts["experiment"]).from_store(facts["settings_version"], facts["settings"])


Writer = Callable[["xr.Dataset", Path], None]
ARRAYS: dict[str, Writer] = {".nc": write_netcdf}
OUTPUTS: dict[str, Writer] = {".nc": write_netcdf, ".csv": write_csv}
EXPORTS: dict[str, Writer] = {".html": write_report, ".csv": write_csv, ".nc": write_netcdf, ".py": write_script}
