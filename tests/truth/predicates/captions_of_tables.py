"""What is claimed under figures of tables of scores."""

import numpy as np
import xarray as xr

from goldviz.figures.theme import style_of
from goldviz.labs.leaderboard.public_sets import PUBLIC_SETS
from tests.truth.predicates.drawing import SAME, Claim, Drawing, absent, held, numeric, over, shown


def label_of(row: str) -> str:
    return style_of(row).label


def of_row(drawing: Drawing, row: str) -> Drawing:
    """The traces that have the row's name, and no longer one."""
    return drawing.only(lambda trace: trace.get("name") == label_of(row))


def rows(name: str) -> Claim:
    """Of every row of the table its numbers, in the trace that has its name."""

    def claim(drawing: Drawing) -> bool:
        values = drawing.view.last(name)
        return all(held(of_row(drawing, row), values.sel(forecaster=row)) for row in values.forecaster.values)

    return claim


def with_ends(drawing: Drawing, axis: str, middle: xr.DataArray, low: xr.DataArray, high: xr.DataArray) -> bool:
    """Whether one trace has marks at these numbers, and bars that reach from one end of an interval to the other."""
    for trace in drawing.data:
        drawn, bars = numeric(trace.get(axis)), trace.get(f"error_{axis}") or {}
        up, down = (numeric(bars.get(part)) for part in ("array", "arrayminus"))
        due = [np.atleast_1d(one.values) for one in (middle, high, low)]
        if drawn is None or up is None or down is None or drawn.shape != due[0].shape:
            continue
        ends = (drawn, drawn + up, drawn - down)
        if all(np.allclose(one, other, **SAME) for one, other in zip(ends, due, strict=True)):
            return True
    return False


def intervals(drawing: Drawing) -> bool:
    """Every row's number, and the ends of its interval as bars."""
    axis, *names = INTERVALS[drawing.view.figure]
    parts = [drawing.view.last(name) for name in names]
    return all(
        with_ends(of_row(drawing, row), axis, *(part.sel(forecaster=row) for part in parts))
        for row in parts[0].forecaster.values
    )


INTERVALS = {
    "table": ("x", "told", "told_low", "told_high"),
    "by_horizon": ("y", "until_score", "until_low", "until_high"),
}
"""Along which axis, around which number."""


def without_mark(drawing: Drawing) -> bool:
    """A look-back of one row, stopping of rows that learn, and the best of the seeds of these, where it has several."""
    learn = {str(name) for name in drawing.run.network.values}
    several = drawing.run.sizes["seed"] > 1
    everyone = {str(row) for row in drawing.run.forecaster.values}
    touched = {
        "dropped_batch": everyone,
        "whole_scaling": everyone,
        "longer_look_back": {"least_squares"},
        "test_stopping": learn,
        "best_seed": learn if several else set(),
    }
    traps_of_run = [str(trap) for trap in drawing.run.trap.values]
    marks = {row: np.isfinite(numeric(of_row(drawing, row).data[0]["x"])) for row in everyone}
    return all(
        bool(marks[row][place]) == (row in touched[trap]) for row in everyone for place, trap in enumerate(traps_of_run)
    )


def told_apart(drawing: Drawing) -> bool:
    """A row is better where its whole interval of differences is below zero, and nobody can say where zero is in it."""
    low, high = (drawing.view.last(f"difference_{end}").values for end in ("low", "high"))
    [trace] = drawing.typed("heatmap").data
    words = np.where(high < 0, "better", np.where(low > 0, "worse", "?"))
    signs = np.where(high < 0, -1, np.where(low > 0, 1, 0))
    other = ~np.eye(len(words), dtype=bool)
    texts = np.asarray(trace["text"])
    return bool((texts[other] == words[other]).all()) and np.array_equal(numeric(trace["z"])[other], signs[other])


def one_window(drawing: Drawing) -> bool:
    came = drawing.named("^what came$")
    return rows("forecast")(drawing) and all(held(came, drawing.view.of(name)) for name in ("past", "truth"))


def shifted(drawing: Drawing) -> bool:
    """No shift is what came, so there it is the first step's error; a shift of one is the last value that was known."""
    shifts, steps = (drawing.view.last(name) for name in ("shift_error", "step_error"))
    came = np.allclose(shifts.sel(shift=0), steps.sel(ahead=1), rtol=1e-3)
    known = abs(float(shifts.sel(shift=1, forecaster="repeat"))) < 1e-9
    return came and known and rows("shift_error")(drawing)


def linear_weights(drawing: Drawing) -> bool:
    return shown(drawing.typed("heatmap"), drawing.view.of("weight"), by_name=False)


def this_run(drawing: Drawing) -> bool:
    """Every row of the table, filled."""
    marks = np.sort(np.concatenate([numeric(trace["x"]) for trace in drawing.filled.data]))
    return np.allclose(marks, np.sort(drawing.view.last("told").values), **SAME)


def published(drawing: Drawing) -> bool:
    """Every published score of the set at this horizon, hollow, on the line that has its model's name."""
    settings = drawing.view.settings
    [public] = [one for one in PUBLIC_SETS if one.label == drawing.run.attrs["public_set"]]
    scores = public.published(settings.horizon, public.split)
    axis = drawing.layout["yaxis"]
    lines = dict(zip(axis["tickvals"], axis["ticktext"], strict=True))
    drawn = {lines.get(trace["y"][0]): float(numeric(trace["x"])[0]) for trace in drawing.hollow.data}
    return drawn.keys() == scores.keys() and all(np.isclose(drawn[model], value) for model, value in scores.items())


OF_LABORATORIES = {
    "leaderboard": {
        "Which windows are missing.": absent("missing"),
        "Bars: 95 % intervals.": intervals,
        "Other years.": absent("year"),
        "No mark: untouched, or it takes several seeds.": without_mark,
        "Filled: this run.": this_run,
        "Hollow: Zeng et al. 2023, table 2.": published,
        "Equal conditions: published rows drop the last batch; linear ones read 336 steps, others 96.": absent(
            "batch", "reads?", "336"
        ),
        "Which row is better than which; a question mark where nobody can say.": told_apart,
        "How large a difference is.": absent("difference", "larger", "smaller"),
        "The first seed's forecasts of one window, and what came.": one_window,
        "At 0: what came; from 1 on: what was known.": shifted,
        "The weight of each lag in each step's forecast.": linear_weights,
        "The test error after each epoch, which nobody may choose by.": over("test_error"),
    },
}
