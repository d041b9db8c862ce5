"""The product of a minGRU's gates is its whole Jacobian, exactly; of an LSTM's forget gates it is the cell path."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd.functional import jacobian

from goldviz.diagnostics.recurrent.gate_products import gate_products, kept_shares, largest_products_to_last
from goldviz.models.recurrent.min_gru import MinGRU
from tests.diagnostics.recurrent.cases import case, state


@settings(max_examples=15, deadline=None)
@given(hidden=st.integers(1, 6), steps=st.integers(1, 12), seed=st.integers(0, 99))
def test_the_product_is_autograds_jacobian_to_1e_12(hidden, steps, seed):
    one = case("min_gru", hidden=hidden, steps=steps, seed=seed)
    products = gate_products(1 - torch.stack(one.trace.update_gates)[:, 1])
    for k in {0, steps // 2}:
        after = lambda h, k=k: one.layer(one.inputs[k:, 1:2], h[None]).states[-1][0]  # noqa: E731
        exact = jacobian(after, state(one, k, 1))
        torch.testing.assert_close((10 ** products[steps, k]).diag(), exact, atol=1e-12, rtol=1e-12)


@given(steps=st.integers(1, 30), seed=st.integers(0, 99))
def test_every_pair_is_the_product_of_the_gates_between(steps, seed):
    gates = torch.rand(steps, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    found = gate_products(gates)
    assert found.isnan()[..., 0].equal(torch.ones(steps + 1, steps + 1, dtype=torch.bool).triu(1))
    for t in range(steps + 1):
        for k in range(0, t + 1, 5):
            torch.testing.assert_close(10 ** found[t, k], gates[k:t].prod(0), rtol=1e-11, atol=0)


def test_a_shut_gate_ends_what_begins_before_it_alone():
    found = gate_products(torch.tensor([[0.5], [0.0], [0.5]], dtype=torch.float64))[3, :, 0]
    assert found.tolist() == [-math.inf, -math.inf, pytest.approx(math.log10(0.5)), 0.0]


def test_it_survives_a_thousand_steps_of_which_floats_hold_no_product():
    assert float(gate_products(torch.full((1000, 1), 0.1, dtype=torch.float64))[-1, 0, 0]) == pytest.approx(-1000)


def test_a_min_gru_has_neither_a_recurrent_matrix_nor_tanh():
    layer = MinGRU(3, 4, dtype=torch.float64)
    assert [name for name, _ in layer.named_parameters()] == ["W_x", "b"]
    assert list(layer.matrices()) == ["input"]
    one = case("min_gru", hidden=4, steps=5)
    z, candidates = (torch.stack(part) for part in (one.trace.update_gates, one.trace.candidates))
    expected = one.inputs @ one.layer.block(one.layer.W_x, "candidate").t() + one.layer.block(one.layer.b, "candidate")
    torch.testing.assert_close(candidates, expected)
    states = torch.stack(one.trace.states)
    torch.testing.assert_close(states[1:], (1 - z) * states[:-1] + z * candidates)


@pytest.mark.parametrize("name", ["lstm", "gru", "min_gru"])
def test_the_way_to_the_last_state_is_each_sequences_largest_product_of_gates(name):
    one = case(name, steps=5, batch=3)
    shares = kept_shares(one.trace)
    shown = largest_products_to_last(shares)
    for sequence in range(3):
        for lag in range(5):
            largest = shares[5 - lag :, sequence].prod(0).amax().log10()
            torch.testing.assert_close(shown[lag, sequence], largest, atol=1e-12, rtol=0)


def test_a_cell_without_gates_has_no_such_way():
    assert kept_shares(case("rnn_tanh", steps=2).trace) is None
