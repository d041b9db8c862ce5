"""What rules say of readings whose numbers stand exactly at limits, and how two recorded runs are measured.

For each rule, of how many of the drawn seeds it holds: a limit that moves, or that holds of its own number where it did
not, changes that. For each measure, its number. Kept beside a laboratory's tests; ``make drawn`` keeps them anew.
"""

from __future__ import annotations

import ast
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
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
from tests.labs.small_runs import TRAINED, chosen

SEEDS = 60
ROUNDS = 15
EVERYWHERE = (0.0, 1.0, np.nan, np.inf)


def limits(lab: Laboratory) -> list[float]:
    """Every number that is written where a laboratory measures and concludes."""
    folder, common = lab.recorded.parent, Path(str(shared.__file__)).parent
    files = [*folder.glob("measures*"), *folder.glob("findings*"), *folder.glob("verdict*"), common]
    return sorted({float(number) for file in files for number in _written_in(file)})


def _written_in(file: Path) -> Iterator[float]:
    for path in sorted(file.rglob("*.py")) if file.is_dir() else [file]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and abs(node.value) < 1e6:
                yield node.value


@dataclass(frozen=True)
class Drawing:
    """Numbers for measures, each by its name: a limit, its inverse or negative, or what is just beside it.

    Many are 1, beside which a share or a ratio is the limit itself.
    """

    exact: Sequence[float]
    turn: int

    def of(self, value: Any, name: str = "") -> Any:
        """The same reading with other numbers; those of each seed are of many seeds."""
        if isinstance(value, bool | np.bool_):
            return bool(self._generator(name).random() < 0.5)
        if isinstance(value, float | np.floating):
            return float(self._numbers((), name))
        if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "fb":
            shape = (*value.shape[:-1], SEEDS)
            return self._numbers(shape, name) if value.dtype.kind == "f" else self._generator(name).random(shape) < 0.5
        if is_dataclass(value) and not hasattr(value, "came"):  # A series of days, which has no seeds.
            parts = {part.name: getattr(value, part.name) for part in fields(value) if part.init}
            own = f"{name} {getattr(value, 'name', '')}"
            return replace(value, **{part: self.of(one, f"{own} {part}") for part, one in parts.items()})
        if isinstance(value, xr.Dataset):
            few = [part for part, one in value.data_vars.items() if one.dtype.kind == "f" and one.size < SEEDS]
            return value.assign({part: value[part].copy(data=self._numbers(value[part].shape, part)) for part in few})
        if isinstance(value, dict):
            return {part: self.of(one, f"{name} {part}") for part, one in value.items()}
        return value

    def settings(self, lab: Laboratory, settings: Experiment) -> Experiment:
        """Settings that rules read otherwise."""
        every = OTHERWISE[lab.name].items()
        return settings.changed(**{name: some[self._generator(name).integers(len(some))] for name, some in every})

    def _generator(self, name: object) -> np.random.Generator:
        return np.random.default_rng([self.turn, zlib.crc32(str(name).encode())])

    def _numbers(self, shape: tuple[int, ...], name: object) -> np.ndarray:
        generator, exact = self._generator(name), np.array(self.exact)
        limit = generator.choice(exact, shape)
        with np.errstate(divide="ignore"):
            forms = [limit, limit, 1 / limit, -limit, limit * (1 - 1e-9), limit * (1 + 1e-9)]
        form = np.choose(generator.integers(len(forms), size=shape), forms)
        return np.where(
            generator.random(shape) < 0.4, generator.choice(EVERYWHERE, shape, p=[0.1, 0.8, 0.05, 0.05]), form
        )


def verdicts(lab: Laboratory, exact: Sequence[float]) -> dict[str, int]:
    """By rule: how many of the drawn seeds of all networks are over its line."""
    preset = lab.declared.preset(lab.declared.presets[0].slug)
    assert isinstance(preset, Experiment)
    run, conclusions = example(type(preset), lab.declared.presets[0].slug), conclusions_of(lab)
    recorded = conclusions.readings(preset, run)
    counts = {rule.kind: 0 for rule in conclusions.rules}
    # Readings of whole runs have no seeds to be many of.
    turns = ROUNDS if any(hasattr(one, "name") for one in recorded) else 4 * ROUNDS
    with np.errstate(all="ignore"):
        for drawing in (Drawing(exact, turn) for turn in range(turns)):
            settings, readings = drawing.settings(lab, preset), [drawing.of(reading) for reading in recorded]
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


def all_of(lab: Laboratory, exact: str) -> dict[str, Any]:
    """What is kept of a laboratory, with the limits that were drawn from."""
    counts = verdicts(lab, [float(number) for number in exact.split()]) if lab in WITH_CARDS else {}
    return {"limits": exact, "measures": measured(lab), "verdicts": counts}


def kept_in(lab: Laboratory) -> Path:
    """Where it is kept."""
    return Path(__file__).parent / lab.folder / "verdicts.json"


if __name__ == "__main__":
    for laboratory in [lab for lab in chosen(sys.argv[1:]) if lab in TRAINED]:
        kept = all_of(laboratory, " ".join(map(repr, limits(laboratory))))
        kept_in(laboratory).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
