"""Finished runs of the presets that ship with the package, so that a page has its figure at once.

They are made by ``make examples`` and nothing else.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import xarray as xr

from goldviz.experiments.base import Experiment

FOLDER = Path(__file__).parent / "recorded"


def example_path(experiment: type[Experiment], slug: str) -> Path:
    """Where the recorded run of a preset lies."""
    return FOLDER / f"{experiment.name}.{slug}.safetensors"


def picture_path(name: str) -> Path:
    """Where the home page's picture of the experiment or instant page of this name lies."""
    return FOLDER / f"{name}.svg"


@cache
def example(experiment: type[Experiment], slug: str) -> xr.Dataset:
    """The recorded run of a preset."""
    from goldviz.runs.arrays import dataset_from_bytes

    return dataset_from_bytes(example_path(experiment, slug).read_bytes())


def has_example(experiment: type[Experiment], slug: str) -> bool:
    """Whether a recorded run of the preset ships with the package."""
    return example_path(experiment, slug).is_file()
