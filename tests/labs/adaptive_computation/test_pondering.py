"""Graves' budget against a loop written straight from the paper, and gradients against finite differences."""

import math

import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from goldviz.labs.adaptive_computation.pondering import Ponderer, spend
from goldviz.models.recurrent.cells import CELLS, recurrent_layer, usual_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise

EPSILON, MOST, BATCH, FEATURES, HIDDEN, OUTPUTS = 0.05, 6, 9, 3, 5, 2


def network(cell: str = "gru", bias: float = -0.6) -> Ponderer:
    generator = torch.Generator().manual_seed(3)
    layer = recurrent_layer(usual_layer(cell), FEATURES + 1, HIDDEN, dtype=torch.float64)
    initialise(layer, lambda index: torch.Generator().manual_seed(index), RecurrentInitialisation())
    made = Ponderer(layer, OUTPUTS).double()
    with torch.no_grad():
        for linear in (made.halting, made.read_out):
            linear.weight.normal_(generator=generator)
        made.halting.bias.fill_(bias)
    return made


@pytest.fixture
def inputs() -> torch.Tensor:
    return torch.randn(MOST, BATCH, FEATURES, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def by_the_paper(made: Ponderer, sequence: torch.Tensor) -> tuple[torch.Tensor, int, float, list[float]]:
    """One input: y, N, R and p_1 to p_N as Graves 2016 writes them, step after step, with outputs weighted."""
    state = [torch.zeros(1, HIDDEN, dtype=torch.float64) for _ in made.cell.trace.carried]
    outputs, halting = [], []
    for n in range(1, MOST + 1):
        x = torch.cat([sequence[min(n, len(sequence)) - 1], torch.tensor([1.0 if n == 1 else 0.0]).double()])
        drive = made.cell.W_x @ x + made.cell.b
        state, _ = made.cell.step(drive[None], *state)
        outputs.append(made.read_out(state[0])[0])
        halting.append(torch.sigmoid(made.halting(state[0])).item())
        if sum(halting) >= 1 - EPSILON or n == MOST:
            break
    remainder = 1 - sum(halting[:-1])
    p = [*halting[:-1], remainder]
    return sum(share * output for share, output in zip(p, outputs, strict=True)), n, remainder, p


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("read_again", [False, True], ids=["a symbol a step", "one input read again"])
def test_it_thinks_as_the_paper_s_loop_does(cell, read_again, inputs) -> None:
    given = inputs[:1] if read_again else inputs
    made = network(cell)
    thought = made(given, EPSILON, MOST)
    for one in range(BATCH):
        answer, n, remainder, p = by_the_paper(made, given[:, one])
        torch.testing.assert_close(thought.answer[one], answer, rtol=0, atol=1e-12)
        assert thought.budget.steps[one] == n
        assert thought.budget.remainder[one].item() == pytest.approx(remainder, abs=1e-12)
        weights = thought.budget.weights[:, one].tolist()
        assert weights[:n] == pytest.approx(p, abs=1e-12)
        assert not any(weights[n:])
    assert len(set(thought.budget.steps.tolist())) > 1


def test_weights_sum_to_1_with_the_remainder(inputs) -> None:
    budget = network()(inputs, EPSILON, MOST).budget
    torch.testing.assert_close(budget.weights.sum(0), torch.ones(BATCH).double(), rtol=0, atol=1e-14)
    last = budget.weights.gather(0, budget.steps.long()[None] - 1)[0]
    assert torch.equal(last, budget.remainder)


def test_gradients_are_finite_differences_where_no_step_count_changes(inputs) -> None:
    made, targets = network(), torch.ones(BATCH, OUTPUTS).double()

    def loss() -> torch.Tensor:
        thought = made(inputs, EPSILON, MOST)
        return binary_cross_entropy_with_logits(thought.answer, targets) + 0.3 * thought.budget.ponder_cost().mean()

    loss().backward()
    for parameter in made.parameters():
        flat = parameter.data.view(-1)
        for place in range(0, len(flat), max(1, len(flat) // 5)):
            before = flat[place].item()
            sides = []
            for step in (1e-6, -1e-6):
                flat[place] = before + step
                sides.append(loss().item())
            flat[place] = before
            assert (sides[0] - sides[1]) / 2e-6 == pytest.approx(parameter.grad.view(-1)[place].item(), abs=1e-8)


def test_the_price_s_gradient_is_minus_one_before_the_last_step_and_zero_after() -> None:
    h = torch.tensor([[0.2, 0.5], [0.3, 0.6], [0.6, 0.1]], dtype=torch.float64, requires_grad=True)
    budget = spend(h, EPSILON)
    budget.ponder_cost().sum().backward()
    assert budget.steps.tolist() == [3, 2]
    assert h.grad.tolist() == [[-1, -1], [-1, 0], [0, 0]]


def test_a_step_is_tested_once() -> None:
    """0.4 + 0.4 has not reached 0.99; a sum that counted the second step twice would stop there."""
    h = torch.full((4, 1), 0.4, dtype=torch.float64)
    assert spend(h, 0.01).steps.item() == 3
    assert spend(h, 0.01).remainder.item() == pytest.approx(0.2)


def test_it_stops_at_the_first_step_or_at_the_last_that_it_may() -> None:
    assert spend(torch.full((3, 1), 0.995), 0.01).steps.item() == 1
    never = spend(torch.full((3, 1), 1e-3, dtype=torch.float64), 0.01)
    assert never.steps.item() == 3
    assert never.remainder.item() == pytest.approx(0.998)
    assert math.isclose(never.weights.sum().item(), 1)
