"""Recorded curves as one long table, for those who draw their own figures."""

from __future__ import annotations

import pandas as pd
import xarray as xr

MOST_ROWS = 500_000
"""Rows of a table at most: about 30 MB of text, and half of what a spreadsheet opens."""
FORMULA = ("=", "+", "-", "@")
"""What a spreadsheet takes for the beginning of a formula."""


def as_text(label: str) -> str:
    """A text on one line that a spreadsheet shows as it stands and never computes.

    >>> as_text("=1+1"), as_text("\\t=1+1"), as_text("gold")
    ("'=1+1", "'=1+1", 'gold')
    """
    line = " ".join(label.split())
    return f"'{line}" if line.startswith(FORMULA) else line


def curves_csv(ds: xr.Dataset) -> str:
    """Every recorded curve as CSV with the columns variable, units, its dimensions, and value.

    Histograms stay out: they are maps, not curves. Of a longer run every second, third ... step is kept, so that the
    table stays within ``MOST_ROWS``; the last step is always among them.
    """
    names = [str(name) for name, array in ds.data_vars.items() if not _is_histogram(array) and array.size]
    curves = ds[names]
    stride = max(1, -(-sum(curves[name].size for name in names) // MOST_ROWS))
    growing = [dim for dim in ("epoch", "step", "histogram_epoch") if dim in curves.dims]
    curves = curves.isel({dim: slice((curves.sizes[dim] - 1) % stride, None, stride) for dim in growing})
    parts = []
    for name in names:
        frame = curves[name].to_series().rename("value").reset_index() if curves[name].dims else _scalar(curves[name])
        frame.insert(0, "variable", name)
        frame.insert(1, "units", str(curves[name].attrs.get("units", "1")))
        parts.append(frame)
    if not parts:
        return "variable,units,value\n"
    table = pd.concat(parts, ignore_index=True)
    whole = [dim for dim in table.columns if dim in ds.dims and _is_whole(table[dim])]
    table[whole] = table[whole].astype("Int64")
    table.insert(len(table.columns) - 1, "value", table.pop("value"))
    table.columns = pd.Index([as_text(str(name)) for name in table.columns])
    for name in table.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]]:
        table[name] = table[name].map(_cell)
    return str(table.to_csv(index=False, lineterminator="\n"))


def _cell(value: object) -> object:
    return as_text(value) if isinstance(value, str) else value


def _is_histogram(array: xr.DataArray) -> bool:
    return any(str(dim).endswith("_bin") for dim in array.dims)


def _scalar(array: xr.DataArray) -> pd.DataFrame:
    return pd.DataFrame({"value": [array.item()]})


def _is_whole(column: pd.Series) -> bool:
    """Whether a label's column became one of floats only because other variables do not have it."""
    return pd.api.types.is_float_dtype(column) and bool((column.dropna() % 1 == 0).all())
