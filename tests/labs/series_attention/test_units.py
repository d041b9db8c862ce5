"""Dead units, and what is left in units of negative values, by cases that are known."""

import math

import pytest
import torch

from goldviz.labs.series_attention.instruments import dead_by_layer, recovered, watching_sums
from goldviz.labs.series_attention.networks import layer_names, series_network
from goldviz.labs.series_attention.settings import SeriesAttention

SETTINGS = SeriesAttention(width=8, layers=2, kernel="1", activation="relu")


def test_units_whose_sums_are_negative_everywhere_are_dead() -> None:
    network = series_network(SETTINGS, "transformer", 1, 0)
    with torch.no_grad(), watching_sums(network) as sums:
        for block, dead in zip(network.stack(), (8, 0), strict=True):
            block.expand.bias[:dead] = -100.0
            block.expand.bias[dead:] = 100.0
        network(torch.randn(3, 48, 1), torch.zeros(3, 48))
    shares = dict(zip(layer_names(SETTINGS), dead_by_layer(SETTINGS, sums).tolist(), strict=True))
    assert (shares["block 1"], shares["block 2"]) == (0.25, 0.0)
    assert math.isnan(shares["input"])
    with watching_sums(series_network(SETTINGS, "gru", 1, 0)) as none:
        assert none == []


def test_relu_units_of_both_signs_give_negative_values_back_and_of_one_sign_do_not() -> None:
    values = torch.linspace(-2, 2, 101)
    both = torch.relu(torch.stack([values, -values], 1))
    assert recovered(both, values, both, values) == pytest.approx(1, abs=1e-4)
    one = torch.relu(values)[:, None]
    assert recovered(one, values, one, values) == pytest.approx(0, abs=1e-6)
    assert math.isnan(recovered(one, values.abs(), one, values.abs()))
