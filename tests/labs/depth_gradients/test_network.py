"""The diagram's nodes are the layers of the networks that are trained."""

from typing import Literal

import pytest
import torch
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.diagnostics.gradients import matrices
from goldviz.labs.depth_gradients.figures import parts_of
from goldviz.labs.depth_gradients.networks import CONNECTIONS, DeepMLP


def dataset(network: DeepMLP, depth: int) -> xr.Dataset:
    """The coordinates that a run of both networks has."""
    layers = range(len(matrices(network.weight_stacks())))
    return xr.Dataset(coords={"network": list(CONNECTIONS), "layer": list(layers), "hidden": list(range(depth + 1))})


@pytest.mark.parametrize("kind", list(CONNECTIONS))
@given(depth=st.integers(1, 100), read_out=st.sampled_from(["tied", "untied"]))
def test_there_is_a_node_for_every_matrix_and_a_skip_for_every_residual_block(
    kind: str, depth: int, read_out: Literal["tied", "untied"]
) -> None:
    network = DeepMLP(
        network=kind, features=2, width=2, depth=depth, weights=torch.Generator().manual_seed, read_out=read_out
    )
    part = next(part for part in parts_of(dataset(network, depth)) if part.network == kind)
    at = [node.at for node in part.nodes]
    assert [place["layer"] for place in at if "layer" in place] == list(range(len(matrices(network.weight_stacks()))))
    assert [place["hidden"] for place in at if "hidden" in place] == list(range(depth + 1))
    assert [place["block"] for place in at if "block" in place] == list(range(1, len(network.norms) + 1))
    skips = [(wire.start, wire.end) for wire in part.wires if wire.way == "skip"]
    around = [(block - 1, block) for block in range(1, depth + 1)]
    assert skips == (around if kind == "residual" else [])
    assert part.nodes[-1].words.startswith("read-out")
    assert [node.column for node in part.nodes] == list(range(depth + 2))
