"""*Neural Turing machine*: what its first example recorded, computed once more by numpy from other records."""

import numpy as np
import pytest

from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine
from goldviz.runs.examples import example


@pytest.fixture(scope="module")
def run():
    return example(NeuralTuringMachine, NeuralTuringMachine.presets[0].slug)


def stage(run, name):
    return run["address"].sel(stage=name).values.astype(np.float64)


def told(run, name):
    return run["controls"].sel(control=name).values.astype(np.float64)[..., None]


def test_the_gate_mixes_content_with_the_step_before(run):
    sharp = stage(run, "sharpen")
    first = np.zeros_like(sharp[:, :1])
    first[..., 0] = 1
    before = np.concatenate([first, sharp[:, :-1]], axis=1)
    gate = told(run, "gate")
    np.testing.assert_allclose(stage(run, "gate"), gate * stage(run, "content") + (1 - gate) * before, atol=2e-6)


def test_a_shift_moves_weights_to_neighbours_round_the_end(run):
    gated = stage(run, "gate")
    moved = sum(told(run, name) * np.roll(gated, by, -1) for name, by in (("ahead", 1), ("stay", 0), ("back", -1)))
    np.testing.assert_allclose(stage(run, "shift"), moved, atol=2e-6)


def test_sharpening_is_a_power(run):
    powers = np.exp(told(run, "sharpness") * np.log(np.maximum(stage(run, "shift"), 1e-30)))
    np.testing.assert_allclose(stage(run, "sharpen"), powers / powers.sum(-1, keepdims=True), atol=1e-5)


def test_a_cell_changes_by_its_weight_alone(run):
    memory, weights = run["memory"].values.astype(np.float64), stage(run, "sharpen")[:, :, 1]
    untouched = weights[:, 1:] < 1e-4
    assert untouched.any()
    assert np.abs(np.diff(memory, axis=1)[untouched]).max() < 1e-3


def test_answers_in_the_probe_are_right_where_most_are(run):
    wanted, said = run["wanted"].values, run["answer"].sel(network="ntm").values[-1]
    asked = np.isfinite(wanted[:, 0])
    assert ((said[asked] > 0.5) == (wanted[asked] > 0.5)).all()
