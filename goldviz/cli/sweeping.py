"""``goldviz sweep NAME``: settings as lists or ranges, the cost before, progress, and a table of what came of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from goldviz.cli.errors import INTERRUPTED, CommandError
from goldviz.cli.files import ARRAYS, checked_file
from goldviz.cli.running import FILE, chosen, parser_of, with_files
from goldviz.declare.registry import experiment
from goldviz.declare.setting_words import shown
from goldviz.declare.settings import Experiment, label, schemas
from goldviz.sweeps.grid import by_ratio, spaced
from goldviz.sweeps.sweep import sweep as swept

if TYPE_CHECKING:
    import xarray as xr

TOLD = ("worth", "test", "evaluation", "ended")
"""Which number of each network stands in the table, where no measure is named: the first of these that there is."""
MOST_ROWS = 50
NUMBERS = ("integer", "number")


def sweep(name: str, options: Sequence[str]) -> int:
    """Carry an experiment out for every combination of the settings that are lists, and print what was measured."""
    kind = experiment(name)
    parser = parser_of("sweep", kind, ARRAYS, "--to")
    parser.epilog = (
        "Several values stand with commas between them, such as --depth 5,10,20. A range of numbers is LOW:HIGH:COUNT, "
        "in equal ratios where the setting is read by ratio, else in equal steps. Seeds are FIRST:END, END left out."
        f"\n\n{parser.epilog}"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="worker processes; default: as many as cores allow")
    parser.add_argument(
        "--measures", metavar="NAMES", help="what is measured, by name, with commas; default: everything"
    )
    parser.add_argument("--quiet", action="store_true", help="no cost, progress or table")
    values = vars(parser.parse_args(options))
    output = checked_file(values[FILE], ARRAYS) if values[FILE] else None
    told, seeds = _axes(kind, values, quiet=values["quiet"]), _seeds(values["seeds"])
    start = chosen(kind, with_files(kind, {**values, "seeds": None, **dict.fromkeys(told)}))
    measures = values["measures"].split(",") if values["measures"] else None
    try:
        dataset = swept(
            start, seeds=seeds, measures=measures, workers=values["workers"], progress=not values["quiet"], **told
        )
    except KeyboardInterrupt:
        return INTERRUPTED
    if output:
        ARRAYS[output.suffix](dataset, output)
    if not values["quiet"]:
        print("\n".join(table(dataset, measures)))
        if output:
            print(f"The sweep is in {output}.", file=sys.stderr)
    return 0


def _axes(kind: type[Experiment], values: Mapping[str, Any], quiet: bool) -> dict[str, list[Any]]:
    """The settings that are given as lists or ranges."""
    axes: dict[str, list[Any]] = {}
    for name in kind.model_fields:
        text, schema = values[name], schemas(kind)[name]
        if text is None or name == "seeds" or schema.get("type") == "array":
            continue
        if ":" in text and schema.get("type") in NUMBERS:
            axes[name] = _range(kind, name, text)
            if not quiet:
                how = "in equal ratios" if by_ratio(kind, name) else "in equal steps"
                print(f"{label(name)} {how}: {', '.join(map(shown, axes[name]))}.", file=sys.stderr)
        elif "," in text and (schema.get("type") in (*NUMBERS, "boolean") or "enum" in schema):
            axes[name] = [one.strip() for one in text.split(",") if one.strip()]
    return axes


def _range(kind: type[Experiment], name: str, text: str) -> list[Any]:
    parts = text.split(":")
    try:
        low, high, count = float(parts[0]), float(parts[1]), int(parts[2])
        usable = len(parts) == 3 and np.isfinite([low, high]).all() and 1 <= count <= 10**6
    except (ValueError, IndexError):
        usable = False
    if not usable:
        option = f"--{name.replace('_', '-')}"
        raise CommandError(
            f"{option} is {text[:60]!r}; allowed is LOW:HIGH:COUNT, such as 0.5:2:7, or values with commas."
        )
    return spaced(kind, name, low, high, count)


def _seeds(text: str | None) -> list[Any]:
    """Seeds as a list with commas, or from the first to before the end."""
    if text is None:
        return [0]
    first, colon, end = text.partition(":")
    if not colon:
        return text.split(",")
    if not (first.isdecimal() and end.isdecimal() and int(first) < int(end) <= int(first) + 10**6):
        raise CommandError(f"--seeds is {text[:60]!r}; allowed is FIRST:END, such as 0:5, or seeds with commas.")
    return [*range(int(first), int(end))]


def table(dataset: xr.Dataset, measures: Sequence[str] | None = None) -> list[str]:
    """A row for each combination of settings: the median over seeds of each measure, with its lowest and highest."""
    dims = [str(dim) for dim in dataset["failed"].dims if dim != "seed"]
    names = list(measures) if measures is not None else told_of(dataset)
    several = dataset.sizes["seed"] > 1
    rows = [[*map(label, dims), *names, *(["failed"] if (dataset["failed"] != "").any() else [])]]
    places = list(product(*(range(dataset.sizes[dim]) for dim in dims)))
    for place in places[:MOST_ROWS]:
        one = dataset.isel(dict(zip(dims, place, strict=True)))
        row = [shown(one[dim].values.item()) for dim in dims] + [_spread(one[name].values, several) for name in names]
        rows.append(row + [str(int((one["failed"] != "").sum()))] * (len(rows[0]) > len(row)))
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join(word.rjust(width) for word, width in zip(row, widths, strict=True)) for row in rows]
    more = len(places) - MOST_ROWS
    words = f"Median of {dataset.sizes['seed']} seeds, with the lowest and the highest." if several else ""
    return [
        *lines,
        *([f"{more:,} more rows are left out; --to FILE.nc has them all."] if more > 0 else []),
        *filter(None, [words]),
    ]


def told_of(dataset: xr.Dataset) -> list[str]:
    """The measures that stand for a sweep: one of each network, such as its loss as a share of a simple answer's."""
    for last in TOLD:
        if names := [str(name) for name in dataset.data_vars if str(name).rpartition(".")[2] == last]:
            return names
    return [str(name) for name in dataset.data_vars if dataset[name].dtype.kind == "f" and name != "seconds"][:4]


def _spread(values: np.ndarray, several: bool) -> str:
    known = values[~np.isnan(values)]
    if not known.size:
        return "–"
    return f"{np.median(known):.3g}" + (f" ({known.min():.3g} to {known.max():.3g})" if several else "")
