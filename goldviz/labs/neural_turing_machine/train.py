"""What a run of *Neural Turing machine* does: document 004, section 3.1, after Graves et al. 2014.

The networks of a seed learn from the same sequences in the same order.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from goldviz.diagnostics.layers import LayerStep, among
from goldviz.labs.neural_turing_machine.instruments import (
    CONTROLS,
    STAGES,
    Evaluation,
    Measured,
    answer_to_probe,
    answers,
    by_length,
    cells_used,
    of_probe,
    reply,
    right,
)
from goldviz.labs.neural_turing_machine.machine import HEADS
from goldviz.labs.neural_turing_machine.networks import LAYERS, Network, lanes, layers_of, network_of
from goldviz.labs.neural_turing_machine.tasks import EXTRA, TaskBatch, lengths_to_test, sequences, trained_batch
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, on_cpu, training_on
from goldviz.training.grid import Grid, Learner, hand_over, is_look, parameter_count, steps_from_state, table
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.seeds import BATCH_ORDER, DATA, TEST_DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine
    from goldviz.runs.recorder import Recorder

    Record = Recorder[NeuralTuringMachine]

LAST_TESTED = 256
"""Sequences of the test loss."""


def train(settings: NeuralTuringMachine, record: Record) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    evaluations = [Evaluation.of(settings, stream(seed, TEST_DATA)) for seed in settings.seeds]
    orders = [stream(seed, DATA) for seed in settings.seeds]
    with training_on(settings.device) as device:

        def learner(lane: str, seed: int) -> Learner[Network]:
            network = network_of(settings, lane, seed).to(device)
            return Learner(network, OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate))

        grid = Grid.made(lanes(settings.networks), settings.seeds, learner, order=orders)
        announce(settings, record, evaluations[0], device)
        record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])
        for step in steps_from_state(record, settings.steps, grid.parts()):
            closely = is_look(step, settings.steps, settings.look_every)
            if closely:
                with record.instrument():
                    looks = look(grid, evaluations)
                hand_over(looks, record)
            batches = [on(trained_batch(settings, settings.batch, order), device) for order in orders]
            rows = grid.each(partial(learn, now=record.settings, record=record, closely=closely), batches)
            hand_over(table(rows), record)

        tests = [
            on(sequences(settings, settings.length, settings.repeats, LAST_TESTED, stream(seed, BATCH_ORDER)), device)
            for seed in settings.seeds
        ]
        record.once("test_loss", grid.each(test_loss, tests))
        record.once("coin_loss", [math.log(2)] * len(settings.seeds))


def on(batch: TaskBatch, device: torch.device) -> TaskBatch:
    """The batch on a device."""
    return TaskBatch(batch.inputs.to(device), batch.targets.to(device))


def announce(settings: NeuralTuringMachine, record: Record, evaluation: Evaluation, device: torch.device) -> None:
    """Label the dimensions, and record the probe."""
    probe = evaluation.probe
    steps = len(probe.inputs)
    record.coordinates(
        network=list(lanes(settings.networks)),
        seed=list(settings.seeds),
        length=lengths_to_test(settings),
        head=list(HEADS),
        layer=list(LAYERS),
        time=list(range(1, steps + 1)),
        slot=list(range(1, settings.slots + 1)),
        column=list(range(1, settings.width + 1)),
        stage=list(STAGES),
        control=list(CONTROLS),
        bit=list(range(1, settings.bits + 1)),
        channel=[*(f"bit {bit}" for bit in range(1, settings.bits + 1)), *EXTRA],
    )
    record.attribute(device=device_name(device), first_answer=probe.first_answer + 1, trained_length=settings.length)
    record.once("told", probe.inputs[:, 0].numpy())
    blank = torch.full((probe.first_answer, settings.bits), math.nan)
    record.once("wanted", torch.cat([blank, probe.targets[:, 0]]).numpy())


@torch.no_grad()
def look(grid: Grid[Learner[Network]], evaluations: list[Evaluation]) -> Measured:
    """What every network answers by length, and where the machine of the first seed writes and reads in the probe."""
    replies = grid.each(lambda one, own: reply(on_cpu(one.network), own), evaluations)
    rows = [[by_length(output, own) for output, own in zip(row, evaluations, strict=True)] for row in replies]
    measurements: Measured = table(rows)
    measurements["answer"] = torch.stack([answer_to_probe(row[0], evaluations[0]) for row in replies], 1)
    for row in replies:
        if row[0].visits:
            measurements["cells_used"] = torch.stack(
                [cells_used(output, own) for output, own in zip(row, evaluations, strict=True)]
            )
            measurements |= of_probe(row[0], evaluations[0])
    return measurements


def learn(
    one: Learner[Network], batch: TaskBatch, *, now: NeuralTuringMachine, record: Record, closely: bool
) -> Measured:
    """One step; ``closely`` adds what it shows of the layers."""
    logits = answers(one.network, batch)
    loss = functional.binary_cross_entropy_with_logits(logits, batch.targets)
    clear_gradients(one.optimiser)
    loss.backward()
    names, matrices = layers_of(one.network)
    layers = LayerStep(matrices) if closely else None
    if layers is not None:
        with record.instrument():
            layers.after_backward()
    norm, clipped = clip_gradients(one.network.parameters(), now.clip or math.inf)
    set_learning_rate(one.optimiser, now.learning_rate)
    take_step(one.optimiser)
    measurements: Measured = {}
    with record.instrument():
        if layers is not None:
            measurements = among(layers.after_step(), names, LAYERS)
            measurements["layer_gradient_norm"] = measurements.pop("gradient_norm")
        bits, _ = right(logits.detach(), batch)
    return measurements | {
        "loss": loss.detach(),
        "accuracy": bits,
        "gradient_norm": norm.float(),
        "clipped_gradient_norm": norm.clamp(max=now.clip or math.inf).float(),
        "clipped": clipped.float(),
    }


@torch.no_grad()
def test_loss(one: Learner[Network], batch: TaskBatch) -> float:
    """Cross-entropy of a bit after training, in sequences of the longest trained length."""
    return functional.binary_cross_entropy_with_logits(answers(one.network, batch), batch.targets).item()
