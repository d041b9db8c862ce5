"""Runs of another goldviz: what a script's version recorded and this one does not know is left out, and said."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeVar

from goldviz.arrays.labelled import Run
from goldviz.runs.versions import versions
from goldviz.watching.declared import VARIABLES

AnyRun = TypeVar("AnyRun", bound=Run)
VERSION, LEFT_OUT = "goldviz", "left_out"
"""Facts of a run: which goldviz its script had, and what was left out where its file was opened."""
MOST_NAMES = 3
"""Variables that a sentence names."""


def known(dataset: AnyRun) -> AnyRun:
    """The run without variables that this goldviz does not know, or of which it knows other dimensions or a kind."""
    names = [str(name) for name in dataset.data_vars]
    own = [name for name in names if _is_known(name, dataset[name].dims, dataset[name].attrs.get("kind", ""))]
    return dataset if len(own) == len(names) else dataset[own]  # type: ignore[return-value]


def _is_known(name: str, dims: Iterable[str], kind: str) -> bool:
    one = VARIABLES.get(name)
    return one is not None and set(dims) <= set(one.dims) and kind in ("", one.kind)


def said_of(dataset: Run) -> str:
    """What of a run this goldviz leaves out, in one sentence; empty where it knows everything.

    ``dataset`` is the whole run, before :func:`known` took anything away.
    """
    stored = dataset.attrs.get(LEFT_OUT, "[]")
    try:
        before = json.loads(stored) if isinstance(stored, str) else stored
    except (ValueError, RecursionError):
        before = []
    names = {str(name)[:60] for name in before} if isinstance(before, list) else set()
    names |= {str(name)[:60] for name in {*dataset.data_vars} - {*known(dataset).data_vars}}
    if not names:
        return ""
    first, more = sorted(names)[:MOST_NAMES], len(names) - MOST_NAMES
    some = ", ".join(first) + (f" and {more} more" if more > 0 else "")
    theirs, mine = str(dataset.attrs.get(VERSION, ""))[:20], versions()["goldviz"]
    whose = f"goldviz {theirs}" if theirs and theirs != mine else "another goldviz"
    return f"Its script had {whose}; this one, {mine}, leaves out what it does not know: {some}."
