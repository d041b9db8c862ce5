"""The diagram of a watched network: every layer's box has the number that was measured last of it."""

import json
import math

import numpy as np
import pytest
import torch
import xarray as xr

from goldviz.arrays.labelled import Run
from goldviz.watching.figures import query
from goldviz.watching.network_diagram import MOST_ROWS, network
from tests.watching.loops import classified, mlp, watching


def drawn(run: Run) -> tuple[list, dict]:
    """The nodes that travel to a browser, and its colours by name."""
    diagram = network.draw(run).layout["meta"]["diagram"]
    return diagram["parts"][0]["nodes"], {colour["name"]: colour for colour in diagram["colours"]}


def trained(broken: bool) -> Run:
    """Five steps of a small network, the last one with an infinite loss."""
    torch.manual_seed(0)
    model = mlp()
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    with watching(model) as record:
        for step in range(1, 6):
            loss = classified(model, step) * (np.inf if broken and step == 5 else 1)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            record.step(loss=loss)
        return record.dataset()


@pytest.mark.parametrize("broken", [False, True])
def test_each_box_has_the_last_number_of_its_layer_one_that_is_not_finite_too(broken: bool) -> None:
    run = trained(broken)
    nodes, colours = drawn(run)
    assert [node[7]["layer"] for node in nodes] == [str(name) for name in run["layer"].values]
    for name, colour in colours.items():
        for place, told in enumerate(colour["values"]):
            column = run[name].values[:, place]
            measured = column[~np.isnan(column)]
            assert math.isnan(told) if not measured.size else told == pytest.approx(measured[-1], rel=1e-6)
    assert np.isinf(colours["gradient_by_layer"]["values"]).any() == broken


def test_a_scale_holds_every_number_and_a_share_has_its_own() -> None:
    _, colours = drawn(trained(broken=False))
    assert colours["dead_units"]["limits"] == [0.0, 1.0]
    for name in ("weight_norm", "activation_mean"):
        values = colours[name]["values"]
        along = np.log10(values) if name == "weight_norm" else values
        low, high = colours[name]["limits"]
        assert low <= np.nanmin(along)
        assert np.nanmax(along) <= high


def test_blocks_stand_in_rows_and_of_many_the_first_and_the_last_are_drawn() -> None:
    names = [f"encoder.layer.{block}.{part}" for block in range(100) for part in ("query", "key")] + ["head"]
    values = np.arange(1.0, 1.0 + len(names))
    layers = json.dumps([[name, "Linear", 6] for name in names])
    places = {"layer": names, "look": [1]}
    run = xr.Dataset({"weight_norm": (("look", "layer"), values[None])}, coords=places, attrs={"layers": layers})
    nodes, colours = drawn(run)
    assert len({node[3] for node in nodes}) == MOST_ROWS
    rows = {tuple(node[0] for node in nodes if node[3] == row) for row in range(MOST_ROWS)}
    assert ("layer.0", "query", "key") in rows
    assert ("layer.99", "query", "key") in rows
    assert ("layer.50", "query", "key") not in rows
    for node, value in zip(nodes, colours["weight_norm"]["values"], strict=True):
        assert math.isnan(value) if "layer" not in node[7] else value == values[names.index(node[7]["layer"])]
    notes = network.draw(run).layout["meta"]["notes"]
    assert notes == [
        "201 layers, in the order in which the model names them.",
        "Of 101 rows the first and the last 20 are drawn.",
    ]


def test_a_chosen_layer_is_asked_for_alone() -> None:
    names = [str(place) for place in range(12)]
    assert query("1", names, "weight_norm").layers == [1]
    assert query("1*", names, "weight_norm").layers == [1, 10, 11]
