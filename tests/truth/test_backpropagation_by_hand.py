"""*The unrolled network*, computed once more by torch.nn.RNN, PyTorch's clipping and differences."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from goldviz.labs.backpropagation_by_hand.settings import BackpropagationByHand

CASES = (
    {"text": "recurrent gradients", "hidden": 6, "gain": 1.3, "seed": 31, "clip": 0.7, "learning_rate": 0.05},
    {"text": "zzyzx road", "hidden": 2, "gain": 2.5, "seed": 8, "clip": 100.0, "learning_rate": 2.0},
)
PARTS = ("W_ax", "W_aa", "b_a", "W_ya", "b_y")


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case["text"])
def case(request):
    settings = BackpropagationByHand.checked(request.param)
    ds = settings.compute()
    symbols = sorted(set(settings.text))
    numbers = torch.tensor([symbols.index(letter) for letter in settings.text])
    return settings, ds, numbers


class Reader(nn.Module):
    """torch.nn.RNN with a linear read-out, given the page's weights."""

    def __init__(self, ds):
        super().__init__()
        hidden, symbols = ds["W_ax"].shape
        self.rnn, self.out = nn.RNN(symbols, hidden).double(), nn.Linear(hidden, symbols).double()
        named = {
            "W_ax": self.rnn.weight_ih_l0,
            "W_aa": self.rnn.weight_hh_l0,
            "b_a": self.rnn.bias_ih_l0,
            "W_ya": self.out.weight,
            "b_y": self.out.bias,
        }
        for name, parameter in named.items():
            parameter.data = torch.tensor(ds[name].values)
        self.rnn.bias_hh_l0.data.zero_()
        self.rnn.bias_hh_l0.requires_grad_(False)
        self.named = named

    def losses(self, numbers):
        inputs = nn.functional.one_hot(numbers[:-1], self.rnn.input_size).double()
        self.states, _ = self.rnn(inputs)
        return nn.functional.cross_entropy(self.out(self.states), numbers[1:], reduction="none")


def test_gradient_clipping_and_step_are_pytorchs(case):
    settings, ds, numbers = case
    reader = Reader(ds)
    losses = reader.losses(numbers)
    np.testing.assert_allclose(ds["loss"], losses.detach(), atol=1e-12)
    np.testing.assert_allclose(ds["h"], reader.states.detach(), atol=1e-12)
    losses.sum().backward()
    for name in PARTS:
        np.testing.assert_allclose(ds[f"{name}_gradient"], reader.named[name].grad, atol=1e-10)
    before = nn.utils.clip_grad_norm_(reader.named.values(), settings.clip)
    assert ds.attrs["norm_before"] == pytest.approx(float(before), rel=1e-12)
    torch.optim.SGD(reader.named.values(), lr=settings.learning_rate).step()
    for name in PARTS:
        np.testing.assert_allclose(ds[f"{name}_clipped"], reader.named[name].grad, rtol=1e-5, atol=1e-10)
        np.testing.assert_allclose(ds[f"{name}_updated"], reader.named[name].detach(), rtol=1e-5, atol=1e-8)
    assert ds.attrs["loss_after"] == pytest.approx(reader.losses(numbers).sum().item(), rel=1e-4)


def loss_of(ds, numbers, t, k, moved):
    """L_t by numpy, with the recurrent matrix ``moved`` at step k alone; steps from 0."""
    h, W = np.zeros(ds.sizes["unit"]), {name: ds[name].values for name in PARTS}
    for step in range(t + 1):
        matrix = moved if step == k else W["W_aa"]
        h = np.tanh(W["W_ax"][:, numbers[step]] + matrix @ h + W["b_a"])
    scores = W["W_ya"] @ h + W["b_y"]
    return np.log(np.exp(scores - scores.max()).sum()) + scores.max() - scores[numbers[t + 1]]


def test_every_pair_is_a_difference_quotient_of_one_loss_by_one_use(case):
    _, ds, numbers = case
    numbers, W, nudge = numbers.tolist(), ds["W_aa"].values, 1e-5
    steps = ds.sizes["step"]
    for t, k in ((steps - 1, steps - 1), (steps - 1, 1), (steps // 2, 2), (1, 1), (steps - 1, 0)):
        slopes = np.zeros_like(W)
        for place in np.ndindex(W.shape):
            by = np.zeros_like(W)
            by[place] = nudge
            ends = [loss_of(ds, numbers, t, k, W + by), loss_of(ds, numbers, t, k, W - by)]
            slopes[place] = (ends[0] - ends[1]) / (2 * nudge)
        shown = float(ds["pair"].sel(loss_step=t + 1, step=k + 1))
        assert shown == pytest.approx(np.linalg.norm(slopes), abs=1e-8)
        deltas = ds["delta_of_loss"].sel(loss_step=t + 1, step=k + 1).values
        np.testing.assert_allclose(np.outer(deltas, ds["h_previous"].sel(step=k + 1)), slopes, atol=1e-8)


def test_direct_and_total_are_autograds_with_and_without_later_steps(case):
    _, ds, numbers = case
    reader = Reader(ds)
    losses = reader.losses(numbers)
    (direct,) = torch.autograd.grad(losses.sum(), reader.states, retain_graph=True)
    np.testing.assert_allclose(ds["from_output"], direct, atol=1e-10)
    cell = nn.RNNCell(reader.rnn.input_size, reader.rnn.hidden_size).double()
    weights = (reader.rnn.weight_ih_l0, reader.rnn.weight_hh_l0, reader.rnn.bias_ih_l0, reader.rnn.bias_hh_l0)
    for own, given in zip((cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh), weights, strict=True):
        own.data = given.data
    h, states, losses = torch.zeros(1, cell.hidden_size, dtype=torch.float64), [], []
    for symbol, target in pairwise(numbers):
        h = cell(nn.functional.one_hot(symbol, cell.input_size).double()[None], h)
        states.append(h)
        losses.append(nn.functional.cross_entropy(reader.out(h), target[None]))
    found = torch.autograd.grad(torch.stack(losses).sum(), states)
    np.testing.assert_allclose(ds["delta_h"], torch.cat(found), atol=1e-10)


def test_how_far_off_the_total_derivative_is(case):
    """Eq. 6 with dL/dh_t in full: loss t comes in t - k + 1 times at step k."""
    _, ds, _ = case
    deltas, before = np.nan_to_num(ds["delta_of_loss"].values), ds["h_previous"].values
    steps = len(before)
    wrong = sum((t - k + 1) * np.outer(deltas[t, k], before[k]) for t in range(steps) for k in range(t + 1))
    right = ds["W_aa_autograd"].values
    expected = np.linalg.norm(wrong - right) / np.linalg.norm(right)
    assert ds.attrs["off_with_total"] == pytest.approx(expected, rel=1e-9)
