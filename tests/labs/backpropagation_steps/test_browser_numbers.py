"""What the page's script computes after an edit is what Python computes: one call of Node.js for all networks."""

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from goldviz.labs.backpropagation_steps.compute import costs, difference
from goldviz.labs.backpropagation_steps.exchange import network_data
from goldviz.labs.backpropagation_steps.gradients import (
    Loss,
    by_hand,
    by_nudges,
    losses_after,
    softmax_jacobian,
    total,
    traced,
)
from goldviz.labs.backpropagation_steps.network import changed, sizes
from goldviz.labs.backpropagation_steps.settings import LOSSES, BackpropagationSteps
from goldviz.models.feedforward.activations import ACTIVATIONS
from tests.javascript import node

EDITS = "w1.1.1=0.5;w2.2.1=-1.25;b1.2=-10;x1.1=3.5;x2.2=1e-7;y1.1=0.3;t1=2;t2=1;w6.8.8=4;x4.8=1;w1.1.1=0.75"
SETTINGS = [
    BackpropagationSteps.checked(
        {
            "activation": activation,
            "loss": loss,
            "layers": 2 + number % 5,
            "width": 1 + (3 * number) % 8,
            "inputs": 1 + number % 8,
            "outputs": 1 + (5 * number) % 8,
            "samples": 1 + number % 4,
            "penalty": 0.3 * (number % 2),
            "gain": 1 + number % 4,
            "last": "identity" if number % 3 == 0 else "same",
            "slope": 0.2,
            "learning_rate": 0.7,
            "seed": number,
            "edits": EDITS if number % 2 else "",
        }
    )
    for number, (activation, loss) in enumerate([*product(ACTIVATIONS, LOSSES)] * 2)
]


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the script says of each network."""
    folder = tmp_path_factory.mktemp("networks")
    asked = [{"network": network_data(settings), "edits": settings.edits} for settings in SETTINGS]
    (folder / "from.json").write_text(json.dumps(asked))
    node("network_all.mjs", folder / "from.json", folder / "to.json")
    found: list[dict[str, Any]] = json.loads((folder / "to.json").read_text())
    return found


def assert_alike(said: Any, parts: Any, tolerance: float) -> None:
    for own, other in zip(said, parts, strict=True):
        scale = max(1.0, float(np.abs(other.numpy()).max()))
        np.testing.assert_allclose(np.array(own), other.numpy(), rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_both_passes_are_pythons(computed: list[dict[str, Any]], number: int) -> None:
    settings, said = SETTINGS[number], computed[number]
    network, loss = changed(settings), Loss(settings.loss, settings.penalty)
    trace = traced(network)
    hand = by_hand(network, loss, trace)
    assert_alike(said["x"], trace.outputs, 1e-12)
    assert_alike(said["z"], trace.sums, 1e-12)
    assert_alike(said["arriving"], hand.arriving, 1e-12)
    assert_alike(said["delta"], hand.delta, 1e-12)
    assert_alike(said["weightGradients"], hand.weights, 1e-12)
    assert_alike(said["biasGradients"], hand.biases, 1e-12)
    assert said["loss"] == pytest.approx(float(total(network, loss)), rel=1e-12, abs=1e-14)
    after = losses_after(network, hand, loss, torch.tensor([0.7], dtype=torch.float64))
    assert said["lossAfter"] == pytest.approx(float(after), rel=1e-9, abs=1e-12)
    assert list(said["costs"].values()) == list(costs(sizes(settings), settings.samples))


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_its_central_differences_are_the_gradients(computed: list[dict[str, Any]], number: int) -> None:
    settings, said = SETTINGS[number], computed[number]
    network, loss = changed(settings), Loss(settings.loss, settings.penalty)
    hand = by_hand(network, loss, traced(network))
    assert_alike(said["arrivingNudges"], hand.arriving, 1e-6)
    assert_alike(said["deltaNudges"], hand.delta, 1e-6)
    assert_alike(said["weightNudges"], hand.weights, 1e-6)
    assert_alike(said["biasNudges"], hand.biases, 1e-6)
    assert difference(hand, by_nudges(network, loss)) < 1e-6


def test_its_softmax_jacobian_is_pythons(computed: list[dict[str, Any]]) -> None:
    with_softmax = [number for number, settings in enumerate(SETTINGS) if settings.loss == "cross_entropy"]
    for number in with_softmax:
        expected = softmax_jacobian(traced(changed(SETTINGS[number])).outputs[-1]).numpy()
        np.testing.assert_allclose(np.array(computed[number]["jacobians"]), expected, rtol=0, atol=1e-12)
    assert len(with_softmax) == len(ACTIVATIONS) * 2
