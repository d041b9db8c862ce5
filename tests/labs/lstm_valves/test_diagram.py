"""The cells drawn with their numbers: the document's equations hold among them, and they stand where they belong."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from goldviz.labs.lstm_valves.diagram import HIGH, WIDE, cell_diagram
from goldviz.labs.lstm_valves.settings import LSTMValves
from goldviz.models.recurrent.cells import CELLS
from goldviz.models.recurrent.drawings import plain_drawing

EVERY_CELL = pytest.mark.parametrize("cell", CELLS)


def parts(cell: str, **settings: Any) -> dict[str, np.ndarray]:
    inside = LSTMValves.checked({"cell": cell, "length": 9, "hidden": 6, "task": "adding", **settings}).compute()[
        "inside"
    ]
    return dict(zip(map(str, inside["quantity"].values), inside.values, strict=True))


def sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-x)))


def test_an_lstm_s_numbers_satisfy_equations_10_to_15() -> None:
    n = parts("lstm", forget_bias=1.0)
    for gate in "ifo":
        np.testing.assert_allclose(n[gate], sigmoid(n[f"sum of {gate}"]), atol=1e-12)
    np.testing.assert_allclose(n["c̃"], np.tanh(n["sum of c̃"]), atol=1e-12)
    np.testing.assert_allclose(n["c"], n["f"] * n["c before"] + n["i"] * n["c̃"], atol=1e-12)
    np.testing.assert_allclose(n["h"], n["o"] * np.tanh(n["c"]), atol=1e-12)
    for name in "ch":
        np.testing.assert_array_equal(n[f"{name} before"][1:], n[name][:-1])
        assert not n[f"{name} before"][0].any()


def test_a_gru_s_numbers_satisfy_equations_21_to_24() -> None:
    n = parts("gru")
    np.testing.assert_allclose(n["z"], sigmoid(n["sum of z"]), atol=1e-12)
    np.testing.assert_allclose(n["r"], sigmoid(n["sum of r"]), atol=1e-12)
    np.testing.assert_allclose(n["h̃"], np.tanh(n["sum of h̃"]), atol=1e-12)
    np.testing.assert_allclose(n["h"], (1 - n["z"]) * n["h before"] + n["z"] * n["h̃"], atol=1e-12)


def test_an_rnn_s_numbers_satisfy_equation_5() -> None:
    n = parts("rnn")
    np.testing.assert_allclose(n["h"], np.tanh(n["from x"] + n["from h"]), atol=1e-12)
    assert not n["from h"][0].any(), "the first state is zero"


@EVERY_CELL
def test_the_drawing_shows_the_numbers_of_its_step_and_unit(cell: str) -> None:
    # Of recall's blank symbols all sums are alike in a cell that reads no state.
    ds = LSTMValves.checked({"cell": cell, "length": 9, "hidden": 6, "unit": 3, "task": "adding"}).compute()
    figure = cell_diagram.draw(ds, step=7)
    words = " ".join(annotation["text"] for annotation in figure.layout["annotations"]).replace("−", "-")
    inside = ds["inside"].sel(step=7, unit=3)
    shown = [box.quantity for box in CELLS[cell].diagram.boxes] + [
        name for name, _, _ in CELLS[cell].diagram.ends if name != "x"
    ]
    for name in shown:
        assert f"{float(inside.sel(quantity=name)):.2f}" in words, name
    assert words != " ".join(
        annotation["text"] for annotation in cell_diagram.draw(ds, step=8).layout["annotations"]
    ).replace("−", "-")


@EVERY_CELL
def test_a_gate_is_filled_as_far_as_it_is_open(cell: str) -> None:
    ds = LSTMValves.checked({"cell": cell}).compute()
    inside = ds["inside"].sel(step=10, unit=1)
    filled = [shape for shape in cell_diagram.draw(ds).layout["shapes"] if shape["line"]["width"] == 0]
    gates = [box.quantity for box in CELLS[cell].diagram.boxes if box.function == "σ"]
    shares = [(shape["x1"] - shape["x0"]) / WIDE for shape in filled]
    assert shares == pytest.approx([float(inside.sel(quantity=gate)) for gate in gates])


@EVERY_CELL
def test_no_wire_ends_in_the_air_and_no_box_covers_another(cell: str) -> None:
    drawing = CELLS[cell].diagram
    boxes = [box.place for box in drawing.boxes]
    for one, (x, y) in enumerate(boxes):
        for other_x, other_y in boxes[:one]:
            assert abs(x - other_x) >= WIDE or abs(y - other_y) >= HIGH
    joined = {place for _, place in drawing.signs} | set(drawing.dots)
    inner = {corner for wire in drawing.wires for corner in wire[1:-1]}
    for wire in drawing.wires:
        for x, y in (wire[0], wire[-1]):
            in_a_box = any(abs(x - left) <= WIDE / 2 and abs(y - low) <= HIGH / 2 for left, low in boxes)
            outside = x in (0, 100) or y == 6
            meets = sum((x, y) in (other[0], other[-1]) for other in drawing.wires) > 1 or (x, y) in inner
            assert (x, y) in joined or in_a_box or outside or meets, (x, y)


@EVERY_CELL
def test_the_plain_drawing_shows_every_part_apart_from_the_others(cell: str) -> None:
    parts = CELLS[cell].parts
    drawing = plain_drawing("cell", parts)
    assert [box.quantity for box in drawing.boxes] == [part.letter for part in parts]
    assert [box.function == "σ" for box in drawing.boxes] == [bool(part.gate) for part in parts]
    across = [box.place[0] for box in drawing.boxes]
    assert all(later - earlier >= WIDE for earlier, later in pairwise(across))
    assert WIDE / 2 <= min(across) <= max(across) <= 100 - WIDE / 2
    ds = LSTMValves.checked({"cell": cell, "length": 4, "hidden": 2}).compute()
    assert {box.quantity for box in drawing.boxes} <= {*map(str, ds["inside"]["quantity"].values)}
