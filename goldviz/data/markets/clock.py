"""What time it is, for what is fresh, over or still to come."""

import pandas as pd


def utc_now() -> pd.Timestamp:
    """This moment in UTC."""
    return pd.Timestamp.now("UTC")
