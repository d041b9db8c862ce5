"""What *Errata of the documents* says of systems and formulas that no laboratory computes, calculated in float64."""

from __future__ import annotations

import math
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
import sympy
import torch
from numpy.typing import NDArray

from goldviz.declare.errata import errata

Numbers = NDArray[np.float64]
QUERIES, WIDTH, ACTIVE = 96, 16, 25


def told(document: str, place: str, said: str) -> str:
    """What the page answers to a document's sentence that begins so."""
    [answer] = [
        one.holds for one in errata() if (one.document, one.place) == (document, place) and one.says.startswith(said)
    ]
    return answer


# Document 001


def test_the_features_of_the_experiment_in_depth_correlate_more_than_the_entries_of_its_matrix_say() -> None:
    mixing = sympy.ones(10, 10) * sympy.Rational(3, 10) + sympy.eye(10) * sympy.Rational(1, 2)
    covariance = mixing.T * mixing
    assert (covariance[0, 0], covariance[0, 1] / covariance[0, 0]) == (sympy.Rational("1.45"), sympy.Rational(24, 29))
    assert "variance 1.45, and two of its features correlate at 24/29 = 0.83" in told("001", "Annex 5.3.1", "C, 0.8")


def test_the_mean_of_decay_rates_knows_the_first_and_the_last_norm_alone() -> None:
    norms = sympy.symbols("n1:7", positive=True)
    rates = [sympy.log(above) - sympy.log(below) for below, above in pairwise(norms)]
    assert sympy.simplify(sum(rates) - sympy.log(norms[-1]) + sympy.log(norms[0])) == 0
    assert told("001", "Annex 5.3.4", '"Decay rate"')


def test_steps_along_the_gradient_end_in_the_minimum_on_their_side() -> None:
    w = sympy.symbols("w")
    loss = (w**2 - 1) ** 2 + sympy.Rational(3, 10) * w
    slope = sympy.lambdify(w, sympy.diff(loss, w))
    place = 2.0
    for _ in range(5000):
        place -= 0.01 * slope(place)
    lowest = min((root for root in sympy.Poly(sympy.diff(loss, w), w).nroots()), key=lambda root: loss.subs(w, root))
    words = told("001", "1.2", "Backpropagation lets")
    assert f"end at {place:.3f}, where the value is {float(loss.subs(w, place)):.3f}" in words
    assert f"at {lowest:.3f} it is {float(loss.subs(w, lowest)):.3f}".replace("-", "−") in words


def test_of_the_jacobians_through_time_the_latest_stands_in_front() -> None:
    generator = torch.Generator().manual_seed(0)
    matrix = torch.randn(3, 3, generator=generator, dtype=torch.float64)
    start = torch.randn(3, generator=generator, dtype=torch.float64)
    states = [start]
    for _ in range(4):
        states.append(torch.tanh(matrix @ states[-1]))
    found = torch.autograd.functional.jacobian(
        lambda h: reduce(lambda state, _: torch.tanh(matrix @ state), range(4), h), start
    )
    steps = [torch.diag(1 - h**2) @ matrix for h in states[1:]]
    torch.testing.assert_close(found, reduce(torch.matmul, steps[::-1]), rtol=1e-12, atol=1e-14)
    assert (found - reduce(torch.matmul, steps)).abs().max() > 1e-2
    assert "the latest stands in front" in told("001", "eq. 7", "∏")


# Document 002, 4 and 5


def attended(rows: torch.Tensor, weights: list[torch.Tensor]) -> torch.Tensor:
    """One causal head."""
    query, key, value = (rows @ one for one in weights)
    mask = torch.full((len(rows), len(rows)), -math.inf, dtype=torch.float64).triu(1)
    return (query @ key.T / math.sqrt(key.shape[1]) + mask).softmax(-1) @ value


def test_one_layer_without_positions_does_not_know_the_order_of_earlier_rows_and_two_do() -> None:
    generator = torch.Generator().manual_seed(0)
    first, second = ([torch.randn(4, 4, generator=generator, dtype=torch.float64) for _ in range(3)] for _ in range(2))
    rows = torch.randn(30, 4, generator=generator, dtype=torch.float64)
    mixed = rows[[*torch.randperm(29, generator=generator).tolist(), 29]]
    assert (attended(rows, first)[-1] - attended(mixed, first)[-1]).abs().max() < 1e-14
    twice = [attended(attended(one, first), second)[-1] for one in (rows, mixed)]
    assert (twice[0] - twice[1]).abs().max() > 1e-3
    assert "in one layer the last row comes out the same, to 1e-14" in told("002", "4 and 4.1", "FFN(O)")


def test_a_query_of_a_window_of_k_takes_in_the_present_step_and_k_minus_1_before_it() -> None:
    rows = torch.randn(9, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    kernel = torch.randn(3, 4, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    (slopes,) = torch.autograd.grad(torch.stack([rows[7 - i] @ kernel[i] for i in range(3)]).sum(), rows)
    assert slopes.abs().sum(1).nonzero().flatten().tolist() == [5, 6, 7]
    assert told("002", "4.1", "A query takes in")


def test_log_sparse_pairs_and_the_layers_until_all_is_reached() -> None:
    steps = 64
    sees = np.eye(steps, dtype=int)
    for step in range(steps):
        sees[step, [step - 2**power for power in range(6) if step >= 2**power]] = 1
    layers, reached = 1, sees
    while not reached[np.tril_indices(steps)].all():
        layers, reached = layers + 1, reached @ sees
    assert (sees.sum(), steps * (steps + 1) // 2, layers) == (385, 2080, 6)
    words = told("002", "4.2", "Headed")
    assert "of 64 steps 385 of 2,080 pairs, and six layers reach everything" in words


def drawn(seed: int) -> tuple[Numbers, Numbers]:
    """Queries and keys."""
    query, key = np.random.default_rng(seed).normal(size=(2, QUERIES, WIDTH))
    return query, key


def sparsity(query: Numbers, key: Numbers) -> Numbers:
    """s_i as the document has it."""
    scores = query @ key.T / math.sqrt(WIDTH)
    return np.asarray(np.log(np.exp(scores).sum(1)) - scores.mean(1))


def first_of(scores: Numbers) -> set[int]:
    return set(np.argsort(scores)[-ACTIVE:].tolist())


def test_the_sparsity_score_is_the_divergence_of_the_uniform_distribution_from_the_attention() -> None:
    shared = []
    for seed in range(5):
        query, key = drawn(seed)
        scores = query @ key.T / math.sqrt(WIDTH)
        attention = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
        of_uniform = -np.log(QUERIES * attention).mean(1)
        of_attention = (attention * np.log(QUERIES * attention)).sum(1)
        np.testing.assert_allclose(sparsity(query, key), math.log(QUERIES) + of_uniform, rtol=1e-14)
        assert (sparsity(query, key) >= math.log(QUERIES)).all()
        shared.append(len(first_of(of_uniform) & first_of(of_attention)))
    words = told("002", "4.2, step 1", "s_i is the divergence")
    assert f"the first {ACTIVE} of both share {min(shared)} to {max(shared)} on five draws" in words


def test_the_approximation_has_lost_its_scale_and_takes_the_largest_absolute_value() -> None:
    differ = []
    for seed in range(5):
        query, key = drawn(seed)
        products = query @ key.T
        scaled = products / math.sqrt(WIDTH)
        printed, meant = products.max(1) - products.mean(1), scaled.max(1) - scaled.mean(1)
        np.testing.assert_allclose(printed, math.sqrt(WIDTH) * meant, rtol=1e-12)
        assert (meant <= sparsity(query, key)).all()
        assert (sparsity(query, key) <= meant + math.log(QUERIES)).all()
        differ.append(np.mean(np.abs(products).max(1) != products.max(1)))
    words = told("002", "4.2, step 1", "s_i ≈")
    assert f"they differ for {100 * min(differ):.0f} to {100 * max(differ):.0f} % of them" in words


def test_later_keys_change_which_earlier_queries_are_active() -> None:
    half, changed = QUERIES // 2, 0
    for seed in range(20):
        generator = np.random.default_rng(seed)
        query, key = generator.normal(size=(2, QUERIES, WIDTH))
        other = np.concatenate([key[:half], generator.normal(size=(half, WIDTH))])
        active = [{i for i in first_of(sparsity(query, one)) if i < half} for one in (key, other)]
        changed += active[0] != active[1]
    assert f"in {changed} of 20 draws" in told("002", "4.2, steps 1 and 3", "s_i runs")


def test_products_of_sinusoidal_positions_and_their_wavelengths() -> None:
    width = 64
    rates = 10000.0 ** (-2 * np.arange(width // 2) / width)

    def position(t: float) -> Numbers:
        return np.stack([np.sin(t * rates), np.cos(t * rates)], 1).ravel()

    for t, s in np.random.default_rng(0).integers(0, 200, (50, 2)):
        assert position(t) @ position(s) == pytest.approx(np.cos((t - s) * rates).sum(), abs=1e-11)
    assert told("002", "5.1", "Positions' products")
    shortest = (2 * math.pi / rates).min()
    assert shortest > 5
    assert f"from {shortest:.2f} on" in told("002", "5.1", "The sines")


def test_two_rectified_units_keep_a_return_whole() -> None:
    returns = torch.linspace(-3, 3, 101, dtype=torch.float64)
    assert torch.equal(torch.relu(returns) - torch.relu(-returns), returns)
    assert "ReLU(x) − ReLU(−x) = x" in told("002", "5.2", "ReLU discards")


# Document 003


def test_the_first_form_of_the_softmax_s_derivative_has_a_factor_too_many() -> None:
    o, others = sympy.symbols("o others", positive=True)
    whole = sympy.exp(o) + others
    derivative = sympy.diff(sympy.exp(o) / whole, o)
    assert sympy.simplify(derivative - sympy.exp(o) * (whole - sympy.exp(o)) / whole**2) == 0
    assert sympy.simplify(derivative - sympy.exp(2 * o) * (whole - sympy.exp(o)) / whole**2) != 0
    assert told("003", "softmax", "For i = j the derivative begins")


def test_a_product_of_three_jacobians_begins_with_the_matrix() -> None:
    generator = np.random.default_rng(0)
    matrix, slopes = generator.normal(size=(3, 3)), [np.diag(generator.uniform(size=3)) for _ in range(3)]
    whole = reduce(np.matmul, [matrix @ slope for slope in slopes])
    printed = slopes[0] @ matrix @ slopes[1] @ matrix @ slopes[2]
    np.testing.assert_allclose(matrix @ printed, whole, rtol=1e-12)
    assert np.abs(printed - whole).max() > 0.1
    assert told("003", "vanishing", "With J_j")


# Document 004, 3.3


def test_halting_weights_add_up_to_1_with_the_remainder_and_to_more_without() -> None:
    """N is the first count at which even weights add up to 1 - ε: on average e^(1 - ε), and their sum is half of it."""
    spare, generator, sums = 0.01, np.random.default_rng(0), []
    for _ in range(20_000):
        weights = generator.uniform(size=60)
        last = int(np.argmax(weights.cumsum() >= 1 - spare))
        before = weights[:last].sum()
        assert before + (1 - before) == pytest.approx(1)
        sums.append(before + weights[last])
    assert 1 - spare <= min(sums) <= max(sums) < 2
    expected = math.exp(1 - spare) / 2
    assert np.mean(sums) == pytest.approx(expected, abs=0.01)
    words = told("004", "3.3", "Each step is weighted")
    assert f"from 1 − ε to 2: to {expected:.2f} on average" in words
    assert f"ε is {spare}" in words
