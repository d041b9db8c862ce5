"""Time short runs of all laboratories, or of those named as arguments, and fit what their costs are made of.

A laboratory's runs are its presets, its defaults with one number moved, and some that are drawn around the presets. A
run of a few steps tells what it does once, and what a step, a look and a close look take of the processor. To each of
these a sum of a few terms is fitted, none of them negative: a number of seconds times at most four sizes, where a
setting has a certain value or anywhere. Terms are added as long as runs that were left out are foretold better. They go
to ``recorded/costs.json``.

``--timed FOLDER`` keeps what was timed there, and takes from there what is kept already.
"""

import json
import random
import sys
import time
from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls
from tqdm import tqdm

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import experiments, laboratories
from goldviz.declare.settings import Experiment, SettingsError, schemas
from goldviz.declare.time_of_training import ONCE
from goldviz.runs.recorder import Ended, Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from goldviz.training.probe import probe

DRAWS = 40
AT_ONCE_SECONDS = 1.0
"""Processor time after which a short run need not finish."""
MOST_BYTES = 1e9
MOST_SIZES, MOST_TERMS, FOLDS = 4, 12, 5
BETTER = 0.02
"""Terms stay if they bring the error of runs left out, in logarithms, down by so much."""
FEWEST = 3
"""Runs that have a choice, for a term of its own."""
LOOKS = ("look", "close_look")
SMALL_START = 0.05


class Timed(Recorder[Any]):
    """Notes what each step takes of the processor, and what kinds of variables it recorded."""

    began = before = 0.0
    ended = 0.0
    taken: list[tuple[int, frozenset[str], float]]

    def steps(self, n: int, state: Any = None) -> Iterator[int]:
        """The steps; states are not kept, for short runs would keep one at each step."""
        self.taken, self.before = [], time.process_time() - self.began
        spent = 0.0
        for step in super().steps(n):
            self.seen: set[str] = set()
            start = time.process_time()
            yield step
            seconds = time.process_time() - start
            self.taken.append((step, frozenset(self.seen), seconds))
            spent += seconds
            if spent > AT_ONCE_SECONDS and len(self.taken) > 1 and step < n:
                raise Ended("stopped", "long enough")
        self.ended = time.process_time()

    def __call__(self, name: str, values: Any) -> None:
        """Record a variable, noting its growing dimension."""
        self.seen.add(self.settings.variables[name].dims[0])
        super().__call__(name, values)

    def late(self, name: str, steps: Any, values: Any) -> None:
        """Record late, which some do of every step."""
        super().late(name, steps, values)


def short(settings: Experiment) -> Experiment:
    """The same with few steps, of which some are looked at, some closely, and some not at all."""
    names = [name for name in settings.counts() if name not in LOOKS]
    n = 4 if settings.step == "epoch" or len(names) > 1 else 10
    changes: dict[str, Any] = {name: min(getattr(settings, name), n) for name in names}
    of = type(settings).model_fields
    for name, value in (("look_every", 3), ("histogram_every", 3), ("close_looks", 2)):
        if name in of and getattr(settings, name):
            changes[name] = value
    return settings.changed(**changes, seeds=(0,))


def drawn(draw: random.Random, declared: type[Experiment]) -> Experiment:
    """A preset with some settings moved: whole and other numbers by a factor of four at most, choices to any other."""
    while True:
        preset = draw.choice(declared.presets) if draw.random() < 0.4 else declared.presets[0]
        changes = dict(preset.changes)
        for name, schema in schemas(declared).items():
            if draw.random() > 0.35 or name in ("device", "seeds", "time_limit") or schema["control"]:
                continue
            value = changes.get(name, declared.model_fields[name].default)
            if schema.get("type") == "boolean":
                changes[name] = draw.random() < 0.5
            elif "enum" in schema:
                changes[name] = draw.choice(schema["enum"])
            elif schema.get("type") in ("integer", "number") and "minimum" in schema and "maximum" in schema:
                far = draw.random() < 0.1
                low, high = schema["minimum"], schema["maximum"]
                moved = draw.uniform(low, high) if far else value * 4 ** draw.uniform(-1, 1)
                moved = min(max(moved, low), high)
                changes[name] = round(moved) if schema["type"] == "integer" else moved
        try:
            settings = declared.checked(changes)
            short(settings)
        except SettingsError:
            continue
        if settings.estimated_bytes() <= MOST_BYTES:
            return settings


def alone(declared: type[Experiment]) -> list[Experiment]:
    """The defaults with one number moved by a factor of four, each that a size is made of, in both directions.

    Of what moves together with others, few draws tell what it costs by itself.
    """
    usual = declared()
    moved = []
    for name, schema in schemas(declared).items():
        if schema.get("type") not in ("integer", "number") or "minimum" not in schema or "maximum" not in schema:
            continue
        for factor in (4, 0.25):
            value = min(max(getattr(usual, name) * factor, schema["minimum"]), schema["maximum"])
            try:
                one = declared.checked({name: round(value) if schema["type"] == "integer" else value})
                short(one)
            except SettingsError:
                continue
            if one.sizes() != usual.sizes() and one.estimated_bytes() <= MOST_BYTES:
                moved.append(one)
    return moved


def timed(lab: Laboratory, settings: Experiment) -> dict[str, float]:
    """Seconds of the processor that what is done once, a step, a look and a close look of these settings take."""
    few = short(settings)
    record = Timed(few, Memory(), NobodyAsks())
    record.began, finished = time.process_time(), True
    try:
        lab.run(few, record)
    except Ended:
        finished = bool(record.ended)
    except ValueError:
        return {}  # The data are too few for what was drawn.
    over = time.process_time()
    found = {ONCE: record.before + (over - record.ended)} if finished else {}
    first = 0
    for name, count in few.counts().items():
        if name in LOOKS:
            continue
        own = [(seen, seconds) for step, seen, seconds in record.taken if first < step <= first + count]
        first += int(count)
        plain = [seconds for seen, seconds in own[1:] if kinds(few, seen) == set()] or [
            seconds for seen, seconds in own if not kinds(few, seen)
        ]
        if not plain:
            continue
        found[name] = float(np.mean(plain))
        looks = [seconds for seen, seconds in own if kinds(few, seen) == {"look"}]
        if looks:
            found.setdefault("look", max(float(np.median(looks)) - found[name], 1e-6))
        both = [
            seconds - found.get("look", 0.0) * ("look" in kinds(few, seen))
            for seen, seconds in own
            if "close_look" in kinds(few, seen)
        ]
        if both:
            found["close_look"] = max(float(np.median(both)) - found[name], 1e-6)
    return found


def kinds(settings: Experiment, seen: frozenset[str]) -> set[str]:
    """Which looks a step was, by the dimensions of what it recorded."""
    return {"close_look" if dim == "close_look" else "look" for dim in seen if dim != settings.step}


def samples(lab: Laboratory, folder: Path | None) -> tuple[float, list[tuple[Experiment, dict[str, float]]]]:
    """A probe of the machine, and what was timed on it of a laboratory: its presets, and settings drawn at random."""
    declared = experiments()[lab.name]
    file = folder / f"{lab.name}.json" if folder else None
    if file and file.is_file():
        kept = json.loads(file.read_text())
        return kept["probe"], [(declared.checked(values), found) for values, found in kept["runs"]]
    draw = random.Random(lab.name)  # noqa: S311
    several = [declared.preset(one.slug) for one in declared.presets] + alone(declared)
    several += [drawn(draw, declared) for _ in range(DRAWS)]
    speed = probe()
    timed(lab, several[0])  # What is loaded with the first run is no part of it.
    runs = [(settings, timed(lab, settings)) for settings in tqdm(several, desc=lab.name)]
    if file:
        told = [(settings.model_dump(mode="json"), found) for settings, found in runs]
        file.write_text(json.dumps({"probe": speed, "runs": told}))
    return speed, runs


class Fit:
    """Terms that foretell what a thing takes, chosen one after the other.

    ``beside`` is what is spent with it anyway: a look that takes a tenth of its step need not be known well.
    """

    def __init__(self, settings: list[Experiment], seconds: np.ndarray, beside: np.ndarray) -> None:
        self.seconds, self.beside = seconds, beside
        self.whole = seconds + beside
        sizes = [one.sizes() for one in settings]
        names = sorted({name for of in sizes for name in of})
        values = np.array([[of.get(name, 0.0) for name in names] for of in sizes])
        moving = [k for k in range(len(names)) if np.ptp(values[:, k]) > 0]
        products = [()] + [c for d in range(1, MOST_SIZES + 1) for c in combinations_with_replacement(moving, d)]
        # A width may count twice. What a laboratory has multiplied already, calls or products, does not: of few runs
        # with many calls their square would foretell the rest.
        own = {
            k
            for k in moving
            if all(of.get(names[k]) == getattr(one, names[k], None) for of, one in zip(sizes, settings, strict=True))
        }
        products = [c for c in products if all(c.count(k) <= 1 + (k in own) for k in c)]
        columns = np.stack([values[:, list(c)].prod(axis=1) for c in products], axis=1)
        choices = sorted({choice for one in settings for choice in one.choices()})
        masks = {choice: np.array([choice in one.choices() for one in settings]) for choice in choices}
        masks = {choice: mask for choice, mask in masks.items() if FEWEST <= mask.sum() < len(settings)}
        self.labels = [("", c) for c in products] + [(choice, c) for choice in masks for c in products]
        self.names = names
        self.columns = np.concatenate([columns, *(columns * mask[:, None] for mask in masks.values())], axis=1)
        # A share of what was measured: errors are relative.
        self.columns = self.columns / self.whole[:, None]
        self.simplicity = np.array([0.95 ** len(c) * (0.8 if where else 1.0) for where, c in self.labels])

    def chosen(self, rows: np.ndarray, most: int) -> list[tuple[list[int], np.ndarray]]:
        """The terms and their seconds after each addition, fitted to some rows."""
        columns, target = self.columns[rows], (self.seconds / self.whole)[rows]
        norms = np.linalg.norm(columns, axis=0)
        own: list[int] = []
        steps, left = [], target
        for _ in range(most):
            # What explains most of what is left, with a preference for what is simple.
            gain = np.divide(columns.T @ left, norms, out=np.zeros_like(norms), where=norms > 0)
            gain *= self.simplicity
            gain[own] = 0
            own = [*own, int(gain.argmax())]
            seconds = nnls(columns[:, own], target, maxiter=1000)[0]
            left = target - columns[:, own] @ seconds
            steps.append((list(own), seconds))
        return steps

    def error(self, rows: np.ndarray, terms: list[int], seconds: np.ndarray) -> np.ndarray:
        """How far off the terms are, as a factor, in logarithms."""
        foretold = self.columns[rows][:, terms] @ seconds + (self.beside / self.whole)[rows]
        off: np.ndarray = np.abs(np.log(np.maximum(foretold, 1e-3)))
        return off

    def terms(self) -> tuple[list[list[Any]], float]:
        """The terms, as they are kept, and the mean error of runs that were left out."""
        rows = np.random.default_rng(0).permutation(len(self.seconds))
        errors = np.zeros((FOLDS, MOST_TERMS))
        for fold in range(FOLDS):
            out = rows[fold::FOLDS]
            within = np.setdiff1d(rows, out)
            for number, (terms, seconds) in enumerate(self.chosen(within, MOST_TERMS)):
                errors[fold, number] = np.sqrt(np.mean(self.error(out, terms, seconds) ** 2))
        mean = errors.mean(axis=0)
        best = 0
        for number in range(1, MOST_TERMS):
            if mean[number] < mean[best] - BETTER:
                best = number
        terms, seconds = self.chosen(rows, best + 1)[-1]
        kept = [
            [float(f"{value:.3g}"), self.labels[term][0], *(self.names[k] for k in self.labels[term][1])]
            for term, value in zip(terms, seconds, strict=True)
            if value > 0
        ]
        return kept, float(mean[best])


def beside(kind: str, found: dict[str, float]) -> float:
    """What is spent with a thing anyway: the step of a look, and the start of a run that nobody notices."""
    step = next(seconds for name, seconds in found.items() if name not in (ONCE, *LOOKS))
    return {ONCE: SMALL_START}.get(kind, step if kind in LOOKS else 0.0)


def main(arguments: list[str]) -> None:
    """Measure the laboratories of these names, or all."""
    folder = None
    if "--timed" in arguments:
        place = arguments.index("--timed")
        folder = Path(arguments[place + 1])
        arguments = arguments[:place] + arguments[place + 2 :]
    for name, lab in laboratories().items():
        if name not in experiments() or (arguments and name not in arguments):
            continue
        speed, found = samples(lab, folder)
        costs = {}
        for kind in (ONCE, *found[0][0].counts()):
            own = [(settings, one[kind], beside(kind, one)) for settings, one in found if kind in one]
            if len(own) >= FOLDS:
                several, seconds, others = zip(*own, strict=True)
                fit = Fit(list(several), np.array(seconds), np.array(others))
                costs[kind], error = fit.terms()
                print(f"{name}, {kind}: {len(costs[kind])} terms, off by {np.exp(error):.2f} on runs left out")
        kept = {"probe": float(f"{speed:.4g}"), "costs": costs}
        (lab.recorded / "costs.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
