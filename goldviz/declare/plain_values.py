"""Numbers as Python has them, from those of numpy, pandas, xarray and torch."""

from __future__ import annotations

from typing import Any


def plain(value: Any) -> Any:
    """Scalars and arrays of any library as Python's numbers and lists, ranges as lists; all else as it is.

    >>> import numpy as np
    >>> plain(np.int64(15)), plain([np.float32(0.5), "a"]), plain(np.arange(2)), plain(range(2))
    (15, [0.5, 'a'], [0, 1], [0, 1])
    """
    if isinstance(value, list | tuple | range):
        return [plain(one) for one in value]
    # xarray's arrays have no such method themselves.
    inner = value if hasattr(value, "tolist") else getattr(value, "values", value)
    return inner.tolist() if hasattr(inner, "tolist") else value
