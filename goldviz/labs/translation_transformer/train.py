"""What a run of *Translation with a Transformer* does: document 004, section 4.

The networks of a seed learn from the same pairs in the same order, whatever their norm and their learning rate.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from goldviz.arrays.word_labels import numbered
from goldviz.data.pairs.pairs import Pairs
from goldviz.labs.translation_transformer.instruments import (
    STAGES,
    Measured,
    beam_likelier,
    checked,
    looked_at_closely,
    loss_on,
    of_probe,
    self_share,
)
from goldviz.labs.translation_transformer.networks import Unseen, task_in, transformer, unseen
from goldviz.labs.translation_transformer.settings import trained_norms, trained_rates
from goldviz.labs.translation_transformer.transformer import Transformer
from goldviz.training.course import Course, learner
from goldviz.training.devices import on_cpu
from goldviz.training.grid import Grid, Learner, table
from goldviz.training.seeds import DATA, TEST_DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.translation_transformer.settings import TranslationTransformer
    from goldviz.runs.recorder import Recorder

TransformerGrid = Grid[Learner[Transformer]]
END, START = "end", "start"


def train(settings: TranslationTransformer, record: Recorder[TranslationTransformer]) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    task, rates = task_in(settings), trained_rates(settings.rates)
    tests = [unseen(task, stream(seed, TEST_DATA)) for seed in settings.seeds]
    probe = tests[0].probe
    read = [task.source_words[word] for word in probe.source[0].tolist()]
    target_words = [task.target_words[word] for word in probe.target[0].tolist()]
    Course(
        networks=trained_norms(settings.norm),
        begin=lambda norm, seed, device: learner(transformer(settings, norm, seed).to(device), settings),
        batch=lambda now, order: task.batch(now.batch, order),
        loss=loss_of,
        streams={"data": [stream(seed, DATA) for seed in settings.seeds]},
        look=partial(look, tests=tests),
        look_closely=partial(look_closely, tests=tests),
        rates=rates,
        once={
            "aligned": [*probe.aligned[0].tolist(), -1],
            "uniform_loss": math.log(len(task.target_words) + 1),
        },
        after=lambda grid, device: {
            "beam_likelier": grid.each(lambda one, own: beam_likelier(on_cpu(one.network), own.check), tests)
        },
        coordinates={
            "rate": [settings.learning_rate * rate for rate in rates],
            "block_number": list(range(1, settings.layers + 1)),
            "head": list(range(1, settings.heads + 1)),
            "stage": list(STAGES),
            "read": numbered(read),
            "query": numbered(read),
            "key": numbered(read),
            "written": numbered([*target_words, END]),
            "told": numbered([START, *target_words]),
            "length": list(tests[0].pairs),
        },
        attributes={"longest_trained": max(task.lengths), "words": json.dumps(task.target_words)},
    ).run(settings, record)


def loss_of(one: Learner[Transformer], batch: Pairs, now: TranslationTransformer) -> tuple[Tensor, Measured]:
    """The loss on pairs, with smoothed labels."""
    return loss_on(one.network, batch, now.label_smoothing), {}


def look(*grids: TransformerGrid, tests: list[Unseen]) -> Iterator[Measured]:
    """Right answers of every network, at each rate, and what the first one makes of the probe."""
    tables = [table(grid.each(lambda one, own: checked(on_cpu(one.network), own.check), tests)) for grid in grids]
    if len(grids) > 1:
        yield {"rate_accuracy": torch.stack([own["sequence_accuracy"] for own in tables])}
    yield tables[0] | of_probe(on_cpu(grids[0].first()[0].network), tests[0].probe)


def look_closely(grid: TransformerGrid, *_others: TransformerGrid, tests: list[Unseen]) -> Iterator[Measured]:
    """Free writing, longer sequences, and what the batch does to one of its pairs."""
    rows = grid.each(lambda one, own: looked_at_closely(on_cpu(one.network), own), tests)
    shares = [self_share(on_cpu(one.network), own.check) for one, own in zip(grid.learners[0], tests, strict=True)]
    yield {**table(rows), "self_share": torch.stack(shares)}
