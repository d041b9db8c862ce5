"""Runs of another goldviz: what a script's version recorded and this one does not know is left out, and said."""

from __future__ import annotations

from typing import TypeVar

from goldviz.arrays.labelled import Run
from goldviz.runs.versions import versions
from goldviz.watching.declared import VARIABLES
from goldviz.watching.measures import listed, names_in

AnyRun = TypeVar("AnyRun", bound=Run)
VERSION, LEFT_OUT = "goldviz", "left_out"
"""Facts of a run: which goldviz its script had, and what was left out where its file was opened."""


def known(dataset: AnyRun) -> AnyRun:
    """The run without variables that this goldviz does not know, or of which it knows other dimensions or a kind."""
    own = [
        str(name)
        for name in dataset.data_vars
        if (one := VARIABLES.get(str(name))) is not None
        and {*dataset[name].dims} <= {*one.dims}
        and dataset[name].attrs.get("kind", "") in ("", one.kind)
    ]
    return dataset if len(own) == len(dataset.data_vars) else dataset[own]  # type: ignore[return-value]


def said_of(dataset: Run) -> str:
    """What of a run this goldviz leaves out, in one sentence; empty where it knows everything.

    ``dataset`` is the whole run, before :func:`known` took anything away.
    """
    left_out = {*names_in(dataset, LEFT_OUT), *map(str, {*dataset.data_vars} - {*known(dataset).data_vars})}
    if not left_out:
        return ""
    some = listed(sorted({name[:60] for name in left_out}))
    theirs, mine = str(dataset.attrs.get(VERSION, ""))[:20], versions()["goldviz"]
    whose = f"goldviz {theirs}" if theirs and theirs != mine else "another goldviz"
    return f"Its script had {whose}; this one, {mine}, leaves out what it does not know: {some}."
