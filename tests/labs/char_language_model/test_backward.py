"""The gradient by hand is autograd's, to the bit, and so is what is learned by it."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from goldviz.labs.char_language_model.networks import MODELS, LayeredModel, loss_with_gradients
from goldviz.labs.char_language_model.settings import CharLanguageModel
from goldviz.labs.char_language_model.sizes import hidden_layers
from tests.labs.small_runs import small_run

SHAPES = (
    {"hidden": 7, "context": 3},
    {"model": "deep_mlp", "layers": 4, "hidden": 9, "context": 1, "initialisation": "normal"},
    {"model": "deep_mlp", "layers": 2, "hidden": 5, "context": 6, "output_gain": 1.0},
)


@pytest.mark.parametrize(("dtype", "largest"), [(torch.float32, 0.0), (torch.float64, 1e-9)])
@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_by_hand_are_autograd_s(shape, dtype, largest):
    network = MODELS[shape.get("model", "mlp")](CharLanguageModel(**shape), 27, 0).to(dtype)
    drawn = torch.Generator().manual_seed(1)
    # A symbol that comes twice collects twice; 11 is no power of two, so means are rounded.
    contexts = torch.randint(5, (11, shape["context"]), generator=drawn)
    targets = torch.randint(27, (11,), generator=drawn)
    expected = cross_entropy(network(contexts).logits, targets)
    expected.backward()
    by_autograd = {name: weight.grad for name, weight in network.named_parameters()}
    network.zero_grad()
    loss = loss_with_gradients(network, contexts, targets)
    torch.testing.assert_close(loss, expected.detach(), rtol=0, atol=largest)
    for name, weight in network.named_parameters():
        torch.testing.assert_close(weight.grad, by_autograd[name], rtol=0, atol=largest)


def test_a_run_learns_the_same_by_hand_as_by_autograd(monkeypatch):
    settings = CharLanguageModel(corpus="cities", steps=12, hidden=8, look_every=1, close_looks=2, weight_decay=1e-3)
    by_hand = small_run(settings)
    made = LayeredModel.__init__

    def by_autograd(network, *arguments, **options):
        made(network, *arguments, **options)
        network.plain = False

    monkeypatch.setattr(LayeredModel, "__init__", by_autograd)
    again = small_run(settings.changed(time_limit=settings.time_limit + 1))
    for name in ("loss", "dev_loss", "gradient_norm", "update_to_data", "embedding_table"):
        np.testing.assert_array_equal(by_hand[name].values, again[name].values)


@pytest.mark.parametrize(
    ("settings", "plain"),
    [
        ({}, True),
        ({"model": "deep_mlp"}, True),
        ({"normalisation": "batch"}, False),
        ({"model": "wavenet", "context": 4}, False),
        ({"model": "wavenet", "context": 2}, True),
    ],
)
def test_plain_are_layers_in_a_row(settings, plain):
    asked = CharLanguageModel(hidden=4, **settings)
    assert MODELS[asked.model](asked, 5, 0).plain is plain


@pytest.mark.parametrize(
    "settings", [{"model": "mlp"}, {"model": "deep_mlp", "layers": 3}, {"model": "wavenet", "context": 8}]
)
def test_a_network_has_the_hidden_layers_that_are_looked_at(settings):
    asked = CharLanguageModel(hidden=4, **settings)
    assert len(MODELS[asked.model](asked, 5, 0).inner_matrices()) == hidden_layers(asked)
