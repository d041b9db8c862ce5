"""The diagram's nodes are the blocks of the residual network, and the depths at which a flow was looked at."""

from fractions import Fraction

import pytest
import torch
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.continuous_depth.figures.paths import parts_of
from goldviz.labs.continuous_depth.instruments import MOST_ENDS, kept_depths
from goldviz.labs.continuous_depth.settings import ContinuousDepth
from goldviz.labs.continuous_depth.train import depth_learner, layers_of


@given(
    blocks=st.integers(1, 128),
    task=st.sampled_from(["moons", "flip"]),
    method=st.sampled_from(["dopri5", "euler"]),
    steps=st.integers(1, 256),
)
def test_there_is_a_node_for_every_block_and_interval_and_for_every_matrix(
    blocks: int, task: str, method: str, steps: int
) -> None:
    settings = ContinuousDepth.checked(
        {"blocks": blocks, "task": task, "method": method, "solver_steps": steps, "width": 2}
    )
    depths, learner = kept_depths(settings), depth_learner(settings, "ode", 0, torch.device("cpu"))
    weights = {} if task == "flip" else {"read_out": ("weight", [0.0])}
    run = xr.Dataset(
        {"path": ("depth", list(depths)), **weights},
        coords={"network": ["ode", "residual"], "depth": list(depths)},
        attrs={"settings": settings.model_dump_json()},
    )
    flow, residual = parts_of(run)
    assert [node.at["depth"] for node in flow.nodes if "depth" in node.at] == list(depths[1:])
    assert sum(node.wide for node in flow.nodes if "depth" in node.at) == pytest.approx(10)
    if blocks <= MOST_ENDS:
        numbered = {node.at["block"]: node.at["depth"] for node in residual.nodes if "block" in node.at}
        assert numbered == {k: float(Fraction(k, blocks)) for k in range(1, blocks + 1)}
        assert [wire.way for wire in residual.wires].count("skip") == blocks
    for part in (flow, residual):
        named = {node.at["layer"] for node in part.nodes if "layer" in node.at}
        assert named == set(layers_of(learner.network))
