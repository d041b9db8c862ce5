"""A sweep as one dataset: settings and seeds are dimensions, what was measured are variables."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import Experiment, SettingsError, facts, label
from goldviz.runs.versions import versions
from goldviz.sweeps import cells
from goldviz.sweeps.grid import SEED, Grid

if TYPE_CHECKING:
    import xarray as xr

Own = Callable[["xr.Dataset"], float]
FAILED, STATUS, SECONDS = "failed", "status", "seconds"
"""Variables that every sweep has."""


@dataclass(frozen=True)
class Column:
    """A variable of the sweep: what a cell's kept measures say under a name, or a function of its run."""

    name: str
    read: str | Own


def assembled(
    grid: Grid,
    keys: Mapping[tuple[int, ...], str],
    known: Mapping[str, Mapping[str, Any]],
    failures: Mapping[tuple[int, ...], str],
    asked: Sequence[Column] | None,
    curves: Sequence[str],
) -> xr.Dataset:
    """The dataset of a sweep: what is ``known`` of its cells, and why others have no numbers."""
    import xarray as xr

    dims = [*grid.axes, SEED]
    told = {place: known[key] for place, key in keys.items() if key in known}
    names = dict.fromkeys(name for about in told.values() for name in about[cells.MEASURES])
    columns = [Column(name, name) for name in names] if asked is None else asked
    curves = [curves] if isinstance(curves, str) else list(dict.fromkeys(curves))
    arrays = {one.name: np.full(grid.shape, np.nan) for one in columns}
    sentences = np.full(grid.shape, "", dtype=object)
    status, seconds, places = sentences.copy(), np.full(grid.shape, np.nan), sentences.copy()
    drawn: dict[str, dict[tuple[int, ...], xr.DataArray]] = {name: {} for name in curves}
    for place, sentence in failures.items():
        sentences[place], status[place] = sentence, FAILED
    own = [one for one in columns if callable(one.read)]
    for place, about in told.items():
        status[place], seconds[place] = about["status"], float(about["duration"])
        places[place] = keys[place]
        for one in columns:
            if not callable(one.read):
                arrays[one.name][place] = about[cells.MEASURES].get(one.read, np.nan)
        dataset = cells.dataset_at(keys[place]) if own or curves else None
        if dataset is None:
            continue
        for one in own:
            try:
                arrays[one.name][place] = np.asarray(one.read(dataset), dtype=np.float64).item()  # type: ignore[operator]
            except Exception as error:  # noqa: BLE001 - it is somebody's own function, and the others go on
                words = f"{one.name} failed with {type(error).__name__}: {str(error)[:200]}"
                sentences[place] = f"{sentences[place]} {words}".strip()
        for name in curves:
            if name in dataset:
                drawn[name][place] = dataset[name].isel({SEED: 0}) if SEED in dataset[name].dims else dataset[name]
    told_of = laboratory_of(grid.kind).measures
    variables: dict[str, Any] = {name: (dims, values, _about(told_of.get(name))) for name, values in arrays.items()}
    for name, parts in drawn.items():
        variables[name] = _joined(parts, dims, grid.shape, name)
    variables |= {
        STATUS: (dims, status, {"long_name": "How the run ended"}),
        SECONDS: (dims, seconds, {"long_name": "Time that the run trained", "units": "s"}),
        FAILED: (dims, sentences, {"long_name": "Why there are no numbers"}),
        "cell": (dims, places, {"long_name": "Under which key the run is kept"}),
    }
    coordinates = {name: (name, list(values), _about_setting(grid.kind, name)) for name, values in grid.axes.items()}
    settings = next(cell.settings for cell in grid if cell.settings is not None).model_dump(mode="json")
    fixed = {name: value for name, value in settings.items() if name not in (*grid.axes, "seeds")}
    return xr.Dataset(
        variables,
        {**coordinates, SEED: (SEED, list(grid.seeds))},
        {
            "experiment": grid.kind.name,
            "sweep": json.dumps(list(grid.axes)),
            "settings": json.dumps(fixed),
            "settings_version": grid.kind.version,
            "versions": json.dumps(versions()),
        },
    )


def _about(measure: Any) -> dict[str, str]:
    return {} if measure is None else {"long_name": measure.words, "units": measure.unit or "1"}


def _about_setting(kind: type[Experiment], name: str) -> dict[str, str]:
    return {"long_name": label(name), "units": facts(kind, name)["unit"] or "1"}


def _joined(parts: Mapping[tuple[int, ...], xr.DataArray], dims: list[str], shape: tuple[int, ...], name: str) -> Any:
    """Curves of all cells on one grid, NaN where a cell has no such place."""
    import xarray as xr

    if not parts:
        return (dims, np.full(shape, np.nan))
    first = next(iter(parts.values()))
    if clash := next((str(dim) for dim in first.dims if dim in dims), None):
        raise SettingsError({"curves": f"{name} has a dimension {clash!r} of its own; ask goldviz.cell for its runs."})
    labels: dict[str, np.ndarray] = {}
    for dim in map(str, first.dims):
        every = [part[dim].values for part in parts.values()]
        merged = dict.fromkeys(one for values in every for one in values.tolist())
        labels[dim] = np.array(sorted(merged) if every[0].dtype.kind in "fiu" else list(merged))
    values = np.full((*shape, *map(len, labels.values())), np.nan)
    for place, part in parts.items():
        where = [np.searchsorted(own, part[dim].values) if own.dtype.kind in "fiu"
                 else np.array([own.tolist().index(one) for one in part[dim].values.tolist()])
                 for dim, own in labels.items()]  # fmt: skip
        values[place][np.ix_(*where)] = part.values
    return xr.DataArray(values, labels, [*dims, *labels], attrs=first.attrs)
