"""What a run of *Adaptive computation time* does: document 004, 3.3, in Graves' form.

The networks of a seed start alike and see the same inputs in the same order; they differ in what a step costs them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from torch import Tensor, nn

from goldviz.diagnostics.histograms import MAGNITUDE_BINS
from goldviz.labs.adaptive_computation.instruments import LAYERS, Answered, Measured, layers_of, look, thoughts
from goldviz.labs.adaptive_computation.pondering import Ponderer
from goldviz.labs.adaptive_computation.settings import price, trained_networks
from goldviz.labs.adaptive_computation.tasks import TESTS, Puzzles, difficulties, followed, in_words, puzzles
from goldviz.models.recurrent.cells import recurrent_layer, usual_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.training.course import RATIOS, Course, learner
from goldviz.training.devices import on_cpu
from goldviz.training.grid import Grid, Learner, stacked, table
from goldviz.training.seeds import DATA, READ_OUT_WEIGHTS, TEST_DATA, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.adaptive_computation.settings import AdaptiveComputation
    from goldviz.runs.recorder import Recorder


def train(settings: AdaptiveComputation, record: Recorder[AdaptiveComputation]) -> None:
    """Train a network for each price and seed, and record every variable that the experiment declares."""
    tests = [puzzles(settings, TESTS, stream(seed, TEST_DATA)) for seed in settings.seeds]
    Course(
        networks=trained_networks(settings.networks),
        begin=lambda name, seed, device: priced(ponderer(settings, tests[0], seed).to(device), settings, name),
        batch=lambda now, order: puzzles(now, now.batch, order),
        loss=loss_of,
        streams={"inputs": [stream(seed, DATA) for seed in settings.seeds]},
        look=partial(look_at_all, record=record, tests=tests),
        layers=lambda one: layers_of(one.network),
        of_layers={name: name for name in (*RATIOS, "weight_gradient_histogram")},
        layer_names=LAYERS,
        coordinates={
            "difficulty": difficulties(settings),
            "ponder_step": list(range(1, settings.most + 1)),
            "puzzle": [in_words(tests[0], place, settings.task) for place in followed(tests[0], settings)],
            "magnitude_bin": MAGNITUDE_BINS.centres,
        },
    ).run(settings, record)


@dataclass
class PricedLearner(Learner[Ponderer]):
    """A network with its optimiser, and the name of what it pays."""

    name: str


def ponderer(settings: AdaptiveComputation, like: Puzzles, seed: int) -> Ponderer:
    """A network at its start, for inputs of this shape and the flag beside them."""
    cell = recurrent_layer(usual_layer(settings.cell), like.inputs.shape[2] + 1, settings.hidden)
    initialise(cell, lambda index: stream(seed, WEIGHTS + index), RecurrentInitialisation(biases={"forget": 1.0}))
    network = Ponderer(cell, like.targets.shape[1])
    generator = stream(seed, READ_OUT_WEIGHTS)
    for layer, bias in ((network.halting, settings.halting_bias), (network.read_out, 0.0)):
        nn.init.normal_(layer.weight, 0, 1 / math.sqrt(settings.hidden), generator=generator)
        nn.init.constant_(layer.bias, bias)
    return network


def priced(network: Ponderer, settings: AdaptiveComputation, name: str) -> PricedLearner:
    """The network at its start, with its optimiser."""
    return PricedLearner(**vars(learner(network, settings)), name=name)


def loss_of(one: PricedLearner, batch: Puzzles, now: AdaptiveComputation) -> tuple[Tensor, Measured]:
    """The answers' loss and what the steps cost; the former is told."""
    answers = Answered.by(one.network, batch, now)
    loss, cost = answers.loss(), answers.pondering.budget.ponder_cost().mean()
    return loss + price(now.tau, one.name) * cost, {"loss": loss.detach(), "ponder_cost": cost.detach()}


def look_at_all(
    grid: Grid[PricedLearner], *, record: Recorder[AdaptiveComputation], tests: list[Puzzles]
) -> Iterator[Measured]:
    """What every network makes of unseen inputs, and the thoughts of the first seed's."""
    now = record.settings
    yield table(grid.each(lambda one, own: look(on_cpu(one.network), own, now, price(now.tau, one.name)), tests))
    yield stacked([thoughts(on_cpu(one.network), tests[0], now) for one in grid.first()])
