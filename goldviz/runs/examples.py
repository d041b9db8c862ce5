"""Finished runs of the presets that ship with the package, so that a page has its figure at once.

They are made by ``make examples`` and nothing else.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from goldviz.declare.kept import in_todays_words
from goldviz.declare.kinds import with_kinds
from goldviz.declare.laboratory import Laboratory, laboratory_of
from goldviz.declare.settings import Experiment
from goldviz.runs.store.arrays import dataset_from_bytes

if TYPE_CHECKING:
    import xarray as xr

EXAMPLE = "example:"
"""Begins the name of a lane, or of kept weights, that are a preset's recorded run: ``example:as-in-the-document``."""


def example_path(experiment: type[Experiment], slug: str) -> Path:
    """Where the recorded run of a preset lies."""
    return laboratory_of(experiment).recorded / f"{slug}.safetensors"


def weights_path(experiment: type[Experiment], slug: str) -> Path:
    """Where the last weights of a preset's recorded run lie, in half precision; of most runs there are none."""
    return laboratory_of(experiment).recorded / f"{slug}.weights.safetensors"


def picture_path(lab: Laboratory) -> Path:
    """Where the home page's picture of a laboratory lies."""
    return lab.recorded / "picture.svg"


@cache
def example(experiment: type[Experiment], slug: str) -> xr.Dataset:
    """The recorded run of a preset."""
    dataset = dataset_from_bytes(example_path(experiment, slug).read_bytes())
    dataset.attrs = in_todays_words(experiment, dataset.attrs)
    return with_kinds(dataset, experiment.variables)


def has_example(experiment: type[Experiment], slug: str) -> bool:
    """Whether a recorded run of the preset ships with the package."""
    return example_path(experiment, slug).is_file()
