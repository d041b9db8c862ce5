"""What is drawn in a figure: whether numbers that are computed another way stand in it, and in which look."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from goldviz.figures.theme import INKS, style_of
from tests.truth.predicates.view import GROWING, View

SAME = {"rtol": 1e-4, "atol": 1e-12}
"""How near a mark has to stand to what is due: numbers are recorded in single precision."""


@dataclass(frozen=True)
class Drawing:
    """A figure as Plotly gets it, and the run with the place in view that it is drawn of."""

    view: View
    data: tuple[Mapping[str, Any], ...]
    layout: Mapping[str, Any]
    place: Any = 0

    @property
    def run(self) -> xr.Dataset:
        return self.view.run

    @property
    def texts(self) -> str:
        """Every word in it but its title, its notes and what hovering tells."""
        over = [str(one.get("text")) for one in self.layout.get("annotations") or ()]
        axes = [str((axis.get("title") or {}).get("text")) for name, axis in self.layout.items() if "axis" in name]
        return "\n".join([*over, *axes, *(str(trace.get("name")) for trace in self.data)])

    @property
    def notes(self) -> str:
        return " ".join((self.layout.get("meta") or {}).get("notes") or ())

    def only(self, wanted) -> "Drawing":
        """The same with some of its traces."""
        return replace(self, data=tuple(trace for trace in self.data if wanted(trace)))

    def named(self, words: str) -> "Drawing":
        return self.only(lambda trace: re.search(words, str(trace.get("name"))))

    def typed(self, kind: str) -> "Drawing":
        return self.only(lambda trace: trace["type"] == kind)

    def dashed(self, dash: str) -> "Drawing":
        return self.only(lambda trace: (trace.get("line") or {}).get("dash") == dash)

    @property
    def thin(self) -> "Drawing":
        return self.only(lambda trace: 0 < ((trace.get("line") or {}).get("width") or 9) <= 1.5)

    @property
    def hollow(self) -> "Drawing":
        return self.only(lambda trace: "-open" in str((trace.get("marker") or {}).get("symbol")))

    @property
    def filled(self) -> "Drawing":
        return self.only(lambda trace: "-open" not in str((trace.get("marker") or {}).get("symbol", "-open")))

    def lines_at(self) -> Iterator[tuple[str, float, str]]:
        """Straight lines across a panel: along which axis they have a place, the place, and their dash."""
        for shape in self.layout.get("shapes") or ():
            for axis in "xy":
                ends = shape.get(f"{axis}0"), shape.get(f"{axis}1")
                if shape.get("type") == "line" and ends[0] == ends[1] and isinstance(ends[0], int | float):
                    yield axis, float(ends[0]), str((shape.get("line") or {}).get("dash"))


def gold(colour: Any) -> bool:
    return str(colour) in {ink.accent for ink in INKS.values()}


def numeric(value: Any) -> np.ndarray | None:
    """Numbers of a trace; days are counted, and words are none."""
    array = np.asarray(value) if value is not None else None
    if array is None or not array.size:
        return None
    if array.dtype.kind == "M":
        return array.astype("datetime64[s]").astype(float)
    try:
        return array.astype(float)
    except (TypeError, ValueError):
        return None


def same(drawn: np.ndarray, due: np.ndarray) -> bool:
    """Whether these are the numbers that are due: only what a logarithmic axis has no place for may be left out."""
    if drawn.shape != due.shape:
        return False
    there = np.isfinite(drawn)
    lost = ~there & np.isfinite(due) & (due > 0)
    return bool(there.any() and not lost.any() and np.allclose(drawn[there], due[there], **SAME))


def scales(due: np.ndarray) -> Iterator[np.ndarray]:
    """A quantity, its logarithm, which some axes are of, and its share in percent."""
    yield due
    with np.errstate(all="ignore"):
        yield np.log10(due)
    yield 100 * due


def places_of(marks: Any, due: xr.DataArray, dim: str) -> list[int] | None:
    """At which of a coordinate's values marks stand, where all of them do."""
    at, own = numeric(marks), numeric(due[dim].values)
    if at is None or own is None or at.ndim != 1:
        return None
    found = {value: place for place, value in enumerate(own.tolist())}
    places = [found.get(value) for value in at.tolist()]
    return None if None in places else places


def one_trace(trace: Mapping[str, Any], due: xr.DataArray) -> bool:
    """Whether a trace draws one row of numbers: of all places, or of those at which its marks stand."""
    for along, across in (("x", "y"), ("y", "x"), ("base", "x"), ("x", "base")):
        drawn = numeric(trace.get(across))
        if drawn is None or drawn.ndim != 1:
            continue
        rows = [due.values]
        places = places_of(trace.get(along), due, due.dims[0]) if along in "xy" else None
        if places and len(places) == drawn.size != due.size:
            rows.append(due.values[places])
        if any(same(drawn, scaled) for row in rows for scaled in scales(row)):
            return True
    table = numeric(trace.get("z"))
    if table is not None and table.ndim == 2:
        lines = [*(table if table.shape[1] == due.size else ()), *(table.T if table.shape[0] == due.size else ())]
        return any(same(line, scaled) for line in lines for scaled in scales(due.values))
    return any(
        drawn is not None and drawn.shape == due.shape and same(drawn, scaled)
        for drawn in (numeric((trace.get("marker") or {}).get(part)) for part in ("color", "size"))
        for scaled in scales(due.values)
    )


def matrix(trace: Mapping[str, Any], due: xr.DataArray) -> bool:
    """Whether a heat map draws a table, upright or on its side, whole or at the places where its axes say."""
    drawn = numeric(trace.get("z"))
    if drawn is None or drawn.ndim != 2:
        return False
    for upright in (due, due.T):
        table = upright
        for dim, axis in ((table.dims[1], "x"), (table.dims[0], "y")):
            places = places_of(trace.get(axis), table, dim) if dim in table.coords else None
            if places and len(places) != table.sizes[dim]:
                table = table.isel({dim: places})
        if any(same(drawn, scaled) for scaled in scales(table.values)):
            return True
    return False


def held(drawing: Drawing, due: xr.DataArray) -> bool:
    """Whether numbers stand in a figure: a row in a trace, a table in a heat map or row by row."""
    if not (np.isfinite(due.values) & (due.values != 0)).any():
        return True
    if due.ndim == 0:
        marks = [numeric(trace.get(axis)) for trace in drawing.data for axis in ("x", "y", "z", "base")]
        marks += [np.array([place]) for _, place, _ in drawing.lines_at()]
        return any(
            one is not None and np.isclose(one, scaled, **SAME).any() for one in marks for scaled in scales(due.values)
        )
    if due.ndim == 1 and any(one_trace(trace, due) for trace in drawing.data):
        return True
    if due.ndim == 2 and any(matrix(trace, due) for trace in drawing.data):
        return True
    single = next((dim for dim in due.dims if due.sizes[dim] == 1), None)
    if single is not None and held(drawing, due.squeeze(single, drop=True)):
        return True
    return due.ndim > 1 and any(
        all(held(drawing, due.isel({dim: place})) for place in range(due.sizes[dim]))
        for dim in (due.dims if due.ndim == 2 else [dim for dim in due.dims if dim not in GROWING][:1])
    )


def windows(values: xr.DataArray, notes: str) -> xr.DataArray:
    """Means of as many steps as a figure says that it takes together, each at its last step."""
    told, dim = re.search(r"Means of (\d+) \w+s", notes), growing(values)
    if not told or not dim:
        return values
    width = int(told[1])
    usable = values.isel({dim: slice(values.sizes[dim] % width, None)})
    means = usable.coarsen({dim: width}).mean()
    return means.assign_coords({dim: usable[dim].values[width - 1 :: width]})


def trailing(values: xr.DataArray, notes: str) -> xr.DataArray:
    """At every step the mean of so many up to it, as a figure says."""
    told, dim = re.search(r"Mean of the last (\d+) \w+s", notes), growing(values)
    return values.rolling({dim: int(told[1])}, min_periods=1).mean() if told and dim else values


def growing(values: xr.DataArray) -> str:
    return next((dim for dim in GROWING if dim in values.dims), "")


def of_network(drawing: Drawing, network: str) -> Drawing:
    """The traces that have the network's name, where some have, and those without any."""
    try:
        label = style_of(network).label
    except KeyError:
        return drawing
    own = rf"^{re.escape(label)}\b"
    return drawing.named(rf"{own}|^None$") if drawing.named(own).data else drawing


def shown(drawing: Drawing, values: xr.DataArray, by_name: bool = True) -> bool:
    """Whether a figure draws a quantity of every network that has it: the middle seed, or the first one."""
    values = values.astype(float)
    values = values.where(np.isfinite(values))
    # A logarithmic axis has no place for zeros, and the middle one of several seeds is then one of what is left.
    above = [values.where(values > 0)] if (values > 0).any() and not (values < 0).any() else []
    for steps in (values, windows(values, drawing.notes), trailing(values, drawing.notes), *above):
        of_seeds = [steps.median("seed"), steps.isel(seed=0)] if "seed" in steps.dims else [steps]
        for one in of_seeds:
            if "network" not in one.dims:
                rows = held(drawing, one)
            else:
                names = {
                    str(name): of_network(drawing, str(name)) if by_name else drawing for name in one.network.values
                }
                rows = all(held(part, one.sel(network=name)) for name, part in names.items())
            if rows:
                return True
    return False


Claim = Callable[[Drawing], bool]
"""Whether a sentence is true of what is drawn."""


def now(*names: str) -> Claim:
    """Quantities as they are at the step in view."""
    return lambda drawing: all(shown(drawing, drawing.view.last(name)) for name in names)


def over(*names: str) -> Claim:
    """Quantities over all of training, or such as have no steps."""
    return lambda drawing: all(shown(drawing, drawing.view.of(name)) for name in names)


def of_kind(*kinds: str) -> Claim:
    """Every quantity of some kinds over all of training."""
    return lambda drawing: over(*(drawing.view.kind(kind) for kind in kinds))(drawing)


def in_short(row: np.ndarray) -> tuple[float, ...]:
    """A row of sizes by which it is found again; what a logarithmic axis has no place for is alike."""
    with np.errstate(all="ignore"):
        logs = np.log(row)
    return tuple(np.round(np.where(np.isfinite(logs), logs, -999.0), 3).tolist())


def by_layer(kind: str) -> Claim:
    """A quantity of every layer over training; of many layers of so many as the figure says."""

    def claim(drawing: Drawing) -> bool:
        some = re.search(r"(\d+) of \d+ layers are drawn", drawing.notes)
        values = drawing.view.of(drawing.view.kind(kind))
        if not some:
            return shown(drawing, values, by_name=False)
        rows = values.where(np.isfinite(values)).median("seed").transpose(..., growing(values))
        due = {in_short(row) for row in rows.values.reshape(-1, rows.shape[-1])}
        drawn = [numeric(trace.get("y")) for trace in drawing.typed("scatter").data]
        found = [one for one in drawn if one is not None and in_short(one) in due]
        networks = values.sizes.get("network", 1)
        return len(found) >= int(some[1]) * networks or values.sizes[growing(values)] != len(drawn[0])

    return claim


def dashed(dash: str, claim: Claim) -> Claim:
    """That it is drawn so by lines of a dash alone."""
    return lambda drawing: claim(drawing.dashed(dash))


def dotted(claim: Claim) -> Claim:
    return dashed("dot", claim)


def thin(claim: Claim) -> Claim:
    return lambda drawing: claim(drawing.thin)


def both(*claims: Claim) -> Claim:
    return lambda drawing: all(claim(drawing) for claim in claims)


def line_at(value: Callable[[Drawing], float] | float, dash: str = "dot", axis: str = "") -> Claim:
    """A straight line across a panel where a number says."""

    def claim(drawing: Drawing) -> bool:
        at = value(drawing) if callable(value) else value
        return any(
            np.isclose(place, at, **SAME) and own == dash and axis in ("", along)
            for along, place, own in drawing.lines_at()
        )

    return claim


@dataclass(frozen=True)
class Absent:
    """That a figure does not show something: none of these words stands in it."""

    words: tuple[str, ...]

    def __call__(self, drawing: Drawing) -> bool:
        return not any(re.search(rf"\b{word}", drawing.texts, re.IGNORECASE) for word in self.words)


def absent(*words: str) -> Absent:
    return Absent(words)


def in_nodes(*dims: str) -> Claim:
    """Of a diagram: every network has a node at each place of these dimensions, and nodes have the recorded numbers."""

    def claim(drawing: Drawing) -> bool:
        picture = drawing.layout["meta"]["diagram"]
        parts = [[node[-1] for node in part["nodes"]] for part in picture["parts"]]
        everywhere = all(
            {node.get(dim) for part in parts for node in part} >= set(drawing.run[dim].values.tolist()) for dim in dims
        )
        names = drawing.run.network.values if "network" in drawing.run.dims else [""]
        nodes = [(name, node) for name, part in zip(names, parts, strict=True) for node in part]
        placed = {"network", "seed", *GROWING}
        recorded = [
            colour
            for colour in picture["colours"]
            if colour["name"] in drawing.run and set(drawing.run[colour["name"]].dims) - placed
        ]
        return everywhere and bool(recorded) and all(coloured(drawing, colour, nodes) for colour in recorded)

    return claim


def coloured(drawing: Drawing, colour: Mapping[str, Any], nodes: list[tuple[str, Mapping[str, Any]]]) -> bool:
    """Whether nodes have a quantity's number at their own place: at the step in view, of the middle seed."""
    values = (
        drawing.view.last(colour["name"]) if growing(drawing.run[colour["name"]]) else drawing.view.of(colour["name"])
    )
    values = values.where(np.isfinite(values))
    values = values.median("seed") if "seed" in values.dims else values
    for (network, node), number in zip(nodes, np.asarray(colour["values"]), strict=True):
        at = {dim: node.get(dim, network if dim == "network" else None) for dim in values.dims}
        there = all(value is not None and value in values[dim].values for dim, value in at.items())
        if there and np.isfinite(number) and not np.isclose(number, float(values.sel(at)), **SAME):
            return False
    return True
