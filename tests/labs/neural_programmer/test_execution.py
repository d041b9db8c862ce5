"""Soft execution with one-hot weights is a program run by a plain interpreter, and its gradients are the true ones."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.neural_programmer.execution import Answer, execute, hardened
from goldviz.labs.neural_programmer.language import OPERATIONS
from goldviz.labs.neural_programmer.programmer import Programmer, add_noise, answer_loss, distance


def interpreted(table, pivots, program):
    """A program of names and columns on one table, row by row: its number, the printed cells, and rows by stage."""
    before = rows = [True] * len(table)
    stages = [rows]
    number, cells = 0.0, np.zeros_like(table)
    for name, column in program:
        number, cells = 0.0, np.zeros_like(table)
        chosen = [place for place, selected in enumerate(rows) if selected]
        after = rows
        if name == "sum":
            number = sum(table[place, column] for place in chosen)
        elif name == "count":
            number = len(chosen)
        elif name == "print":
            for place in chosen:
                cells[place, column] = 1
        elif name == "greater":
            after = [bool(cell > pivots[0]) for cell in table[:, column]]
        elif name == "lesser":
            after = [bool(cell < pivots[1]) for cell in table[:, column]]
        elif name == "and":
            after = [one and other for one, other in zip(rows, before, strict=True)]
        before, rows = rows, after
        stages.append(rows)
    return number, cells, np.array(stages, dtype=float)


@st.composite
def programs(draw):
    columns, steps = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    program = draw(
        st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, columns - 1)), min_size=steps, max_size=steps)
    )
    cell = st.floats(0, 1, allow_subnormal=False)
    rows = draw(st.lists(st.lists(cell, min_size=columns, max_size=columns), min_size=1, max_size=6))
    return np.array(rows), (draw(cell), draw(cell)), program


@given(programs())
def test_one_hot_weights_are_the_program_that_an_interpreter_runs(drawn) -> None:
    table, pivots, program = drawn
    operations = torch.zeros(1, len(program), len(OPERATIONS), dtype=torch.float64)
    columns = torch.zeros(1, len(program), table.shape[1], dtype=torch.float64)
    for place, (name, column) in enumerate(program):
        operations[0, place, OPERATIONS.index(name)] = 1
        columns[0, place, column] = 1
    number, cells, stages = interpreted(table, pivots, program)
    answer, rows = execute(
        torch.from_numpy(table)[None], torch.tensor([pivots], dtype=torch.float64), operations, columns
    )
    assert float(answer.number) == pytest.approx(number, abs=1e-12)
    np.testing.assert_array_equal(answer.cells[0], cells)
    np.testing.assert_array_equal(rows[0], stages)


def random(*shape, seed=0):
    return torch.rand(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


PRINTS = torch.tensor([False, True])


def test_gradients_of_the_loss_are_those_of_finite_differences() -> None:
    tables, pivots = random(2, 3, 2), torch.tensor([[0.3, 0.7], [0.5, 0.5]], dtype=torch.float64)
    right = Answer(torch.tensor([1.2, 0.0]).double(), (random(2, 3, 2, seed=1) > 0.5).double())
    scores = random(2, 4, 7, seed=2).requires_grad_(), random(2, 4, 2, seed=3).requires_grad_()

    def loss(operations, columns):
        answer = execute(tables, pivots, operations.softmax(-1), columns.softmax(-1)).answer
        return answer_loss(answer, right, PRINTS)

    assert torch.autograd.gradcheck(loss, scores)


def test_gradients_of_the_whole_network_are_those_of_finite_differences() -> None:
    torch.manual_seed(0)
    network = Programmer((3, 3, 3, 3), 2, 5, 3).double()
    words = torch.tensor([[0, 1, 2, 1], [2, 2, 0, 0]])
    tables, pivots = random(2, 3, 2), random(2, 2, seed=4)
    right = Answer(torch.tensor([0.4, 0.0]).double(), (tables > 0.5).double())
    names = [name for name, _ in network.named_parameters()]

    def loss(*weights):
        program = torch.func.functional_call(network, dict(zip(names, weights, strict=True)), (words,))
        return answer_loss(execute(tables, pivots, *program).answer, right, PRINTS)

    # In one direction drawn at random: each of hundreds of numbers alone takes seconds.
    assert torch.autograd.gradcheck(loss, tuple(network.parameters()), fast_mode=True)


def test_the_controller_is_the_formulas_written_as_a_loop() -> None:
    torch.manual_seed(1)
    network = Programmer((3, 2), 1, 4, 3).double()
    w = {name: value.numpy() for name, value in network.state_dict().items()}
    words = [1, 1]
    vectors = np.concatenate([w["words.weight"][1], w["words.weight"][3 + 1]])
    z, h = np.tanh(w["reader.weight"] @ vectors + w["reader.bias"]), np.zeros(4)
    program = network(torch.tensor([words]))
    for step in range(3):
        scores = w["choice.weight"] @ np.concatenate([z, h]) + w["choice.bias"]
        o, c = (np.exp(part) / np.exp(part).sum() for part in (scores[:7], scores[7:]))
        np.testing.assert_allclose(program.operations[0, step].detach(), o, atol=1e-12)
        np.testing.assert_allclose(program.columns[0, step].detach(), c, atol=1e-12)
        h = gru(
            np.concatenate([o, c]), h, *(w[f"cell.{name}"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        )


def gru(x, h, w_ih, w_hh, b_ih, b_hh):
    n = len(h)
    own, new = w_hh @ h + b_hh, w_ih @ x + b_ih
    r, z = 1 / (1 + np.exp(-new[:n] - own[:n])), 1 / (1 + np.exp(-new[n : 2 * n] - own[n : 2 * n]))
    return (1 - z) * np.tanh(new[2 * n :] + r * own[2 * n :]) + z * h


def test_a_number_has_hubers_loss_and_printed_cells_their_cross_entropy() -> None:
    cells = torch.tensor([[[0.25]], [[0.25]]], dtype=torch.float64)
    given_answer = Answer(torch.tensor([3.0, 9.0]).double(), cells)
    right = Answer(torch.tensor([0.5, 0.0]).double(), torch.tensor([[[0.0]], [[1.0]]]).double())
    number, printed = 2.5 - 0.5, -np.log(0.25)
    assert float(answer_loss(given_answer, right, PRINTS)) == pytest.approx((number + printed) / 2)
    assert distance(given_answer, right, PRINTS).tolist() == [2.5, 0.75]


def test_noise_has_the_papers_variance_and_comes_again_with_its_stream() -> None:
    network = torch.nn.Linear(200, 200, bias=False)

    def noise(step):
        network.weight.grad = torch.ones(200, 200)
        add_noise(network, 0.3, step, torch.Generator().manual_seed(5))
        return network.weight.grad - 1

    assert float(noise(9).var()) == pytest.approx(0.3 / 10**0.55, rel=0.02)
    torch.testing.assert_close(noise(9), noise(9))
    assert float(noise(999).std() / noise(9).std()) == pytest.approx(100 ** (-0.55 / 2), rel=1e-3)


def test_hardening_keeps_the_largest_alone() -> None:
    assert hardened(torch.tensor([[0.1, 0.5, 0.4], [0.4, 0.3, 0.3]])).tolist() == [[0, 1, 0], [1, 0, 0]]
