"""Runs whose arrays are drawn anew, at settings that rules read otherwise: what a card's sentences are tried on.

A run holds several of three seeds side by side: what rules measure of each seed is then computed once for all.
"""

import re
import zlib
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import xarray as xr

from goldviz.runs.examples import example, has_example
from tests.labs.drawn_findings import ALIKE, LEVELS, OF_THEIR_OWN, OTHERWISE, POWERS, again, computed_by, conclusions_of

OF_THE_ARRAYS = (
    "task",
    "most",
    "distance",
    "target",
    "network",
    "documents",
    "tone_response",
    "tokeniser",
    "returns",
    *("longer_look_back", "augmented", "in_time"),
)
"""Settings that arrays of other settings would contradict."""
ALONE = ("bert-pretraining", "gold-forecast", "leaderboard", "price-tokens")
"""Laboratories whose readings are of a run as a whole: theirs stand alone."""
SEEDS, BESIDE = 3, 19
"""Of one reading; and how many readings stand side by side."""
LARGE, STEPS = 20_000, 60
"""Values of what is not drawn; steps left."""
LEVELS_OF = {**OF_THEIR_OWN, "update_to_data": (1e-6, 1e-3, 0.1), "gate_opening": (0.01, 0.3, 0.6, 0.9, 0.99)}


@dataclass(frozen=True)
class Reading:
    """Some seeds of a run, and what rules read of its networks there."""

    settings: Any
    run: xr.Dataset
    seeds: slice
    networks: tuple[Any, ...]


@cache
def light(lab, slug):
    """An example of three seeds alike, of as few steps as tell the same."""
    run = example(lab.declared, slug)
    if run.sizes.get("step", 0) > STEPS:
        run = run.isel(step=np.unique(np.linspace(0, run.sizes["step"] - 1, STEPS).astype(int)))
    return seeds_of(run.load(), SEEDS)


def seeds_of(run, count):
    """The run's first seed so many times."""
    if "seed" not in run.dims:
        return run
    return run.isel(seed=np.zeros(count, dtype=int)).assign_coords(seed=np.arange(count))


@cache
def wide(lab, slug):
    return seeds_of(light(lab, slug), SEEDS * BESIDE)


def drawn_array(name, values, generator):
    """Numbers of any size in a variable's shape, each network's and at times each seed's own, level or leaning."""
    own = {"network", "model", "metric", "forecaster"} | ({"seed"} if generator.random() < 0.5 else set())
    size = [values.sizes[dim] if dim in own else 1 for dim in values.dims]
    logarithms = name.startswith("log_")
    may_be_infinite = re.search("loss|norm|error|stiff|size|variance|update", name)
    levels = np.array(LEVELS_OF.get(name, POWERS if logarithms else LEVELS))
    if not may_be_infinite:
        levels = levels[np.isfinite(levels)]
    data = levels[generator.integers(len(levels), size=size)]
    if "score" in name:
        data = data * generator.choice([-1.0, 1.0], size=size)
    others = [axis for axis, dim in enumerate(values.dims) if dim not in own | {"seed"}]
    if others and generator.random() < 0.5:
        axis, slope = others[generator.integers(len(others))], generator.choice([-5.0, -1.0, -0.1, 0.1, 1.0, 5.0])
        lean = slope * np.linspace(0, 1, values.shape[axis])
        lean = lean.reshape([-1 if place == axis else 1 for place in range(values.ndim)])
        data = data + lean if logarithms else data * 10**lean
    return np.where(np.isnan(values.values), np.nan, np.broadcast_to(data, values.shape))


def side_by_side(name, values, generator, count):
    """The same of so many readings, of which some keep what was recorded; None where all do."""
    share = generator.choice([0.1, 0.3, 0.6])
    if "seed" not in values.dims:
        return drawn_array(name, values, generator) if generator.random() < share else None
    own = generator.random(count) < share
    if not own.any():
        return None
    parts = [drawn_array(name, values, generator) if drawn_anew else values.values for drawn_anew in own]
    return np.concatenate(parts, axis=values.dims.index("seed"))


def drawn(run, generator, whole=None):
    """A run of which some of what was recorded is drawn anew; an interval holds its score.

    ``whole`` is the run of all readings side by side, in the shape of which the answer is.
    """
    whole = run if whole is None else whole
    count = whole.sizes.get("seed", 1) // run.sizes.get("seed", 1)
    arrays = {
        name: side_by_side(name, values, generator, count)
        for name, values in sorted(run.data_vars.items())
        if values.dtype.kind == "f" and values.size < LARGE
    }
    arrays = {name: array for name, array in arrays.items() if name not in ALIKE and array is not None}
    for middle in (name for name in run.data_vars if name.endswith(("score", "told")) and f"{name}_low" in run):
        names = (f"{middle}_low", middle, f"{middle}_high")
        ordered = np.sort([arrays.get(name, whole[name].values) for name in names], axis=0)
        arrays |= dict(zip(names, ordered, strict=True))
    for name, source in ALIKE.items():
        if name in run and source in arrays:
            arrays[name] = np.broadcast_to(arrays[source][:, None], whole[name].shape)
    # Plain arrays under their dimensions' names: xarray need not compare the coordinates of each.
    return whole.assign({name: (run[name].dims, array, run[name].attrs) for name, array in arrays.items()})


def of_seeds(network, seeds, count):
    """What rules read of a network, of some of its seeds."""
    values = {name: getattr(network, name) for name in computed_by(type(network))}
    return again(
        network,
        **{
            name: value[seeds]
            for name, value in values.items()
            if isinstance(value, np.ndarray) and value.shape == (count,)
        },
    )


def readings(lab, place):
    """Those of one drawn run, at the settings of one of the presets or at others."""
    generator = np.random.default_rng([zlib.crc32(lab.name.encode()), place])
    slugs = [preset.slug for preset in lab.declared.presets if has_example(lab.declared, preset.slug)]
    slug = slugs[place % len(slugs)]
    choices = {name: some for name, some in OTHERWISE[lab.name].items() if name not in OF_THE_ARRAYS}
    changes = {name: some[generator.integers(len(some))] for name, some in choices.items()}
    settings = lab.declared.preset(slug)
    settings = settings.changed(**changes) if generator.random() < 0.5 else settings
    alone = lab.name in ALONE
    run = drawn(light(lab, slug), generator, None if alone else wide(lab, slug))
    networks = tuple(conclusions_of(lab).readings(settings, run))
    if alone:
        yield Reading(settings, run, slice(None), networks)
        return
    count = run.sizes["seed"]
    for first in range(0, count, SEEDS):
        seeds = slice(first, first + SEEDS)
        yield Reading(settings, run, seeds, tuple(of_seeds(network, seeds, count) for network in networks))
