"""The cells of the recurrent networks as a diagram, and under each its state at every time step."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.diagram import Colour, Node, Part, Reading, Wire
from goldviz.figures.reading import networks
from goldviz.figures.theme import style_of
from goldviz.models.recurrent.cells import CELLS

COLOURS = (
    Colour("signal", "What a step back leaves of a signal", "log10", readings=(Reading("log_jacobian_norm"),)),
    Colour(
        "gate_opening",
        "How far gates are open",
        "share",
        readings=(Reading("gate_opening", lambda opening: opening.mean("time")),),
    ),
    Colour(
        "stuck",
        "Stuck gates, saturated state",
        "share",
        readings=(
            Reading("gate_saturation"),
            Reading("state_saturation", lambda share: share.expand_dims(cell=["state"])),
        ),
    ),
    Colour("state_gradient_norm", "Gradient norm of the state"),
    Colour(
        "update_to_data",
        "Update beside the weights",
        readings=(
            Reading("update_to_data_by_layer"),
            Reading("update_to_data", lambda ratio: ratio.expand_dims(layer=["recurrent weights"])),
        ),
    ),
    Colour("gradient_to_data", "Gradient beside the weights"),
)
"""What may colour the cells' diagram."""

COLUMNS = 5
STRIP, BETWEEN = 0.55, 0.5
"""Height of the strip of time steps, and what is free above it, in rows."""
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def parts_of(ds: Run) -> list[Part]:
    """The cell of every network of a run, and its state at each of the run's time steps."""
    times = ds["time"].values.tolist() if "time" in ds.coords else []
    names = networks(ds)
    rows = max(2, *(len(CELLS[network].parts) for network in names))
    return [_part(network, times, rows) for network in names]


def _part(network: str, times: list[int], rows: int) -> Part:
    style = style_of(network)
    cell, wires = _cell(network, rows)
    low = rows + BETWEEN
    wide = COLUMNS / max(1, len(times))
    ends = {times[0], times[-1]} if times else set()
    strip = [
        Node(
            f"h{time}".translate(LOWERED) if time in ends else "",
            f"state at time step {time}",
            place * wide,
            low,
            "state",
            {"time": time, "lag": times[-1] - time},
            wide,
            STRIP,
        )
        for place, time in enumerate(times)
    ]
    return Part(style.heading, [*cell, *strip], wires, network, style.colour, row=38)


def _cell(network: str, rows: int) -> tuple[list[Node], list[Wire]]:
    """Input, weights, gates and candidate, state and read-out from left to right; the state goes back."""
    cell = CELLS[network]
    inside = cell.parts
    middle, start = rows / 2, (rows - len(inside)) / 2
    of_state = Node("h", "hidden state", 3, middle - 0.5, "state", {"cell": "state"})
    from_state = [Node("Wₕ", "recurrent weights", 1, middle, at={"layer": "recurrent weights"})]
    weights = [
        Node("Wₓ", "input weights", 1, middle - (1 if cell.reads_state else 0.5), at={"layer": "input weights"}),
        *(from_state if cell.reads_state else []),
    ]
    nodes = [
        Node("x", "input", 0, middle - 0.5, "end"),
        *weights,
        *(
            Node(label, words, 2, start + row, "gate", {"gate": gate} if gate else {})
            for row, (label, words, gate) in enumerate(inside)
        ),
        of_state,
        Node("out", "read-out", 4, middle - 0.5, at={"layer": "read-out"}),
    ]
    state = nodes.index(of_state)
    gates = range(1 + len(weights), state)
    to_gates = [Wire(1 + number, gate) for number in range(len(weights)) for gate in gates]
    to_state = [Wire(gate, state) for gate in gates]
    back = Wire(state, 2 if cell.reads_state else state, "back")
    return nodes, [Wire(0, 1), *to_gates, *to_state, Wire(state, state + 1), back]
