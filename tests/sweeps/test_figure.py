import json
from typing import Any

import numpy as np
import pytest
import xarray as xr

import goldviz
from goldviz.declare.settings import SettingsError
from goldviz.labs.depth_gradients.phases import ALIKE, depth_scale

DEPTHS, GAINS = [5, 10, 20, 40], np.geomspace(0.5, 2, 7).tolist()


def swept(values: Any, axes: dict[str, list[Any]], **settings: Any) -> xr.Dataset:
    """A sweep as goldviz.sweep gives it, whose measure is known."""
    dims = [*axes, "seed"]
    values = np.asarray(values, dtype=float)
    return xr.Dataset(
        {
            "plain.worth": (dims, values, {"long_name": "plain: The test loss as a share. More."}),
            "status": (dims, np.full(values.shape, "finished", dtype=object)),
            "failed": (dims, np.full(values.shape, "", dtype=object)),
        },
        {**axes, "seed": np.arange(values.shape[-1])},
        {"experiment": "depth-gradients", "sweep": json.dumps([*axes]), "settings": json.dumps(settings)},
    )


def diagram(**settings: Any) -> xr.Dataset:
    values = np.full((4, 7, 3), 0.5) + np.array([-0.01, 0, 0.01])
    values[3, 0] = 1.0
    values[2, 0] = [0.7, 0.9, 1.2]
    return swept(values, {"depth": DEPTHS, "gain": GAINS}, **settings)


def traces(figure: Any) -> dict[str, Any]:
    return {str(one.name or one.type): one for one in figure.data}


def test_a_diagram_has_medians_hatches_and_theory_s_line() -> None:
    figure = goldviz.phase_diagram(diagram(**ALIKE), "plain.worth", line=0.9)
    drawn = traces(figure)
    cells = np.asarray(drawn["heatmap"].z)
    assert cells.shape == (4, 7)
    np.testing.assert_allclose(cells[:, 0], [0.5, 0.5, 0.9, 1.0], rtol=1e-6)
    hatch = next(one for name, one in drawn.items() if name.startswith("hatched"))
    assert hatch.name == "hatched: the seeds' interval holds 0.9"
    assert (np.nanmin(hatch.x), np.nanmax(hatch.x)) == (-0.5, 0.5)
    assert (np.nanmin(hatch.y), np.nanmax(hatch.y)) == (1.5, 2.5)
    line = next(one for name, one in drawn.items() if name.startswith("Theory"))
    # Depth 6 ξ(gain) is 20 at gain exp(-6 / 40).
    at = np.interp(np.exp(-6 / 40), GAINS, range(7))
    nearest = np.nanargmin(np.abs(np.asarray(line.y) - 2) + 10 * (np.asarray(line.x) > 3))
    assert abs(line.x[nearest] - at) < 0.1
    assert list(figure.layout.yaxis.ticktext) == ["5", "10", "20", "40"]
    assert figure.layout.xaxis.title.text in (None, "") or "Gain" in str(figure.to_json())


def test_the_order_of_values_is_that_of_numbers() -> None:
    ds = diagram().isel(depth=[2, 0, 3, 1])
    np.testing.assert_allclose(traces(goldviz.phase_diagram(ds, "plain.worth"))["heatmap"].z[:, 0], [0.5, 0.5, 0.9, 1])


def test_there_is_no_line_where_theory_says_nothing() -> None:
    for settings in ({**ALIKE, "activation": "relu"}, {**ALIKE, "dropout": 0.3}, {}):
        assert not [
            name for name in traces(goldviz.phase_diagram(diagram(**settings), "plain.worth")) if "Theory" in name
        ]


def test_a_cell_whose_runs_diverged_has_a_cross() -> None:
    ds = diagram()
    ds["plain.worth"][0, 6] = np.nan
    ds["status"][0, 6] = "diverged"
    ds["plain.worth"][0, 5, 0] = np.nan
    ds["status"][0, 5, 0] = "diverged"
    drawn = traces(goldviz.phase_diagram(ds, "plain.worth", line=0.9))
    assert (list(drawn["diverged"].x), list(drawn["diverged"].y)) == ([6], [0])
    hatch = next(one for name, one in drawn.items() if name.startswith("hatched"))
    middles = zip(hatch.x[0::3] + hatch.x[1::3], hatch.y[0::3] + hatch.y[1::3], strict=True)
    assert {(round(x / 2), round(y / 2)) for x, y in middles} == {(0, 2), (5, 0)}


def test_one_setting_is_a_curve_with_its_band() -> None:
    ds = diagram().sel(depth=20)
    figure = goldviz.phase_diagram(ds, "plain.worth", line=0.9)
    curve = next(one for one in figure.data if one.mode == "lines+markers")
    np.testing.assert_allclose(curve.x, GAINS)
    np.testing.assert_allclose(curve.y, [0.9, *[0.5] * 6], rtol=1e-6)
    assert figure.layout.xaxis.type == "log"
    low, high = goldviz.phase_diagram(ds, "plain.worth", line=3).layout.yaxis.range
    assert low < 0.5
    assert high > 3
    words = swept([[1.0], [2.0]], {"activation": ["tanh", "relu"]})
    assert list(goldviz.phase_diagram(words, "plain.worth").layout.xaxis.ticktext) == ["tanh", "relu"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_drawn_in_both_themes(theme: Any) -> None:
    assert goldviz.phase_diagram(diagram(**ALIKE), "plain.worth", theme=theme).data


def test_what_cannot_be_drawn_is_said() -> None:
    three = swept(np.ones((2, 2, 2, 1)), {"depth": [1, 2], "gain": [1, 2], "width": [2, 3]})
    for ds, how, sentence in (
        (xr.Dataset(), {}, "The dataset is no sweep"),
        (diagram(), {"measure": "plain.wort"}, "did you mean 'plain.worth'?"),
        (diagram(), {"x": "width"}, "The sweep goes over depth, gain, not 'width'."),
        (diagram(), {"theme": "blue"}, "The theme is 'blue'; allowed is light or dark."),
        (three, {}, "several values of depth beside"),
    ):
        with pytest.raises(SettingsError, match=sentence.replace("?", r"\?")):
            goldviz.phase_diagram(ds, **{"measure": "plain.worth", **how})
    assert goldviz.phase_diagram(three.isel(width=0), "plain.worth").data


@pytest.mark.parametrize("gain", [0.6, 0.9, 1.2, 1.5, 2.0])
def test_the_depth_scale_is_that_of_a_wide_random_network(gain: float) -> None:
    """What a layer does to a signal's length, or to a small correlation of two, by sampling."""
    draw, few = np.random.default_rng(0), 0.05
    first, second = draw.normal(size=(2, 2_000_000))
    q = 1e-4 if gain < 1 else 1.0
    for _layer in range(1 if gain < 1 else 60):
        q, before = gain**2 * np.mean(np.tanh(np.sqrt(q) * first) ** 2), q
    if gain < 1:
        factor = q / before
    else:
        beside = few * first + np.sqrt(1 - few**2) * second
        factor = gain**2 * np.mean(np.tanh(np.sqrt(q) * first) * np.tanh(np.sqrt(q) * beside)) / q / few
    assert np.log(factor) == pytest.approx(-1 / depth_scale(gain), abs=0.03)


def test_the_depth_scale_is_infinite_at_the_border() -> None:
    assert depth_scale(1.0) == np.inf
    assert depth_scale(0.999) > 400 < depth_scale(1.001)
