"""``goldviz.sweep``: the runs of a grid, carried out where they are not kept yet, as one labelled dataset."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import Experiment, SettingsError
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.plurals import how_many
from goldviz.runs.execution.limits import hours
from goldviz.sweeps import cells, cost
from goldviz.sweeps.dataset import FAILED, Column, Own, assembled
from goldviz.sweeps.grid import Cell, Grid, grid_of
from goldviz.sweeps.workers import Outcome, Task, Workers

if TYPE_CHECKING:
    import xarray as xr

Asked = Sequence[str | Own] | Mapping[str, str | Own]


def sweep(
    experiment: str | Experiment,
    *,
    seeds: Any = (0,),
    measures: Asked | None = None,
    curves: Sequence[str] = (),
    workers: int | None = None,
    progress: bool = True,
    **settings: Any,
) -> xr.Dataset:
    """Carry an experiment out for every combination of settings and every seed, and return what was measured.

    ``sweep("depth-gradients", depth=[5, 10, 20], gain=[0.5, 1, 2], seeds=range(5))``: settings given as lists are
    dimensions of the dataset, with ``seed`` the last; single values hold for all runs. ``experiment`` may be a settings
    object to start from. ``measures`` are names of the laboratory's measures, functions of a run's dataset that give a
    number, or both; a mapping gives them names of your own; without any, all that were told of the runs are variables.
    ``curves`` are recorded variables that are wanted whole; :func:`cell` gives one run as :func:`goldviz.run` does.

    Every run equals a lone :func:`goldviz.run` of the same settings and seed. Runs are kept, in the folder of data, and
    none that is there is trained again: a sweep that was interrupted, and one that has more seeds or values, goes on.
    ``workers`` are processes on this machine, as many as its cores and memory allow unless you say; 0 trains here.
    What it takes is said before the first run, then progress; ``progress=False`` silences both.

    A run that fails is apart: its measures are NaN, and the variable ``failed`` says why. ``status`` says how a run
    ended, ``seconds`` how long it trained.

    Raises :class:`goldviz.experiments.SettingsError` for a setting, value or measure that there is not, for more cells
    than are allowed, with their cost, and where no combination is allowed.
    """
    grid = grid_of(experiment, seeds, settings)
    asked = _asked(grid.kind, measures)
    _check_curves(grid.kind, curves)
    cost.check_size(grid)
    keys = {cell.place: cells.key_of(cell.settings) for cell in grid if cell.settings is not None}
    if not keys:
        raise SettingsError({"cells": f"No cell of this sweep is allowed: {grid.cells[0].refused}"})
    known = {key: told for key in keys.values() if (told := cells.facts_of(key)) is not None}
    todo = [cell for cell in grid if cell.settings is not None and keys[cell.place] not in known]
    failures = {cell.place: cell.refused for cell in grid if cell.refused}
    if failures and progress:
        first = next(iter(failures.values()))
        _say(f"{how_many(len(failures), 'cell')} of {len(grid):,} will not be trained: {first}")
    failed = _train(grid, todo, keys, known, workers, progress) if todo else {}
    failures |= {place: failed[key] for place, key in keys.items() if failed.get(key)}
    known |= {key: told for key in keys.values() if key not in known and (told := cells.facts_of(key)) is not None}
    failures |= {place: "The run is not among those that are kept." for place, key in keys.items()
                 if key not in known and place not in failures}  # fmt: skip
    if failures and progress:
        first = next(iter(failures.values()))
        _say(f"{how_many(len(failures), 'cell')} failed; the variable {FAILED!r} says why: {first}")
    return assembled(grid, keys, known, failures, asked, curves)


def cell(sweep: xr.Dataset, **place: Any) -> xr.Dataset:
    """One run of a sweep as :func:`goldviz.run` gives it: ``cell(ds, depth=10, gain=1.0, seed=0)``.

    Raises :class:`goldviz.experiments.SettingsError` for a place that the sweep does not have, and for a run that
    failed or is not kept any more.
    """
    if missing := [dim for dim in _dims(sweep) if dim not in place and sweep.sizes[dim] > 1]:
        raise SettingsError({missing[0]: f"The sweep has several values of {missing[0]}; say which one."})
    try:
        one = sweep.sel({name: value for name, value in place.items() if name in sweep.dims}, method="nearest")
        one = one.isel({dim: 0 for dim in one.dims if dim in _dims(sweep)}) if one.dims else one
    except (KeyError, TypeError):
        raise SettingsError({"cell": f"The sweep has no such cell; it has {', '.join(_dims(sweep))}."}) from None
    for name, value in place.items():
        if name not in sweep.dims or not _alike(one[name].values.item(), value):
            raise SettingsError({name: f"The sweep has no run with {name} {value!r}."})
    if not (key := str(one["cell"].values)):
        raise SettingsError({"cell": f"That run failed: {one[FAILED].values}"})
    dataset = cells.dataset_at(key)
    if dataset is None:
        raise SettingsError({"cell": "That run is not kept any more; the same sweep trains it again."})
    return dataset


def _alike(one: Any, other: Any) -> bool:
    return (
        bool(np.isclose(one, other))
        if isinstance(one, int | float) and isinstance(other, int | float)
        else one == other
    )


def _dims(sweep: xr.Dataset) -> list[str]:
    """A sweep's settings and its seed, in their order."""
    return [str(dim) for dim in sweep[FAILED].dims]


# -- what is asked ---------------------------------------------------------------------------------------------------


def _asked(kind: type[Experiment], measures: Asked | None) -> list[Column] | None:
    if measures is None:
        return None
    given = [measures] if isinstance(measures, str) or callable(measures) else measures
    pairs = given.items() if isinstance(given, Mapping) else [(_name_of(one), one) for one in given]
    asked = [Column(str(name), read) for name, read in pairs]
    for one in asked:
        _check_measure(kind, one)
    return list({one.name: one for one in asked}.values())


def _name_of(one: str | Own) -> str:
    name = one if isinstance(one, str) else str(getattr(one, "__name__", "measure"))
    return "measure" if name == "<lambda>" else name


def _check_measure(kind: type[Experiment], one: Column) -> None:
    if callable(one.read):
        return
    own = laboratory_of(kind).measures
    if one.read in own or str(one.read).rpartition(".")[2] in TrainingReading.words():
        return
    near = get_close_matches(str(one.read)[:60], own, 1)
    there = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(own)}."
    raise SettingsError({"measures": f"{kind.name} has no measure {str(one.read)[:60]!r}; {there}"})


def _check_curves(kind: type[Experiment], curves: Sequence[str]) -> None:
    for one in [curves] if isinstance(curves, str) else curves:
        if one not in kind.variables:
            near = get_close_matches(str(one)[:60], kind.variables, 1)
            there = f"did you mean {near[0]!r}?" if near else f"it records {', '.join(kind.variables)}."
            raise SettingsError({"curves": f"{kind.name} records no {str(one)[:60]!r}; {there}"})


# -- training ---------------------------------------------------------------------------------------------------------


def _train(
    grid: Grid,
    todo: Sequence[Cell],
    keys: Mapping[tuple[int, ...], str],
    known: Mapping[str, Any],
    asked: int | None,
    progress: bool,
) -> dict[str, str]:
    """Carry out what is not kept, the longest first; a sentence under the key of each cell that failed."""
    settings = {keys[one.place]: one.settings for one in todo if one.settings is not None}
    seconds = {key: max(1e-6, one.estimated_seconds()) for key, one in settings.items()}
    longest = sorted(settings, key=lambda key: -seconds[key])
    count = cost.workers_for(list(settings.values()), asked)
    sizes = [size for key in list(known)[:20] if (size := cells.size_at(key))]
    plan = cost.cost_of(
        grid.kind.name, [*settings.values()], len(grid), count, 0.0, float(np.mean(sizes)) if sizes else 0.0
    )
    cost.check_disk(plan)
    tasks = [Task(key, settings[key].name, settings[key].model_dump_json()) for key in longest]
    failed: dict[str, str] = {}
    done = 0
    try:
        with _outcomes(tasks, count) as (probe, outcomes):
            if progress:
                own = cost.cost_of(plan.name, [*settings.values()], plan.cells, count, probe, plan.disk / len(settings))
                _say(own.sentence)
            with _bar(seconds, progress) as watch:
                for outcome in outcomes:
                    failed[outcome.key] = outcome.failed
                    done += 1
                    watch(outcome)
    except KeyboardInterrupt:
        if progress:
            _say(f"Stopped. {done:,} of {how_many(len(tasks), 'cell')} are kept; the same sweep goes on from there.")
        raise
    cells.CELLS.make_room(longest[-1])
    return failed


@contextmanager
def _outcomes(tasks: Sequence[Task], count: int) -> Iterator[tuple[float, Iterator[Outcome]]]:
    """How fast the machine is, and what comes of the tasks: in worker processes, or here where there are none."""
    if count:
        with Workers(count) as workers:
            yield workers.probe(), workers.outcomes(tasks)
        return
    from goldviz.sweeps.worker import carried_out

    yield 0.0, (Outcome(**carried_out(task._asdict())) for task in tasks)


@contextmanager
def _bar(seconds: Mapping[str, float], visible: bool) -> Iterator[Callable[[Outcome], None]]:
    """A bar of cells that says the time left: what is still to do, as fast as it went so far."""
    if not visible:
        yield lambda outcome: None
        return
    from tqdm.auto import tqdm

    unread = suppress(BrokenPipeError)
    whole, began, gone = sum(seconds.values()), time.monotonic(), 0.0
    bar = tqdm(disable=True)
    with unread:
        bar = tqdm(total=len(seconds), unit="cell", bar_format="{l_bar}{bar}| {n_fmt}/{total_fmt} cells{postfix}")

    def watch(outcome: Outcome) -> None:
        nonlocal gone
        gone += seconds[outcome.key]
        left = (time.monotonic() - began) * (whole / gone - 1)
        with unread:
            bar.set_postfix_str(f"about {hours(left)} left" if left >= 1 else "", refresh=False)
            bar.update()

    try:
        yield watch
    finally:
        with unread:
            bar.close()


def _say(sentence: str) -> None:
    with suppress(BrokenPipeError):
        print(sentence, file=sys.stderr)
