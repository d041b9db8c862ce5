"""What a run of *Attention between networks* does: document 004, section 3.2.

The networks of a seed learn from the same pairs in the same order. Every look is of a network as its step finds it.
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
from goldviz.labs.attention_interface.instruments import (
    FARTHEST,
    Measured,
    UnseenPairs,
    answers,
    loss_on,
    of_probe,
    peak_offsets,
)
from goldviz.labs.attention_interface.networks import LAYERS, Translator, task_in, translator, weights_of
from goldviz.labs.attention_interface.settings import trained_networks
from goldviz.training.course import Course, learner
from goldviz.training.devices import on_cpu
from goldviz.training.grid import Grid, Learner, stacked, table
from goldviz.training.seeds import DATA, TEST_DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.attention_interface.settings import AttentionInterface
    from goldviz.runs.recorder import Recorder

TranslatorLearner = Learner[Translator]
END = "end"


def train(settings: AttentionInterface, record: Recorder[AttentionInterface]) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    task = task_in(settings)
    tests = [UnseenPairs.drawn(task, stream(seed, TEST_DATA)) for seed in settings.seeds]
    probe = tests[0].probe
    read = [task.source_words[word] for word in probe.source[0].tolist()]
    target_words = [*(task.target_words[word] for word in probe.target[0].tolist()), END]
    Course(
        networks=trained_networks(settings.networks),
        begin=lambda name, seed, device: learner(translator(settings, name, seed).to(device), settings),
        batch=lambda now, order: task.batch(now.batch, order),
        loss=lambda one, pairs, now: (loss_on(one.network, pairs), {}),
        streams={"data": [stream(seed, DATA) for seed in settings.seeds]},
        look=partial(look, tests=tests[0]),
        look_closely=partial(look_closely, tests=tests),
        layers=lambda one: weights_of(one.network),
        layer_names=list(LAYERS),
        once={
            "aligned": [*probe.aligned[0].tolist(), -1],
            "uniform_loss": math.log(len(task.target_words) + 1),
        },
        coordinates={
            "read": numbered(read),
            "written": numbered(target_words),
            "unit": list(range(1, settings.width + 1)),
            "length": list(tests[0].pairs),
            "offset": list(range(-FARTHEST, FARTHEST + 1)),
        },
        attributes={
            "longest_trained": max(task.lengths),
            "longest_asked": max(tests[0].pairs),
            "words": json.dumps(task.target_words),
        },
    ).run(settings, record)


def look(grid: Grid[TranslatorLearner], *, tests: UnseenPairs) -> Iterator[Measured]:
    """What the first seed's networks make of the probe."""
    probes = [of_probe(on_cpu(one.network), tests.probe) for one in grid.first()]
    yield stacked([{"answer": one.pop("answer")} for one in probes])
    yield from probes


def look_closely(grid: Grid[TranslatorLearner], *, tests: list[UnseenPairs]) -> Iterator[dict[str, Tensor]]:
    """How unseen sequences are answered, and where attention's peaks stand."""
    networks = grid.each(lambda one: on_cpu(one.network))
    yield table([[answers(network, own) for network, own in zip(row, tests, strict=True)] for row in networks])
    for row in networks:
        if row[0].score is not None:
            offsets = [peak_offsets(network, own) for network, own in zip(row, tests, strict=True)]
            yield {"peak_offset": torch.stack(offsets)}
