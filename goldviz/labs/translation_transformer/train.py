"""What a run of *Translation with a Transformer* does: document 004, section 4.

The networks of a seed learn from the same pairs in the same order, whatever their norm and their learning rate.
"""

from __future__ import annotations

import json
import math
from functools import partial
from typing import TYPE_CHECKING

import torch

from goldviz.arrays.word_labels import numbered
from goldviz.data.pairs.pairs import Pairs, PairTask
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
from goldviz.labs.translation_transformer.networks import Unseen, drawn, task_in, transformer, unseen
from goldviz.labs.translation_transformer.norms import trained_norms, trained_rates
from goldviz.labs.translation_transformer.own_pairs import OwnPairs
from goldviz.labs.translation_transformer.transformer import Transformer
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, on_cpu, training_on
from goldviz.training.grid import (
    Grid,
    Learner,
    close_steps,
    hand_over,
    is_look,
    parameter_count,
    steps_from_state,
    table,
)
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.schedules import warm_up_share
from goldviz.training.seeds import DATA, TEST_DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.translation_transformer.settings import TranslationTransformer
    from goldviz.runs.recorder import Recorder
    from goldviz.training.state import Part

    Record = Recorder[TranslationTransformer]

TransformerLearner = Learner[Transformer]
TransformerGrid = Grid[TransformerLearner]
END, START = "end", "start"


def train(settings: TranslationTransformer, record: Record) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    task = task_in(settings)
    streams = [stream(seed, DATA) for seed in settings.seeds]
    tests = [unseen(task, stream(seed, TEST_DATA)) for seed in settings.seeds]
    with training_on(settings.device) as device:

        def learner(norm: str, seed: int) -> TransformerLearner:
            network = transformer(settings, norm, seed).to(device)
            return Learner(network, OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate))

        norms = trained_norms(settings.norm)
        grids = {
            rate: Grid.made(norms, settings.seeds, learner, **({"data": streams} if rate == 1 else {}))
            for rate in trained_rates(settings.rates)
        }
        announce(settings, record, task, tests[0], grids, device)
        close = frozenset(close_steps(settings.steps, settings.close_looks))
        for step in steps_from_state(record, settings.steps, parts_of(grids)):
            now = record.settings
            peak = now.learning_rate * warm_up_share(step, settings.steps, settings.warm_up)
            record("learning_rate", peak)
            if is_look(step, settings.steps, settings.look_every):
                look(record, grids, tests)
            if step in close:
                look_closely(record, grids[1.0], tests)
            batches = [on_device(drawn(task, now.batch, generator), device) for generator in streams]
            for rate, grid in grids.items():
                rows = grid.each(partial(learn, now=now, rate=rate * peak), batches)
                if rate == 1:
                    hand_over(table(rows), record)
        with record.instrument():
            likelier = grids[1.0].each(lambda one, own: beam_likelier(on_cpu(one.network), own.check), tests)
        record.once("beam_likelier", torch.tensor(likelier).numpy())


def parts_of(grids: dict[float, TransformerGrid]) -> dict[str, Part]:
    """All that a run needs to go on, that of other rates under their rate."""
    return {
        name if rate == 1 else f"{rate:.3g} times the rate/{name}": part
        for rate, grid in grids.items()
        for name, part in grid.parts().items()
    }


def on_device(pairs: Pairs, device: torch.device) -> Pairs:
    """The pairs where a network is."""
    return Pairs(*(one.to(device) for one in pairs))


def announce(
    settings: TranslationTransformer,
    record: Record,
    task: PairTask | OwnPairs,
    tests: Unseen,
    grids: dict[float, TransformerGrid],
    device: torch.device,
) -> None:
    """Label the dimensions, and record what does not change."""
    probe, grid = tests.probe, grids[1.0]
    read = [task.source_words[word] for word in probe.source[0].tolist()]
    target_words = [task.target_words[word] for word in probe.target[0].tolist()]
    record.coordinates(
        network=list(grid.networks),
        seed=list(settings.seeds),
        rate=[settings.learning_rate * rate for rate in grids],
        block_number=list(range(1, settings.layers + 1)),
        head=list(range(1, settings.heads + 1)),
        stage=list(STAGES),
        read=numbered(read),
        query=numbered(read),
        key=numbered(read),
        written=numbered([*target_words, END]),
        told=numbered([START, *target_words]),
        length=list(tests.pairs),
    )
    record.attribute(device=device_name(device), longest_trained=max(task.lengths), words=json.dumps(task.target_words))
    record.once("aligned", [*probe.aligned[0].tolist(), -1])
    record.once("uniform_loss", math.log(len(task.target_words) + 1))
    record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])


def look(record: Record, grids: dict[float, TransformerGrid], tests: list[Unseen]) -> None:
    """Record right answers of every network, and what the first one makes of the probe."""
    with record.instrument():
        tables = [
            table(grid.each(lambda one, own: checked(on_cpu(one.network), own.check), tests)) for grid in grids.values()
        ]
        probe = of_probe(on_cpu(grids[1.0].first()[0].network), tests[0].probe)
    if len(grids) > 1:
        record("rate_accuracy", torch.stack([own["sequence_accuracy"] for own in tables]).numpy())
    hand_over(tables[0] | probe, record)


def look_closely(record: Record, grid: TransformerGrid, tests: list[Unseen]) -> None:
    """Record free writing, longer sequences, and what the batch does to one of its pairs."""
    with record.instrument():
        rows = grid.each(lambda one, own: looked_at_closely(on_cpu(one.network), own), tests)
        shares = [self_share(on_cpu(one.network), own.check) for one, own in zip(grid.learners[0], tests, strict=True)]
    hand_over({**table(rows), "self_share": torch.stack(shares)}, record)


def learn(one: TransformerLearner, batch: Pairs, *, now: TranslationTransformer, rate: float) -> Measured:
    """One step."""
    loss = loss_on(one.network, batch, now.label_smoothing)
    clear_gradients(one.optimiser)
    loss.backward()
    norm, _ = clip_gradients(one.network.parameters(), now.clip or math.inf)
    set_learning_rate(one.optimiser, rate)
    take_step(one.optimiser)
    return {
        "loss": loss.detach(),
        "norm_before_clip": norm.float(),
        "norm_after_clip": norm.clamp(max=now.clip or math.inf).float(),
    }
