"""Document 003's recursion, five sums, clipping and update against automatic differentiation."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.backpropagation_by_hand.network import Alphabet, Weights, draw, forward
from goldviz.labs.backpropagation_by_hand.recursion import (
    autograd_gradients,
    backward,
    clip,
    differences,
    global_norm,
    sgd_update,
    total,
)

TEXT = "gold is where you find it"


def stream(index: int) -> torch.Generator:
    return torch.Generator().manual_seed(index)


def small(text: str = TEXT, hidden: int = 5, gain: float = 1.0) -> tuple[Weights, torch.Tensor, torch.Tensor]:
    alphabet = Alphabet.of(text)
    return draw(len(alphabet.symbols), hidden, stream, gain), *alphabet.next_symbol_pairs(text)


def scaled(gradients: Weights, factor: float) -> Weights:
    return Weights(*(factor * part for part in gradients))


@given(text=st.text(min_size=2, max_size=30), hidden=st.integers(1, 9), gain=st.floats(0.1, 3))
def test_the_five_sums_equal_autograd(text, hidden, gain):
    weights, inputs, targets = small(text, hidden, gain)
    ours = total(backward(weights, forward(weights, inputs, targets)))
    worst = differences(ours, autograd_gradients(weights, inputs, targets))
    assert set(worst) == {"W_ax", "W_aa", "b_a", "W_ya", "b_y"}
    assert max(worst.values()) < 1e-11


def test_the_deltas_are_the_losses_gradients():
    weights, inputs, targets = small()
    steps = forward(Weights(*(part.clone().requires_grad_() for part in weights)), inputs, targets)
    loss = torch.stack([step.loss for step in steps]).sum()
    hand = backward(weights, forward(weights, inputs, targets))
    for name, tensors in (
        ("delta_y", [step.o for step in steps]),
        ("delta_h", [step.h for step in steps]),
        ("delta_u", [step.u for step in steps]),
    ):
        for step, expected in zip(hand, torch.autograd.grad(loss, tensors, retain_graph=True), strict=True):
            assert torch.allclose(getattr(step, name), expected, atol=1e-13)


def test_what_comes_back_from_later_is_the_rest_of_delta_h():
    weights, inputs, targets = small()
    hand = backward(weights, forward(weights, inputs, targets))
    assert float(hand[-1].from_later.abs().max()) == 0
    for step, later in pairwise(hand):
        assert torch.allclose(step.from_later, weights.W_aa.t() @ later.delta_u)
        assert torch.allclose(step.delta_h, step.from_output + step.from_later)


@given(threshold=st.floats(1e-6, 1e3), size=st.floats(1e-200, 1e200))
def test_clipping_caps_the_norm_and_keeps_the_direction(threshold, size):
    weights, inputs, targets = small()
    gradients = scaled(total(backward(weights, forward(weights, inputs, targets))), size)
    clipped = clip(gradients, threshold)
    assert clipped.norm_after == pytest.approx(min(threshold, clipped.norm_before), rel=1e-9)
    assert clipped.cosine == pytest.approx(1, abs=1e-12)


def test_clipping_is_what_pytorch_does():
    weights, inputs, targets = small(gain=3.0)
    gradients = total(backward(weights, forward(weights, inputs, targets)))
    leaves = [torch.nn.Parameter(part.clone()) for part in weights]
    for leaf, gradient in zip(leaves, gradients, strict=True):
        leaf.grad = gradient.clone()
    torch.nn.utils.clip_grad_norm_(leaves, 0.5)
    for leaf, part in zip(leaves, clip(gradients, 0.5).gradients, strict=True):
        assert torch.allclose(leaf.grad, part, rtol=1e-5)  # PyTorch divides by norm + 1e-6


def test_the_update_is_sgd_and_lowers_the_loss():
    weights, inputs, targets = small()
    steps = forward(weights, inputs, targets)
    gradients = total(backward(weights, steps))
    leaves = [torch.nn.Parameter(part.clone()) for part in weights]
    optimiser = torch.optim.SGD(leaves, lr=0.01)
    for leaf, gradient in zip(leaves, gradients, strict=True):
        leaf.grad = gradient.clone()
    optimiser.step()
    updated = sgd_update(weights, gradients, 0.01)
    assert max(differences(updated, Weights(*(leaf.detach() for leaf in leaves))).values()) < 1e-15
    after = sum(float(step.loss) for step in forward(updated, inputs, targets))
    assert after < sum(float(step.loss) for step in steps)


def test_a_zero_gradient_and_bad_thresholds():
    weights, _, _ = small()
    zero = scaled(weights, 0.0)
    assert clip(zero, 1.0).cosine == 1
    assert global_norm(zero) == 0
    with pytest.raises(ValueError, match=r"threshold is 0\.0; allowed is a number above 0"):
        clip(zero, 0.0)
    with pytest.raises(ValueError, match="norm is nan"):
        clip(weights._replace(b_a=weights.b_a * math.nan), 1.0)
