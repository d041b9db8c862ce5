"""Figures of layers under other names than numbers, without networks, and over long runs of looks."""

from functools import partial

import numpy as np
import pytest
import xarray as xr

from goldviz.declare import layers as declared
from goldviz.declare.kinds import by_kind
from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import offered, quantities_by_kind
from goldviz.figures.limits import LayerAxis
from goldviz.figures.table import Arrays, FrameTable

EVERY, CLOSELY = ("look", "network", "seed"), ("look", "network")
VARIABLES = {
    **declared.activations((*EVERY, "layer")),
    **declared.distributions((*CLOSELY, "time"), (*CLOSELY, "layer")),
    **declared.update_to_data((*EVERY, "layer")),
    **declared.gradient_to_data((*EVERY, "layer")),
}
KINDS = by_kind(VARIABLES)
QUANTITIES = {**quantities_by_kind(KINDS), "time": LayerAxis.of("time")}
FIGURES = offered(partial(plot.figure, QUANTITIES), KINDS)
NAMES = ["input", "recurrent", "read-out"]


def build(looks=5, times=4, networks=("rnn", "lstm")):
    """A run with looks, two networks or none, and layers that are times or have names."""
    sizes = {
        "look": looks,
        "network": len(networks),
        "seed": 3,
        "layer": 3,
        "time": times,
        "value_bin": len(VALUE_BINS.centres),
        "magnitude_bin": len(MAGNITUDE_BINS.centres),
    }
    draw = np.random.default_rng(0)
    arrays = {}
    for name, variable in VARIABLES.items():
        dims = [dim for dim in variable.dims if networks or dim != "network"]
        values = draw.random([sizes[dim] for dim in dims]).astype(np.float32)
        if name.endswith("_histogram"):
            values /= values.sum(-1, keepdims=True)
        arrays[name] = (dims, values, {"long_name": variable.long_name})
    coords = {
        "look": 10 * np.arange(1, looks + 1),
        "step": np.arange(1, 10 * looks + 1),
        "seed": range(3),
        "layer": NAMES,
        "time": np.arange(1, times + 1),
        "value_bin": VALUE_BINS.centres,
        "magnitude_bin": MAGNITUDE_BINS.centres,
    }
    coords |= {"network": list(networks)} if networks else {}
    return xr.Dataset(arrays, coords, {"status": "finished", "marks": "[]", "title": "", "step_dimension": "step"})


EVERY = pytest.mark.parametrize("name", FIGURES)


@EVERY
@pytest.mark.parametrize("networks", [(), ("gru",), ("rnn", "lstm", "gru")], ids=len)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_they_are_drawn_whatever_networks_there_are(name, networks, theme):
    figure = FIGURES[name](build(networks=networks), theme=theme)
    assert len(figure.data) >= max(1, len(networks))
    assert len(figure.layout.title.text) <= 36


@EVERY
def test_names_of_layers_are_places_of_an_axis_or_of_the_legend(name):
    figure = FIGURES[name](build())
    if name.endswith("_to_data"):
        named = [trace.name for trace in figure.data if trace.showlegend]
        assert named == NAMES, "each once, though there are two panels"
        assert figure.layout.coloraxis.colorbar.title.text is None
    elif name in ("activations", "weight_gradient_distribution"):
        axis = figure.layout.xaxis if name == "activations" else figure.layout.yaxis
        assert (axis.type, axis.range) == ("category", (-0.5, 2.5))
    else:
        assert list(figure.data[0].y) == [1, 2, 3, 4]
        assert figure.layout.yaxis.title.text == "Time"


def test_lines_are_the_medians_of_the_seeds():
    run = build(networks=())
    figure = FIGURES["update_to_data"](run, epoch=20)
    recurrent = next(trace for trace in figure.data if trace.name == "recurrent")
    values = run["update_to_data"].sel(layer="recurrent")
    np.testing.assert_allclose(recurrent.y, values.median("seed"), rtol=1e-6)


@EVERY
def test_lanes_share_limits_whatever_their_layers_are(name):
    lanes = [build(), build(looks=2, times=9)]
    shared = limits.shared_limits(QUANTITIES, lanes)
    drawn = [FIGURES[name](lane, limits=shared) for lane in lanes]
    assert drawn[0].layout.yaxis.range == drawn[1].layout.yaxis.range


def test_six_hundred_looks_of_three_networks_arrive_in_less_than_two_megabytes():
    run = build(looks=600, times=12, networks=("rnn", "lstm", "gru"))
    table, arrays = FrameTable("light"), Arrays()
    table.bring(1, run, None)
    table.since(None, [], {"hidden_gradient_distribution": FIGURES["hidden_gradient_distribution"]}, arrays)
    drawn = table.drawn["hidden_gradient_distribution"]
    assert drawn.kept["look"][-1] == 599, "the last look is always there"
    assert arrays.size < 2_000_000
