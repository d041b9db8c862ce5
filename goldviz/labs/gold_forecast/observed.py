"""What each refit could learn from: the share of its training rows on which a channel told it something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.labs.gold_forecast.carrying import AGE

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run


def observed_rows(ds: Run) -> list[dict[str, str]]:
    """A row for each channel and a column for each refit, ready for a table; empty where that was not recorded."""
    if "observed" not in ds or not ds["observed"].size:
        return []
    shares = ds["observed"].transpose("channel", "fold").values
    names = map(str, ds["channel"].values)
    return [
        {"Channel": name} | {f"Refit {number + 1}": share_in_words(share) for number, share in enumerate(row)}
        for name, row in zip(names, shares, strict=True)
        if not name.endswith(AGE)
    ]


def share_in_words(share: float) -> str:
    """A share of rows; a channel that was not there at all is said in a word.

    >>> share_in_words(0.0), share_in_words(0.031), share_in_words(0.0001)
    ('never', '3 %', 'below 1 %')
    """
    if share == 0:
        return "never"
    return "below 1 %" if share < 0.005 else f"{np.round(100 * share):.0f} %"
