import pytest
import torch

from goldviz.models.feedforward.activations import ACTIVATIONS, IDENTITY

CASES = {name: make(0.3) for name, make in ACTIVATIONS.items()} | {"identity": IDENTITY}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_agree_with_autograd(name):
    activation = CASES[name]
    z = torch.linspace(-6, 6, 400, dtype=torch.float64, requires_grad=True)
    (expected,) = torch.autograd.grad(activation.function(z).sum(), z)
    torch.testing.assert_close(activation.derivative(z.detach()), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_the_steepest_slope_is_reached_and_never_passed(name):
    slopes = CASES[name].derivative(torch.linspace(-6, 6, 100_001, dtype=torch.float64)).abs()
    assert slopes.max().item() == pytest.approx(CASES[name].steepest, rel=1e-3)


@pytest.mark.parametrize(("name", "least", "most"), [("leaky_relu", 0.999, 1.001), ("relu", 0.999, 1.001)])
def test_the_gain_keeps_the_second_moment(name, least, most):
    z = CASES[name].gain * torch.randn(2_000_000, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    moment = CASES[name].function(z).square().mean().item()
    assert least - 0.005 < moment < most + 0.005


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_what_saturates_has_no_slope_at_either_end(name):
    family = ACTIVATIONS[name]
    ends = family(0.3).derivative(torch.tensor([-40.0, 40.0], dtype=torch.float64))
    assert family.saturates == bool((ends.abs() < 1e-9).all())
