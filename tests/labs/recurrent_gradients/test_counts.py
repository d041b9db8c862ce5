"""The formulas of the weights' number against the networks that are trained."""

import re

import pytest
import torch

from goldviz.labs.recurrent_gradients.measures import sizes_of, weights_of
from goldviz.labs.recurrent_gradients.reader import at_start
from goldviz.labs.recurrent_gradients.settings import RESETS, TASKS, RecurrentGradients
from goldviz.labs.recurrent_gradients.tasks import outputs, sequences
from goldviz.models.recurrent.cells import CELLS


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("hidden", [2, 7, 64])
@pytest.mark.parametrize("reset", RESETS)
def test_the_formula_counts_every_weight(task: str, hidden: int, reset: str) -> None:
    settings = RecurrentGradients.checked({"task": task, "hidden": hidden, "reset": reset})
    batch = sequences(settings, settings.length, 4, torch.Generator())
    sizes = sizes_of(settings)
    assert sizes == (batch.inputs.shape[2], outputs(batch))
    for lane in CELLS:
        network = at_start(settings, lane, 0, *sizes)
        counted = weights_of(settings, lane)
        assert counted.total == sum(weights.numel() for weights in network.parameters())
        assert counted.layer == sum(weights.numel() for weights in network.layer.parameters())


def test_the_formula_in_letters_gives_the_number() -> None:
    settings = RecurrentGradients(task="reviews", hidden=13, reset="after")
    for lane in CELLS:
        counted = weights_of(settings, lane)
        code = re.sub(r"(\w) (?=[h(])", r"\1 * ", counted.formula)
        assert eval(code, {"d": 37, "h": 13}) == counted.layer


def test_pytorchs_layers_have_one_bias_more_in_every_block() -> None:
    """torch.nn keeps two biases of each block, which add up to one where no gate stands between."""
    settings = RecurrentGradients(task="recall", hidden=11)
    for lane, twin in (("rnn", torch.nn.RNN), ("lstm", torch.nn.LSTM), ("gru", torch.nn.GRU)):
        theirs = sum(weights.numel() for weights in twin(10, 11).parameters())
        assert theirs == weights_of(settings, lane).layer + len(CELLS[lane].parts) * 11
