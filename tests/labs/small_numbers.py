"""What small runs record, in four numbers for each variable: kept beside a laboratory's tests, so that a change shows.

That the numbers are right is tested elsewhere, against autograd, closed forms and libraries; here it is that training,
networks, tasks and measures give what they gave. Where they are meant to give something else, ``make kept`` keeps it
anew, and the commit shows which variables differ.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goldviz.declare.laboratory import Laboratory
from tests.labs.small_runs import SMALL, TRAINED, Small, chosen, small_run

DIGITS = 6


def numbers_of(values: NDArray[np.generic]) -> list[float]:
    """How many values there are and how many are finite, their mean and their mean size."""
    numbers = values.astype(np.float64).ravel()
    finite = numbers[np.isfinite(numbers)]
    mean, size = (float(finite.mean()), float(np.abs(finite).mean())) if finite.size else (0.0, 0.0)
    return [numbers.size, finite.size, float(f"{mean:.{DIGITS}g}"), float(f"{size:.{DIGITS}g}")]


def recorded(small: Small) -> dict[str, list[float]]:
    """The numbers of a small run, by its variables."""
    run = small_run(small.settings())
    return {
        f"{small.number} {name}": numbers_of(values.values)
        for name, values in sorted(run.data_vars.items(), key=str)
        if values.dtype.kind in "fiub"
    }


def of(lab: Laboratory) -> list[Small]:
    """A laboratory's small runs."""
    return [small for small in SMALL if small.lab is lab]


def kept_in(lab: Laboratory) -> Path:
    """Where their numbers are kept."""
    return Path(__file__).parent / lab.folder / "small.json"


def keep(lab: Laboratory) -> None:
    """Keep the numbers of today, a line for each variable."""
    numbers = {name: kept for small in of(lab) for name, kept in recorded(small).items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(kept)}" for name, kept in numbers.items())
    kept_in(lab).write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    for laboratory in [lab for lab in chosen(sys.argv[1:]) if lab in TRAINED]:
        keep(laboratory)
