"""The unrolled cells compute what PyTorch's layers and the document's equations say."""

from dataclasses import fields

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from goldviz.models.recurrent.cells import CELL_OF_LAYER, recurrent_layer
from goldviz.models.recurrent.elman import Elman
from goldviz.models.recurrent.gru import ResetAfterGRU, ResetBeforeGRU
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.recurrent.lstm import LSTM


def stream(index: int) -> torch.Generator:
    return torch.Generator().manual_seed(index)


def inputs(steps: int, batch: int, features: int, dtype: torch.dtype, seed: int = 9) -> torch.Tensor:
    return torch.randn(steps, batch, features, generator=stream(seed), dtype=torch.float64).to(dtype)


def shaken(module: nn.RNNBase, seed: int) -> nn.RNNBase:
    """The PyTorch layer with weights and biases drawn from an explicit generator."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=stream(seed), dtype=torch.float64) * 0.5)
            seed += 1
    return module


PAIRS = {
    "rnn_tanh": (Elman, lambda d, h: nn.RNN(d, h, nonlinearity="tanh")),
    "rnn_relu": (Elman, lambda d, h: nn.RNN(d, h, nonlinearity="relu")),
    "lstm": (LSTM, nn.LSTM),
    "gru_reset_after": (ResetAfterGRU, nn.GRU),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
@settings(max_examples=10, deadline=None)
@given(features=st.integers(1, 5), hidden=st.integers(1, 9), steps=st.integers(1, 12), seed=st.integers(0, 99))
def test_copied_weights_give_pytorchs_states(name, dtype, tolerance, features, hidden, steps, seed):
    ours, theirs = PAIRS[name]
    module = shaken(theirs(features, hidden), seed).to(dtype)
    x = inputs(steps, 3, features, dtype, seed)
    layer = ours.from_torch(module)
    expected, last = module(x)
    trace = layer(x)
    scale = max(1.0, float(expected.detach().abs().max()))
    assert torch.allclose(trace.hidden, expected, atol=tolerance * scale, rtol=0)
    if name == "lstm":
        assert torch.allclose(trace.cells[-1], last[1][0], atol=tolerance * scale, rtol=0)


@pytest.mark.parametrize("name", PAIRS)
def test_copied_weights_give_pytorchs_gradients(name):
    ours, theirs = PAIRS[name]
    module = shaken(theirs(3, 5), 4).double()
    layer = ours.from_torch(module)
    x = inputs(7, 2, 3, torch.float64).requires_grad_()
    (expected,) = torch.autograd.grad(module(x)[0].square().sum(), x)
    (found,) = torch.autograd.grad(layer(x).hidden.square().sum(), x)
    assert torch.allclose(found, expected, atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("name", CELL_OF_LAYER)
def test_steps_one_after_another_are_the_forward_pass(name):
    layer = recurrent_layer(name, 3, 4, dtype=torch.float64)
    initialise(layer, stream, RecurrentInitialisation("gaussian", biases={"forget": 1.0}))
    x = inputs(6, 2, 3, torch.float64)
    trace = layer(x)
    drives = torch.nn.functional.linear(x, layer.W_x, layer.b)
    state, gates = layer.start(x, None), [kept.name for kept in fields(trace) if kept.name not in trace.carried]
    for t, drive in enumerate(drives):
        state, inside = layer.step(drive, *state)
        for part, kept in zip(state, trace.carried, strict=True):
            torch.testing.assert_close(part, getattr(trace, kept)[t + 1], atol=1e-14, rtol=0)
        for part, kept in zip(inside, gates, strict=True):
            torch.testing.assert_close(part, getattr(trace, kept)[t], atol=1e-14, rtol=0)


def test_reset_before_follows_the_documents_equations():
    layer = ResetBeforeGRU(3, 4, dtype=torch.float64)
    initialise(layer, stream, RecurrentInitialisation("gaussian", biases={"update": -1.0, "reset": 0.5}))
    x = inputs(6, 2, 3, torch.float64)
    trace = layer(x)
    W_xz, W_xr, W_xh = layer.W_x.chunk(3)
    W_hz, W_hr, W_hh = layer.W_h.chunk(3)
    b_z, b_r, b_h = layer.b.chunk(3)
    h = torch.zeros(2, 4, dtype=torch.float64)
    for t in range(6):
        z = torch.sigmoid(x[t] @ W_xz.t() + h @ W_hz.t() + b_z)
        r = torch.sigmoid(x[t] @ W_xr.t() + h @ W_hr.t() + b_r)
        candidate = torch.tanh(x[t] @ W_xh.t() + (r * h) @ W_hh.t() + b_h)
        h = (1 - z) * h + z * candidate
        for found, expected in (
            (trace.update_gates[t], z),
            (trace.reset_gates[t], r),
            (trace.candidates[t], candidate),
            (trace.states[t + 1], h),
        ):
            assert torch.allclose(found, expected, atol=1e-14)


def test_the_two_reset_conventions_differ_unless_the_gate_is_open():
    x = inputs(8, 2, 3, torch.float64)
    for bias, equal in ((0.0, False), (60.0, True)):
        states = []
        for kind in (ResetBeforeGRU, ResetAfterGRU):
            layer = kind(3, 4, dtype=torch.float64)
            initialise(layer, stream, RecurrentInitialisation("gaussian", biases={"reset": bias}))
            states.append(layer(x).hidden)
        assert torch.allclose(*states, atol=1e-12) is equal


@pytest.mark.parametrize("name", CELL_OF_LAYER)
def test_a_pass_may_be_cut_in_two(name):
    layer = recurrent_layer(name, 2, 5, dtype=torch.float64)
    initialise(layer, stream, RecurrentInitialisation("gaussian"))
    x = inputs(9, 3, 2, torch.float64)
    whole, first = layer(x), layer(x[:4])
    state = (first.states[-1], first.cells[-1]) if name == "lstm" else first.states[-1]
    assert torch.allclose(layer(x[4:], state).hidden, whole.hidden[4:], atol=1e-14)


@pytest.mark.parametrize("name", CELL_OF_LAYER)
def test_every_state_can_be_asked_for_its_gradient(name):
    layer = recurrent_layer(name, 2, 5)
    initialise(layer, stream, RecurrentInitialisation("orthogonal", biases={"forget": 1.0}))
    trace = layer(inputs(6, 3, 2, torch.float32))
    gradients = torch.autograd.grad(trace.hidden[-1].sum(), trace.states[1:])
    assert all(float(gradient.norm()) > 0 for gradient in gradients)


def test_bad_settings_are_named():
    with pytest.raises(ValueError, match=r"'elu'.* tanh, relu"):
        Elman(2, 3, "elu")
    with pytest.raises(ValueError, match="hidden units is 0"):
        LSTM(2, 0)
    with pytest.raises(ValueError, match=r"\(4, 1, 3\).* \(time, batch, 2\)"):
        LSTM(2, 3)(torch.zeros(4, 1, 3))
    with pytest.raises(ValueError, match="one time step"):
        LSTM(2, 3)(torch.zeros(0, 1, 2))
    with pytest.raises(ValueError, match=r"'ltsm'.* rnn_tanh"):
        recurrent_layer("ltsm", 2, 3)
    with pytest.raises(ValueError, match="has 2 layers"):
        LSTM.from_torch(nn.LSTM(2, 3, num_layers=2))
    with pytest.raises(ValueError, match=r"'forget'.* update, reset, candidate"):
        ResetBeforeGRU(2, 3).block(torch.zeros(9), "forget")
