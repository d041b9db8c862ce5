"""The bound of eq. 9 is never broken; the spectral radius is an asymptote and is."""

import math

import pytest
import torch
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.declare.glossary import terms
from goldviz.diagnostics.recurrent.jacobians import StateJacobians, step_jacobians
from goldviz.labs.jacobian_lens.bounds import (
    eigenvalues,
    lag_lines,
    saturated_share,
    slopes,
    stepwise_bound,
)
from goldviz.labs.jacobian_lens.figures import parting
from goldviz.labs.jacobian_lens.products import singular_values
from goldviz.models.recurrent.elman import Elman
from goldviz.models.recurrent.initialisation import scaled_to_spectral_radius
from goldviz.models.recurrent.matrices import MATRICES
from tests.diagnostics.recurrent.cases import case, recipes


@given(
    name=st.sampled_from(["rnn_tanh", "rnn_relu"]),
    matrix=st.sampled_from(list(MATRICES)),
    size=st.floats(0.2, 2.0),
    seed=st.integers(0, 99),
)
def test_the_bound_is_never_broken(name, matrix, size, seed):
    one = case(name, matrix=matrix, size=size, seed=seed, steps=15)
    jacobians = step_jacobians(one.layer, one.trace)
    exact = singular_values(jacobians, 0)[:, 0]
    for gamma in (1.0, float(slopes(one.layer, one.trace).max())):
        assert (exact <= lag_lines(one.layer.W_h, 15, gamma).bound[1:] + 1e-9).all()
    stepwise = stepwise_bound(jacobians)
    assert (exact <= stepwise[1:, 0] + 1e-9).all()
    assert (stepwise[:, 0] <= lag_lines(one.layer.W_h, 15, 1.0).bound + 1e-9).all()


@given(recipe=recipes(least_steps=2))
def test_the_stepwise_bound_holds_for_every_cell(recipe):
    one = case(**recipe)
    jacobians = step_jacobians(one.layer, one.trace)
    bounds = stepwise_bound(jacobians)
    for origin in range(jacobians.steps):
        assert (singular_values(jacobians, origin)[:, 0] <= bounds[origin + 1 :, origin] + 1e-9).all()


def test_a_non_normal_matrix_breaks_the_asymptote_and_comes_back_to_its_slope():
    generator = torch.Generator().manual_seed(1)
    W = scaled_to_spectral_radius(MATRICES["non_normal"](32, generator), 0.9)
    powers = StateJacobians(W.expand(400, -1, -1))
    exact, lines = singular_values(powers, 0)[:, 0], lag_lines(W, 400, 1.0)
    assert float((exact - lines.asymptote[1:]).max()) > 0.3
    assert float(exact.max()) > 0.3  # it grows although the spectral radius is below 1
    late = (exact[399] - exact[299]) / 100
    assert float(late) == pytest.approx(math.log10(0.9), abs=2e-3)


def test_a_product_grows_for_ever_though_the_spectral_radius_is_zero():
    """Known answer: W = 1.5 [[1, 1], [-1, -1]] has W^2 = 0, and diag(1, 0.2) W has the eigenvalue 1.2."""
    W = 1.5 * torch.tensor([[1.0, 1.0], [-1.0, -1.0]], dtype=torch.float64)
    assert not (W @ W).any()
    h = torch.tensor([0.0, math.sqrt(0.8)], dtype=torch.float64)
    layer = Elman(1, 2, dtype=torch.float64)
    layer.copy_weights(torch.zeros(2, 1), W, torch.atanh(h) - W @ h)
    trace = layer(torch.zeros(300, 1, 1, dtype=torch.float64), h[None])
    assert torch.allclose(slopes(layer, trace)[:, 0], torch.tensor([1.0, 0.2], dtype=torch.float64), atol=1e-9)
    exact = singular_values(step_jacobians(layer, trace), 0)[:, 0]
    assert torch.allclose(exact.diff(), torch.tensor(math.log10(1.2), dtype=torch.float64), atol=1e-6)
    lines = lag_lines(W, 300, 1.0)
    assert float(lines.asymptote[1]) < -6
    assert (exact <= lines.bound[1:]).all()


def test_bound_and_asymptote_agree_for_a_normal_matrix():
    W = MATRICES["orthogonal"](8, torch.Generator().manual_seed(0)) * 0.7
    lines = lag_lines(W, 10, 1.0)
    assert torch.allclose(lines.bound, lines.asymptote, atol=1e-12)
    assert float(lines.bound[10]) == pytest.approx(10 * math.log10(0.7))
    zero = lag_lines(torch.zeros(2, 2), 2, 1.0)
    assert zero.bound.tolist() == [0, -math.inf, -math.inf]


def test_a_norm_that_is_the_radius_makes_no_matrix_normal():
    """Known answer: diag(2, [[0, 1], [0, 0]]) has norm and radius 2, and is not normal."""
    W = torch.zeros(3, 3, dtype=torch.float64)
    W[0, 0], W[1, 2] = 2.0, 1.0
    norm, radius = float(torch.linalg.matrix_norm(W, 2)), float(eigenvalues(W).abs().max())
    assert norm == pytest.approx(radius) == 2.0
    assert not torch.allclose(W @ W.T, W.T @ W)
    lens = xr.Dataset({"bound": ("lag", [0.0])}, attrs={"spectral_norm": norm, "spectral_radius": radius})
    assert parting(lens) == "Norm and spectral radius are both 2: bound and asymptote are one line."


def test_the_glossary_promises_of_the_radius_what_holds_of_powers_alone():
    """The product that grows for ever above has a radius of 0."""
    [radius] = [term for term in terms() if term.name == "spectral radius"]
    assert "powers of that one matrix shrink every vector" in radius.words
    assert "products of different matrices need not" in radius.words
    [exploding] = [term for term in terms() if term.name == "exploding gradient"]
    assert "ρ" not in exploding.equation


def test_slopes_and_saturation():
    one = case("rnn_tanh")
    hidden = one.trace.hidden.detach()
    assert torch.allclose(slopes(one.layer, one.trace), 1 - hidden**2)
    with torch.no_grad():
        one.layer.b.fill_(50.0)
    assert saturated_share(one.layer(one.inputs)).tolist() == [1.0] * 8
    with pytest.raises(ValueError, match=r"threshold is 1\.5"):
        saturated_share(one.trace, 1.5)


def test_eigenvalues_come_by_modulus():
    found = eigenvalues(torch.diag(torch.tensor([0.1, -3.0, 2.0], dtype=torch.float64)))
    assert found.real.tolist() == [-3.0, 2.0, pytest.approx(0.1)]
    with pytest.raises(ValueError, match="gamma is -1"):
        lag_lines(torch.eye(2), 3, -1.0)
