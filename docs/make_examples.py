"""Record the runs of all presets, and the home page's pictures, that ship with the package.

All of them, or those of the laboratories named as arguments.
"""

import sys

import xarray as xr

import goldviz
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import experiments, instants, laboratories
from goldviz.runs.examples import example_path, picture_path
from goldviz.runs.store.arrays import dataset_to_bytes


def recorded(lab: Laboratory) -> xr.Dataset:
    """Run and keep all presets; returns the first one's run."""
    declared = experiments()[lab.name]
    runs = []
    for preset in declared.presets:
        dataset = goldviz.run(declared.preset(preset.slug), progress=False)
        path = example_path(declared, preset.slug)
        path.write_bytes(dataset_to_bytes(dataset))
        print(f"{lab.name}, {path.name}: {dataset.attrs['status']}, {path.stat().st_size / 1024:.0f} kB")
        runs.append(dataset)
    return runs[0]


def main(names: list[str]) -> None:
    """Record the laboratories of these names, or all."""
    for name, lab in laboratories().items():
        if names and name not in names:
            continue
        lab.recorded.mkdir(exist_ok=True)
        seen = recorded(lab) if name in experiments() else instants()[name]().compute()
        picture_path(lab).write_text(lab.figures().picture(seen) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
