"""Targets are found in the gradient of the usual losses, exactly, and in that of no other."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.distributions import Normal
from torch.nn import functional

from goldviz.watching.answers import KEPT, MOST_ENTRIES, Answers, Read, read_answer
from goldviz.watching.first_cause import OfLoss, read_loss

SEEDS = st.integers(0, 2**31)


def read(z: Tensor, loss: Callable[[Tensor], Tensor]) -> Read | None:
    answer = z.clone().requires_grad_()
    told = loss(answer)
    told.backward()
    assert answer.grad is not None
    return read_answer(z.double().numpy(), answer.grad.double().numpy(), told.item(), read_loss(told))


@given(SEEDS, st.sampled_from(["mean", "sum"]), st.booleans(), st.sampled_from([(6, 4), (3, 5, 4), (2, 5, 2, 3)]))
def test_classes_of_cross_entropy(seed: int, reduction: str, weighted: bool, shape: tuple[int, ...]) -> None:
    torch.manual_seed(seed)
    z = 2 * torch.randn(shape)
    y = torch.randint(shape[1], (shape[0], *shape[2:]))
    y.view(-1)[0] = -100
    weight = torch.rand(shape[1]) + 0.5 if weighted else None
    got = read(z, lambda z: functional.cross_entropy(z, y, weight, reduction=reduction))
    assert got is not None
    assert (got.kind, got.sign, got.out_of) == ("classes", 1.0, shape[1])
    np.testing.assert_array_equal(got.targets[:, 0], np.where(y.flatten() == -100, -1, y.flatten()))
    assert got.loss == pytest.approx(functional.cross_entropy(z, y).item(), rel=1e-4)


@given(SEEDS)
def test_next_words_in_a_last_dimension_of_classes(seed: int) -> None:
    torch.manual_seed(seed)
    z, y = torch.randn(3, 7, 9), torch.randint(9, (3, 6))
    got = read(z, lambda z: functional.cross_entropy(z[:, :-1].transpose(1, 2), y))
    assert got is not None
    np.testing.assert_array_equal(got.targets[:, 0].reshape(3, 7), np.pad(y, ((0, 0), (0, 1)), constant_values=-1))


@pytest.mark.parametrize("normalised", [True, False])
def test_likelihoods_that_do_not_sum_to_1_are_told(normalised: bool) -> None:
    torch.manual_seed(0)
    z, y = 3 * torch.randn(16, 5), torch.randint(5, (16,))
    got = read(z.log_softmax(1) if normalised else z, lambda z: functional.nll_loss(z, y))
    assert got is not None
    assert got.normalised == normalised
    np.testing.assert_array_equal(got.targets[:, 0], y)


@given(SEEDS, st.sampled_from(["logits", "probabilities"]), st.sampled_from(["mean", "sum"]))
def test_yes_and_no(seed: int, of: str, reduction: str) -> None:
    torch.manual_seed(seed)
    z, y = torch.randn(12, 1), torch.randint(2, (12, 1)).float()
    y[0], y[1] = 0, 1
    loss = functional.binary_cross_entropy_with_logits if of == "logits" else functional.binary_cross_entropy
    got = read(z if of == "logits" else z.sigmoid(), lambda z: loss(z, y, reduction=reduction))
    assert got is not None
    assert got.kind == "binary"
    np.testing.assert_array_equal(got.targets, y)


SQUARES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "mean": functional.mse_loss,
    "sum": lambda z, y: functional.mse_loss(z, y, reduction="sum"),
    "half": lambda z, y: ((z - y) ** 2).mean() / 2,
    "by hand": lambda z, y: (y - z).pow(2).mean(),
    "sum over a row": lambda z, y: ((z - y) ** 2).sum(1).mean(),
    "climbed": lambda z, y: -functional.mse_loss(z, y),
}


@given(SEEDS, st.sampled_from([*SQUARES]))
def test_numbers(seed: int, name: str) -> None:
    torch.manual_seed(seed)
    z, y = torch.randn(9, 3), torch.randn(9, 3)
    got = read(z, lambda z: SQUARES[name](z, y))
    assert got is not None
    assert (got.kind, got.sign) == ("numbers", -1.0 if name == "climbed" else 1.0)
    np.testing.assert_allclose(got.targets, y, atol=1e-3)
    assert got.loss == pytest.approx(functional.mse_loss(z, y).item(), rel=1e-3)


LIKELIHOODS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor, Tensor, Tensor], Tensor]]] = {
    "mean": (torch.exp, functional.gaussian_nll_loss),
    "sum": (functional.softplus, lambda m, y, v: functional.gaussian_nll_loss(m, y, v, reduction="sum")),
    "deviation": (lambda s: s.exp() ** 2, lambda m, y, v: -Normal(m, v.sqrt()).log_prob(y).mean()),
    "deviation through softplus": (
        lambda s: functional.softplus(s) ** 2,
        lambda m, y, v: -Normal(m, v.sqrt()).log_prob(y).sum(1).mean(),
    ),
    "by hand, with a penalty": (torch.exp, lambda m, y, v: (v.log() + (m - y) ** 2 / v).mean() + 7),
}


@given(SEEDS, st.sampled_from([*LIKELIHOODS]), st.booleans())
def test_normal_likelihoods(seed: int, name: str, halves: bool) -> None:
    """Mean and spread are two answers, or halves of one."""
    torch.manual_seed(seed)
    m, s = (torch.randn(80, 2, requires_grad=True) for _ in range(2))
    y = torch.randn(80, 2)
    variance_of, loss_of = LIKELIHOODS[name]
    loss = loss_of(m, y, variance_of(s))
    loss.backward()
    z, g, of_s = m.detach(), m.grad, s.grad
    assert g is not None
    assert of_s is not None
    beside = (s.detach().double().numpy(), of_s.double().numpy())
    if halves:
        z, g = torch.cat([z, s.detach()], 1), torch.cat([g, of_s], 1)
    told = loss.item(), read_loss(loss)
    got = read_answer(z.double().numpy(), g.double().numpy(), *told, spread=None if halves else beside)
    assert got is not None
    assert got.kind == "normal"
    np.testing.assert_allclose(got.targets, y, atol=2e-2)
    assert got.loss == pytest.approx(functional.gaussian_nll_loss(m, y, variance_of(s), eps=0).item(), abs=1e-2)


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-200])
def test_of_gradients_that_almost_vanish_no_likelihood_is_read(size: float) -> None:
    """As of a classifier that is sure of its rows: no count of entries makes a likelihood's parts of them."""
    generator = np.random.default_rng(0)
    z, g = generator.normal(size=(8, 4)), generator.uniform(0.5e-3, 1e-3, (8, 4))
    g[:, :2] *= size
    assert read_answer(z, g, 1.0, OfLoss()) is None


@pytest.mark.parametrize("rows", [1, 3])
def test_of_few_answers_no_likelihood_is_read(rows: int) -> None:
    torch.manual_seed(0)
    z = torch.randn(rows, 2)
    assert read(z, lambda z: functional.gaussian_nll_loss(z[:, :1], torch.ones(rows, 1), z[:, 1:].exp())) is None


DISTANCES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "absolute": functional.l1_loss,
    "by hand": lambda z, y: (y - z).abs().sum(),
    "Huber's": functional.huber_loss,
    "smooth": lambda z, y: functional.smooth_l1_loss(z, y, beta=0.5),
}


@given(SEEDS, st.sampled_from([*DISTANCES]), st.floats(0, 2))
def test_of_distances_a_constant_s_loss_is_at_most_what_is_told(seed: int, name: str, moved: float) -> None:
    torch.manual_seed(seed)
    facts: dict[str, Any] = {}
    answers, y, z = Answers(facts), 3 * torch.randn(200, 1), moved * torch.randn(200, 1)
    for _ in range(3):
        answers.clear()
        answer = z.clone().requires_grad_()
        answers.saw(answer, -1)
        loss = DISTANCES[name](answer, y)
        loss.backward()
        answers.read(loss.item(), 1.0, read_loss(loss))
    best = min(DISTANCES[name](torch.full_like(y, one), y).item() for one in np.linspace(-4, 4, 401))
    told = facts["answers"]
    assert (told["kind"], told["factor"]) == ("distances", 1.0)
    assert best <= told["guess"] * (1 + 1e-6)
    if not moved:
        assert told["guess"] == pytest.approx(loss.item(), rel=1e-6)


OTHERS: dict[str, Callable[[Tensor], Tensor]] = {
    "absolute, and more": lambda z: (z - 1).abs().mean() + 3,
    "a critic's": lambda z: z[:4].mean() - z[4:].mean(),
    "a likelihood's mean": lambda z: -(z - 40).mean(),
    "a policy's": lambda z: (
        functional.cross_entropy(z, torch.arange(8) % 3, reduction="none") * torch.linspace(0.5, 2, 8)
    ).mean(),
    "energy": lambda z: z.pow(4).mean() + z.sin().mean(),
    "nothing": lambda z: (0 * z).sum(),
}


@given(SEEDS, st.sampled_from([*OTHERS]))
def test_other_losses_are_not_taken_for_one_of_these(seed: int, name: str) -> None:
    torch.manual_seed(seed)
    assert read(torch.randn(8, 3), OTHERS[name]) is None


def test_a_climbed_likelihood_has_the_other_sign() -> None:
    torch.manual_seed(0)
    z, y = torch.randn(16, 5), torch.randint(5, (16,))
    got = read(z, lambda z: -functional.cross_entropy(z, y))
    assert got is not None
    assert got.sign == -1
    np.testing.assert_array_equal(got.targets[:, 0], y)


def test_what_is_no_finite_number_is_not_read() -> None:
    assert read(torch.full((4, 3), math.inf), lambda z: z.mean()) is None


@pytest.mark.parametrize(("shape", "dim"), [((4, 60, 5000), -1), ((300, 5000), -1), ((2, 21, 90, 90), 1)])
def test_of_a_large_answer_a_part_is_read_and_its_targets_are_right(shape: tuple[int, ...], dim: int) -> None:
    torch.manual_seed(0)
    z = torch.randn(shape, requires_grad=True)
    classes = shape[dim]
    y = torch.randint(classes, [size for place, size in enumerate(shape) if place != dim % len(shape)])
    facts: dict[str, Any] = {}
    answers = Answers(facts)
    loss = functional.cross_entropy(*((z, y) if dim == 1 else (z.flatten(0, -2), y.flatten())))
    of_loss = read_loss(loss)
    answers.saw(z, of_loss.class_dim)
    assert answers.kept[0].some.numel() <= 2 * MOST_ENTRIES
    loss.backward()
    answers.read(loss.item(), 1.0, of_loss)
    assert facts["answers"]["classes"] == classes
    assert 0 < len(answers.last) < y.numel()
    rows = y[0, :, : len(answers.last) // 90].flatten() if dim == 1 else y.flatten()
    np.testing.assert_array_equal(answers.last, rows[: len(answers.last)])


def test_the_memory_of_targets_has_an_end() -> None:
    answers = Answers({})
    for number in range(100):
        torch.manual_seed(number)
        z = torch.randn(8, 3, requires_grad=True)
        answers.clear()
        answers.saw(z, -1)
        loss = functional.cross_entropy(z, torch.randint(3, (8,)))
        loss.backward()
        answers.read(loss.item(), 1.0, read_loss(loss))
    assert answers.facts["answers"]["seen"] == 8 * KEPT
