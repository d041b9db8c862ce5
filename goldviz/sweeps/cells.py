"""Cells that are kept: the dataset of each run under the sum of all that its numbers hang on."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldviz.data.tables.kept_files import PLACES
from goldviz.data.tables.whole_files import digest
from goldviz.declare.laboratory import Laboratory, laboratory_of
from goldviz.runs.store.arrays import dataset_from_bytes, dataset_to_bytes
from goldviz.runs.versions import versions

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.declare.settings import Experiment

CELLS = PLACES["cells"]
MEASURES = "measures"
LONGEST_HEADER = 100 * 10**6


def key_of(settings: Experiment) -> str:
    """Under which name a run of these settings is kept: another version or another laboratory's source is another."""
    about = {
        "experiment": settings.name,
        "settings_version": settings.version,
        "settings": settings.model_dump(mode="json"),
        "versions": versions(),
        "sources": _sources_of(laboratory_of(settings)),
    }
    return digest(json.dumps(about, sort_keys=True).encode())


@cache
def _sources_of(lab: Laboratory) -> str:
    """The sum of a laboratory's own files: one that somebody works on gives other numbers after a change."""
    whole = hashlib.sha256()
    for path in sorted(Path(str(lab.part().__file__)).parent.glob("*.py")):
        whole.update(path.name.encode() + path.read_bytes())
    return whole.hexdigest()


def keep(key: str, dataset: xr.Dataset, measures: dict[str, float]) -> None:
    """Keep a cell with its measures. Raises OSError."""
    CELLS.write(key, dataset_to_bytes(dataset.assign_attrs({MEASURES: json.dumps(measures)})))


def facts_of(key: str) -> dict[str, Any] | None:
    """What a kept cell's attributes say, without its numbers; None where there is no such cell, or none that is whole.

    It counts as used just now.
    """
    path = CELLS.path(key)
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(length)) if length < LONGEST_HEADER else {}
        facts: dict[str, Any] = json.loads(header["__metadata__"]["dataset"])["attributes"]
        facts[MEASURES] = json.loads(facts[MEASURES])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    with suppress(OSError):
        os.utime(path)
    return facts


def dataset_at(key: str) -> xr.Dataset | None:
    """A kept cell's run, as :func:`goldviz.run` gave it; None where it is not there."""
    try:
        content = CELLS.read(key)
        dataset = None if content is None else dataset_from_bytes(content)
    except (OSError, ValueError, LookupError):
        return None
    if dataset is not None:
        dataset.attrs.pop(MEASURES, None)
    return dataset


def size_at(key: str) -> int:
    """How many bytes a kept cell takes; 0 where it is not there."""
    with suppress(OSError):
        return CELLS.path(key).stat().st_size
    return 0
