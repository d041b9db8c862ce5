"""Table 1 of document 001 against the networks themselves."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.depth_gradients.page import ParameterCount, table_of_networks
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.labs.depth_gradients.train import problem, trainee


@given(
    depth=st.integers(1, 6),
    width=st.integers(2, 20),
    features=st.integers(2, 12),
    normalisation=st.sampled_from(["none", "batch", "layer"]),
    read_out=st.sampled_from(["tied", "untied"]),
    network=st.sampled_from(["plain", "residual"]),
)
def test_counts_are_those_of_the_networks(network, **changes):
    settings = DepthGradients(samples=16, **changes)
    made = trainee(settings, network, 0, problem(settings, 0, torch.device("cpu"))).network
    count = ParameterCount.of(settings)
    assert count.total == sum(parameter.numel() for parameter in made.parameters())
    assert count.input == made.input_weight.numel() + made.input_bias.numel()
    in_norms = sum(parameter.numel() for parameter in made.norms.parameters())
    assert count.blocks == made.block_weight.numel() + made.block_bias.numel() + in_norms


@pytest.mark.parametrize(("read_out", "here", "there"), [("tied", "38,810", "39,310"), ("untied", "39,310", "38,810")])
def test_the_table_has_the_document_s_values(read_out, here, there):
    table = table_of_networks(DepthGradients(read_out=read_out))
    other = {"tied": "untied", "untied": "tied"}[read_out]
    for row in (
        "| Layers | 15 | 15 |",
        "| Hidden dim | 50 | 50 |",
        f"| Parameters | {here} | {here} |",
        f"| Parameters, {other} read-out | {there} | {there} |",
        "| Activation | LeakyReLU (0.3) | LeakyReLU (0.3) |",
    ):
        assert row in table.splitlines()
