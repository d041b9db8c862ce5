"""What a look at a model of characters shows: losses, activations, tables, embeddings and the names that it spells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy

from goldviz.data.texts.items import BOUNDARY
from goldviz.data.texts.pair_counts import cross_entropy as of_counts
from goldviz.data.texts.pair_counts import divergence, probabilities, table_of_counts
from goldviz.diagnostics.gradients import norms
from goldviz.diagnostics.histograms import VALUE_BINS
from goldviz.diagnostics.layers import LayerStep, activation_readings, distributions
from goldviz.labs.char_language_model.networks import CharacterModel, Model, statistics_of_batches
from goldviz.labs.char_language_model.split import Windows
from goldviz.models.feedforward.activations import TANH
from goldviz.training.seeds import stream

if TYPE_CHECKING:
    import numpy as np

Measured = dict[str, Tensor]
PROBE = 256
"""Activations are read at so many contexts."""
SAMPLING = 4
"""The stream of the numbers that names are made of."""
SAMPLES = 8
LONGEST = 20
OVER = -1
"""Stands where a name is over."""


@torch.no_grad()
def mean_loss(network: Model, text: Windows) -> Float[Tensor, ""]:
    """The loss on these contexts, with running statistics."""
    network.eval()
    loss = cross_entropy(network(text.contexts).logits, text.targets)
    network.train()
    return loss


def unseen_contexts(text: Windows, train: Windows) -> Windows:
    """Those of the windows asked whose context is none of those learned."""
    contexts = set(map(tuple, train.contexts.tolist()))
    new = torch.tensor([tuple(context) not in contexts for context in text.contexts.tolist()])
    return Windows(text.contexts[new], text.targets[new])


def losses_unseen(network: Model, unseen: Windows, counts: np.ndarray, smoothing: float) -> dict[str, float]:
    """The network's loss on such windows and that of counted pairs, which know the last symbol at least; else NaN."""
    if not len(unseen):
        return dict.fromkeys(("unseen_loss", "unseen_pairs_loss"), math.nan)
    unseen_counts = table_of_counts(unseen.pairs(), len(counts))
    pairs_loss = of_counts(unseen_counts, probabilities(counts, smoothing))
    return {"unseen_loss": mean_loss(network, unseen).item(), "unseen_pairs_loss": pairs_loss}


def look_closely(network: Model, train: Windows, dev: Windows) -> Measured:
    """Losses on training and dev text, what the hidden layers put out, and how far running statistics are."""
    measurements = {"train_loss": mean_loss(network, train), "dev_loss": mean_loss(network, dev)}
    if not isinstance(network, CharacterModel):
        return measurements
    measurements |= activations_of(network, train)
    with statistics_of_batches(network) as norms_there:
        if norms_there:
            measurements["batch_statistics_loss"] = mean_loss(network, dev)
            measurements["running_gap"] = torch.stack([norm.gap for norm in norms_there])
    return measurements


@torch.no_grad()
def activations_of(network: CharacterModel, train: Windows) -> Measured:
    """Mean, spread, saturated and dead values of each hidden layer, and their distribution, as training sees them.

    A recurrent network's last state counts as the tanh of something: it is flat where |h| is above 0.975.
    """
    rows = torch.linspace(0, len(train) - 1, min(PROBE, len(train))).long()
    with statistics_of_batches(network):
        outcome = network.eval()(train.contexts[rows])
    network.train()
    hidden = [h.flatten(0, -2) for h in outcome.hidden]
    sums = [z.flatten(0, -2) for z in outcome.sums] or [h.atanh() for h in hidden]
    measurements = activation_readings(hidden, sums, TANH)
    # Distributions take 256 samples at most: were a hierarchy's places samples, most contexts would be left out.
    return {**measurements, "activation_histogram": distributions(VALUE_BINS, [[h] for h in outcome.hidden])}


def gradients_of(layers: LayerStep) -> Measured:
    """Norms and distributions of the gradients of the hidden layers' outputs, and distributions of the weights'."""
    measurements = layers.distributions()
    gradients = [h.grad for outputs in layers.outputs for h in outputs if h.grad is not None]
    if not gradients:
        return {"weight_gradient_histogram": measurements["weight_gradient_histogram"]}
    return {**measurements, "hidden_gradient_norm": norms(gradients)}


@torch.no_grad()
def table_of(network: Model, symbols: int) -> Float[Tensor, "symbol next_symbol"]:
    """The probabilities of a bigram after every symbol."""
    device = next(iter(network.state_dict().values())).device
    contexts = torch.arange(symbols, device=device)[:, None]
    return torch.softmax(network(contexts).logits, dim=1)


def divergence_of(network: Model, counts: np.ndarray) -> Tensor:
    """Of a bigram's table from the counted one."""
    return torch.tensor(divergence(counts, table_of(network, len(counts)).double().cpu().numpy()))


def of_first_seed(network: Model, context: int, seed: int, symbols: int) -> Measured:
    """Names that the model spells, and its table of pairs or its embedding: what is kept of one seed alone."""
    network.eval()
    symbols_drawn, probabilities = sampled(network, context, stream(seed, SAMPLING))
    measurements = {"sample_symbol": symbols_drawn[None].short(), "sample_probability": probabilities[None]}
    if isinstance(network, CharacterModel):
        measurements["embedding_table"] = network.table.detach().clone()[None]
    else:
        measurements["table"] = table_of(network, symbols)[None]
    network.train()
    return measurements


@torch.no_grad()
def sampled(
    model: Model, context: int, generator: Generator
) -> tuple[Int[Tensor, "sample place"], Float[Tensor, "sample place"]]:
    """Symbols of eight names of at most twenty, and the probability of each when it was drawn.

    Where a name is over, -1 and NaN. The same generator gives the same numbers between 0 and 1, of which names are
    made: so with small changes of the model a name changes little.
    """
    device = next(iter(model.state_dict().values())).device
    chances = torch.rand(LONGEST, SAMPLES, generator=generator).to(device)
    contexts = torch.full((SAMPLES, context), BOUNDARY, device=device)
    going_on = torch.ones(SAMPLES, dtype=torch.bool, device=device)
    symbols, probabilities = [], []
    for chance in chances:
        shares = model(contexts).logits.softmax(1)
        symbol = (shares.cumsum(1) < chance[:, None]).sum(1).clamp(max=shares.shape[1] - 1)
        probability = shares.gather(1, symbol[:, None])[:, 0]
        symbols.append(torch.where(going_on, symbol, OVER))
        probabilities.append(torch.where(going_on, probability, torch.nan))
        going_on = going_on & (symbol != BOUNDARY)
        contexts = torch.cat([contexts[:, 1:], symbol[:, None]], dim=1)
    return torch.stack(symbols, 1), torch.stack(probabilities, 1)
