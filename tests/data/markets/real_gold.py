"""Real daily markets for tests, built from data files that lie beside the project and never in it."""

from functools import cache

import pandas as pd
import pytest

from goldviz.data.markets.market import Channel, Market
from goldviz.data.markets.symbols import described
from tests.places import REAL_DATA

FOLDER = REAL_DATA
FILES = {
    "GC=F": "gold/GC=F_daily.csv",
    "SI=F": "macro/SI=F_daily.csv",
    "EURUSD=X": "macro/EURUSD=X_daily.csv",
    "^GSPC": "macro/GSPC_daily.csv",
    "DGS10": "macro/DGS10.csv",
    "VIXCLS": "macro/VIXCLS.csv",
    "DTWEXBGS": "macro/DTWEXBGS.csv",
    "T10Y2Y": "macro/T10Y2Y.csv",
}
COVARIATES = tuple(FILES)[1:]


@cache
def real_channel(name: str) -> Channel:
    """One real series as it is published, closed days of the FRED files as NaN; skips the test where it is absent."""
    path = FOLDER / FILES[name]
    if not path.exists():
        pytest.skip(f"needs the real data file {path.name} beside the project")
    # The first column is the date; of several prices the last is the close.
    values = pd.read_csv(path, index_col=0, parse_dates=True).iloc[:, -1].astype("float64")
    known = described(name)
    return Channel(name, known.words, values, known.transformation, known.release, known.unit)


@cache
def real_gold(*covariates: str) -> Market:
    """Gold's front future and these covariates, all from the year 2000 on."""
    channels = []
    for name in ("GC=F", *covariates):
        whole = real_channel(name)
        recent = whole.values[whole.values.index >= pd.Timestamp(2000, 1, 1)]
        channels.append(Channel(name, whole.words, recent, whole.transformation, whole.release, whole.unit))
    return Market(tuple(channels), "file", "public daily files", pd.Timestamp("2026-11-20", tz="UTC"))
