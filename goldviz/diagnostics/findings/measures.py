"""Measures that readings of several laboratories are made of, and ratios that never warn."""

from __future__ import annotations

import numpy as np

from goldviz.diagnostics.findings.finding import Floats, Verdicts

RISING = 1.1
ERRORS = 4.0
MEDIAN_OF_NORMAL = 0.6745
"""Of the size of a standard normal number."""


def diverged(loss: Floats, axis: int = 0) -> Verdicts:
    """Where the loss stopped being a number: NaN or infinite at any step along ``axis``."""
    return np.asarray(~np.isfinite(loss).all(axis=axis))


def rising(loss: Floats) -> Verdicts:
    """Whether the loss went up: the last quarter's mean over 1.1 times the first quarter's, along the first axis.

    The rise must also be four times the error of such a difference, which the steps' own noise gives: a network that
    does not move is else called rising in every third run of eight steps whose losses spread by a fifth. Fewer than
    eight steps say nothing. A loss that is not finite is *diverged*, not rising.

    >>> bool(rising(np.linspace(1.0, 2.0, 20))), bool(rising(np.array([1.0, 1.4, 1.1, 0.9, 1.3, 1.0, 1.5, 1.2])))
    (True, False)
    """
    quarter = len(loss) // 4
    if quarter < 2:
        return np.zeros(loss.shape[1:], dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        before, after = loss[:quarter].mean(axis=0), loss[-quarter:].mean(axis=0)
        error = noise(loss) * np.sqrt(2 / quarter)
        return np.asarray((after > RISING * before) & (after - before > ERRORS * error))


def noise(loss: Floats) -> Floats:
    """The standard deviation around a slow change, from the median size of a step's change, which jumps leave alone."""
    changes = np.median(np.abs(np.diff(loss, axis=0)), axis=0)
    return np.asarray(changes / (MEDIAN_OF_NORMAL * np.sqrt(2)))


def typical_update(ratio: Floats) -> float:
    """The median update-to-data ratio over steps and layers, of what is finite and not zero; NaN if nothing is.

    A layer whose gradient is exactly zero does not move at any learning rate, so it says nothing about the rate.
    """
    usable = ratio[np.isfinite(ratio) & (ratio > 0)]
    return float(np.median(usable)) if usable.size else float("nan")


def typical_updates(ratios: Floats) -> Floats:
    """The typical ratio for each seed, which is the last axis."""
    return np.array([typical_update(ratios[..., seed]) for seed in range(ratios.shape[-1])])


def median(values: Floats | float) -> float:
    """The median of what is a number; infinity is one, larger than all others. NaN if there are none.

    >>> median(np.array([0.5, np.inf, 1.1])), median(np.array([np.nan, 2.0]))
    (1.1, 2.0)
    """
    usable = np.asarray(values)[~np.isnan(values)]
    with np.errstate(invalid="ignore"):
        return float(np.median(usable)) if usable.size else float("nan")


def mean(values: Floats) -> Floats:
    """The mean along the first axis of what is finite; NaN where nothing is."""
    usable = np.isfinite(values)
    count = usable.sum(axis=0)
    with np.errstate(over="ignore"):
        total = np.where(usable, values, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def largest(values: Floats) -> Floats:
    """The largest value of each seed, which is the last axis; what is no number counts as zero."""
    return np.asarray(np.nan_to_num(values, nan=0.0, posinf=np.inf).reshape(-1, values.shape[-1]).max(axis=0))


def share(part: Floats, whole: Floats | float) -> Floats:
    """A part of what is above zero, without a warning; NaN where the whole is not.

    >>> share(np.array([1.0, 1.0]), np.array([4.0, 0.0]))
    array([0.25,  nan])
    """
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(part / np.where(whole > 0, whole, np.nan))


def ratio(numerator: Floats, denominator: Floats | float) -> Floats:
    """Element by element; infinite over zero, NaN for zero over zero, without a warning."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(numerator / denominator)
