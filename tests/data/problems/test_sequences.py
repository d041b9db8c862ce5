"""The known answers of the sequence tasks hold."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.problems.sequences import adding_problem, copy_task, delayed_recall, slow_sine


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_saying_one_to_the_adding_problem_costs_a_sixth():
    batch = adding_problem(50, 200_000, generator())
    targets = batch.targets[batch.scored]
    assert float((targets - 1).square().mean()) == pytest.approx(1 / 6, abs=2e-3)
    second = (batch.inputs[25:, :, 0] * batch.inputs[25:, :, 1]).sum(0)
    assert float((targets - 0.5 - second).square().mean()) == pytest.approx(1 / 12, abs=1e-3)


@given(length=st.integers(2, 40), seed=st.integers(0, 99))
def test_the_adding_problem_marks_one_number_in_each_half(length, seed):
    batch = adding_problem(length, 16, generator(seed))
    values, markers = batch.inputs.unbind(2)
    assert markers[: length // 2].sum(0).eq(1).all()
    assert markers[length // 2 :].sum(0).eq(1).all()
    assert torch.allclose(batch.targets[-1], (values * markers).sum(0))
    assert batch.scored.tolist() == [False] * (length - 1) + [True]


def test_delayed_recall_can_be_answered_from_the_first_step_alone():
    batch = delayed_recall(12, 30_000, generator(), symbols=5)
    assert torch.equal(batch.inputs[0].argmax(1), batch.targets[-1])
    assert batch.inputs[1:-1].argmax(2).eq(5).all()
    assert batch.inputs[-1].argmax(1).eq(6).all()
    shares = batch.targets[-1].bincount() / 30_000
    assert float((shares - 0.2).abs().max()) < 0.01  # the best constant answer is right on a fifth
    assert float(-(shares * shares.log()).sum()) == pytest.approx(math.log(5), abs=1e-3)


@given(delay=st.integers(0, 30), items=st.integers(1, 6), seed=st.integers(0, 99))
def test_copying_asks_for_each_item_the_same_time_after_it_was_shown(delay, items, seed):
    batch = copy_task(delay, 8, generator(seed), symbols=4, items=items)
    asked = batch.scored.nonzero().flatten()
    assert len(asked) == items
    assert torch.equal(batch.inputs[asked - delay - items].argmax(2), batch.targets[asked])
    assert batch.inputs.sum(2).eq(1).all()
    assert batch.inputs.argmax(2).eq(5).sum(0).eq(1).all()


@pytest.mark.parametrize("period", [8.0, 100.0, 333.3])
def test_the_sine_has_its_three_known_errors(period):
    batch = slow_sine(40, 40_000, generator(), period)
    x = batch.inputs[..., 0]
    w = 2 * math.pi / period
    assert float(batch.targets.square().mean()) == pytest.approx(0.5, abs=5e-3)
    assert float((batch.targets - x).square().mean()) == pytest.approx(1 - math.cos(w), rel=0.02)
    exact = 2 * math.cos(w) * x[1:] - x[:-1]
    assert float((batch.targets[1:] - exact).abs().max()) < 1e-5


def test_noise_on_the_sine_costs_what_is_said():
    batch = slow_sine(20, 50_000, generator(), 50.0, noise=0.3)
    x = batch.inputs[..., 0]
    cos = math.cos(2 * math.pi / 50)
    assert float((batch.targets - x).square().mean()) == pytest.approx(1 - cos + 0.09, rel=0.01)
    exact = 2 * cos * x[1:] - x[:-1]
    assert float((batch.targets[1:] - exact).square().mean()) == pytest.approx((4 * cos**2 + 1) * 0.09, rel=0.01)


@pytest.mark.parametrize("task", [adding_problem, delayed_recall, copy_task, slow_sine])
def test_the_same_generator_gives_the_same_batch(task):
    assert torch.equal(task(20, 4, generator(7)).inputs, task(20, 4, generator(7)).inputs)
    assert not torch.equal(task(20, 4, generator(7)).targets, task(20, 4, generator(8)).targets)


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match="length is 1"):
        adding_problem(1, 4, generator())
    with pytest.raises(ValueError, match="symbols is 1"):
        delayed_recall(5, 4, generator(), symbols=1)
    with pytest.raises(ValueError, match="delay is -1"):
        copy_task(-1, 4, generator())
    with pytest.raises(ValueError, match=r"period is 1\.0"):
        slow_sine(5, 4, generator(), period=1.0)
    with pytest.raises(ValueError, match="noise is nan"):
        slow_sine(5, 4, generator(), noise=math.nan)
