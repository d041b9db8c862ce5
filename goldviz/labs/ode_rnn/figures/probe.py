"""The probe sequence of *ODE-RNN* as its figures read it: looks, gaps, moments and jumps, and how far axes reach.

They draw a run's dataset, of which the scrubber picks a look, and in the same way what
``goldviz.labs.ode_rnn.path.path`` gives for edited observations, which has no looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import limits
from goldviz.figures.frames import Words
from goldviz.figures.limits import Quantity, Values, exact, padded
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import setting_of

BAND_90 = 1.6448536269514722
"""Standard deviations to each side that hold 90 % of a normal distribution."""

LARGEST_OVERSHOOT = 0.6
"""Heights of the observed range that the axis of values follows a forecast upwards and downwards, at most."""

MOST_MOMENTS = 1400
"""Moments drawn at most in all panels of a figure of the probe; more would not be told apart."""


def legend_lines(plot: Plot) -> int:
    """Lines that a legend of the run's networks takes on a phone."""
    return max(1, len(plot.networks) - 1)


def as_of(plot: Plot, *names: str) -> Run:
    """The run with these variables at the looks that are drawn, look first; a dataset without looks is one look."""
    now = {name: plot.now[name] for name in names if name in plot.now}
    looks = {name: values if "look" in values.dims else values.expand_dims("look") for name, values in now.items()}
    return plot.ds.drop_dims("look", errors="ignore").assign(looks)


def step_in_words(plot: Plot) -> Words:
    """Which look is drawn; empty for a dataset without looks."""
    return plot.step_in_words("look", one_seed=True) if "look" in plot.ds.dims else ""


def longest_gap(ds: Run) -> float:
    """The longest gap in training; infinite where neither attributes nor settings say."""
    gap = ds.attrs.get("longest_gap", setting_of(ds, "longest_gap"))
    return float(gap) if gap is not None else float("inf")


def time_unit(ds: Run) -> str:
    """The unit of the times as a label, 's' where the dataset does not say."""
    return as_label(str(ds.attrs.get("time_unit", "s")))


def time_axis(plot: Plot) -> Mapping[str, Any]:
    """The axis of the probe's moments."""
    unit = time_unit(plot.ds)
    words = {"title_text": f"Time ({unit})", "unifiedhovertitle_text": f"time %{{x:.3f}} {unit}"}
    return {"range": plot.limit("time"), "showgrid": False, **words}


def gaps_before(ds: Run) -> NDArray[np.float64]:
    """The gap before each observation of the probe sequence; the first has none: NaN."""
    return np.diff(ds["probe_time"].values.astype(np.float64), prepend=np.nan)


def beyond_training(ds: Run) -> list[tuple[float, float]]:
    """Stretches of time in which the last observation is farther away than any was in training."""
    times, longest = ds["probe_time"].values.astype(np.float64), longest_gap(ds)
    ends = np.append(times[1:], max(float(ds["moment"].values[-1]), float(times[-1])))
    # A gap that equals the longest may be a little longer after rounding to single precision.
    return [(at + longest, end) for at, end in zip(times, ends, strict=True) if end - at > longest * (1 + 1e-6)]


def jump_places(moments: NDArray[Any]) -> NDArray[np.intp]:
    """Indices of the moments just before a jump: the next one has the same time.

    >>> jump_places(np.array([0.0, 0.0, 0.5, 1.0, 1.0]))
    array([0, 3])
    """
    return np.flatnonzero(np.diff(moments) == 0)


def drawn_moments(moments: NDArray[Any], most: int) -> NDArray[np.intp]:
    """Indices of the moments to draw: both sides of every jump and the last one, and of the rest as many as fit.

    >>> drawn_moments(np.array([0.0, 0.0, 0.1, 0.2, 0.3, 1.0, 1.0]), most=5)
    array([0, 1, 4, 5, 6])
    """
    sides = np.zeros(len(moments), dtype=bool)
    cuts = jump_places(moments)
    sides[cuts] = sides[cuts + 1] = sides[-1] = True
    rest = np.flatnonzero(~sides)
    stride = max(1, -(-len(rest) // max(1, most - int(sides.sum()))))
    sides[rest[stride - 1 :: stride]] = True
    return np.flatnonzero(sides)


def lifted(values: NDArray[Any], cuts: NDArray[np.intp]) -> NDArray[np.float32]:
    """Values along the moments (last axis) with NaN inside each jump, where a line is to be lifted.

    >>> lifted(np.array([1.0, 2.0, 3.0]), np.array([0]))
    array([ 1., nan,  2.,  3.], dtype=float32)
    """
    with np.errstate(over="ignore"):
        return np.insert(np.asarray(values, dtype=np.float32), cuts + 1, np.nan, axis=-1)


def uprights(values: NDArray[Any], cuts: NDArray[np.intp]) -> NDArray[np.float32]:
    """The two sides of every jump and a NaN after them, along the last axis: what a line of jumps is drawn from.

    >>> uprights(np.array([1.0, 2.0, 3.0]), np.array([0]))
    array([ 1.,  2., nan], dtype=float32)
    """
    with np.errstate(over="ignore"):
        before, after = (np.asarray(values[..., sides], dtype=np.float32) for sides in (cuts, cuts + 1))
    sides = np.stack([before, after, np.full_like(before, np.nan)], axis=-1)
    return sides.reshape(*before.shape[:-1], 3 * len(cuts))


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
    mean, scale = (
        ds[name].sel(channel=channel).values.ravel().astype(np.float64) for name in ("decoded_mean", "decoded_scale")
    )
    with np.errstate(invalid="ignore"):
        band = np.concatenate([mean, mean - BAND_90 * scale, mean + BAND_90 * scale])
    return np.concatenate([observations, np.clip(band[np.isfinite(band)], *farthest(ds, channel))])


def of_first_channel(ds: Run) -> Values:
    """The values of the first channel, which its axis reaches over."""
    if "channel" not in ds.coords or "probe_value" not in ds:
        return np.array([])
    return _of_values(str(ds["channel"].values[0]), ds)


def of_times(ds: Run) -> Values:
    """The moments of the probe sequence."""
    return ds["moment"].values.astype(np.float64) if ds.sizes.get("moment") else np.array([])


TIME = Quantity(of_times, lambda low, high: padded(*exact(low, high)))
