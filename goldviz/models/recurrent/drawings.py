"""Drawings of recurrent cells as data: boxes, signs and wires, as document 001 draws them, and a plain one of any cell.

Places are per cent of the plot's width and height. A dot joins two wires; wires that cross without one do not touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Place = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A gate, a candidate or a sum: the quantity that comes out of it, and what it is taken of ("" for a plain sum)."""

    quantity: str
    place: Place
    function: str
    meaning: str


@dataclass(frozen=True)
class Drawing:
    """A drawing: boxes, signs in rings, wires from place to place, dots where wires part, and what enters and leaves.

    ``ends`` are labels: the quantity, where it stands, and which of its sides is there. ``equations`` are filled with
    the step's numbers, in brackets where they are negative and no ``result``.
    """

    title: str
    boxes: Sequence[Box]
    signs: Sequence[tuple[str, Place]]
    wires: Sequence[Sequence[Place]]
    dots: Sequence[Place]
    ends: Sequence[tuple[str, Place, str]]
    equations: Sequence[str]


LSTM_DRAWING = Drawing(
    "Inside the LSTM",
    [
        Box("f", (10, 37), "σ", "forget gate: what the cell keeps (eq. 11)"),
        Box("i", (31, 37), "σ", "input gate: what is written into the cell (eq. 10)"),
        Box("c̃", (52, 37), "tanh", "candidate: what could be written (eq. 13)"),
        Box("o", (73, 37), "σ", "output gate: what the state shows of the cell (eq. 12)"),
    ],
    [("×", (10, 84)), ("+", (42, 84)), ("×", (42, 66)), ("tanh", (90, 72)), ("×", (90, 58))],
    [
        [(0, 84), (100, 84)],
        [(10, 20), (10, 84)],
        [(31, 20), (31, 66), (42, 66)],
        [(52, 20), (52, 66), (42, 66)],
        [(42, 66), (42, 84)],
        [(90, 84), (90, 58)],
        [(73, 20), (73, 58), (100, 58)],
        [(0, 12), (10, 12), (10, 20)],
        [(10, 20), (73, 20)],
        [(42, 6), (42, 20)],
    ],
    [(90, 84), (10, 20), (31, 20), (42, 20), (52, 20)],
    [
        ("c before", (0, 91), "left"),
        ("c", (100, 91), "right"),
        ("h before", (0, 6), "left"),
        ("h", (100, 51), "right"),
        ("x", (45, 6), "left"),
    ],
    [
        "c = f c′ + i c̃ = {f} · {c before} + {i} · {c̃} = {result c} (eq. 14).",
        "h = o tanh c = {o} · tanh {c} = {result h} (eq. 15).",
    ],
)
GRU_DRAWING = Drawing(
    "Inside the GRU",
    [
        Box("r", (15, 37), "σ", "reset gate: what the candidate reads of the state (eq. 22)"),
        Box("z", (45, 37), "σ", "update gate: how much of the state is new (eq. 21)"),
        Box("h̃", (79, 37), "tanh", "candidate: what the state could become (eq. 23)"),
    ],
    [("×", (15, 62)), ("1−", (45, 73)), ("×", (45, 84)), ("×", (79, 66)), ("+", (79, 84))],
    [
        [(0, 84), (100, 84)],
        [(15, 84), (15, 23)],
        [(15, 62), (62, 62), (62, 37), (79, 37)],
        [(45, 23), (45, 84)],
        [(45, 66), (79, 66)],
        [(79, 14), (79, 84)],
        [(2, 84), (2, 23), (45, 23)],
        [(30, 6), (30, 23)],
        [(30, 14), (79, 14)],
    ],
    [(15, 84), (2, 84), (45, 66), (15, 23), (30, 23), (30, 14)],
    [("h before", (0, 91), "left"), ("h", (100, 91), "right"), ("x", (33, 6), "left")],
    [
        "h = (1 − z) h′ + z h̃ = (1 − {z}) · {h before} + {z} · {h̃} = {result h} (eq. 24).",
        "The candidate reads r h′, which is {r} · {h before} in this unit (eq. 23).",
    ],
)
MIN_GRU_DRAWING = Drawing(
    "Inside the minGRU",
    [
        Box("z", (40, 37), "σ", "update gate: how much of the state is new; it reads the input alone"),
        Box("h̃", (77, 37), "", "candidate: what the state could become; a plain sum of the input"),
    ],
    [("1−", (40, 73)), ("×", (40, 84)), ("×", (77, 66)), ("+", (77, 84))],
    [
        [(0, 84), (100, 84)],
        [(40, 14), (40, 84)],
        [(40, 66), (77, 66)],
        [(77, 14), (77, 84)],
        [(40, 14), (77, 14)],
        [(58, 6), (58, 14)],
    ],
    [(40, 66), (58, 14)],
    [("h before", (0, 91), "left"), ("h", (100, 91), "right"), ("x", (61, 6), "left")],
    [
        "h = (1 − z) h′ + z h̃ = (1 − {z}) · {h before} + {z} · {h̃} = {result h}.",
        "No wire leads from h′ to a gate, so ∂h/∂h′ is exactly 1 − z.",
    ],
)
RNN_DRAWING = Drawing(
    "Inside the RNN",
    [
        Box("from h", (25, 66), "", "what the last state adds to the sum, W_hh h′"),
        Box("from x", (50, 32), "", "what the input adds to the sum, W_xh x + b"),
    ],
    [("+", (50, 66)), ("tanh", (77, 66))],
    [[(0, 66), (100, 66)], [(50, 6), (50, 66)]],
    [],
    [("h before", (0, 81), "left"), ("h", (100, 81), "right"), ("x", (53, 6), "left")],
    ["h = tanh(W_hh h′ + W_xh x + b) = tanh({from h} + {from x}) = {result h} (eq. 5)."],
)


def plain_drawing(label: str, parts: Sequence[tuple[str, str, str]]) -> Drawing:
    """A cell's parts, up to four, side by side: each reads input and state from below, and gives to the state above.

    ``parts`` are letter, name and gate ("" for what is none), as in :class:`goldviz.models.recurrent.cells.CellPart`.
    """
    places = [10 + 80 * (number + 0.5) / len(parts) for number in range(len(parts))]
    boxes = [
        Box(letter, (x, 45), "σ" if gate else "tanh", words)
        for x, (letter, words, gate) in zip(places, parts, strict=True)
    ]
    wires: list[list[Place]] = [[(0, 84), (100, 84)], [(4, 84), (4, 20), (places[-1], 20)], [(50, 6), (50, 20)]]
    wires += [[(x, 20), (x, 84)] for x in places]
    return Drawing(
        f"Inside the {label}",
        boxes,
        [],
        wires,
        [(4, 84), (50, 20), *((x, 84) for x in places)],
        [("h before", (0, 91), "left"), ("h", (100, 91), "right"), ("x", (53, 6), "left")],
        [],
    )
