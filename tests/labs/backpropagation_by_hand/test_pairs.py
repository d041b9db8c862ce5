"""The terms (t, k) of eq. 6, each against autograd with one matrix for each step, in float64."""

import pytest
import torch
from torch.nn import functional

from goldviz.labs.backpropagation_by_hand.network import Alphabet, Weights, draw, forward
from goldviz.labs.backpropagation_by_hand.recursion import autograd_gradients, backward, deltas_of_each, recurrent_terms

TOLERANCE = 1e-10


def case(text: str, hidden: int, gain: float, seed: int) -> tuple[Weights, torch.Tensor, torch.Tensor]:
    alphabet = Alphabet.of(text)
    weights = draw(len(alphabet.symbols), hidden, lambda index: torch.Generator().manual_seed(100 * seed + index), gain)
    return weights, *alphabet.next_symbol_pairs(text)


def terms_by_autograd(weights: Weights, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """dL_t/dW^(k) of an unrolled network in which every step k has a matrix of its own, all with the same numbers."""
    matrices = [weights.W_aa.clone().requires_grad_() for _ in inputs]
    h, rows = torch.zeros_like(weights.b_a), []
    for matrix, symbol, target in zip(matrices, inputs, targets, strict=True):
        h = torch.tanh(matrix @ h + weights.W_ax[:, symbol] + weights.b_a)
        loss = functional.cross_entropy((weights.W_ya @ h + weights.b_y)[None], target[None])
        found = torch.autograd.grad(loss, matrices, retain_graph=True, allow_unused=True)
        rows.append(torch.stack([torch.zeros_like(matrix) if part is None else part for part in found]))
    return torch.stack(rows)


@pytest.mark.parametrize(
    ("text", "hidden", "gain", "seed"), [("gold", 3, 1.0, 0), ("a far longer text", 7, 1.7, 1), ("ab", 1, 4.0, 2)]
)
def test_every_term_is_autograds(text: str, hidden: int, gain: float, seed: int) -> None:
    weights, inputs, targets = case(text, hidden, gain, seed)
    steps = forward(weights, inputs, targets)
    direct = [step.from_output for step in backward(weights, steps)]
    terms = recurrent_terms(deltas_of_each(weights, steps, direct), steps)
    expected = terms_by_autograd(weights, inputs, targets)
    assert torch.allclose(terms, expected, rtol=0, atol=TOLERANCE)
    summed = autograd_gradients(weights, inputs, targets).W_aa
    assert torch.allclose(terms.sum((0, 1)), summed, rtol=0, atol=TOLERANCE)


def test_the_deltas_of_all_losses_add_up_to_the_recursions() -> None:
    weights, inputs, targets = case("gold is where you find it", 5, 1.0, 3)
    steps = forward(weights, inputs, targets)
    back = backward(weights, steps)
    deltas = deltas_of_each(weights, steps, [step.from_output for step in back])
    assert torch.allclose(deltas.sum(0), torch.stack([step.delta_u for step in back]), rtol=0, atol=TOLERANCE)


def test_with_the_total_derivative_later_losses_are_counted_more_than_once() -> None:
    """Each row then holds all later losses: loss t comes in once for each of the rows 1 to t that reach step k."""
    weights, inputs, targets = case("hello world", 4, 1.0, 4)
    steps = forward(weights, inputs, targets)
    back = backward(weights, steps)
    direct = deltas_of_each(weights, steps, [step.from_output for step in back])
    total = deltas_of_each(weights, steps, [step.delta_h for step in back])
    for k in range(len(steps)):
        counted = torch.stack([(t - k + 1) * direct[t, k] for t in range(k, len(steps))]).sum(0)
        assert torch.allclose(total[:, k].sum(0), counted, rtol=0, atol=TOLERANCE)
    wrong = recurrent_terms(total, steps).sum((0, 1))
    assert not torch.allclose(wrong, autograd_gradients(weights, inputs, targets).W_aa, atol=1e-3)
