"""What the figures of *ODE-RNN* share: the probe sequence as of its looks, its gaps and jumps, limits of axes.

The figures of the probe draw a run's dataset, of which the scrubber picks a look, and in the same way what
``goldviz.labs.ode_rnn.path.path`` gives for edited observations, which has no looks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.draft import Figure
from goldviz.figures.frames import Words
from goldviz.figures.layers import LayerAxis
from goldviz.figures.limits import (
    Quantity,
    Values,
    decades,
    ends_of,
    exact,
    log_of,
    magnitudes,
    padded,
    with_zero,
)
from goldviz.figures.market import legend_under
from goldviz.figures.plot import Now, Plot
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

BAND_90 = 1.6448536269514722
"""Standard deviations to each side that hold 90 % of a normal distribution."""

LARGEST_OVERSHOOT = 0.6
"""Heights of the observed range that the axis of values follows a forecast upwards and downwards, at most."""

ONE_TENTH_MORE = float(np.log10(1.1))


def legend_below(figure: Figure, lines: int, *, below_headings: bool = False) -> Figure:
    """Put the legend under the axis title, with room for so many lines on a phone; call it after ``theme.apply``.

    A figure with panels is ``below_headings``: it keeps room for the first one's name above the plot.
    """
    legend_under(figure, lines=lines, axis=50)
    return figure.update_layout(margin_t=figure.layout.margin.t + (16 if below_headings else 0))


def lines_of(names: Sequence[str]) -> int:
    """Lines that a legend of these networks takes on a phone."""
    return max(1, len(names) - 1)


def as_of(plot: Plot, *names: str) -> Run:
    """The run with these variables at the looks that are drawn, look first; a dataset without looks is one look."""
    now = {name: plot.now[name] for name in names if name in plot.now}
    looks = {name: values if "look" in values.dims else values.expand_dims("look") for name, values in now.items()}
    return plot.ds.drop_dims("look", errors="ignore").assign(looks)


def step_in_words(plot: Plot) -> Words:
    """Which look is drawn; empty for a dataset without looks."""
    return plot.step_in_words("look", one_seed=True) if "look" in plot.ds.dims else ""


def setting_of(ds: Run, name: str) -> Any:
    """What the run's settings say, from its attributes; None where they do not say."""
    return json.loads(ds.attrs.get("settings") or "{}").get(name)


def longest_gap(ds: Run) -> float:
    """The longest gap in training; infinite where neither attributes nor settings say."""
    gap = ds.attrs.get("longest_gap", setting_of(ds, "longest_gap"))
    return float(gap) if gap is not None else float("inf")


def time_unit(ds: Run) -> str:
    """The unit of the times, 's' where the dataset does not say."""
    return str(ds.attrs.get("time_unit", "s"))


def gaps_before(ds: Run) -> NDArray[np.float64]:
    """The gap before each observation of the probe sequence; the first has none: NaN."""
    return np.diff(ds["probe_time"].values.astype(np.float64), prepend=np.nan)


def beyond_training(ds: Run) -> list[tuple[float, float]]:
    """Stretches of time in which the last observation is farther away than any was in training."""
    times, longest = ds["probe_time"].values.astype(np.float64), longest_gap(ds)
    ends = np.append(times[1:], max(float(ds["moment"].values[-1]), float(times[-1])))
    # A gap that equals the longest may be a little longer after rounding to single precision.
    return [(at + longest, end) for at, end in zip(times, ends, strict=True) if end - at > longest * (1 + 1e-6)]


def value_limits(ds: Run, channel: str) -> tuple[float, float]:
    """Limits of one channel's values: what was observed, and forecasts within 0.6 of that range's height."""
    return limits.limit(Quantity(partial(_of_values, channel), padded), [ds])


def _seen(channel: str, ds: Run) -> Values:
    values = np.concatenate(
        [ds[name].sel(channel=channel).values.ravel() for name in ("probe_value", "probe_truth") if name in ds]
    )
    return np.asarray(values[np.isfinite(values)])


def farthest(ds: Run, channel: str) -> tuple[float, float]:
    """How far the axis of one channel's values follows a forecast at most, whatever later looks bring."""
    values = _seen(channel, ds)
    if not values.size:
        return -np.inf, np.inf
    room = LARGEST_OVERSHOOT * (float(np.ptp(values)) or 1.0)
    return float(values.min()) - room, float(values.max()) + room


def _of_values(channel: str, ds: Run) -> Values:
    observations = _seen(channel, ds)
    if "decoded_mean" not in ds or "decoded_scale" not in ds:
        return observations
    mean = ds["decoded_mean"].sel(channel=channel).values.ravel().astype(np.float64)
    reach = BAND_90 * ds["decoded_scale"].sel(channel=channel).values.ravel().astype(np.float64)
    with np.errstate(invalid="ignore"):
        band = np.concatenate([mean, mean - reach, mean + reach])
    return np.concatenate([observations, np.clip(band[np.isfinite(band)], *farthest(ds, channel))])


def _of_first_channel(ds: Run) -> Values:
    if "channel" not in ds.coords or "probe_value" not in ds:
        return np.array([])
    return _of_values(str(ds["channel"].values[0]), ds)


def _of_consistency(ds: Run) -> Values:
    has_flow = "error" in ds and "ode_rnn" in ds["network"].values
    own = log_of("error")(ds.sel(network=["ode_rnn"])) if has_flow else np.array([])
    return np.concatenate([own, log_of("refined_error")(ds)])


def refined_ratio(ds: Run | Now) -> Array:
    """The ODE-RNN's error with steps four times as fine over its own, by look and seed; NaN where it has none."""
    own = ds["error"].sel(network="ode_rnn", drop=True).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return ds["refined_error"] / own.where(own > 0)


def _of_ratio(ds: Run) -> Values:
    lines = np.array([-2 * ONE_TENTH_MORE, 2 * ONE_TENTH_MORE])
    if "refined_error" not in ds or "error" not in ds or "ode_rnn" not in ds["network"].values:
        return lines
    return np.append(limits.log10(refined_ratio(ds)).values.ravel(), lines)


def _of_times(ds: Run) -> Values:
    return ds["moment"].values.astype(np.float64) if ds.sizes.get("moment") else np.array([])


def _of_gaps(ds: Run) -> Values:
    gaps = gaps_before(ds) if ds.sizes.get("observation") and "probe_time" in ds else np.array([])
    return np.asarray(np.log10(gaps[gaps > 0]))


def _of_plane(axis: int, ds: Run) -> Values:
    parts = [ds[name].values[..., axis].ravel() for name in ("plane_path", "arrow_position") if name in ds]
    return np.concatenate([np.array([]), *parts])


def _of_coverage(ds: Run) -> Values:
    return np.append(ds["coverage"].values.ravel() if "coverage" in ds else np.array([]), [0.5, 1.0])


def _wide(low: float, high: float) -> tuple[float, float]:
    """Log10 limits with room for whole markers, half a decade apart at least."""
    room = max(0.06 * (high - low), (0.5 - (high - low)) / 2)
    return low - room, high + room


KINDS = ODERNNLaboratory.variables_by_kind

QUANTITIES = {
    **quantities_by_kind(KINDS),
    "time": Quantity(_of_times, lambda low, high: padded(*exact(low, high))),
    "value": Quantity(_of_first_channel, padded),
    "error": Quantity(log_of("error", "long_gap_error", "zero_error"), decades),
    "consistency": Quantity(_of_consistency, decades),
    "refined_ratio": Quantity(_of_ratio, decades),
    "state": Quantity(lambda ds: ds["state"].values.ravel() if "state" in ds else np.array([]), padded),
    "plane_first": Quantity(partial(_of_plane, 0), padded),
    "plane_second": Quantity(partial(_of_plane, 1), padded),
    "gap": Quantity(_of_gaps, _wide),
    "jump": Quantity(with_zero("jump"), padded),
    "interval_evaluations": Quantity(with_zero("interval_evaluations"), padded),
    **magnitudes("interval_error"),
    "coverage": Quantity(_of_coverage, padded),
    "evaluations": Quantity(with_zero("evaluations"), padded),
    "stiffness": Quantity(log_of("field_stiffness"), decades),
    "saturation": Quantity(with_zero("field_saturation"), padded),
    "row": LayerAxis(ends_of("row"), title="Observation", noun="observation", linked="observation"),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
