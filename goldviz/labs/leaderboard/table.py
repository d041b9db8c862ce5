"""The table of a leaderboard: what it tells of each row, how sure that is, and what each trap would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from goldviz.labs.leaderboard.choices import TRAPS
from goldviz.labs.leaderboard.problem import Problem
from goldviz.labs.leaderboard.window_errors import Errors, batch_scores, interval, kept_windows, replications_of

if TYPE_CHECKING:
    from goldviz.labs.leaderboard.settings import Leaderboard

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
