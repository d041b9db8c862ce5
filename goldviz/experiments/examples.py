"""Finished runs of the presets that ship with the package, so that a page has its figure at once.

They are made by ``make examples`` (``python -m goldviz.experiments.examples``) and nothing else.
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


@cache
def example(experiment: type[Experiment], slug: str) -> xr.Dataset:
    """The recorded run of a preset."""
    from goldviz.runs.arrays import dataset_from_bytes

    return dataset_from_bytes(example_path(experiment, slug).read_bytes())


def has_example(experiment: type[Experiment], slug: str) -> bool:
    """Whether a recorded run of the preset ships with the package."""
    return example_path(experiment, slug).is_file()


def record_examples(experiment: type[Experiment]) -> None:
    """Run every preset of an experiment and write what it recorded."""
    from goldviz.api import run
    from goldviz.runs.arrays import dataset_to_bytes

    FOLDER.mkdir(exist_ok=True)
    for preset in experiment.presets:
        dataset = run(experiment.preset(preset.slug), progress=False)
        dataset.attrs["title"] = preset.name
        example_path(experiment, preset.slug).write_bytes(dataset_to_bytes(dataset))


if __name__ == "__main__":
    from goldviz.experiments import experiments

    for declared in experiments().values():
        record_examples(declared)
