import pytest
import torch

from goldviz.diagnostics.layers import activation_readings
from goldviz.models.feedforward.activations import ACTIVATIONS

SLOPE = 0.3


def statistics(name, z, slope=SLOPE):
    activation = ACTIVATIONS[name](slope)
    return activation_readings([*activation.function(z)], [*z], activation)


def test_mean_and_standard_deviation_are_those_of_the_hidden_states():
    z = torch.randn(3, 20, 4, generator=torch.Generator().manual_seed(0))
    found = statistics("tanh", z)
    torch.testing.assert_close(found["activation_mean"], z.tanh().mean((1, 2)))
    torch.testing.assert_close(found["activation_std"], z.tanh().flatten(1).std(1))


@pytest.mark.parametrize(
    ("name", "flat", "steep"),
    [
        ("tanh", [-2.3, 2.3], [-2.1, 0.0, 2.1]),
        ("sigmoid", [-4.5, 4.5], [-4.2, 0.0, 4.2]),
        ("relu", [-0.1, -5.0], [0.1, 5.0]),
        ("gelu", [-3.0, -9.0], [-1.5, 0.0, 3.0]),
        ("leaky_relu", [], [-9.0, -0.1, 0.1, 9.0]),
    ],
)
def test_saturation_counts_the_flat_parts(name, flat, steep):
    z = torch.tensor(flat + steep).view(1, -1, 1)
    assert statistics(name, z)["saturation"].item() == pytest.approx(len(flat) / (len(flat) + len(steep)))


def test_leaky_relu_without_a_slope_is_relu():
    assert statistics("leaky_relu", torch.tensor([[[-1.0], [1.0]]]), slope=0.0)["saturation"].item() == 0.5


def test_a_unit_is_dead_when_no_sample_wakes_it():
    z = torch.tensor([[[-1.0, -1.0, 1.0, -2.0], [-3.0, 2.0, 1.0, -1.0]]])
    assert statistics("relu", z)["dead_units"].item() == 0.5
    assert statistics("leaky_relu", z)["dead_units"].item() == 0
