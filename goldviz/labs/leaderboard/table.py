"""What forecasters' errors come to: by window, horizon and step ahead, how sure their means are, with each trap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from goldviz.diagnostics.forecasts.block_bootstrap import middle, replicated_means
from goldviz.labs.leaderboard.choices import TRAPS
from goldviz.labs.leaderboard.problem import Problem
from goldviz.models.series.forecasters.at_once import Forecast
from goldviz.models.series.sliding_windows import SlidingWindows

if TYPE_CHECKING:
    from goldviz.labs.leaderboard.settings import Leaderboard

REPLICATIONS = 500
BOOTSTRAP_SEED = 0
SHIFTS = range(6)
"""Steps by which one-step forecasts are moved back against what came."""


@dataclass(frozen=True)
class Errors:
    """Squared errors of one forecaster on the test part.

    ``windows`` (until, window) are means over channels and the first so many steps, ``steps`` (ahead,) over windows and
    channels, ``channels`` (channel,) over windows and steps. ``shifts`` (shift,) are mean squared distances of one-step
    forecasts from values so many steps before; ``shown`` (ahead,) is the drawn forecast.
    """

    windows: Float[np.ndarray, "until window"]
    steps: Float[np.ndarray, " ahead"]
    channels: Float[np.ndarray, " channel"]
    shifts: Float[np.ndarray, " shift"]
    shown: Float[np.ndarray, " ahead"]


def horizons(horizon: int) -> list[int]:
    """The horizons that scores are told at: an eighth, a quarter, a half and all.

    >>> horizons(96), horizons(1)
    ([12, 24, 48, 96], [1])
    """
    return sorted({max(1, horizon // part) for part in (8, 4, 2, 1)})


def errors_of(forecast: Forecast, windows: SlidingWindows, rows: range, shown_row: int, shown_channel: int) -> Errors:
    """The errors of a forecaster on the windows whose first forecast rows are ``rows``."""
    untils = horizons(windows.horizon)
    channels = windows.values.shape[1]
    by_window, first = np.empty((len(untils), len(rows))), np.empty((len(rows), channels))
    steps, by_channel, one_forecast = np.zeros(windows.horizon), np.zeros(channels), np.empty(windows.horizon)
    for part in windows.blocks(rows):
        forecasts = forecast(windows.past(part))
        squares = (forecasts - windows.future(part)) ** 2
        here = slice(part.start - rows.start, part.stop - rows.start)
        means = squares.mean(axis=1).cumsum(axis=1) / np.arange(1, windows.horizon + 1)
        by_window[:, here] = means[:, [until - 1 for until in untils]].T
        steps += squares.sum(axis=(0, 1))
        by_channel += squares.sum(axis=(0, 2))
        first[here] = forecasts[..., 0]
        if shown_row in part:
            one_forecast = forecasts[shown_row - part.start, shown_channel]
    count = len(rows)
    shifts = np.array([_distance(first, windows.values, rows, shift) for shift in SHIFTS])
    steps, by_channel = steps / (count * channels), by_channel / (count * windows.horizon)
    return Errors(by_window, steps, by_channel, shifts, one_forecast)


def _distance(
    first: Float[np.ndarray, "window channel"], values: Float[np.ndarray, "row channel"], rows: range, shift: int
) -> float:
    """The mean squared distance of one-step forecasts from values so many steps before; NaN where there are none."""
    if shift > rows.start:
        return np.nan
    return float(np.mean((first - values[rows.start - shift : rows.stop - shift]) ** 2))


def kept_windows(count: int, batch: int, last_batch: str) -> int:
    """How many of so many windows a loader with this batch size hands out.

    >>> kept_windows(798, 512, "drop"), kept_windows(798, 512, "keep")
    (512, 798)
    """
    return count // batch * batch if last_batch == "drop" else count


def batch_scores(windows: Float[np.ndarray, " window"], sizes: Sequence[int]) -> Float[np.ndarray, " batch_size"]:
    """The mean error for each batch size whose last batch is dropped; NaN where no batch is full."""
    counts = np.array([kept_windows(len(windows), size, "drop") for size in sizes])
    running = np.cumsum(windows)
    return np.where(counts > 0, running[np.maximum(counts, 1) - 1] / np.maximum(counts, 1), np.nan)


def block_of(windows: int, horizon: int) -> int:
    """Windows of a bootstrap block: the horizon, over which windows share what came, or n^(1/3); at most n / 3.

    >>> block_of(705, 96), block_of(705, 1), block_of(100, 96), block_of(1, 1)
    (96, 9, 33, 1)
    """
    return max(1, min(max(horizon, round(float(windows ** (1 / 3)))), windows // 3))


def replications_of(
    seeds: Float[np.ndarray, "seed until window"], horizon: int
) -> Float[np.ndarray, "replication until"]:
    """Means of replications in which blocks of windows, and then seeds, are drawn with replacement.

    Circular block bootstrap (Politis and Romano 1992). Every forecaster's replications draw the same blocks, so that
    differences are of the same windows. Seeds of forecasters that learn nothing are alike, and count for nothing.
    """
    count, untils, windows = seeds.shape
    losses = seeds.reshape(count * untils, windows).T
    blocks = np.random.default_rng([BOOTSTRAP_SEED, 0])
    means = replicated_means(losses, block_of(windows, horizon), REPLICATIONS, blocks).reshape(-1, count, untils)
    seed_draws = np.random.default_rng([BOOTSTRAP_SEED, 1]).integers(count, size=(REPLICATIONS, count))
    return np.asarray(np.take_along_axis(means, seed_draws[..., None], axis=1).mean(axis=1))


def interval(replications: Float[np.ndarray, "replication value"]) -> Float[np.ndarray, "end value"]:
    """The ends of the middle 95 % of each value's replications."""
    return np.array([middle(column) for column in replications.T]).T


BATCH_SIZES = (1, *range(8, 513, 8))
"""Sizes of test batches at which a score without the last batch is told."""


@dataclass(frozen=True)
class Row:
    """One row of the table: the errors of each seed, their epoch chosen by the validation part.

    ``by_test`` are those whose epoch the test part chose, of a row that learns; ``longer`` those with the longer
    look-back, of the row that may have it.
    """

    name: str
    honest: Sequence[Errors]
    by_test: Sequence[Errors] | None = None
    longer: Errors | None = None

    def told(self, settings: Leaderboard) -> Sequence[Errors]:
        """The errors that the table tells, with the traps that are set."""
        if settings.longer_look_back and self.longer is not None:
            return [self.longer] * len(self.honest)
        return self.by_test if settings.stopped_by == "test" and self.by_test is not None else self.honest


def table_of(
    settings: Leaderboard, problem: Problem, rows: Sequence[Row]
) -> Mapping[str, Float[np.ndarray, "forecaster ..."]]:
    """What is recorded of the rows after an epoch, by the variable's name; rows come first."""
    errors_by_row = [row.told(settings) for row in rows]
    count = kept_windows(len(problem.tested), settings.test_batch, settings.last_batch)
    windows = np.stack([[errors.windows[:, :count] for errors in seeds] for seeds in errors_by_row])
    scores = windows.mean(axis=-1)
    best = scores[:, :, -1].argmin(axis=1)
    seed_windows = list(windows)
    if settings.seeds_told == "best":
        seed_windows = [seeds[[place]] for seeds, place in zip(windows, best, strict=True)]
    replications = np.stack([replications_of(seeds, settings.horizon) for seeds in seed_windows])
    ends = np.stack([interval(one) for one in replications])
    whole = replications[..., -1]
    differences = np.array([[interval((own - rival)[:, None])[:, 0] for rival in whole] for own in whole])
    steps = np.stack([np.mean([errors.steps for errors in seeds], axis=0) for seeds in errors_by_row])
    until = np.stack([seeds.mean(axis=(0, 2)) for seeds in seed_windows])
    every = [np.mean([errors.windows[-1] for errors in seeds], axis=0) for seeds in errors_by_row]
    repeat_error = steps[[row.name for row in rows].index("repeat"), 0]
    return {
        "score": scores[:, :, -1],
        "told": until[:, -1],
        "told_low": ends[:, 0, -1],
        "told_high": ends[:, 1, -1],
        "difference_low": differences[..., 0],
        "difference_high": differences[..., 1],
        "until_score": until,
        "until_low": ends[:, 0],
        "until_high": ends[:, 1],
        "batch_score": np.stack([batch_scores(one, BATCH_SIZES) for one in every]),
        "step_error": steps,
        "shift_error": np.stack([np.mean([errors.shifts for errors in seeds], axis=0) for seeds in errors_by_row]),
        "level_r2": 1 - steps[:, 0] / problem.first_step_variance,
        "move_r2": 1 - steps[:, 0] / repeat_error,
        "forecast": np.stack([seeds[0].shown for seeds in errors_by_row]),
    }


def trap_scores(
    settings: Leaderboard, problem: Problem, rows: Sequence[Row]
) -> tuple[Float[np.ndarray, "trap forecaster"], Float[np.ndarray, "trap forecaster"]]:
    """The mean score of each row without and with each trap, all other traps away; NaN where one does not apply."""
    pairs = [_of_row(settings, problem, row) for row in rows]
    both = np.array([[pair.get(trap, (np.nan, np.nan)) for pair in pairs] for trap in TRAPS])
    return both[..., 0], both[..., 1]


def _of_row(settings: Leaderboard, problem: Problem, row: Row) -> dict[str, tuple[float, float]]:
    windows = np.stack([errors.windows[-1] for errors in row.honest])
    seeds = windows.mean(axis=1)
    fair = float(seeds.mean())
    scales = [fair, float(np.mean([errors.channels * problem.other_scale for errors in row.honest]))]
    window_count = kept_windows(windows.shape[1], settings.test_batch, "drop")
    pairs = {
        "dropped_batch": (fair, float(windows[:, :window_count].mean()) if window_count else np.nan),
        "whole_scaling": (scales[0], scales[1]) if settings.scaled_by == "training" else (scales[1], scales[0]),
    }
    if row.longer is not None:
        pairs["longer_look_back"] = (fair, float(row.longer.windows[-1].mean()))
    if row.by_test is not None:
        pairs["test_stopping"] = (fair, float(np.mean([errors.windows[-1] for errors in row.by_test])))
        if len(seeds) > 1:
            pairs["best_seed"] = (fair, float(seeds.min()))
    return pairs
