import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from torch import Generator

from goldviz.labs.gold_forecast.models.heads import (
    HEADS,
    LEAST_FREEDOM,
    SMALLEST_SCALE_SHARE,
    GaussianHead,
    QuantileHead,
    StudentHead,
)
from goldviz.labs.gold_forecast.settings import LEVELS

HIDDEN = 6
states = st.integers(0, 10_000).map(
    lambda seed: 3 * torch.randn(20, HIDDEN, generator=Generator().manual_seed(seed), dtype=torch.float64)
)


def head(name, centred=False, seed=1, spread=1.0):
    """A head whose weights are as large as a trained one's, in float64."""
    made = HEADS[name](HIDDEN, Generator().manual_seed(seed), centred=centred).double()
    with torch.no_grad():
        made.W.copy_(spread * torch.randn(made.W.shape, generator=Generator().manual_seed(seed + 1)))
    return made


@given(states, st.booleans())
def test_the_gaussian_loss_is_its_negative_log_likelihood(state, centred):
    parameters = head("gaussian", centred)(state)
    came = state[:, 0]
    expected = -torch.distributions.Normal(parameters[:, 0], parameters[:, 1]).log_prob(came)
    torch.testing.assert_close(head("gaussian").losses(parameters, came), expected, rtol=1e-12, atol=1e-12)


@given(states, st.booleans())
def test_the_student_loss_is_its_negative_log_likelihood(state, centred):
    made = head("student", centred)
    parameters = made(state)
    mean, scale, nu = parameters.unbind(1)
    expected = -torch.distributions.StudentT(nu, mean, scale).log_prob(state[:, 0])
    torch.testing.assert_close(made.losses(parameters, state[:, 0]), expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(
        made.standard_deviation(parameters).detach(), stats.t(nu.detach()).std() * scale.detach().numpy(), rtol=1e-10
    )


@given(states, st.booleans())
def test_quantiles_never_cross(state, centred):
    quantiles = head("quantiles", centred, spread=5.0)(100 * state)
    assert (quantiles.diff(dim=1) >= 0).all()


@given(states)
def test_the_quantile_loss_is_the_mean_pinball_loss(state):
    made = head("quantiles")
    quantiles, came = made(state), state[:, 0]
    above = came[:, None] >= quantiles
    tau = torch.tensor(LEVELS, dtype=torch.float64)
    expected = torch.where(above, tau, 1 - tau) * (came[:, None] - quantiles).abs()
    torch.testing.assert_close(made.losses(quantiles, came), expected.mean(1), rtol=1e-6, atol=1e-6)


def test_mean_and_deviation_of_gaussian_quantiles_are_those_of_the_gaussian():
    made = head("quantiles")
    mean, scale = torch.tensor([[0.3], [-2.0], [0.0]]), torch.tensor([[0.1], [1.0], [7.0]])
    quantiles = (mean + scale * torch.special.ndtri(torch.tensor(LEVELS, dtype=torch.float64))).double()
    torch.testing.assert_close(made.mean(quantiles)[:, None], mean.double(), rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(made.standard_deviation(quantiles)[:, None], scale.double(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("name", HEADS)
def test_every_head_starts_near_the_standard_normal_distribution(name, centred):
    made = HEADS[name](HIDDEN, Generator().manual_seed(3), centred=centred)
    parameters = made(torch.tanh(torch.randn(500, HIDDEN, generator=Generator().manual_seed(4)))).detach()
    assert made.mean(parameters).abs().max() < 0.5
    assert (made.standard_deviation(parameters) - 1).abs().max() < 0.5
    untold = made.standard_deviation(made(torch.zeros(1, HIDDEN))).item()
    assert untold == pytest.approx(1, abs=0.05)


@given(states)
def test_a_centred_head_has_mean_zero(state):
    for name in HEADS:
        made = head(name, centred=True)
        assert made.mean(made(state)).abs().max() < 1e-6 * made(state).abs().max()
        assert made.standard_deviation(made(state)).std() > 0


@pytest.mark.parametrize("name", HEADS)
def test_rescaling_moves_mean_deviation_and_loss_as_it_should(name):
    made = head(name)
    state = torch.randn(30, HIDDEN, generator=Generator().manual_seed(5), dtype=torch.float64)
    parameters, came = made(state), state[:, 1]
    centre, unit = 1000 + state[:, 2:3], 25.0
    moved = made.rescaled(parameters, centre, unit)
    torch.testing.assert_close(made.mean(moved), centre[:, 0] + unit * made.mean(parameters), rtol=1e-6, atol=0)
    torch.testing.assert_close(
        made.standard_deviation(moved), unit * made.standard_deviation(parameters), rtol=1e-4, atol=0
    )
    losses = made.losses(moved, centre[:, 0] + unit * came)
    expected = made.losses(parameters, came)
    expected = unit * expected if name == "quantiles" else expected + math.log(unit)
    torch.testing.assert_close(losses, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("name", HEADS)
def test_gradients_are_those_of_finite_differences(name, centred):
    made = head(name, centred, spread=0.3)
    state = torch.randn(4, HIDDEN, generator=Generator().manual_seed(6), dtype=torch.float64, requires_grad=True)
    # Pinball loss has kinks; these answers lie between the quantiles.
    came = torch.linspace(-1.23, 1.7, 4, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda state: made.losses(made(state), came), (state,))


@pytest.mark.parametrize("name", ["gaussian", "student"])
def test_scales_have_a_floor(name):
    made = head(name)
    assert made(torch.full((1, HIDDEN), -1e4, dtype=torch.float64))[0, 1] >= SMALLEST_SCALE_SHARE
    made.b.data[-1] = -1e9
    assert made(torch.zeros(1, HIDDEN, dtype=torch.float64))[0, 1].item() == pytest.approx(SMALLEST_SCALE_SHARE)


def test_degrees_of_freedom_stay_above_two_and_are_learnt():
    made = StudentHead(HIDDEN, Generator().manual_seed(0))
    assert made.freedom.item() == pytest.approx(5.0, rel=1e-5)
    made.raw_freedom.data.fill_(-100.0)
    assert made.freedom.item() == pytest.approx(LEAST_FREEDOM)


@pytest.mark.parametrize(
    ("name", "sample", "expected"),
    [
        pytest.param("gaussian", stats.norm(0.4, 1.5), (0.4, 1.5), marks=pytest.mark.slow),
        pytest.param("student", stats.t(4, 0.4, 1.5), (0.4, 1.5 * math.sqrt(2)), marks=pytest.mark.slow),
        ("quantiles", stats.norm(0.4, 1.5), (0.4, 1.5)),
    ],
)
def test_training_finds_the_distribution(name, sample, expected):
    made = HEADS[name](1, Generator().manual_seed(0))
    came = torch.from_numpy(sample.rvs(20_000, random_state=np.random.default_rng(1))).float()
    state = torch.zeros(1, 1)
    optimiser = torch.optim.Adam(made.parameters(), lr=0.05)
    for _ in range(300):
        optimiser.zero_grad()
        parameters = made(state)
        made.losses(parameters.expand(len(came), -1), came).mean().backward()
        optimiser.step()
    # Sampling error of 20,000 draws: about 0.01 of a mean, 0.02 of a Gaussian's deviation, 0.1 of a heavy tail's.
    found = made.mean(made(state)).item(), made.standard_deviation(made(state)).item()
    assert found == pytest.approx(expected, abs=0.15 if name == "student" else 0.04)


@pytest.mark.parametrize("levels", [(0.1, 0.9), (0.1, 0.5, 0.8), (0.9, 0.5, 0.1), (0.5,), (0.0, 0.5, 1.0)])
def test_levels_that_are_not_symmetric_are_refused(levels):
    with pytest.raises(ValueError, match=r"^The quantile levels are .* symmetric around 0\.5, which is one of them\.$"):
        QuantileHead(HIDDEN, Generator(), levels=levels)


def test_number_of_parameters():
    assert sum(p.numel() for p in GaussianHead(HIDDEN, Generator()).parameters()) == 2 * (HIDDEN + 1)
    assert sum(p.numel() for p in GaussianHead(HIDDEN, Generator(), centred=True).parameters()) == HIDDEN + 1
