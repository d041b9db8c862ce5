"""Record the runs of all presets, and the home page's pictures, that ship with the package.

All of them, or those of the experiments and instant pages named as arguments.
"""

import importlib
import sys

import goldviz
from goldviz.declare.examples import FOLDER, example_path, picture_path
from goldviz.declare.registry import instants
from goldviz.runs.arrays import dataset_to_bytes

FOLDER.mkdir(exist_ok=True)
for name, experiment in goldviz.experiments().items():
    if sys.argv[1:] and name not in sys.argv[1:]:
        continue
    figures = importlib.import_module(f"goldviz.figures.{name.replace('-', '_')}")
    for number, preset in enumerate(experiment.presets):
        dataset = goldviz.run(experiment.preset(preset.slug), progress=False)
        path = example_path(experiment, preset.slug)
        path.write_bytes(dataset_to_bytes(dataset))
        print(f"{path.name}: {dataset.attrs['status']}, {path.stat().st_size / 1024:.0f} kB")
        if number == 0:
            picture_path(name).write_text(figures.picture(dataset) + "\n", encoding="utf-8")

for name, instant in instants().items():
    if sys.argv[1:] and name not in sys.argv[1:]:
        continue
    figures = importlib.import_module(f"goldviz.figures.{name.replace('-', '_')}")
    picture_path(name).write_text(figures.picture(instant().compute()) + "\n", encoding="utf-8")
