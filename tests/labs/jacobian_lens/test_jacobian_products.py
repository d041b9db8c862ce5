"""Norms of all Jacobian products against automatic differentiation, exact SVDs and closed forms."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd.functional import jacobian

from goldviz.diagnostics.recurrent.jacobians import StateJacobians, step_jacobians
from goldviz.labs.jacobian_lens.products import (
    cell_path_norms,
    frobenius_norms,
    singular_values,
)
from goldviz.models.recurrent.cells import CELL_OF_LAYER
from goldviz.models.recurrent.matrices import MATRICES
from tests.diagnostics.recurrent.cases import case, recipes, state, state_after


@given(recipe=recipes(most_steps=10))
def test_all_pairs_equal_autograd(recipe):
    one = case(**recipe)
    found = frobenius_norms(step_jacobians(one.layer, one.trace, sequence=1))
    steps = len(one.inputs)
    for k in range(steps):
        for t in range(k + 1, steps + 1):
            exact = jacobian(lambda s, n=t - k, k=k: state_after(one, n, 1, s, k), state(one, k, 1))
            norm = float(exact.norm())
            if norm == 0:
                assert found[t, k] == -math.inf
                continue
            assert 10 ** float(found[t, k]) == pytest.approx(norm, rel=1e-7)


@pytest.mark.parametrize("name", CELL_OF_LAYER)
@pytest.mark.parametrize("matrix", MATRICES)
def test_long_products_equal_exact_singular_values(name, matrix):
    one = case(name, hidden=16, steps=60, matrix=matrix, size=0.95, scaling="spectral_radius")
    jacobians = step_jacobians(one.layer, one.trace)
    found = frobenius_norms(jacobians)
    for origin in (0, 25):
        exact = singular_values(jacobians, origin)
        frobenius = torch.logsumexp(2 * math.log(10) * exact.nan_to_num(-math.inf), 1) / (2 * math.log(10))
        assert torch.allclose(found[origin + 1 :, origin], frobenius, atol=1e-8, rtol=0)


@pytest.mark.parametrize("exponent", [-300, 300, -308])
def test_neither_underflow_nor_overflow(exponent):
    generator = torch.Generator().manual_seed(2)
    steps = torch.linalg.qr(torch.randn(250, 5, 5, generator=generator, dtype=torch.float64))[0]
    found = frobenius_norms(StateJacobians(steps * 10.0**exponent))
    lag = torch.arange(251)[:, None] - torch.arange(251)
    expected = (exponent * lag).double().masked_fill(lag < 0, math.nan)
    assert torch.allclose(found, expected + 0.5 * math.log10(5), rtol=1e-12, atol=1e-6, equal_nan=True)


def test_products_of_wildly_graded_steps():
    """diag(1, 1e-200) times its reverse, again and again: each pair of steps is 1e-200 times the identity."""
    pair = torch.tensor([[1.0, 1e-200], [1e-200, 1.0]], dtype=torch.float64).diag_embed()
    found = frobenius_norms(StateJacobians(pair.repeat(40, 1, 1)))
    assert float(found[80, 0]) == pytest.approx(40 * -200 + 0.5 * math.log10(2), rel=1e-10)


@pytest.mark.parametrize("leak", [1e-3, 1e-6, 1e-9])
def test_cancelling_products_are_formed_after_all(leak):
    """Two projections in different blocks whose product is small: the inner product of squares cancels."""
    turn = torch.linalg.qr(torch.randn(3, 3, generator=torch.Generator().manual_seed(4), dtype=torch.float64))[0]
    steps = torch.eye(3, dtype=torch.float64).repeat(30, 1, 1)
    steps[4] = turn @ torch.diag(torch.tensor([1, 0, leak], dtype=torch.float64)) @ turn.t()
    steps[25] = turn @ torch.diag(torch.tensor([0, 1, 1], dtype=torch.float64)) @ turn.t()
    found = frobenius_norms(StateJacobians(steps))
    assert 10 ** float(found[30, 0]) == pytest.approx(leak, rel=1e-7)


def test_a_nilpotent_product_is_zero():
    steps = torch.eye(2, dtype=torch.float64).repeat(30, 1, 1)
    steps[4], steps[25] = torch.tensor([[1.0, 0], [0, 0]]), torch.tensor([[0, 0], [0, 1.0]])
    assert frobenius_norms(StateJacobians(steps))[30, 0] == -math.inf


def test_a_dead_relu_network_has_products_of_zero():
    one = case("rnn_relu", steps=20)
    with torch.no_grad():
        one.layer.b.fill_(-100.0)
    norms = frobenius_norms(step_jacobians(one.layer, one.layer(one.inputs)))
    below = torch.ones(21, 21, dtype=torch.bool).tril(-1)
    assert (norms[below] == -math.inf).all()


@given(seed=st.integers(0, 999), steps=st.integers(1, 40))
def test_the_cell_path_is_the_product_of_forget_gates(seed, steps):
    one = case("lstm", steps=steps, seed=seed)
    found = cell_path_norms(step_jacobians(one.layer, one.trace))
    gates = torch.stack(one.trace.forget_gates)[:, 0].detach()
    for k in range(0, steps, 7):
        product = gates[k:].prod(0)
        assert 10 ** float(found[-1, k]) == pytest.approx(float(product.norm()), rel=1e-10)
    assert found.isnan().equal(torch.ones(steps + 1, steps + 1, dtype=torch.bool).triu(1))


def test_a_shut_forget_gate_ends_the_cell_path():
    one = case("lstm", steps=5)
    jacobians = step_jacobians(one.layer, one.trace)
    jacobians.forget[2] = 0.0
    found = cell_path_norms(jacobians)
    assert found[5, 1] == -math.inf
    assert found[5, 3].isfinite()


def test_singular_values_of_one_column():
    generator = torch.Generator().manual_seed(5)
    steps = torch.randn(6, 4, 4, generator=generator, dtype=torch.float64)
    product = torch.eye(4, dtype=torch.float64)
    found = singular_values(StateJacobians(steps), 2)
    for row, step in zip(found, steps[2:], strict=True):
        product = step @ product
        assert torch.allclose(10**row, torch.linalg.svdvals(product), rtol=1e-10)
    graded = torch.tensor([1.0, 1e-20], dtype=torch.float64).diag_embed()[None]
    assert singular_values(StateJacobians(graded), 0)[0].isnan().tolist() == [False, True]
    zero = torch.zeros(2, 2, 2, dtype=torch.float64)
    assert singular_values(StateJacobians(zero), 0).eq(-math.inf).all()
    with pytest.raises(IndexError, match="origin is step 6; allowed is a step from 0 to 5"):
        singular_values(StateJacobians(steps), 6)
