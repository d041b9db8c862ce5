"""The facts of every channel as a table."""

from __future__ import annotations

import pandas as pd

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.forecasts.moves import SEEN_AS


def facts_table(ds: Run) -> pd.DataFrame:
    """One row a channel, the target first, with the columns as a person reads them; text is not escaped."""
    whole = {
        "Values": "observed",
        "Listed without value": "without_value",
        "On weekends": "weekend",
        "Longest gap (days)": "longest_gap",
        "Unchanged values": "unchanged",
    }
    table = pd.DataFrame({"Channel": [str(words) for words in ds["words"].values]})
    table["Symbol"] = [str(name) for name in ds["channel"].values]
    table["Seen as"] = [SEEN_AS[str(kind)] for kind in ds["transformation"].values]
    table["Out at"] = ds["released"].values
    table["Age at the forecast (h)"] = ds["typical_wait"].values
    table["Share of weekdays"] = ds["weekday_share"].values
    for heading, name in whole.items():
        table[heading] = pd.array(ds[name].values, dtype="Float64").astype("Int64")
    table["Gap ends"] = ds["gap_ends"].values
    table["First"] = ds["first"].values
    table["Last"] = ds["last"].values
    return table
