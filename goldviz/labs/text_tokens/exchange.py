"""What the page sends its script: the text, and the merges of both tokenisers."""

from __future__ import annotations

from typing import Any

from goldviz.arrays.labelled import Array, Run
from goldviz.labs.text_tokens.settings import PATTERN_LABELS, TextTokens
from goldviz.labs.text_tokens.sources import in_words


def tokens_data(settings: TextTokens, ds: Run) -> dict[str, Any]:
    """The text, both sides, and the pairs that came next before each merge of the left one."""
    merges = ds.attrs["learned"][0]
    others = ds.isel(merge=slice(0, merges))
    return {
        "bytes": _whole(ds["byte"]),
        "corpus": in_words(settings.corpus),
        "sides": [_side(ds, number) for number in range(2)],
        "others": {"pairs": _whole(others["other_pair"]), "times": _whole(others["other_times"])},
    }


def _side(ds: Run, number: int) -> dict[str, Any]:
    merges = ds.attrs["learned"][number]
    side = ds.isel(side=number, merge=slice(0, merges), size=slice(0, merges + 1))
    return {
        "label": PATTERN_LABELS[ds.attrs["patterns"][number]],
        "joined": _whole(side["joined"]),
        "pairs": _whole(side["pair"]),
        "times": _whole(side["times"]),
        "lengths": _whole(side["corpus_tokens"]),
    }


def _whole(numbers: Array) -> Any:
    return numbers.values.astype(int).tolist()
