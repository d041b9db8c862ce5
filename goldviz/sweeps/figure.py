"""The figure of a sweep: a phase diagram over two settings, or a curve over one."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.light import LightDataset
from goldviz.arrays.readings import Read, Readings
from goldviz.declare import registry
from goldviz.declare.setting_words import shown
from goldviz.declare.settings import SettingsError, facts, label
from goldviz.diagnostics.noise import mean_interval
from goldviz.figures.chart import Chart, axis, colours, curves, drawn_of, heat, lines, rule
from goldviz.figures.chart import figure as chart_of
from goldviz.figures.marks import Mark, given
from goldviz.figures.theme import INKS, Theme
from goldviz.sweeps.dataset import FAILED, STATUS
from goldviz.sweeps.grid import SEED

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import xarray as xr

Floats = NDArray[np.float64]
X, Y = "column", "row"
STROKES = ((-0.5, 0.0), (-0.5, -0.5), (0.0, -0.5))
"""Where the strokes of a hatched cell begin; each runs up to the right, to the cell's edge."""
FINE = 400
"""Places along x at which a line of theory is drawn."""
MOST_TICKS = 12


def phase_diagram(
    sweep: xr.Dataset,
    measure: str,
    *,
    x: str = "",
    y: str = "",
    line: float | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """A measure of a sweep over two settings as colours, or over one as a curve with the range of its seeds.

    ``x`` and ``y`` are settings of the sweep, the last and the one before unless you say. Colours are medians over
    seeds. Cells are hatched whose 95 % interval over seeds holds the ``line``, such as 0.9 of a loss's share of that of
    always answering zero: of those it is not known on which side they are. A cross is where runs diverged. Where theory
    draws a line over the two settings, it is drawn.

    Raises :class:`goldviz.experiments.SettingsError` for what is no sweep, and a measure or setting that it lacks.
    """
    if "sweep" not in getattr(sweep, "attrs", {}) or FAILED not in sweep:
        raise SettingsError({"sweep": "The dataset is no sweep; give what goldviz.sweep returned, or a part of it."})
    if theme not in INKS:
        raise SettingsError({"theme": f"The theme is {theme!r}; allowed is {' or '.join(INKS)}."})
    numbers = [str(name) for name, one in sweep.data_vars.items() if one.dtype.kind == "f"]
    if measure not in numbers:
        near = get_close_matches(str(measure)[:60], numbers, 1)
        there = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(numbers)}."
        raise SettingsError({"measure": f"The sweep has no measure {str(measure)[:60]!r}; {there}"})
    whole = sweep if SEED in sweep.dims else sweep.expand_dims(SEED)
    settings = [name for name in json.loads(sweep.attrs["sweep"]) if name in sweep.dims]
    axes = _axes(whole, settings, x, y)
    whole = whole.isel({name: 0 for name in settings if name not in axes})
    for name in axes:
        if whole[name].dtype.kind in "fiu":
            whole = whole.sortby(name)
    chart, drawn = (_map if len(axes) == 2 else _curve)(whole, measure, axes, line)
    readings = Readings({measure: Read(_words(sweep, measure)), X: Read(""), Y: Read("")})
    figure: go.Figure = drawn_of(LightDataset.of(drawn), chart, readings)(LightDataset.of(drawn), theme=theme)
    return figure


def _axes(sweep: xr.Dataset, settings: Sequence[str], x: str, y: str) -> list[str]:
    """The settings that the figure goes over, x first; all others have one value."""
    for name in filter(None, (x, y)):
        if name not in settings:
            raise SettingsError(
                {name: f"The sweep goes over {', '.join(settings) or 'no setting'}, not {name[:60]!r}."}
            )
    several = [name for name in settings if sweep.sizes[name] > 1 and name not in (x, y)]
    last = x or (several.pop() if several else next((one for one in settings if one != y), ""))
    other = y or (several.pop() if several else "")
    if several or not last:
        what = f"several values of {', '.join(several)} beside" if several else "no setting for"
        raise SettingsError({"sweep": f"The sweep has {what} the figure's axes; choose by ds.sel or name x and y."})
    return [last, *([other] if other else [])]


def _map(sweep: xr.Dataset, measure: str, axes: Sequence[str], line: float | None) -> tuple[Chart, xr.Dataset]:
    import xarray as xr

    x, y = axes
    values = sweep[measure].transpose(y, x, SEED).values
    diverged = sweep[STATUS].transpose(y, x, SEED).values == "diverged"
    gone = diverged & ~np.isfinite(values)
    middle = _medians(np.where(gone, np.inf, values))
    crossed = np.asarray(np.isinf(middle))
    middle = np.where(crossed, np.nan, middle)
    unsure = np.zeros(middle.shape, bool)
    if line is not None:
        for at in np.ndindex(middle.shape):
            unsure[at] = _holds(values[at], bool(gone[at].any()), line)
    columns, rows = np.arange(values.shape[1]), np.arange(values.shape[0])
    drawn = xr.Dataset({measure: ((Y, X), middle)}, {X: columns, Y: rows}, {"status": "finished"})
    hover = _hovers(sweep, measure, axes)
    parts: list[Mark] = [heat(measure, X, Y, hover=hover, more={"customdata": _places(sweep, x, y)})]
    parts += _hatches(unsure, line) + _crosses(crossed) + _theory(sweep, x, y)
    finite = middle[np.isfinite(middle)]
    ends = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    powers = bool(finite.size) and ends[0] > 0 and ends[1] > 30 * ends[0]
    if powers:
        drawn[measure] = np.log10(drawn[measure])
        ends = (math.log10(ends[0]), math.log10(ends[1]))
    seeds = sweep.sizes[SEED]
    chart = chart_of(
        "phase_diagram",
        "",
        *parts,
        x=axis(_title(sweep, x), scale="free", told=lambda plot: _ticks(sweep[x].values)),
        y=axis(_title(sweep, y), scale="free", told=lambda plot: _ticks(sweep[y].values)),
        colour=colours(
            _words(sweep, measure), ends=ends if ends[0] < ends[1] else (ends[0] - 1, ends[1] + 1), powers=powers
        ),
        legend="above" if len(parts) > 1 else "none",
        notes=(f"Median of {seeds} seeds." if seeds > 1 else "One seed.",),
        hover="closest",
        shows=_words(sweep, measure),
    )
    return chart, drawn


def _medians(values: Floats) -> Floats:
    """Medians over the last axis, without what is no number."""
    none = np.asarray(np.isnan(values).all(-1))
    with np.errstate(invalid="ignore"):
        return np.where(none, np.nan, np.nanmedian(np.where(none[..., None], 0.0, values), axis=-1))


def _holds(known: Floats, diverged: bool, line: float) -> bool:
    """Whether it is not known on which side of a line a cell is; what diverged is above it."""
    known = known[np.isfinite(known)]
    if diverged:
        return bool((known < line).any())
    by_ratio = line > 0 and bool((known > 0).all())
    low, high = mean_interval(np.log(known) if by_ratio else known)
    at = math.log(line) if by_ratio else line
    return bool(low <= at <= high)


def _hatches(unsure: NDArray[np.bool_], line: float | None) -> list[Mark]:
    if not unsure.any():
        return []
    xs: list[float] = []
    ys: list[float] = []
    for row, column in zip(*np.nonzero(unsure), strict=True):
        for left, below in STROKES:
            reach = 0.5 - max(left, below)
            xs += [column + left, column + left + reach, math.nan]
            ys += [row + below, row + below + reach, math.nan]
    words = f"hatched: the seeds' interval holds {line:g}"
    return [_line(xs, ys, words, "text", 1.2)]


def _crosses(gone: NDArray[np.bool_]) -> list[Mark]:
    if not gone.any():
        return []
    rows, columns = np.nonzero(gone)
    return [_line(columns, rows, "diverged", "muted", 1.0, mode="markers", symbol="x")]


def _theory(sweep: xr.Dataset, x: str, y: str) -> list[Mark]:
    """The line that the sweep's laboratory knows of, in the map's columns and rows."""
    told = registry.laboratories()[str(sweep.attrs["experiment"])].hook("phases", "theory")
    settings = json.loads(sweep.attrs["settings"])
    found = told(settings, x, y) if told is not None else None
    if found is None or min(sweep.sizes[x], sweep.sizes[y]) < 2:
        return []
    words, height = found
    places, rows = sweep[x].values.astype(float), sweep[y].values.astype(float)
    columns = np.linspace(0, len(places) - 1, FINE)
    at = _between(columns, np.arange(len(places)), places)
    heights = np.array([height(one) for one in at])
    # Outside the map the line goes on to half a cell, and no further.
    inside = _between(heights, rows, np.arange(len(rows)))
    inside = np.where((heights >= rows[0]) & (heights <= rows[-1]), inside, np.nan)
    return [_line(columns, inside, words, "accent", 3.0)]


def _between(at: Floats, knots: Any, values: Any) -> Floats:
    """Values between knots, by ratio where all of them are above zero."""
    knots, values = np.asarray(knots, dtype=float), np.asarray(values, dtype=float)
    if (values > 0).all():
        return np.asarray(np.exp(np.interp(at, knots, np.log(values))))
    if (knots > 0).all():
        return np.asarray(np.interp(np.log(np.maximum(at, 1e-300)), np.log(knots), values))
    return np.asarray(np.interp(at, knots, values))


def _line(xs: Any, ys: Any, words: str, colour: str, width: float, **how: Any) -> Mark:
    places = np.arange(len(xs))
    return lines(
        given(ys, point=places), x=given(xs, point=places), name=words, colour=colour, width=width,
        hover=f"{words}<extra></extra>", **how,
    )  # fmt: skip


def _places(sweep: xr.Dataset, x: str, y: str) -> list[list[list[str]]]:
    return [[[shown(own), shown(other)] for own in sweep[x].values.tolist()] for other in sweep[y].values.tolist()]


def _hovers(sweep: xr.Dataset, measure: str, axes: Sequence[str]) -> str:
    x, y = axes
    return f"{label(x)} %{{customdata[0]}}, {label(y).lower()} %{{customdata[1]}}: %{{z:.3~g}}"


def _ticks(values: Any) -> dict[str, Any]:
    every = max(1, -(-len(values) // MOST_TICKS))
    places = [*range(0, len(values), every)]
    names = [shown(float(f"{one:.3g}") if isinstance(one, float) else one) for one in values.tolist()]
    return {
        "tickvals": places, "ticktext": [names[at] for at in places],
        "range": (-0.5, len(values) - 0.5), "showgrid": False, "zeroline": False,
    }  # fmt: skip


def _curve(sweep: xr.Dataset, measure: str, axes: Sequence[str], line: float | None) -> tuple[Chart, xr.Dataset]:
    (x,) = axes
    numbers = sweep[x].dtype.kind in "fiu"
    drawn = sweep[[measure]].transpose(x, SEED)
    if not numbers:
        drawn = drawn.assign_coords({x: np.arange(sweep.sizes[x])})
    drawn.attrs["status"] = "finished"
    kind = registry.experiment(str(sweep.attrs["experiment"]))
    ratios = numbers and bool(facts(kind, x)["logarithmic"]) and bool((sweep[x] > 0).all())
    values = sweep[measure].values[np.isfinite(sweep[measure].values)]
    scale: Any = "log" if values.size and values.min() > 0 and values.max() > 30 * values.min() else "linear"

    # A line that no value comes near is in view, too.
    reached = values if line is None or (scale == "log" and line <= 0) else np.append(values, line)

    def told(plot: Any) -> dict[str, Any]:
        return {"type": "log"} if ratios else {} if numbers else _ticks(sweep[x].values)

    drawn = drawn.rename({x: X})
    chart = chart_of(
        "phase_diagram",
        "",
        curves(measure, over=X),
        *([rule(y=line, words=f"{line:g}")] if line is not None else []),
        x=axis(_title(sweep, x), scale="free", told=told),
        y=axis("", scale=scale, read=lambda ds: np.log10(reached) if scale == "log" else reached),
        title=_words(sweep, measure),
        shows=_words(sweep, measure),
    )
    return chart, drawn


def _words(sweep: xr.Dataset, measure: str) -> str:
    """What is measured, in its own words, cut at their first stop."""
    told = str(sweep[measure].attrs.get("long_name") or measure)
    return told.partition(". ")[0].rstrip(".")


def _title(sweep: xr.Dataset, name: str) -> str:
    units = str(sweep[name].attrs.get("units", "1"))
    return label(name) + (f" ({units})" if units != "1" else "")
