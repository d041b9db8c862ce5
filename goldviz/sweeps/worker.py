"""A worker process of a sweep: it carries out one run after another, as :func:`goldviz.run` would, and keeps each.

A line of JSON in is a run, a line out what came of it. The end of the input ends the process.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import warnings
from typing import Any

import numpy as np

from goldviz import api
from goldviz.arrays.light import LightDataset
from goldviz.declare import registry
from goldviz.declare.settings import SettingsError
from goldviz.runs.execution.limits import ran_out_of_memory
from goldviz.sweeps import cells

log = logging.getLogger(__name__)

WHOLE = ("finished", "diverged")
"""Ends of a run that its settings alone decide."""


def carried_out(task: dict[str, Any]) -> dict[str, Any]:
    """Train a cell and keep it: ``failed`` says in a sentence why there is none."""
    began = time.monotonic()
    failed = ""
    try:
        settings = registry.experiment(task["experiment"]).checked_json(task["settings"])
        dataset = api.carried_out(settings, progress=False, keep=False)
        if dataset.attrs["status"] in WHOLE:
            cells.keep(task["key"], dataset, measures_of(dataset))
        else:
            failed = str(dataset.attrs["message"]) or f"The run was {dataset.attrs['status']}."
    except Exception as error:  # noqa: BLE001 - a cell fails with its reason, and the others go on
        failed = _sentence(error)
    return {"key": task["key"], "failed": failed, "seconds": time.monotonic() - began}


def measures_of(dataset: Any) -> dict[str, float]:
    """Every number of a run of one seed by name; those of which nothing is known are left out."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        light: Any = LightDataset.of(dataset)
        told = {name: np.asarray(one.values, dtype=np.float64).ravel() for name, one in api.measures(light).items()}
    return {name: float(values[0]) for name, values in told.items() if values.size == 1 and not np.isnan(values[0])}


def _sentence(error: Exception) -> str:
    text = (str(error).strip().splitlines() or [""])[0]
    if isinstance(error, SettingsError) or getattr(error, "for_a_person", False):
        return text
    if isinstance(error, OSError):
        return f"The run could not be kept: {error.strerror or text}."
    if ran_out_of_memory(error):
        return "The worker ran out of memory."
    log.error("A cell failed.", exc_info=error)
    return f"The training code failed with {type(error).__name__}: {text[:300]}"


def main() -> None:
    """Answer on the standard output; what training prints goes to the error stream."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    probe = 0.0
    if "--probe" in sys.argv:
        from goldviz.training.probe import probe as probe_of_machine

        probe = probe_of_machine()
    print(json.dumps({"ready": probe}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(carried_out(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
