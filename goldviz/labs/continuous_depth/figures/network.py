"""The flow and the residual network: their looks, and the diagram of depth in intervals or in blocks."""

from __future__ import annotations

from itertools import pairwise

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.diagram import Colour, Node, Part, Reading, Wire, chain, of_layers
from goldviz.figures.reading import finite, networks, setting_of
from goldviz.figures.theme import NETWORKS
from goldviz.models.style import NetworkStyle

DEPTH_NETWORKS = {"ode": NetworkStyle("neural ODE", "#a257c2", "solid", "circle"), "residual": NETWORKS["residual"]}
ACROSS = 10.0
"""Columns that the whole depth takes."""
FIELD = ("field, layer 1", "field, layer 2", "field, layer 3")
UNDER = 1.4
"""The row in which the field stands."""
NEAR = 1e-6


def is_regression(ds: Run) -> bool:
    """Whether the answers are numbers: then the points lie on a line, and nothing is read out."""
    return "path" in ds and "read_out" not in ds


def _speed(paths: Array) -> Array:
    """How far points move between recorded depths, over the depth between them, mean over the points."""
    lengths = (finite(paths).diff("depth") ** 2).sum("dimension") ** 0.5
    return lengths.mean("point") / paths["depth"].diff("depth")


COLOURS = (
    Colour("speed", "How fast points move", "linear", readings=(Reading("path", _speed),)),
    *of_layers("update_to_data", "gradient_to_data"),
    Colour(
        "field_saturation",
        "Saturated units of the field",
        "share",
        readings=(Reading("field_saturation", lambda share: share.expand_dims(cell=["field"])),),
    ),
)
"""What may colour the diagram."""


def parts_of(ds: Run) -> list[Part]:
    """The way through depth of every network of a run, with the field that each of its pieces applies."""
    return [_part(ds, network) for network in networks(ds)]


def _part(ds: Run, network: str) -> Part:
    depths = [float(depth) for depth in ds["depth"].values] if "depth" in ds.coords else [0.0, 1.0]
    blocks = int(setting_of(ds, "blocks") or 0) if network == "residual" else 0
    ends = _block_ends(depths, blocks)
    way = _blocks(ends) if ends else _intervals(depths)
    last = [] if is_regression(ds) else [Node("out", "read-out", ACROSS + 1, at={"layer": "read-out"}, wide=0.8)]
    along = [Node("in", "points", 0.2, kind="end", wide=0.8), *way, *last]
    skips = [Wire(at - 1, at, "skip") for at in range(1, len(way) + 1)] if ends else []
    first = len(along)
    field = [
        Node(f"f{place}", words, 2 * place - 1.0, UNDER, at={"layer": words, "cell": "field"}, wide=1.5)
        for place, words in enumerate(FIELD, start=1)
    ]
    wires = [*chain(along), *skips, *(Wire(at, at + 1) for at in range(first, first + 2))]
    style = DEPTH_NETWORKS[network]
    return Part(f"{style.heading}, and its field f", [*along, *field], wires, network, style.colour, row=36)


def _block_ends(depths: list[float], blocks: int) -> list[float]:
    """The depths at which blocks end, as they were recorded; none where not all were."""
    ends = [next((depth for depth in depths if abs(depth - k / blocks) < NEAR), None) for k in range(1, blocks + 1)]
    recorded_ends = [depth for depth in ends if depth is not None]
    return recorded_ends if len(recorded_ends) == blocks else []


def _blocks(ends: list[float]) -> list[Node]:
    wide = ACROSS / len(ends)
    return [
        Node(str(k), f"block {k}", 1 + (k - 1) * wide, at={"depth": end, "block": k}, wide=wide)
        for k, end in enumerate(ends, start=1)
    ]


def _intervals(depths: list[float]) -> list[Node]:
    return [
        Node(
            "",
            f"depth {start:.2f} to {end:.2f}",
            1 + ACROSS * start,
            kind="state",
            at={"depth": end},
            wide=ACROSS * (end - start),
        )
        for start, end in pairwise(depths)
    ]
