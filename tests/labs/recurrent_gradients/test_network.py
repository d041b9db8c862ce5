"""The diagram's nodes are the weights, gates and time steps of the networks that are trained."""

import pytest
import torch
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.recurrent_gradients.figures.network import parts_of
from goldviz.labs.recurrent_gradients.instruments import LAYERS
from goldviz.labs.recurrent_gradients.reader import at_start
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients, lanes
from goldviz.models.recurrent.cells import CELLS, GATES


@pytest.mark.parametrize("networks", ["all", *CELLS])
@given(length=st.integers(4, 200), task=st.sampled_from(["adding", "recall"]))
def test_there_is_a_node_for_every_matrix_gate_and_time_step(networks: str, length: int, task: str) -> None:
    settings = RecurrentGradients.checked({"networks": networks, "length": length, "task": task, "hidden": 2})
    times, names = list(range(1, settings.time_steps() + 1)), lanes(settings.networks)
    parts = parts_of(xr.Dataset(coords={"network": list(names), "time": times}))
    assert [part.network for part in parts] == list(names)
    for part in parts:
        at = [node.at for node in part.nodes]
        of_state = () if CELLS[part.network].reads_state else ("recurrent weights",)
        assert [place["layer"] for place in at if "layer" in place] == [one for one in LAYERS if one not in of_state]
        assert [place["time"] for place in at if "time" in place] == times
        assert all(place["lag"] == times[-1] - place["time"] for place in at if "time" in place)
        assert len({(node.column, node.row) for node in part.nodes}) == len(part.nodes)


@pytest.mark.parametrize("network", CELLS)
def test_gates_are_those_that_the_cell_has(network: str) -> None:
    reader = at_start(RecurrentGradients(hidden=3), network, 0, 2, 1)
    trace = reader(torch.zeros(2, 1, 2))
    has = {gate for gate in GATES if hasattr(trace, f"{gate}_gates")}
    assert set(CELLS[network].gates) == has <= set(reader.layer.blocks)
    assert len(CELLS[network].parts) == len(reader.layer.blocks)
    assert len(reader.layer.trace.carried) == CELLS[network].states
