"""What a run of *Character language models* does: document 002, sections 1.1 to 1.5.

Networks of a seed share the split, the order of batches and, where shapes agree, their first weights. Every look is of
the network as its step finds it: the first one is of the start. A counted table is looked at as its step leaves it, so
that the last look is of the table of all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float
from numpy import ndarray
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.optim import Optimizer

from goldviz.data.texts.corpora import corpus
from goldviz.data.texts.items import Corpus
from goldviz.data.texts.pair_counts import pairs, simple_losses, table_of_counts
from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS
from goldviz.diagnostics.layers import LayerStep, LayerSteps, with_means_over_seeds
from goldviz.labs.char_language_model.instruments import (
    LONGEST,
    SAMPLES,
    Measured,
    divergence_of,
    gradients_of,
    look_closely,
    losses_unseen,
    mean_loss,
    of_first_seed,
    unseen_contexts,
)
from goldviz.labs.char_language_model.networks import (
    MODELS,
    CharacterModel,
    CountedBigram,
    LayeredModel,
    Model,
    Pass,
    loss_with_gradients,
)
from goldviz.labs.char_language_model.sizes import characters_read, hidden_layers
from goldviz.labs.char_language_model.split import Split, Windows, split, windows
from goldviz.training.devices import device_name, training_on
from goldviz.training.grid import Grid, close_steps, hand_over, parameter_count, stacked, steps_from_state, table
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.seeds import BATCH_ORDER, DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.char_language_model.settings import CharLanguageModel
    from goldviz.runs.recorder import Recorder

    Record = Recorder[CharLanguageModel]

LOOKED_AT = 4096
"""Contexts, at most, of the training and of the dev text that a look's losses are of."""
COOLER = 0.1
NODES = 80
"""Of Gauss and Hermite's rule, by which the mean is taken."""


@dataclass(frozen=True)
class SeedText:
    """One seed's text: items, counted pairs to learn and to be asked, training contexts, and what is looked at.

    ``asked`` counts the pairs in ``dev``, so that simple guesses are asked what a network's dev loss is of. ``shares``
    are the weights of training contexts that stand once for all that are alike.
    """

    items: Split
    counts: np.ndarray
    asked: np.ndarray
    train: Windows
    shares: Tensor | None
    seen: Windows
    dev: Windows


@dataclass
class Reader:
    """One model of one seed, with everything of its own that changes in training."""

    network: Model
    weights: list[torch.nn.Parameter]
    optimiser: Optimizer | None
    order: torch.Generator
    text: SeedText
    looks: LayerSteps | None


def train(settings: CharLanguageModel, record: Record) -> None:
    """Train the model for every seed, and record every variable that the experiment declares and the model has."""
    read = corpus(settings.corpus)
    with training_on(settings.device) as device:
        grid = Grid.made([settings.model], settings.seeds, lambda _, seed: reader(settings, read, seed, device))
        [readers] = grid.learners
        announce(settings, record, read, readers, device)
        close = frozenset(close_steps(settings.steps, settings.close_looks))
        look_steps: list[int] = []
        release = partial(hand_over_looks, readers, look_steps, record)
        record.holds_back(release)
        for step in steps_from_state(record, settings.steps, grid.parts()):
            closely = step in close
            looks = settings.look_every > 0 and (step == 1 or step % settings.look_every == 0)
            counts = [count(one, step, settings.steps) for one in readers]
            if closely:
                with record.instrument():
                    length = characters_read(settings)
                    hand_over(of_first_seed(readers[0].network, length, settings.seeds[0], len(read.symbols)), record)
            measurements = [train_step(one, record.settings, record, step, looks, closely) for one in readers]
            rows = [first | second for first, second in zip(counts, measurements, strict=True)]
            if closely:
                with record.instrument():
                    release()
                    hand_over(with_means_over_seeds(table([rows])), record)
                continue
            look_steps += [step] * looks
            record("loss", [[one["loss"].item() for one in rows]])
            if any(one.looks is not None and one.looks.full for one in readers):
                with record.instrument():
                    release()
        test = [windows(one.text.items.test, read.symbols, characters_read(settings)).to(device) for one in readers]
        record.once("test_loss", [[mean_loss(one.network, own).item() for one, own in zip(readers, test, strict=True)]])
        if isinstance(readers[0].network, CharacterModel):
            record_unseen(settings, record, read, readers, device)


def record_unseen(
    settings: CharLanguageModel, record: Record, read: Corpus, readers: Sequence[Reader], device: torch.device
) -> None:
    """Losses on dev contexts that training text never has, of which counts of whole contexts know nothing."""
    losses = []
    for one in readers:
        dev = windows(one.text.items.dev, read.symbols, characters_read(settings))
        unseen = unseen_contexts(dev, one.text.train).to(device)
        losses.append(losses_unseen(one.network, unseen, one.text.counts, settings.smoothing))
    record.once("unseen_loss", [[one["unseen_loss"] for one in losses]])
    record.once("unseen_pairs_loss", [one["unseen_pairs_loss"] for one in losses])


def hand_over_looks(readers: Sequence[Reader], steps: list[int], record: Record) -> None:
    """What the looks at ``steps`` showed, which no longer wait then."""
    waiting = [one.looks.measured() for one in readers if one.looks is not None and one.looks.count]
    for name, values in stacked(waiting).items() if waiting else ():
        record.late(name, steps, values.movedim(0, 1)[:, None].cpu().numpy())
    steps.clear()


def reader(settings: CharLanguageModel, read: Corpus, seed: int, device: torch.device) -> Reader:
    """A model at its start, with its text, optimiser and random stream."""
    model = MODELS[settings.model](settings, len(read.symbols), seed).to(device)
    weights = [] if isinstance(model, CountedBigram) else list(model.matrices().values())
    optimiser = None
    if weights:
        # The penalty is a part of the gradient, see pull: no optimiser adds one of its own.
        optimiser = OPTIMISERS[settings.optimiser](model.parameters(), settings.learning_rate, weight_decay=0.0)
    text = text_of(settings, read, seed, device)
    return Reader(model, weights, optimiser, stream(seed, BATCH_ORDER), text, LayerSteps(weights) if weights else None)


def text_of(settings: CharLanguageModel, read: Corpus, seed: int, device: torch.device) -> SeedText:
    """A seed's text in windows, on the device. Counting reads its pairs in their order, which is random already."""
    items = split(read, settings.items, stream(seed, DATA))
    counts = table_of_counts(pairs(items.train, read.symbols), len(read.symbols))
    train, dev = (windows(part, read.symbols, characters_read(settings)) for part in (items.train, items.dev))
    train_look, dev, shares = train.first(LOOKED_AT), dev.first(LOOKED_AT), None
    dev_counts = table_of_counts(dev.pairs(), len(read.symbols))
    if settings.batch == 0 and settings.model != "bigram":
        train, shares = train.distinct()
        shares = shares.to(device)
    return SeedText(items, counts, dev_counts, train.to(device), shares, train_look.to(device), dev.to(device))


def announce(
    settings: CharLanguageModel, record: Record, read: Corpus, readers: Sequence[Reader], device: torch.device
) -> None:
    """Label the dimensions, name text and device, and record what does not change."""
    first, symbols = readers[0], list(read.symbols)
    layers = [] if isinstance(first.network, CountedBigram) else list(first.network.matrices())
    record.coordinates(
        network=[settings.model],
        seed=list(settings.seeds),
        layer=layers,
        hidden=list(range(1, hidden_layers(settings) + 1)),
        symbol=symbols,
        next_symbol=symbols,
        dimension=list(range(1, settings.embedding + 1)),
        sample=list(range(1, SAMPLES + 1)),
        place=list(range(1, LONGEST + 1)),
        value_bin=VALUE_BINS.centres,
        magnitude_bin=MAGNITUDE_BINS.centres,
    )
    items = first.text.items
    record.attribute(
        device=device_name(device),
        text_notes=" ".join(read.notes),
        training_items=len(items.train),
        dev_items=len(items.dev),
        test_items=len(items.test),
    )
    simple = [simple_losses(one.text.counts, one.text.asked, settings.smoothing) for one in readers]
    for name in simple[0]:
        record.once(name, [losses[name] for losses in simple])
    record.once("count", first.text.counts)
    record.once("parameter_count", [parameter_count(first.network)])
    if isinstance(first.network, LayeredModel):
        record.once("expected_std", [expected_std(settings, first.network)])
        running_values = [0 if layer.norm is None else layer.norm.norm.num_features for layer in first.network.each]
        record.once("running_values", [running_values])


def expected_std(settings: CharLanguageModel, network: LayeredModel) -> np.ndarray:
    """The spread that theory expects of each hidden layer at the start."""
    if settings.normalisation != "none":
        return spreads_of([(0.0, 1.0)] * hidden_layers(settings))
    square = settings.gain**2
    if settings.initialisation == "kaiming":
        return spreads_of([(square, 0.0)] * hidden_layers(settings))
    return spreads_of([(square * layer.weight.shape[0], square) for layer in network.each])


def spreads_of(variances: Sequence[tuple[float, float]]) -> Float[ndarray, " layer"]:
    """Standard deviations of the outputs of tanh layers whose sums have the variance a q + b, (a, b) of each layer, on
    inputs of mean square 1, q being the mean square of a layer's own inputs.

    Document 002, 1.3.1, says that 5/3 keeps the outputs' variance at 1. A tanh's output has a smaller variance than
    that always. A wide layer's sums are normal; with weights of spread g / sqrt(inputs) their variance is g² q, so q' =
    E tanh²(g sqrt(q) x), x standard normal. From 5/3 the standard deviation settles at 0.651.

    >>> [round(float(spreads_of([(gain**2, 0.0)] * 60)[-1]), 3) for gain in (5 / 3, 1.0)]
    [0.651, 0.092]
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    squares, square = [], 1.0
    for factor, offset in variances:
        square = float((weights * np.tanh(np.sqrt(factor * square + offset) * nodes) ** 2).sum())
        squares.append(square)
    return np.sqrt(squares)


def train_step(
    one: Reader, settings: CharLanguageModel, record: Record, step: int, looks: bool, closely: bool
) -> Measured:
    """One step along the gradient; ``looks`` and ``closely`` add what is seen of the model as the step finds it.

    Close looks need autograd's way, for the gradients of what the layers put out. A counted table is only looked at.
    """
    measurements: Measured = {}
    network, optimiser, layers = one.network, one.optimiser, None
    if closely:
        with record.instrument():
            measurements = look_closely(network, one.text.seen, one.text.dev)
            if not isinstance(network, CharacterModel):
                measurements["divergence"] = divergence_of(network, one.text.counts)
    if optimiser is None:
        return measurements
    clear_gradients(optimiser)
    if isinstance(network, LayeredModel) and network.plain and one.text.shares is None and not closely:
        loss = loss_with_gradients(network, *drawn(one, settings.batch))
    else:
        outcome, loss = passed(one, network, settings.batch)
        layers = LayerStep([[matrix] for matrix in one.weights], [[h] for h in outcome.hidden]) if closely else None
        loss.backward()
    kept_looks = one.looks if looks and not closely else None
    if settings.weight_decay:
        pull(one.weights, settings.weight_decay)
    measurements["loss"] = loss.detach()
    if layers is not None:
        with record.instrument():
            layers.after_backward()
            measurements |= gradients_of(layers)
    if kept_looks is not None:
        with record.instrument():
            kept_looks.after_backward()
    cools = step > settings.steps * (1 - settings.cool_down)
    set_learning_rate(optimiser, settings.learning_rate * (COOLER if cools else 1))
    take_step(optimiser)
    if layers is not None and looks:
        with record.instrument():
            measurements |= layers.after_step()
    if kept_looks is not None:
        with record.instrument():
            kept_looks.after_step()
    return measurements


@torch.no_grad()
def count(one: Reader, step: int, steps: int) -> Measured:
    """Let a counted table read the step's part of the text; its loss by what was counted before, with one fake count at
    least. A network counts nothing."""
    if not isinstance(one.network, CountedBigram):
        return {}
    text = one.text.train
    first, last = (len(text) * number // steps for number in (step - 1, step))
    # With more steps than pairs a step may read none: its loss is then that of the next.
    read = slice(first, max(last, first + 1))
    loss = cross_entropy(one.network(text.contexts[read], least=1.0).logits, text.targets[read])
    one.network.count(text.contexts[first:last], text.targets[first:last])
    return {"loss": loss}


def drawn(one: Reader, batch: int) -> tuple[Tensor, Tensor]:
    """Contexts and targets of a batch drawn at random."""
    text = one.text.train
    rows = torch.randint(len(text), (batch,), generator=one.order)
    return text.contexts[rows], text.targets[rows]


def passed(one: Reader, network: Model, batch: int) -> tuple[Pass, Tensor]:
    """What the network computes of a batch drawn at random, and its loss; of all of the text where it is 0."""
    text = one.text.train
    if one.text.shares is not None:
        outcome = network(text.contexts)
        return outcome, (cross_entropy(outcome.logits, text.targets, reduction="none") * one.text.shares).sum()
    contexts, targets = drawn(one, batch)
    outcome = network(contexts)
    return outcome, cross_entropy(outcome.logits, targets)


@torch.no_grad()
def pull(matrices: Sequence[Tensor], weight_decay: float) -> None:
    """Add the gradient of the penalty R = weight_decay ||W||² on every matrix (document 002, 1.3)."""
    for matrix in matrices:
        if matrix.grad is not None:
            matrix.grad.add_(matrix, alpha=2 * weight_decay)
