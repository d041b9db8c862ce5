"""The probe sequence of *ODE-RNN* as figures read it: as of its looks, its gaps, and how far its axes reach.

The figures of the probe draw a run's dataset, of which the scrubber picks a look, and in the same way what
``goldviz.labs.ode_rnn.path.path`` gives for edited observations, which has no looks.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import limits
from goldviz.figures.draft import Figure
from goldviz.figures.frames import Words
from goldviz.figures.limits import Quantity, Values, exact, padded
from goldviz.figures.market import legend_under
from goldviz.figures.plot import Plot
from goldviz.figures.reading import setting_of

BAND_90 = 1.6448536269514722
"""Standard deviations to each side that hold 90 % of a normal distribution."""

LARGEST_OVERSHOOT = 0.6
"""Heights of the observed range that the axis of values follows a forecast upwards and downwards, at most."""


def legend_below(figure: Figure, lines: int, *, below_headings: bool = False) -> Figure:
    """Put the legend under the axis title, with room for so many lines on a phone; call it after ``theme.apply``.

    A figure with panels is ``below_headings``: it keeps room for the first one's name above the plot.
    """
    legend_under(figure, lines=lines, axis=50)
    return figure.update_layout(margin_t=figure.layout.margin.t + (16 if below_headings else 0))


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


def of_first_channel(ds: Run) -> Values:
    """The values of the first channel, which its axis reaches over."""
    if "channel" not in ds.coords or "probe_value" not in ds:
        return np.array([])
    return _of_values(str(ds["channel"].values[0]), ds)


def of_times(ds: Run) -> Values:
    """The moments of the probe sequence."""
    return ds["moment"].values.astype(np.float64) if ds.sizes.get("moment") else np.array([])


def of_plane(axis: int, ds: Run) -> Values:
    """The places along one principal axis of the plane."""
    parts = [ds[name].values[..., axis].ravel() for name in ("plane_path", "arrow_position") if name in ds]
    return np.concatenate([np.array([]), *parts])


TIME = Quantity(of_times, lambda low, high: padded(*exact(low, high)))
