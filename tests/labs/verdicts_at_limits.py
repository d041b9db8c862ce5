"""What rules say of readings whose numbers stand exactly at limits, and how two recorded runs are measured.

For each rule, of how many of the drawn seeds it holds: a limit that moves, or that holds of its own number where it did
not, changes that. For each measure, its number. Kept beside a laboratory's tests; ``make drawn`` keeps them anew.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

import goldviz
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment
from goldviz.diagnostics import findings as shared
from goldviz.runs.examples import example
from tests.labs.drawn_findings import OTHERWISE, WITH_CARDS, conclusions_of
from tests.labs.small_runs import TRAINED

SEEDS = 60
ROUNDS = 15
EVERYWHERE = (0.0, 1.0, 1e-9, 1e9, np.nan, np.inf)


def limits(lab: Laboratory) -> list[float]:
    """Every number that is written where a laboratory measures and concludes, its inverse, and what is just beside."""
    folder, common = lab.recorded.parent, Path(str(shared.__file__)).parent
    files = [*folder.glob("measures*"), *folder.glob("findings*"), *folder.glob("verdict*"), common]
    numbers = {float(number) for file in files for number in _written_in(file)}
    numbers |= {-number for number in numbers} | {1 / number for number in numbers if number}
    beside = [number * (1 + step) for number in sorted(numbers) for step in (-1e-9, 1e-9)]
    return [*EVERYWHERE, *sorted(numbers), *beside]


def _written_in(file: Path) -> Iterator[float]:
    for path in sorted(file.rglob("*.py")) if file.is_dir() else [file]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and abs(node.value) < 1e6:
                yield node.value


def at_limits(value: Any, numbers: list[float], generator: np.random.Generator) -> Any:
    """A reading whose measures are at limits, each by itself; those of each seed are of many seeds."""
    if isinstance(value, bool | np.bool_):
        return bool(generator.random() < 0.5)
    if isinstance(value, float | np.floating):
        return float(generator.choice(numbers))
    if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "fb":
        shape = (*value.shape[:-1], SEEDS)
        return generator.choice(numbers, shape) if value.dtype.kind == "f" else generator.random(shape) < 0.5
    if is_dataclass(value) and not hasattr(value, "came"):  # A series of days, which has no seeds.
        parts = {part.name: getattr(value, part.name) for part in fields(value) if part.init}
        return replace(value, **{name: at_limits(part, numbers, generator) for name, part in parts.items()})
    if isinstance(value, xr.Dataset):
        few = {
            name: value[name]
            for name in sorted(value.data_vars)
            if value[name].dtype.kind == "f" and value[name].size < SEEDS
        }
        return value.assign({name: one.copy(data=generator.choice(numbers, one.shape)) for name, one in few.items()})
    if isinstance(value, dict):
        return {name: at_limits(part, numbers, generator) for name, part in value.items()}
    return value


def verdicts(lab: Laboratory) -> dict[str, int]:
    """By rule: how many of the drawn seeds of all networks are over its line."""
    preset = lab.declared.presets[0].slug
    run = example(lab.declared, preset)
    generator, conclusions, numbers = np.random.default_rng(8), conclusions_of(lab), limits(lab)
    counts = {rule.kind: 0 for rule in conclusions.rules}
    recorded = conclusions.readings(lab.declared.preset(preset), run)
    with np.errstate(all="ignore"):
        # Readings of whole runs have no seeds to be many of.
        for _ in range(ROUNDS if any(hasattr(one, "name") for one in recorded) else 4 * ROUNDS):
            chosen = {name: some[generator.integers(len(some))] for name, some in OTHERWISE[lab.name].items()}
            settings = lab.declared.preset(preset).changed(**chosen)
            readings = [at_limits(reading, numbers, generator) for reading in recorded]
            for rule in conclusions.rules:
                counts[rule.kind] += int(sum(np.sum(seeds) for seeds in rule.over(readings, settings, run).values()))
    return counts


def measured(lab: Laboratory) -> dict[str, float]:
    """Each measure of the first recorded run and of the last, the mean of its seeds."""
    numbers = {}
    for preset in (lab.declared.presets[0], lab.declared.presets[-1]):
        for name, number in goldviz.measures(example(lab.declared, preset.slug)).items():
            mean = float(np.mean(number.values))
            if np.isfinite(mean):
                numbers[f"{name}, {preset.slug}"] = float(f"{mean:.9g}")
    return numbers


def all_of(lab: Laboratory) -> dict[str, dict[str, float]]:
    """What is kept of a laboratory."""
    assert issubclass(lab.declared, Experiment)
    return {"measures": measured(lab), "verdicts": {**verdicts(lab)} if lab in WITH_CARDS else {}}


def kept_in(lab: Laboratory) -> Path:
    """Where it is kept."""
    return Path(__file__).parent / lab.folder / "verdicts.json"


if __name__ == "__main__":
    for laboratory in TRAINED:
        kept_in(laboratory).write_text(json.dumps(all_of(laboratory), indent=1) + "\n", encoding="utf-8")
