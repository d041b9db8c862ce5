"""What a run of *Attention between networks* does: document 004, section 3.2.

The networks of a seed learn from the same pairs in the same order. Every look is of a network as its step finds it.
"""

from __future__ import annotations

import json
import math
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Generator

from goldviz.arrays.word_labels import numbered
from goldviz.data.pairs.pairs import Pairs, PairTask
from goldviz.diagnostics.layers import LayerStep, among
from goldviz.labs.attention_interface.extent import trained_networks
from goldviz.labs.attention_interface.instruments import (
    FARTHEST,
    Measured,
    UnseenPairs,
    answers,
    loss_on,
    of_probe,
    on_device,
    peak_offsets,
)
from goldviz.labs.attention_interface.networks import LAYERS, task_in, translator, weights_of
from goldviz.labs.attention_interface.translator import Translator
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, on_cpu, training_on
from goldviz.training.grid import (
    Grid,
    Learner,
    close_steps,
    hand_over,
    is_look,
    parameter_count,
    stacked,
    steps_from_state,
    table,
)
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.schedules import warm_up_share
from goldviz.training.seeds import DATA, TEST_DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.attention_interface.settings import AttentionInterface
    from goldviz.runs.recorder import Recorder

    Record = Recorder[AttentionInterface]

TranslatorLearner = Learner[Translator]
END = "end"


def train(settings: AttentionInterface, record: Record) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    task = task_in(settings)
    streams = [stream(seed, DATA) for seed in settings.seeds]
    tests = [UnseenPairs.drawn(task, stream(seed, TEST_DATA), torch.device("cpu")) for seed in settings.seeds]
    with training_on(settings.device) as device:

        def learner(lane: str, seed: int) -> TranslatorLearner:
            network = translator(settings, lane, seed).to(device)
            return Learner(network, OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate))

        grid = Grid.made(trained_networks(settings), settings.seeds, learner, data=streams)
        announce(settings, record, task, tests[0], grid, device)
        close = frozenset(close_steps(settings.steps, settings.close_looks))
        for step in steps_from_state(record, settings.steps, grid.parts()):
            now = record.settings
            rate = now.learning_rate * warm_up_share(step, settings.steps, settings.warm_up)
            record("learning_rate", rate)
            looks = is_look(step, settings.steps, settings.look_every)
            if looks:
                look(record, grid, tests[0])
            if step in close:
                look_closely(record, grid, tests)
            batches = [drawn(task, now.batch, generator, device) for generator in streams]
            rows = grid.each(partial(learn, now=now, rate=rate, record=record, looks=looks), batches)
            hand_over(table(rows), record)


def drawn(task: PairTask, count: int, generator: Generator, device: torch.device) -> Pairs:
    """A batch of pairs of one length, which is drawn, too."""
    length = task.lengths[int(torch.randint(len(task.lengths), (), generator=generator))]
    return on_device(task.draw(count, length, generator), device)


def announce(
    settings: AttentionInterface,
    record: Record,
    task: PairTask,
    tests: UnseenPairs,
    grid: Grid[TranslatorLearner],
    device: torch.device,
) -> None:
    """Label the dimensions, and record what does not change."""
    probe = tests.probe
    read = [task.source_words[word] for word in probe.source[0].tolist()]
    target_words = [*(task.target_words[word] for word in probe.target[0].tolist()), END]
    record.coordinates(
        network=list(grid.networks),
        seed=list(settings.seeds),
        layer=list(LAYERS),
        read=numbered(read),
        written=numbered(target_words),
        unit=list(range(1, settings.width + 1)),
        length=list(tests.pairs),
        offset=list(range(-FARTHEST, FARTHEST + 1)),
    )
    record.attribute(
        device=device_name(device),
        longest_trained=max(task.lengths),
        longest_asked=max(tests.pairs),
        words=json.dumps(task.target_words),
    )
    record.once("aligned", [*probe.aligned[0].tolist(), -1])
    record.once("uniform_loss", math.log(len(task.target_words) + 1))
    record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])


def look(record: Record, grid: Grid[TranslatorLearner], tests: UnseenPairs) -> None:
    """Record what the first seed's networks make of the probe."""
    with record.instrument():
        probes = [of_probe(on_cpu(one.network), tests.probe) for one in grid.first()]
        probe_answers = stacked([{"answer": one.pop("answer")} for one in probes])
    hand_over(probe_answers, record)
    for measurements in probes:
        hand_over(measurements, record)


def look_closely(record: Record, grid: Grid[TranslatorLearner], tests: list[UnseenPairs]) -> None:
    """Record how unseen sequences are answered, and where attention's peaks stand."""
    with record.instrument():
        networks = grid.each(lambda one: on_cpu(one.network))
        rows = [[answers(network, own) for network, own in zip(row, tests, strict=True)] for row in networks]
        attending = [row for row in networks if row[0].score is not None]
        offsets = [
            torch.stack([peak_offsets(network, own) for network, own in zip(row, tests, strict=True)])
            for row in attending
        ]
    hand_over(table(rows), record)
    for one in offsets:
        hand_over({"peak_offset": one}, record)


def learn(
    one: TranslatorLearner, batch: Pairs, *, now: AttentionInterface, rate: float, record: Record, looks: bool
) -> Measured:
    """One step; ``looks`` adds what it shows of the layers."""
    loss = loss_on(one.network, batch)
    clear_gradients(one.optimiser)
    loss.backward()
    weights = weights_of(one.network)
    layers = LayerStep([*weights.values()]) if looks else None
    if layers is not None:
        with record.instrument():
            layers.after_backward()
    norm, _ = clip_gradients(one.network.parameters(), now.clip or math.inf)
    set_learning_rate(one.optimiser, rate)
    take_step(one.optimiser)
    measurements: Measured = {}
    if layers is not None:
        with record.instrument():
            measurements |= among(layers.after_step(), list(weights), list(LAYERS))
    return measurements | {
        "loss": loss.detach(),
        "norm_before_clip": norm.float(),
        "norm_after_clip": norm.clamp(max=now.clip or math.inf).float(),
    }
