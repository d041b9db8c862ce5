"""The document's softmax RNN against PyTorch's own parts."""

import math

import pytest
import torch
from torch.nn import functional

from goldviz.labs.backpropagation_by_hand.network import draw, forward


def stream(index: int) -> torch.Generator:
    return torch.Generator().manual_seed(index)


def test_loss_is_the_cross_entropy_of_the_rolled_out_network():
    weights = draw(5, 4, stream)
    ids = torch.tensor([0, 3, 1, 4, 2, 2])
    steps = forward(weights, ids[:-1], ids[1:])
    h = torch.zeros(4, dtype=torch.float64)
    for step, now, following in zip(steps, ids[:-1].tolist(), ids[1:].tolist(), strict=True):
        h = torch.tanh(weights.W_ax[:, now] + weights.W_aa @ h + weights.b_a)
        logits = weights.W_ya @ h + weights.b_y
        assert torch.allclose(step.h, h, atol=1e-14)
        assert float(step.loss) == pytest.approx(float(functional.cross_entropy(logits, torch.tensor(following))))
        assert float(step.y_hat.sum()) == pytest.approx(1)


def test_zero_read_out_costs_ln_of_the_alphabet():
    weights = draw(27, 4, stream)
    weights = weights._replace(W_ya=torch.zeros_like(weights.W_ya))
    steps = forward(weights, torch.tensor([1, 2, 3]), torch.tensor([2, 3, 4]))
    assert all(float(step.loss) == pytest.approx(math.log(27)) for step in steps)


def test_a_certain_wrong_answer_has_a_finite_loss():
    weights = draw(3, 2, stream)
    weights = weights._replace(b_y=torch.tensor([2000.0, 0.0, 0.0], dtype=torch.float64))
    (step,) = forward(weights, torch.tensor([0]), torch.tensor([1]))
    assert float(step.loss) == pytest.approx(2000, rel=0.01)


def test_bad_text_is_named():
    weights = draw(3, 2, stream)
    with pytest.raises(ValueError, match="0 inputs and 0 targets"):
        forward(weights, torch.tensor([], dtype=torch.long), torch.tensor([], dtype=torch.long))
    with pytest.raises(ValueError, match="2 inputs and 1 targets"):
        forward(weights, torch.tensor([0, 1]), torch.tensor([1]))
    with pytest.raises(ValueError, match="number of hidden units is 0"):
        draw(3, 0, stream)
