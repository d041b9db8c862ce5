"""What a run of *Neural programmer* does: document 004, section 3.4.

A seed's network learns from questions, tables and answers. Every look is of a network as its step finds it.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import nn

from goldviz.diagnostics.layers import LayerStep
from goldviz.labs.neural_programmer.execution import execute
from goldviz.labs.neural_programmer.instruments import Measured, Unseen, look, of_followed
from goldviz.labs.neural_programmer.language import AGGREGATES
from goldviz.labs.neural_programmer.learning import PRINT_WORD, add_noise, answer_loss
from goldviz.labs.neural_programmer.operations import COLUMNS, OPERATIONS
from goldviz.labs.neural_programmer.programmer import Programmer
from goldviz.labs.neural_programmer.questions import Questions, drawn, places
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, on_cpu, training_on
from goldviz.training.grid import Grid, Learner, hand_over, is_look, parameter_count, steps_from_state, table
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.schedules import warm_up_share
from goldviz.training.seeds import DATA, DROPOUT_AND_NOISE, TEST_DATA, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.neural_programmer.settings import NeuralProgrammer
    from goldviz.runs.recorder import Recorder

    Record = Recorder[NeuralProgrammer]

LAYERS = {"words": "words", "reader": "reader", "cell": "cell", "choice": "choice"}
"""What the plots of layers tell apart, and the part of a network that each is."""


class NoisyLearner(Learner[Programmer]):
    """A network with its optimiser, and the stream of its gradient's noise."""

    def __init__(self, network: Programmer, optimiser: torch.optim.Optimizer, noise: torch.Generator) -> None:
        super().__init__(network, optimiser)
        self.noise = noise


def train(settings: NeuralProgrammer, record: Record) -> None:
    """Train a programmer for every seed, and record every variable that the experiment declares."""
    streams = [stream(seed, DATA) for seed in settings.seeds]
    tests = [Unseen.drawn(settings, stream(seed, TEST_DATA)) for seed in settings.seeds]
    with training_on(settings.device) as device:

        def learner(_: str, seed: int) -> NoisyLearner:
            network = programmer(settings, seed).to(device)
            optimiser = OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate)
            return NoisyLearner(network, optimiser, stream(seed, DROPOUT_AND_NOISE, device))

        grid = Grid.made(["programmer"], settings.seeds, learner, data=streams)
        announce(settings, record, tests[0], grid, device)
        for step in steps_from_state(record, settings.steps, grid.parts()):
            now = record.settings
            rate = now.learning_rate * warm_up_share(step, settings.steps, settings.warm_up)
            record("learning_rate", rate)
            looks = is_look(step, settings.steps, settings.look_every)
            if looks:
                look_at_all(record, grid, tests)
            batches = [drawn(now, now.batch, generator).to(device) for generator in streams]
            step_of = partial(learn, now=now, rate=rate, step=step, record=record, looks=looks)
            hand_over(table(grid.each(step_of, batches)), record)


def programmer(settings: NeuralProgrammer, seed: int) -> Programmer:
    """A network at its start: tables from a standard normal, all else evenly within 1 / sqrt(inputs)."""
    network = Programmer(
        places(settings.columns, settings.conditions), settings.columns, settings.hidden, settings.iterations
    )
    for index, name in enumerate(LAYERS.values()):
        generator = stream(seed, WEIGHTS + index)
        for weight in getattr(network, name).parameters():
            if name == "words":
                nn.init.normal_(weight, generator=generator)
            else:
                bound = (weight.shape[-1] if weight.ndim > 1 else settings.hidden) ** -0.5
                nn.init.uniform_(weight, -bound, bound, generator=generator)
    return network


def announce(
    settings: NeuralProgrammer, record: Record, test: Unseen, grid: Grid[NoisyLearner], device: torch.device
) -> None:
    """Label the dimensions, and record what does not change."""
    record.coordinates(
        network=list(grid.networks),
        seed=list(settings.seeds),
        layer=list(LAYERS),
        sort=[f"{name}, {count}" for name in AGGREGATES for count in range(settings.conditions + 1)],
        question=[str(question) for question in test.followed],
        iteration=list(range(1, settings.iterations + 1)),
        operation=list(OPERATIONS),
        column=list(COLUMNS[: settings.columns]),
        stage=list(range(settings.iterations + 1)),
        row=list(range(1, settings.rows + 1)),
    )
    record.attribute(device=device_name(device))
    record.once("cell", test.of_followed.tables[0].tolist())
    record.once("right_answer", test.right_answers().tolist())
    record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])


def look_at_all(record: Record, grid: Grid[NoisyLearner], tests: list[Unseen]) -> None:
    """Record how unseen questions are answered, and the programs of the first seed for those that are followed."""
    with record.instrument():
        rows = grid.each(lambda one, own: look(on_cpu(one.network), own), tests)
        programs = of_followed(on_cpu(grid.first()[0].network), tests[0])
    hand_over(table(rows), record)
    hand_over(programs, record)


def learn(
    one: NoisyLearner,
    batch: Questions,
    *,
    now: NeuralProgrammer,
    rate: float,
    step: int,
    record: Record,
    looks: bool,
) -> Measured:
    """One step on a batch; ``looks`` adds what it shows of the layers."""
    program = one.network(batch.asked.words)
    answer = execute(batch.tables, batch.asked.pivots, program.operations, program.columns).answer
    loss = answer_loss(answer, batch.answer, batch.asked.words[:, 0] == PRINT_WORD)
    clear_gradients(one.optimiser)
    loss.backward()
    layers = LayerStep([[*matrices(getattr(one.network, name))] for name in LAYERS.values()]) if looks else None
    if layers is not None:
        with record.instrument():
            layers.after_backward()
    norm, _ = clip_gradients(one.network.parameters(), now.clip or math.inf)
    if now.noise:
        add_noise(one.network, now.noise, step, one.noise)
    set_learning_rate(one.optimiser, rate)
    take_step(one.optimiser)
    measurements: Measured = {}
    if layers is not None:
        with record.instrument():
            measurements |= layers.after_step()
    return measurements | {
        "loss": loss.detach(),
        "norm_before_clip": norm.float(),
        "norm_after_clip": norm.clamp(max=now.clip or math.inf).float(),
    }


def matrices(part: nn.Module) -> list[nn.Parameter]:
    """The matrices and tables of a part of a network."""
    return [weight for weight in part.parameters() if weight.ndim > 1]
