"""How far back the last state can be moved, for every sequence, against singular values of the exact products."""

import math

import pytest
import torch

from goldviz.diagnostics.recurrent.jacobians import step_jacobians
from goldviz.labs.recurrent_gradients.last_state import SMALL, spectral_norms_to_last
from tests.diagnostics.recurrent.cases import NAMES, case


def exact(one):
    """log10 of the largest singular value of each sequence's products, (lag, batch), in float64."""
    found = []
    for sequence in range(one.inputs.shape[1]):
        product, norms = None, [0.0]
        for matrix in step_jacobians(one.layer, one.trace, sequence).dense().double().flip(0)[:-1]:
            product = matrix if product is None else product @ matrix
            norms.append(torch.linalg.matrix_norm(product, 2).log10().item())
        found.append(norms)
    return torch.tensor(found, dtype=torch.float64).t()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("steps", [1, 2, 9])
def test_small_states_are_followed_in_all_directions(name, steps):
    one = case(name, steps=steps, batch=3)
    torch.testing.assert_close(spectral_norms_to_last(one.layer, one.trace), exact(one), atol=1e-10, rtol=0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("matrix", "size"), [("orthogonal", 1.0), ("gaussian", 0.6), ("gaussian", 1.4)])
def test_larger_ones_stay_below_the_norm_and_near_it(name, matrix, size):
    one = case(name, hidden=2 * SMALL, steps=20, batch=8, matrix=matrix, size=size)
    shown, norms = spectral_norms_to_last(one.layer, one.trace), exact(one)
    assert (shown <= norms + 1e-12).all()
    assert (shown >= norms - 0.3).all()
    assert (shown.mean(1) >= norms.mean(1) - 0.12).all()
    assert norms[-1].std() > 0, "each sequence has its own"


@pytest.mark.parametrize("hidden", [SMALL + 6, 3 * SMALL])
def test_what_gates_alone_carry_is_exact_at_any_width(hidden):
    one = case("min_gru", hidden=hidden, steps=20, batch=4)
    torch.testing.assert_close(spectral_norms_to_last(one.layer, one.trace), exact(one), atol=1e-10, rtol=0)


def test_the_identity_alone_keeps_every_signal():
    one = case("rnn_relu", hidden=2 * SMALL, steps=12, matrix="identity")
    with torch.no_grad():
        one.layer.b.fill_(1e3)
    shown = spectral_norms_to_last(one.layer, one.layer(one.inputs))
    torch.testing.assert_close(shown, torch.zeros_like(shown), atol=1e-12, rtol=0)


@pytest.mark.parametrize(("hidden", "close"), [(6, 1e-3), (2 * SMALL, 1e-3)])
def test_single_precision_loses_no_product_that_is_below_its_range(hidden, close):
    one = case("rnn_tanh", hidden=hidden, steps=60, matrix="orthogonal", size=1e-3)
    wide = spectral_norms_to_last(one.layer, one.trace)
    narrow = one.layer.float()
    shown = spectral_norms_to_last(narrow, narrow(one.inputs.float()))
    assert wide[-1].max() < -170
    torch.testing.assert_close(shown, wide, atol=close, rtol=0)


@pytest.mark.parametrize("hidden", [6, 2 * SMALL])
def test_a_product_of_zero_is_minus_infinity(hidden):
    one = case("rnn_relu", hidden=hidden, steps=6)
    with torch.no_grad():
        one.layer.b.fill_(-1e3)
    shown = spectral_norms_to_last(one.layer, one.layer(one.inputs))
    assert (shown[0] == 0).all()
    assert (shown[1:] == -math.inf).all()
