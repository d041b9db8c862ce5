"""The valves' numbers: equal to autograd, and further reaching with an open forget gate."""

import numpy as np
import pytest

from goldviz.labs.lstm_valves.compute import reach
from goldviz.labs.lstm_valves.settings import LOSSES, TASKS, LSTMValves


@pytest.mark.parametrize("loss_at", LOSSES)
@pytest.mark.parametrize("task", TASKS)
def test_the_gradients_equal_autograds(task: str, loss_at: str) -> None:
    ds = LSTMValves.checked({"task": task, "loss_at": loss_at, "length": 12, "hidden": 5}).compute()
    assert ds.attrs["difference"] < 1e-12
    assert (ds["cell"] > 0).all()


def test_an_open_forget_gate_carries_the_gradient_further() -> None:
    reached = [LSTMValves(forget_bias=bias).compute().attrs["reach"] for bias in (-2.0, 0.0, 1.0, 4.0)]
    assert reached == sorted(reached)
    assert reached[-1] == 50 > 2 * reached[1]


def test_the_curve_holds_the_reach_of_its_own_bias() -> None:
    ds = LSTMValves(forget_bias=1.0, length=30).compute()
    assert int(ds["reach_by_bias"].sel(bias=1.0)) == ds.attrs["reach"]


def test_the_valves_are_shares() -> None:
    opening = LSTMValves().compute()["opening"]
    assert 0 < float(opening.min()) <= float(opening.max()) < 1


def test_the_reach_counts_steps_to_one_hundredth() -> None:
    assert reach(np.array([1e-5, 0.009, 0.02, 0.5, 1.0])) == 3
    assert reach(np.array([0.5, 1.0])) == 2
