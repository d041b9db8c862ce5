"""What goes to the browser: the text's bytes, at which merge each boundary goes, and the merges themselves.

The browser steps through them by itself; no step asks the server.
"""

from __future__ import annotations

from typing import Any

import xarray as xr

from goldviz.labs.text_tokens.settings import PATTERN_LABELS, TextTokens
from goldviz.labs.text_tokens.sources import in_words


def tokens_data(settings: TextTokens, ds: xr.Dataset) -> dict[str, Any]:
    """The text, both sides, and the pairs that came next before each merge of the left one."""
    merges = ds.attrs["learned"][0]
    others = ds.isel(merge=slice(0, merges))
    return {
        "bytes": ds["byte"].values.tolist(),
        "corpus": in_words(settings.corpus),
        "sides": [_side(ds, number) for number in range(2)],
        "others": {"pairs": others["other_pair"].values.tolist(), "times": others["other_times"].values.tolist()},
    }


def _side(ds: xr.Dataset, number: int) -> dict[str, Any]:
    merges = ds.attrs["learned"][number]
    side = ds.isel(side=number, merge=slice(0, merges), size=slice(0, merges + 1))
    return {
        "label": PATTERN_LABELS[ds.attrs["patterns"][number]],
        "joined": side["joined"].values.tolist(),
        "pairs": side["pair"].values.tolist(),
        "times": side["times"].values.tolist(),
        "lengths": side["corpus_tokens"].values.astype(int).tolist(),
    }
