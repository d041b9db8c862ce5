"""*Jacobian lens*, computed once more by torch.nn's layers, autograd's Jacobians and numpy."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd.functional import jacobian

from goldviz.labs.jacobian_lens.compute import INPUTS, unrolled
from goldviz.labs.jacobian_lens.settings import JacobianLens
from goldviz.training.seeds import DATA, stream

SEED, STEPS, UNITS = 23, 13, 7
SHARED = {"seed": SEED, "length": STEPS, "hidden": UNITS, "start": 3}
CASES = {
    "rnn_tanh": {"initialisation": "non_normal", "scaling": "gain", "size": 0.85, "input_scale": 1.7},
    "rnn_relu": {"initialisation": "gaussian", "size": 1.4, "input_scale": 0.9},
    "lstm": {"initialisation": "identity", "scaling": "gain", "size": 0.6, "forget_bias": 1.5, "input_scale": 1.2},
    "gru": {"initialisation": "gaussian", "size": 1.3, "update_bias": -1.0, "input_scale": 0.8},
    "gru_reset_after": {"initialisation": "orthogonal", "scaling": "gain", "size": 1.2, "update_bias": -0.5},
}
PAIRS = ((13, 0), (13, 3), (9, 4), (4, 3), (6, 6))


def settings_of(cell):
    return JacobianLens.checked({**SHARED, "cell": cell, **CASES[cell]})


def sequence():
    return torch.randn(STEPS, 1, INPUTS, generator=stream(SEED, DATA), dtype=torch.float64)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def document_gru(layer):
    """Eq. 21-24 of document 001, with the reset gate before the matrix."""

    def summed(gate, x, h):
        return layer.block(layer.W_x, gate) @ x + layer.block(layer.W_h, gate) @ h + layer.block(layer.b, gate)

    def step(x, h):
        z, r = torch.sigmoid(summed("update", x, h)), torch.sigmoid(summed("reset", x, h))
        return (1 - z) * h + z * torch.tanh(summed("candidate", x, r * h))

    return step


def torch_step(layer, cell):
    """One step of torch.nn's cell with these weights, on a state that is h, or h before c."""
    n = layer.hidden
    made = {"lstm": nn.LSTMCell, "gru_reset_after": nn.GRUCell}.get(cell, nn.RNNCell)(INPUTS, n).double()
    order = {"lstm": ("input", "forget", "candidate", "output"), "gru_reset_after": ("reset", "update", "candidate")}
    blocks = order.get(cell, layer.blocks)
    # PyTorch's update gate says what is kept: sigmoid(-u) = 1 - sigmoid(u).
    sign = {"update": -1.0}
    for parameter, weights in ((made.weight_ih, layer.W_x), (made.weight_hh, layer.W_h), (made.bias_ih, layer.b)):
        parameter.data = torch.cat([sign.get(gate, 1.0) * layer.block(weights, gate) for gate in blocks]).detach()
    made.bias_hh.data.zero_()
    if cell == "rnn_relu":
        made.nonlinearity = "relu"
    if cell == "lstm":
        return lambda x, state: torch.cat(made(x[None], (state[None, :n], state[None, n:])), 1)[0]
    return lambda x, h: made(x[None], h[None])[0]


def stepper(layer, cell):
    return document_gru(layer) if cell == "gru" else torch_step(layer, cell)


@pytest.fixture(scope="module", params=CASES)
def case(request):
    """The page's numbers, and every step's Jacobian and state by PyTorch."""
    cell = request.param
    settings = settings_of(cell)
    layer, _ = unrolled(settings)
    step, state = stepper(layer, cell), torch.zeros(UNITS * (2 if cell == "lstm" else 1), dtype=torch.float64)
    states, jacobians = [state], []
    for x in sequence()[:, 0]:
        jacobians.append(jacobian(lambda h, x=x: step(x, h), states[-1]).numpy())
        states.append(step(x, states[-1]).detach())
    return cell, settings.compute(), layer, np.array(jacobians), torch.stack(states).numpy()


def product(jacobians, t, k):
    found = np.eye(jacobians.shape[1])
    for one in jacobians[k:t]:
        found = one @ found
    return found


def test_the_map_is_the_product_of_autograds_jacobians(case):
    _, ds, _, jacobians, _ = case
    for t, k in PAIRS:
        expected = np.log10(np.linalg.norm(product(jacobians, t, k)) / np.sqrt(jacobians.shape[1]))
        assert float(ds["norm"].sel(t=t, k=k)) == pytest.approx(expected, abs=1e-8)


def test_the_singular_values_are_numpys(case):
    _, ds, _, jacobians, _ = case
    for lag in (1, 4, 10):
        expected = np.linalg.svd(product(jacobians, 3 + lag, 3), compute_uv=False)
        shown = 10 ** ds["singular_value"].sel(lag=lag).values
        known = np.isfinite(shown)
        assert known[0]
        # The smallest keep few digits in float64, which the page says.
        np.testing.assert_allclose(shown[known], expected[known], rtol=1e-6, atol=1e-15 * expected[0])


def test_the_step_by_step_bound_is_the_product_of_norms(case):
    _, ds, _, jacobians, _ = case
    sizes = np.log10([np.linalg.norm(one, 2) for one in jacobians[3:]])
    np.testing.assert_allclose(ds["stepwise_bound"], [0, *sizes.cumsum()], atol=1e-10)


def test_bounds_and_asymptote_are_powers_of_norm_and_radius(case):
    cell, ds, layer, _, states = case
    if not cell.startswith("rnn"):
        assert "bound" not in ds
        return
    W, lags = layer.W_h.detach().numpy(), np.arange(STEPS - 3 + 1)
    slopes = 1 - states[1:] ** 2 if cell == "rnn_tanh" else (states[1:] > 0).astype(float)
    norm, radius = np.linalg.norm(W, 2), np.abs(np.linalg.eigvals(W)).max()
    np.testing.assert_allclose(ds["bound"], lags * np.log10(norm), atol=1e-9)
    np.testing.assert_allclose(ds["bound_by_slope"], lags * np.log10(slopes[3:].max() * norm), atol=1e-9)
    np.testing.assert_allclose(ds["asymptote"], lags * np.log10(radius), atol=1e-9)
    np.testing.assert_allclose(ds["passed"], slopes, atol=1e-12)
    np.testing.assert_allclose(ds["saturated"], (np.abs(states[1:]) > 0.97).mean(1))


def test_the_eigenvalues_of_a_step_are_numpys(case):
    _, ds, _, jacobians, _ = case
    shown = ds["step_eigenvalue"].values
    expected = np.linalg.eigvals(jacobians[3])
    np.testing.assert_allclose(np.sort(np.hypot(*shown)), np.sort(np.abs(expected)), atol=1e-9)
    assert shown[0].sum() == pytest.approx(np.trace(jacobians[3]), abs=1e-9)


def test_what_gates_pass_on_is_recomputed_from_the_states(case):
    cell, ds, layer, _, states = case
    if cell.startswith("rnn"):
        return
    gate = "forget" if cell == "lstm" else "update"
    W_x, W_h, b = (layer.block(part, gate).detach().numpy() for part in (layer.W_x, layer.W_h, layer.b))
    opened = sigmoid(sequence()[:, 0].numpy() @ W_x.T + states[:-1, :UNITS] @ W_h.T + b)
    np.testing.assert_allclose(ds["passed"], opened if cell == "lstm" else 1 - opened, atol=1e-12)
    if cell == "lstm":
        for t, k in ((13, 0), (10, 4)):
            path = np.linalg.norm(opened[k:t].prod(0)) / np.sqrt(UNITS)
            assert float(ds["cell_path"].sel(t=t, k=k)) == pytest.approx(np.log10(path), abs=1e-10)
