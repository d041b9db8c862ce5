"""What should be known of a visitor's own market before a run: whether it can be trained on, and what tells nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from goldviz.data.markets.text_channels import axes_know_the_future
from goldviz.data.markets.warnings import market_warnings
from goldviz.diagnostics.forecasts.lookahead import lookahead_warning
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

if TYPE_CHECKING:
    from goldviz.labs.ode_rnn.market_windows import MarketWindows

OF_THE_WINDOWS = ("data", "market_seed", "observations", "longest_gap")
"""The settings that say which windows are cut."""
FEW_TO_LEARN, FEW_TO_TEST = 100, 30
MUCH = 0.2
"""Share of the time, or of the observations, from which on it is told that no sequence has them."""


def doubts(settings: ODERNNLaboratory) -> tuple[str, ...]:
    """What a person should know before these settings are trained, each with what to do; nothing of simulated data.

    Raises :class:`goldviz.data.markets.market.MarketError` where they cannot be trained.
    """
    return market_warnings(settings, OF_THE_WINDOWS, windows_doubts, task="market")


@lru_cache(maxsize=32)
def windows_doubts(settings: ODERNNLaboratory) -> list[str]:
    """The same of the windows that these settings cut; raises :class:`MarketError` where there are none."""
    from goldviz.labs.ode_rnn.market_windows import market_windows

    windows = market_windows(settings)
    return [
        *map(lookahead_warning, windows.columns_ahead),
        *axes(windows),
        *channels(windows),
        *silence(windows),
        *few(windows),
        *left_out(windows, settings.longest_gap),
    ]


def axes(windows: MarketWindows) -> list[str]:
    """Tests from before the day up to which the axes of documents were fitted."""
    return axes_know_the_future(windows.market, windows.dates[windows.split], "tests", "Fit them on earlier documents.")


def channels(windows: MarketWindows) -> list[str]:
    """Channels without a value where the network learns, or where it is tested."""
    observed_values, warnings = np.isfinite(windows.values), []
    for place, channel in enumerate(windows.market.channels[1:], start=1):
        if not observed_values[: windows.split, place].any():
            warnings.append(
                f"Nothing is learned from {channel.words}: it has no moves before the tests begin on "
                f"{windows.dates[windows.split]:%Y-%m-%d}. Bring earlier values, or leave it out."
            )
        elif not observed_values[windows.split :, place].any():
            warnings.append(
                f"{channel.words} ends on {channel.observed.index[-1]:%Y-%m-%d}, and tests begin on "
                f"{windows.dates[windows.split]:%Y-%m-%d}. No test has news of it: bring later values, or leave it out."
            )
    return warnings


def silence(windows: MarketWindows) -> list[str]:
    """One gap that holds much of the time."""
    gaps = np.diff(windows.times)
    longest = int(gaps.argmax())
    share = gaps[longest] / (windows.times[-1] - windows.times[0])
    if share < MUCH:
        return []
    begin, end = windows.dates[longest], windows.dates[longest + 1]
    return [
        f"From {begin:%Y-%m-%d} to {end:%Y-%m-%d} there are no values: {100 * share:.0f} % of the time. No "
        "sequence crosses that gap, so nothing is learned of it. Bring the values in between."
    ]


def few(windows: MarketWindows) -> list[str]:
    """Few sequences to learn from, or to test on."""
    sequences, tests = len(windows.trained_on), len(windows.tested_on)
    if sequences >= FEW_TO_LEARN and tests >= FEW_TO_TEST:
        return []
    return [
        f"Few sequences can be cut: {sequences} to learn from and {tests} to test on, and they overlap. Errors on so "
        "few say little. Take fewer observations, or bring more data."
    ]


def left_out(windows: MarketWindows, longest_gap: float) -> list[str]:
    """Observations that stand in no sequence, because gaps around them are too long."""
    count = np.unique(windows.trained_on).size
    if count >= (1 - MUCH) * windows.split:
        return []
    return [
        f"Only {count:,} of {windows.split:,} observations before the tests are in a sequence: no gap in one is longer "
        f"than {longest_gap:g} weeks. Take a longer longest gap, or fewer observations."
    ]
