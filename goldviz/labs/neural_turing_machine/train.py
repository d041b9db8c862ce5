"""What a run of *Neural Turing machine* does: document 004, section 3.1, after Graves et al. 2014.

The networks of a seed learn from the same sequences in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

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
from goldviz.labs.neural_turing_machine.networks import HEADS, LAYERS, Network, layers_of, network_of
from goldviz.labs.neural_turing_machine.settings import lanes
from goldviz.labs.neural_turing_machine.tasks import EXTRA, TaskBatch, lengths_to_test, sequences, trained_batch
from goldviz.training.course import RATIOS, Course, learner
from goldviz.training.devices import on_cpu
from goldviz.training.grid import Grid, Learner, table
from goldviz.training.seeds import BATCH_ORDER, DATA, TEST_DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine
    from goldviz.runs.recorder import Recorder

LAST_TESTED = 256
"""Sequences of the test loss."""


def train(settings: NeuralTuringMachine, record: Recorder[NeuralTuringMachine]) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    unseen = [Evaluation.of(settings, stream(seed, TEST_DATA)) for seed in settings.seeds]
    probe, bits = unseen[0].probe, range(1, settings.bits + 1)
    blank = torch.full((probe.first_answer, settings.bits), math.nan)
    Course(
        networks=lanes(settings.networks),
        begin=lambda name, seed, device: learner(network_of(settings, name, seed).to(device), settings),
        batch=lambda now, order: trained_batch(now, now.batch, order),
        loss=loss_of,
        streams={"order": [stream(seed, DATA) for seed in settings.seeds]},
        look=partial(look, unseen=unseen),
        layers=lambda one: dict(zip(*layers_of(one.network), strict=True)),
        layer_names=LAYERS,
        of_layers={**RATIOS, "gradient_norm": "layer_gradient_norm"},
        norms=("gradient_norm", "clipped_gradient_norm", "clipped"),
        once={"told": probe.inputs[:, 0].numpy(), "wanted": torch.cat([blank, probe.targets[:, 0]]).numpy()},
        after=partial(tested, settings),
        coordinates={
            "length": lengths_to_test(settings),
            "head": list(HEADS),
            "time": list(range(1, len(probe.inputs) + 1)),
            "slot": list(range(1, settings.slots + 1)),
            "column": list(range(1, settings.width + 1)),
            "stage": list(STAGES),
            "control": list(CONTROLS),
            "bit": list(bits),
            "channel": [*(f"bit {bit}" for bit in bits), *EXTRA],
        },
        attributes={"first_answer": probe.first_answer + 1, "trained_length": settings.length},
    ).run(settings, record)


def loss_of(one: Learner[Network], batch: TaskBatch, _now: object = None) -> tuple[Tensor, Measured]:
    """Cross-entropy of a bit, and the share of right ones."""
    logits = answers(one.network, batch)
    loss = functional.binary_cross_entropy_with_logits(logits, batch.targets)
    return loss, {"accuracy": right(logits.detach(), batch)[0]}


@torch.no_grad()
def look(grid: Grid[Learner[Network]], unseen: list[Evaluation]) -> Iterator[Measured]:
    """What every network answers by length, and where the machine of the first seed writes and reads in the probe."""
    replies = grid.each(lambda one, own: reply(on_cpu(one.network), own), unseen)
    rows = [[by_length(output, own) for output, own in zip(row, unseen, strict=True)] for row in replies]
    yield table(rows) | {"answer": torch.stack([answer_to_probe(row[0], unseen[0]) for row in replies], 1)}
    for row in replies:
        if row[0].visits:
            spread = [cells_used(output, own) for output, own in zip(row, unseen, strict=True)]
            yield {"cells_used": torch.stack(spread), **of_probe(row[0], unseen[0])}


@torch.no_grad()
def tested(
    settings: NeuralTuringMachine, grid: Grid[Learner[Network]], device: torch.device
) -> dict[str, list[list[float]] | list[float]]:
    """Cross-entropy of a bit in sequences of the longest trained length, and what a coin says."""
    tests = [
        sequences(settings, settings.length, settings.repeats, LAST_TESTED, stream(seed, BATCH_ORDER)).to(device)
        for seed in settings.seeds
    ]
    losses = grid.each(lambda one, own: loss_of(one, own)[0].item(), tests)
    return {"test_loss": losses, "coin_loss": [math.log(2)] * len(settings.seeds)}
