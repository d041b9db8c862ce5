"""What a run of *Adaptive computation time* does: document 004, 3.3, in Graves' form.

The networks of a seed start alike and see the same inputs in the same order; they differ in what a step costs them.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import nn

from goldviz.diagnostics.histograms import MAGNITUDE_BINS
from goldviz.diagnostics.layers import with_means_over_seeds
from goldviz.labs.adaptive_computation.instruments import LAYERS, Answered, Measured, layers_of, look, thoughts
from goldviz.labs.adaptive_computation.pondering import Ponderer
from goldviz.labs.adaptive_computation.prices import price, trained_networks
from goldviz.labs.adaptive_computation.puzzles import TESTS, difficulties, followed, in_words, puzzles
from goldviz.labs.adaptive_computation.tasks import Puzzles
from goldviz.models.recurrent.cells import recurrent_layer, usual_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, on_cpu, training_on
from goldviz.training.grid import Grid, Learner, hand_over, is_look, parameter_count, stacked, steps_from_state, table
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.seeds import DATA, READ_OUT_WEIGHTS, TEST_DATA, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.adaptive_computation.settings import AdaptiveComputation
    from goldviz.runs.recorder import Recorder

    Record = Recorder[AdaptiveComputation]

OF_LAYERS = ("gradient_norm", "gradient_to_data", "update_to_data", "weight_gradient_histogram")


def train(settings: AdaptiveComputation, record: Record) -> None:
    """Train a network for each price and seed, and record every variable that the experiment declares."""
    tests = [puzzles(settings, TESTS, stream(seed, TEST_DATA)) for seed in settings.seeds]
    streams = [stream(seed, DATA) for seed in settings.seeds]
    networks = trained_networks(settings.networks)
    with training_on(settings.device) as device:

        def learner(name: str, seed: int) -> PricedLearner:
            network = ponderer(settings, tests[0], seed).to(device)
            optimiser = OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate)
            return PricedLearner(network, optimiser, name)

        grid = Grid.made(networks, settings.seeds, learner, inputs=streams)
        announce(settings, record, tests[0], grid, device)
        for step in steps_from_state(record, settings.steps, grid.parts()):
            now = record.settings
            closely = is_look(step, settings.steps, settings.look_every)
            if closely:
                look_at_all(now, record, grid, tests)
            batches = [puzzles(now, now.batch, generator).on(device) for generator in streams]
            rows = grid.each(partial(learn, now=now, record=record, closely=closely), batches)
            hand_over(with_means_over_seeds(table(rows)), record)


class PricedLearner(Learner[Ponderer]):
    """A network with its optimiser, and the name of what it pays."""

    def __init__(self, network: Ponderer, optimiser: torch.optim.Optimizer, name: str) -> None:
        super().__init__(network, optimiser)
        self.name = name


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


def announce(
    settings: AdaptiveComputation, record: Record, test: Puzzles, grid: Grid[PricedLearner], device: torch.device
) -> None:
    """Label the dimensions, name the device, and count the parameters."""
    record.coordinates(
        network=list(grid.networks),
        seed=list(settings.seeds),
        difficulty=difficulties(settings),
        ponder_step=list(range(1, settings.most + 1)),
        puzzle=[in_words(test, place, settings.task) for place in followed(test, settings)],
        layer=list(LAYERS),
        magnitude_bin=MAGNITUDE_BINS.centres,
    )
    record.attribute(device=device_name(device))
    record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])


def look_at_all(settings: AdaptiveComputation, record: Record, grid: Grid[PricedLearner], tests: list[Puzzles]) -> None:
    """Record what every network makes of unseen inputs, and the thoughts of the first seed's."""
    with record.instrument():
        rows = grid.each(
            lambda one, own: look(on_cpu(one.network), own, settings, price(settings.tau, one.name)), tests
        )
        followed_thoughts = [thoughts(on_cpu(one.network), tests[0], settings) for one in grid.first()]
    hand_over(table(rows), record)
    hand_over(stacked(followed_thoughts), record)


def learn(one: PricedLearner, batch: Puzzles, *, now: AdaptiveComputation, record: Record, closely: bool) -> Measured:
    """One step on a batch; ``closely`` adds what it shows of the layers."""
    answers = Answered.by(one.network, batch, now)
    loss, cost = answers.loss(), answers.pondering.budget.ponder_cost().mean()
    clear_gradients(one.optimiser)
    (loss + price(now.tau, one.name) * cost).backward()
    if closely:
        with record.instrument():
            layers = layers_of(one.network)
            layers.after_backward()
    norm, _ = clip_gradients(one.network.parameters(), now.clip or math.inf)
    set_learning_rate(one.optimiser, now.learning_rate)
    take_step(one.optimiser)
    measurements: Measured = {}
    if closely:
        with record.instrument():
            by_layer = layers.after_step() | layers.distributions()
        measurements = {name: by_layer[name] for name in OF_LAYERS}
    return measurements | {
        "loss": loss.detach(),
        "ponder_cost": cost.detach(),
        "norm_before_clip": norm.float(),
        "norm_after_clip": norm.clamp(max=now.clip or math.inf).float(),
    }
