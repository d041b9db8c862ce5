"""The figures of *Residual steps to flow* from small hand-made numbers."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import xarray as xr

from goldviz.figures.theme import Theme
from goldviz.labs.residual_flow.figures import FIGURES, depth_sentence, outside_sentence, picture

STEPS, ASKED = np.array([1, 2, 4]), np.array([1e-2, 1e-4])


def _view(*, classes: bool = False, **attributes: Any) -> xr.Dataset:
    """Two blocks, four points of which two are traced, three places of the flow; errors L^-p times one half."""
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    orders = np.array([1.0, 2.0, 4.0])
    ds = xr.Dataset(
        {
            "network_path": (("layer", "traced", "axis"), np.stack([square[:2], square[:2] + 1, square[:2] + 2])),
            "distance_largest": ("layer", [0.0, 0.2, 0.25]),
            "distance_median": ("layer", [0.0, 0.1, 0.1]),
            "flow_path": (("place", "traced", "axis"), np.stack([square[:2]] * 3)),
            "start": (("point", "axis"), square),
            "network": (("point", "axis"), square + 0.5),
            "flow": (("point", "axis"), square),
            "end_error": (("solver", "steps"), 0.5 * STEPS[None, :] ** -orders[:, None]),
            "slope": ("solver", -orders),
            "adaptive_error": ("asked", 2 * ASKED),
            "evaluations": ("asked", [20.0, 50.0]),
            "velocity": (("y", "x", "axis"), np.broadcast_to([1.0, -1.0], (2, 2, 2))),
            "window": (("axis", "end"), [[-1.0, 2.0], [-1.0, 2.0]]),
        },
        coords={
            "axis": ["h1", "h2"],
            "solver": ["euler", "midpoint", "rk4"],
            "order": ("solver", orders),
            "steps": STEPS,
            "asked": ASKED,
            "x": [-1.0, 2.0],
            "y": [-1.0, 2.0],
            "layer": [0, 1, 2],
            "layer_depth": ("layer", [0.0, 1.5, 3.0]),
            "end": ["low", "high"],
        },
        attrs={
            "blocks": 2,
            "step": 1.5,
            "lost_at": 0,
            "view": 100,
            "duration": 3.0,
            "closed": 0,
            "network_right": 0.75,
            "adaptive_slope": 1.0,
            "evaluations_slope": -0.2,
            **attributes,
        },
    )
    if classes:
        ds["true_class"] = ("point", [0.0, 0.0, 1.0, 1.0])
        ds["right_by_steps"] = ("steps", [0.5, 0.75, 1.0])
        ds["read_out"] = ("weight", [0.0, 2.0, -1.0])
        ds.attrs["flow_right"] = 1.0
    return ds


def _trace(figure: go.Figure, start: str) -> Any:
    return next(trace for trace in figure.data if (trace.name or "").startswith(start))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("closed", [0, 1])
def test_every_figure_asks_its_question_and_names_its_axes(theme: Theme, closed: int) -> None:
    ds = _view(classes=True, closed=closed)
    for spec in FIGURES.values():
        figure = spec(ds, theme=theme)
        assert figure.layout.title.text.endswith("?")
        assert any(axis.title.text for axis in figure.select_xaxes())
        assert all(axis.title.text for axis in figure.select_yaxes())


def test_measured_slopes_stand_beside_theorys() -> None:
    figure = FIGURES["convergence"](_view())
    names = [trace.name for trace in figure.data if trace.name]
    assert names == [
        "Euler (residual): slope −1.00 (theory −1)",
        "midpoint: slope −2.00 (theory −2)",
        "RK4: slope −4.00 (theory −4)",
        "your network",
    ]
    assert list(_trace(figure, "your network").y) == [0.25]


def test_runs_that_left_all_numbers_are_named_and_not_drawn() -> None:
    ds = _view()
    ds["end_error"][0, :2] = np.nan
    ds["distance_largest"][:] = np.nan
    figure = FIGURES["convergence"](ds)
    assert "Left out, too far to measure: Euler at 1, 2 steps." in figure.layout.title.subtitle.text.replace(
        "<br>", " "
    )
    assert not any(trace.name == "your network" for trace in figure.data)


def test_points_outside_the_picture_are_counted() -> None:
    ds = _view()
    assert outside_sentence(ds) == ""
    ds["network"][0] = [100.5, 0.5]
    assert outside_sentence(ds) == "1 of 4 points are outside the picture, the farthest 1e+02 away."
    ds["network"][1] = np.nan
    assert outside_sentence(ds) == "2 of 4 points are outside the picture, too far to measure."


def test_the_depth_in_view_is_told() -> None:
    assert depth_sentence(_view(view=0)) == "Depth 0.00 of 3: 0 of 2 blocks are done."
    assert depth_sentence(_view(view=60)) == "Depth 1.80 of 3: block 2 of 2 is under way, drawn on its straight line."
    ended = depth_sentence(_view(classes=True))
    assert ended == "After 2 blocks, 75.0% of the curves lie on their own side of the dashed line."


@pytest.mark.parametrize("view", [0, 60, 100])
def test_the_two_pictures_have_one_line_each_and_so_one_height(view: int) -> None:
    ds = _view(classes=True, view=view)
    for name in ("carried", "flow"):
        assert FIGURES[name](ds).layout.title.subtitle.text.count(".<br>") == 0


def test_the_read_outs_line_parts_the_plane_where_the_read_out_is_zero() -> None:
    line = _trace(FIGURES["flow"](_view(classes=True)), "read-out's line")
    np.testing.assert_allclose(2 * np.asarray(line.y) - 1, 0, atol=1e-12)
    assert min(line.x) < -1
    assert max(line.x) > 2


def test_rings_are_closed_curves_and_moons_are_points() -> None:
    ring = _trace(FIGURES["carried"](_view(classes=True, closed=1)), "inner ring")
    assert ring.mode == "lines"
    assert (ring.x[0], ring.y[0]) == (ring.x[-1], ring.y[-1])
    moon = _trace(FIGURES["carried"](_view(classes=True)), "upper moon")
    assert moon.mode == "markers"


def test_a_solver_that_did_not_arrive_is_told() -> None:
    ds = _view(adaptive_slope=np.nan, evaluations_slope=np.nan)
    ds["adaptive_error"][:] = np.nan
    ds["evaluations"][:] = np.nan
    figure = FIGURES["tolerance"](ds)
    [said] = figure.layout.annotations
    assert "did not arrive" in said.text
    ds["adaptive_error"][:] = [1e-3, np.nan]
    assert "did not arrive" in FIGURES["tolerance"](ds).layout.title.subtitle.text


def test_the_distance_says_from_where_on_it_is_lost() -> None:
    ds = _view(lost_at=2)
    ds["distance_largest"][2] = np.nan
    assert "From block 2 on" in FIGURES["distance"](ds).layout.title.subtitle.text


def test_the_picture_names_its_curves() -> None:
    svg = picture(_view())
    assert all(f">{name}</text>" in svg for name in ("residual", "midpoint", "RK4"))
