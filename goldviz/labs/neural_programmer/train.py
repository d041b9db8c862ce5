"""What a run of *Neural programmer* does: document 004, section 3.4.

A seed's network learns from questions, tables and answers. Every look is of a network as its step finds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from goldviz.labs.neural_programmer.execution import execute
from goldviz.labs.neural_programmer.instruments import Measured, Unseen, look, of_followed
from goldviz.labs.neural_programmer.language import AGGREGATES, COLUMNS, OPERATIONS
from goldviz.labs.neural_programmer.programmer import PRINT_WORD, Programmer, add_noise, answer_loss
from goldviz.labs.neural_programmer.questions import Questions, drawn, places
from goldviz.training.course import Course, learner
from goldviz.training.devices import on_cpu
from goldviz.training.grid import Grid, Learner, table
from goldviz.training.seeds import DATA, DROPOUT_AND_NOISE, TEST_DATA, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.neural_programmer.settings import NeuralProgrammer
    from goldviz.runs.recorder import Recorder

LAYERS = {"words": "words", "reader": "reader", "cell": "cell", "choice": "choice"}
"""What the plots of layers tell apart, and the part of a network that each is."""


class NoisyLearner(Learner[Programmer]):
    """A network with its optimiser, and the stream of its gradient's noise."""

    def __init__(self, network: Programmer, optimiser: torch.optim.Optimizer, noise: torch.Generator) -> None:
        super().__init__(network, optimiser)
        self.noise = noise


def train(settings: NeuralProgrammer, record: Recorder[NeuralProgrammer]) -> None:
    """Train a programmer for every seed, and record every variable that the experiment declares."""
    tests = [Unseen.drawn(settings, stream(seed, TEST_DATA)) for seed in settings.seeds]
    Course(
        networks=["programmer"],
        begin=lambda _, seed, device: noisy(settings, seed, device),
        batch=lambda now, order: drawn(now, now.batch, order),
        loss=loss_of,
        streams={"data": [stream(seed, DATA) for seed in settings.seeds]},
        look=partial(look_at_all, tests=tests),
        layers=lambda one: {name: [*matrices(getattr(one.network, part))] for name, part in LAYERS.items()},
        layer_names=list(LAYERS),
        before_step=make_noise,
        once={"cell": tests[0].of_followed.tables[0].tolist(), "right_answer": tests[0].right_answers().tolist()},
        coordinates={
            "sort": [f"{name}, {count}" for name in AGGREGATES for count in range(settings.conditions + 1)],
            "question": [str(question) for question in tests[0].followed],
            "iteration": list(range(1, settings.iterations + 1)),
            "operation": list(OPERATIONS),
            "column": list(COLUMNS[: settings.columns]),
            "stage": list(range(settings.iterations + 1)),
            "row": list(range(1, settings.rows + 1)),
        },
    ).run(settings, record)


def noisy(settings: NeuralProgrammer, seed: int, device: torch.device) -> NoisyLearner:
    """A network at its start, with its optimiser and its noise."""
    one = learner(programmer(settings, seed).to(device), settings)
    return NoisyLearner(one.network, one.optimiser, stream(seed, DROPOUT_AND_NOISE, device))


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


def loss_of(one: NoisyLearner, batch: Questions, _now: NeuralProgrammer) -> tuple[Tensor, Measured]:
    """The loss of the answers that the softly chosen program gives."""
    program = one.network(batch.asked.words)
    answer = execute(batch.tables, batch.asked.pivots, program.operations, program.columns).answer
    return answer_loss(answer, batch.answer, batch.asked.words[:, 0] == PRINT_WORD), {}


def make_noise(one: NoisyLearner, now: NeuralProgrammer, step: int) -> None:
    """Noise on the gradient, which fades over the steps."""
    if now.noise:
        add_noise(one.network, now.noise, step, one.noise)


def look_at_all(grid: Grid[NoisyLearner], *, tests: list[Unseen]) -> Iterator[Measured]:
    """How unseen questions are answered, and the programs of the first seed for those that are followed."""
    yield table(grid.each(lambda one, own: look(on_cpu(one.network), own), tests))
    yield of_followed(on_cpu(grid.first()[0].network), tests[0])


def matrices(part: nn.Module) -> list[nn.Parameter]:
    """The matrices and tables of a part of a network."""
    return [weight for weight in part.parameters() if weight.ndim > 1]
