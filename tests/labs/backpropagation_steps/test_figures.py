"""Every figure of every preset and of networks at their limits: Plotly knows all of it, and numbers stay numbers."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from goldviz.figures.theme import INKS
from goldviz.labs.backpropagation_steps.figures import FIGURES
from goldviz.labs.backpropagation_steps.settings import BackpropagationSteps

HUGE = ";".join(f"w{layer}.{to}.{at}=1000" for layer in range(1, 7) for to in range(1, 9) for at in range(1, 9))
LIMITS: list[Mapping[str, Any]] = [
    {"layers": 6, "width": 8, "activation": "relu", "learning_rate": 10, "edits": HUGE},
    {"layers": 6, "width": 8, "loss": "cross_entropy", "last": "identity", "edits": HUGE},
    {"layers": 2, "width": 1, "inputs": 1, "outputs": 1, "loss": "cross_entropy"},
    {"gain": 0, "activation": "relu", "edits": "b1.1=0;b1.2=0;b1.3=0;b1.4=0"},
    {"learning_rate": 0, "samples": 4},
]
SETTINGS: list[Mapping[str, Any]] = [*(preset.changes for preset in BackpropagationSteps.presets), *LIMITS]


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_every_figure_is_drawn(number: int) -> None:
    settings = BackpropagationSteps.checked(SETTINGS[number])
    ds = settings.compute()
    theme = list(INKS)[number % 2]
    for name, figure in FIGURES.items():
        made = figure(ds, theme=theme)
        assert json.loads(made.to_json())["layout"]["title"]["text"], name
        assert made.data or made.layout.annotations, name


def test_the_map_shows_the_matrix_and_under_it_what_is_left() -> None:
    ds = BackpropagationSteps.preset("softmax-and-cross-entropy").compute()
    shown = np.array(FIGURES["softmax"](ds).data[0].z, dtype=float)
    np.testing.assert_allclose(shown.sum(1), 0, atol=1e-6)
    np.testing.assert_allclose(shown[0], ds["delta"].sel(layer=3, sample=1), atol=1e-6)


def test_what_lies_on_the_line_moves_the_loss_as_delta_says() -> None:
    ds = BackpropagationSteps().compute()
    _, *layers = FIGURES["nudges"](ds).data
    assert sum(len(layer.x) for layer in layers) == int(ds["delta"].notnull().sum())
    for layer in layers:
        np.testing.assert_allclose(layer.x, layer.y, atol=1e-9)
