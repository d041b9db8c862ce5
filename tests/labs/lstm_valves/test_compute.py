"""The valves' numbers: equal to autograd, and further reaching with an open forget gate."""

import numpy as np
import pytest

from goldviz.labs.lstm_valves.compute import cell_norms, reach
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


def test_on_how_many_of_ten_seeds_the_presets_words_hold() -> None:
    seeds = [_gradients_of_seed(seed) for seed in range(10)]
    words = {preset.slug: preset.words for preset in LSTMValves.presets}
    assert "leaves 0.6 to 0.8" in words["as-in-the-document"]
    assert all(0.6 < (cell[0] / cell[-1]) ** (1 / 49) < 0.8 for cell in (seed["zero"] for seed in seeds))
    assert "on five seeds of ten the gradient reaches the first step" in words["fix-it-forget-bias-1"]
    short = [(reach(seed["one"]), reach(seed["zero"])) for seed in seeds if reach(seed["one"]) < 50]
    assert len(short) == 5
    assert all(1.7 < one / zero < 2.7 for one, zero in short)
    assert "4 to 180 times less" in words["break-it-output-gate-shut"]
    assert all(4 < seed["open"][-1] / seed["answer shut"][-1] < 185 for seed in seeds)
    assert "the first step is heard" in words["fix-it-forget-gate-open"]
    assert all(reach(seed["open"]) == 50 for seed in seeds)


def _gradients_of_seed(seed: int) -> dict[str, np.ndarray]:
    biases = {
        "zero": {},
        "one": {"forget_bias": 1.0},
        "open": {"forget_bias": 4.0},
        "answer shut": {"forget_bias": 4.0, "output_bias": -4.0},
    }
    return {name: cell_norms(LSTMValves.checked({**bias, "seed": seed})) for name, bias in biases.items()}


def test_the_curve_holds_the_reach_of_its_own_bias() -> None:
    ds = LSTMValves(forget_bias=1.0, length=30).compute()
    assert int(ds["reach_by_bias"].sel(bias=1.0)) == ds.attrs["reach"]


def test_the_valves_are_shares() -> None:
    opening = LSTMValves().compute()["opening"]
    assert 0 < float(opening.min()) <= float(opening.max()) < 1


def test_the_reach_counts_steps_to_one_hundredth() -> None:
    assert reach(np.array([1e-5, 0.009, 0.02, 0.5, 1.0])) == 3
    assert reach(np.array([0.5, 1.0])) == 2
