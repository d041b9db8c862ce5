"""Kept runs as a table."""

from __future__ import annotations

from dataclasses import asdict

import pandas as pd

from goldviz.runs.store.run_store import Store

COLUMNS = ["id", "experiment", "name", "status", "step", "total", "seconds", "created", "settings", "message"]


def latest(limit: int = 50) -> pd.DataFrame:
    """The latest kept runs, newest first, one row each."""
    rows, _ = Store().list(limit=limit)
    frame = pd.DataFrame([asdict(row) for row in rows], columns=COLUMNS)
    frame["created"] = pd.to_datetime(frame["created"], unit="s", utc=True)
    return frame
