"""Record the runs of all presets, the weights of a few, and the home page's pictures, that ship with the package.

All of them, or those of the laboratories named as arguments; ``depth-gradients/fix-it-clip`` is one preset's run alone,
and ``your-network`` the run that *Your network* opens on.
"""

import os
import sys
import tempfile
from pathlib import Path

import torch
import xarray as xr
from safetensors.torch import load, save_file

import goldviz
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import experiments, instants, laboratories
from goldviz.runs.examples import example_path, picture_path, weights_path
from goldviz.runs.store.arrays import dataset_to_bytes
from goldviz.runs.store.run_store import Store
from goldviz.watching import example

WITH_WEIGHTS = {"char-gpt": "as-in-the-document"}
"""A laboratory's preset whose network can be tried as soon as one comes to the page."""


def recorded(lab: Laboratory) -> xr.Dataset:
    """Run and keep all presets; returns the first one's run."""
    first, *_ = [record(lab, preset.slug) for preset in experiments()[lab.name].presets]
    return first


def record(lab: Laboratory, slug: str) -> xr.Dataset:
    """Run and keep one preset."""
    declared = experiments()[lab.name]
    dataset = goldviz.run(declared.preset(slug), progress=False)
    path = example_path(declared, slug)
    path.write_bytes(dataset_to_bytes(dataset))
    print(f"{lab.name}, {path.name}: {dataset.attrs['status']}, {path.stat().st_size / 1024:.0f} kB", flush=True)
    return dataset


def record_weights(lab: Laboratory, slug: str) -> None:
    """Train a preset once more, in a store of its own, and keep its networks' last weights in half precision."""
    declared = experiments()[lab.name]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GOLDVIZ_DATABASE_URL"] = f"sqlite:///{Path(folder) / 'runs.sqlite'}"
        run_id = goldviz.run(declared.preset(slug), progress=False, keep=True).attrs["run_id"]
        state = load(Store().checkpoint(run_id, Store().checkpoint_steps(run_id)[-1]))
        del os.environ["GOLDVIZ_DATABASE_URL"]
    path = weights_path(declared, slug)
    save_file({name: part.to(torch.float16) for name, part in state.items() if "/network/" in name}, path)
    print(f"{lab.name}, {path.name}: {path.stat().st_size / 1024:.0f} kB")


def main(names: list[str]) -> None:
    """Record the laboratories of these names, or all."""
    for name, lab in laboratories().items():
        for preset in [one for one in names if one.startswith(f"{name}/")]:
            record(lab, preset.partition("/")[2])
        if names and name not in names:
            continue
        lab.recorded.mkdir(exist_ok=True)
        seen = recorded(lab) if name in experiments() else instants()[name]().compute()
        if name in WITH_WEIGHTS:
            record_weights(lab, WITH_WEIGHTS[name])
        picture_path(lab).write_text(lab.figures().picture(seen) + "\n", encoding="utf-8")
    if not names or "your-network" in names:
        example.record()


if __name__ == "__main__":
    main(sys.argv[1:])
