"""What became known last, carried on: a document of six weeks ago still counts in a window of four.

Between two observations a row has the last one and its age. Nothing comes from later rows, so a later observation
changes no earlier row.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from goldviz.data.markets.alignment import Panel

AGE = " age"
"""How the name of a channel's age ends."""


def carried(panel: Panel, names: Collection[str]) -> Panel:
    """The panel with the last value of these channels on each row, and after all channels the ages of these values.

    An age is in days, 0 on the row on which a value became known; value and age are NaN before the first one. Document
    001, section 4.2.3, has texts beside prices, and section 5 observations that come at times of their own.

    >>> import pandas as pd
    >>> days = pd.DatetimeIndex(["2024-07-01", "2024-07-02", "2024-07-05"])
    >>> panel = Panel(days, days, ("gold", "tone"), np.array([[1, np.nan], [2, 0.5], [3, np.nan]]), np.ones(3))
    >>> carried(panel, ["tone"]).channels, carried(panel, ["tone"]).values.tolist()
    (('gold', 'tone', 'tone age'), [[1.0, nan, nan], [2.0, 0.5, 0.0], [3.0, 0.5, 3.0]])
    """
    columns = [column for column, name in enumerate(panel.channels) if name in names]
    present = np.isfinite(panel.values[:, columns])
    latest = np.maximum.accumulate(np.where(present, np.arange(len(present))[:, None], -1), axis=0)
    values = panel.values.copy()
    values[:, columns] = _where_known(latest, np.take_along_axis(panel.values[:, columns], latest.clip(0), axis=0))
    days = np.asarray(panel.dates.as_unit("s").asi8 / 86_400)
    ages = _where_known(latest, days[:, None] - days[latest.clip(0)])
    age_names = tuple(f"{panel.channels[column]}{AGE}" for column in columns)
    return replace(panel, channels=(*panel.channels, *age_names), values=np.concatenate([values, ages], axis=1))


def _where_known(latest: np.ndarray, values: Float[np.ndarray, "rows channels"]) -> Float[np.ndarray, "rows channels"]:
    return np.asarray(np.where(latest >= 0, values, np.nan))
