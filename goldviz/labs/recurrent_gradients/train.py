"""What a run of *Gradient flow through time* does: document 001, section 2, and document 003's clipping.

The networks of a seed start from the same recurrent matrix and read-out and see the same sequences, a new batch at
every step. They take their steps in turn, so their curves grow together; what one shows does not depend on the others.
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor
from torch.optim import Optimizer

from goldviz.diagnostics.gradients import update_to_data
from goldviz.labs.recurrent_gradients.instruments import GATES, Measured, answers, look, state_gradient_norms
from goldviz.labs.recurrent_gradients.reader import SequenceReader
from goldviz.labs.recurrent_gradients.tasks import (
    Evaluation,
    TaskBatch,
    evaluation,
    memoryless_loss,
    on,
    outputs,
    score,
    scored_steps,
    sequences,
)
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.recurrent.networks import recurrent_layer
from goldviz.training.devices import device_name, resolve
from goldviz.training.memory import keep_freed_memory
from goldviz.training.clipping import clip_gradients
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.seeds import BATCH_ORDER, DATA, READ_OUT_WEIGHTS, TEST_DATA, WEIGHTS, stream
from goldviz.training.state import Part, pack, unpack
from goldviz.training.threads import one_thread

if TYPE_CHECKING:
    from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
    from goldviz.runs.recorder import Recorder

LANES = ("rnn", "lstm", "gru")
TESTED = 512
"""Sequences of the test loss."""


@dataclass
class SeedSequences:
    """One seed's sequences: the stream that every step draws a batch from, and those that are only looked at."""

    order: torch.Generator
    looked_at: Evaluation


@dataclass
class Learner:
    """One network of one seed, with everything of its own that changes in training."""

    network: SequenceReader
    optimiser: Optimizer


def train(settings: RecurrentGradients, record: Recorder) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    device = resolve(settings.device)
    keep_freed_memory()
    with one_thread():
        lanes = LANES if settings.networks == "all" else (settings.networks,)
        data = [
            SeedSequences(stream(seed, DATA), evaluation(settings, stream(seed, TEST_DATA))) for seed in settings.seeds
        ]
        pairs = list(zip(settings.seeds, data, strict=True))
        learners = [[learner(settings, lane, seed, own.looked_at, device) for seed, own in pairs] for lane in lanes]
        announce(settings, record, lanes, data[0].looked_at, device)
        record.once("parameter_count", [sum(p.numel() for p in row[0].network.parameters()) for row in learners])
        parts = state_parts(settings, lanes, learners, data)
        if record.restored is not None:
            unpack(record.restored, parts)

        for step in record.steps(settings.steps, state=lambda: pack(parts)):
            now = cast("RecurrentGradients", record.settings)
            every = settings.look_every
            closely = every > 0 and (step == 1 or step % every == 0)
            batches = [on(sequences(settings, settings.length, settings.batch, own.order), device) for own in data]
            seen = [
                [
                    train_step(one, now, batch, record, own.looked_at if closely else None)
                    for one, batch, own in zip(row, batches, data, strict=True)
                ]
                for row in learners
            ]
            hand_over(seen, record)

        tests = [unseen_sequences(settings, seed, device) for seed in settings.seeds]
        record.once("test_loss", [[_test_loss(*pair) for pair in zip(row, tests, strict=True)] for row in learners])
        record.once("memoryless_loss", [memoryless_loss(settings)] * len(settings.seeds))


def learner(settings: RecurrentGradients, lane: str, seed: int, looked_at: Evaluation, device: torch.device) -> Learner:
    """A network at its start, with its optimiser."""
    kinds = {
        "rnn": f"rnn_{settings.activation}",
        "lstm": "lstm",
        "gru": "gru" if settings.reset == "before" else "gru_reset_after",
    }
    layer = recurrent_layer(kinds[lane], looked_at.inputs.shape[2], settings.hidden)
    start = RecurrentInitialisation(
        matrix=settings.initialisation, size=settings.gain, biases={"forget": settings.forget_bias}
    )
    initialise(layer, lambda index: stream(seed, WEIGHTS + index), start)
    network = SequenceReader(layer, outputs(looked_at.groups[-1]), stream(seed, READ_OUT_WEIGHTS)).to(device)
    return Learner(network, OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate))


def announce(
    settings: RecurrentGradients, record: Recorder, lanes: tuple[str, ...], looked_at: Evaluation, device: torch.device
) -> None:
    """Label the dimensions, and name the device."""
    steps = len(looked_at.inputs)
    record.coordinates(
        network=list(lanes),
        seed=list(settings.seeds),
        time=list(range(1, steps + 1)),
        lag=list(range(steps)),
        gate=list(GATES),
        task_lag=list(looked_at.lags),
    )
    record.attribute(device=device_name(device))


def unseen_sequences(settings: RecurrentGradients, seed: int, device: torch.device) -> TaskBatch:
    """Sequences of the trained length that no network has seen."""
    return on(sequences(settings, settings.length, TESTED, stream(seed, BATCH_ORDER)), device)


def state_parts(
    settings: RecurrentGradients, lanes: tuple[str, ...], learners: list[list[Learner]], data: list[SeedSequences]
) -> dict[str, Part]:
    """All that a run needs to go on exactly where it stood, by name."""
    parts: dict[str, Part] = {f"sequences/{seed}": own.order for seed, own in zip(settings.seeds, data, strict=True)}
    for lane, row in zip(lanes, learners, strict=True):
        for seed, one in zip(settings.seeds, row, strict=True):
            parts |= {f"{lane}/{seed}/{name}": part for name, part in vars(one).items()}
    return parts


def train_step(
    one: Learner, settings: RecurrentGradients, batch: TaskBatch, record: Recorder, looked_at: Evaluation | None
) -> Measured:
    """One step on ``batch``; with ``looked_at`` also a close look at the network as the step finds it."""
    network, optimiser = one.network, one.optimiser
    set_learning_rate(optimiser, settings.learning_rate)
    trace = network(batch.inputs)
    if looked_at is not None:
        for state in trace.states[1:]:
            state.retain_grad()
    loss, accuracy = score(batch, answers(network, trace, scored_steps(batch)))
    optimiser.zero_grad()
    loss.backward()
    close: Measured = {}
    if looked_at is not None:
        with record.instrument():
            close = {"state_gradient_norm": state_gradient_norms(trace), **look(_on_cpu(network), looked_at)}
            before = network.layer.W_h.detach().clone()
    norm, clipped = clip_gradients(network.parameters(), settings.clip or math.inf)
    with record.instrument():
        clipped_norm = _gradient_norm(network)
    optimiser.step()
    if looked_at is not None:
        with record.instrument():
            close["update_to_data"] = update_to_data([before], [network.layer.W_h])[0]
    return {
        **close,
        "loss": loss.detach(),
        "accuracy": accuracy,
        "gradient_norm": norm,
        "clipped_gradient_norm": clipped_norm,
        "clipped": clipped.float(),
    }


def hand_over(seen: list[list[Measured]], record: Recorder) -> None:
    """Record what every network (outer list) of every seed (inner list) showed in a step."""
    with record.instrument():
        table = {
            name: torch.stack([torch.stack([one[name].cpu() for one in row]) for row in seen]) for name in seen[0][0]
        }
    # The loss comes last: where it is not finite the run ends, and the rest of the step is worth keeping.
    for name in sorted(table, key=lambda name: name == "loss"):
        record(name, table[name].numpy())


def _on_cpu(network: SequenceReader) -> SequenceReader:
    """The network where the Jacobians' small float64 products are fastest, and possible on every device."""
    return network if network.W_hy.device.type == "cpu" else deepcopy(network).cpu()


def _gradient_norm(network: SequenceReader) -> Tensor:
    found = [weights.grad for weights in network.parameters() if weights.grad is not None]
    norm: Tensor = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(found)))
    return norm


@torch.no_grad()
def _test_loss(one: Learner, batch: TaskBatch) -> float:
    return score(batch, answers(one.network, one.network(batch.inputs), scored_steps(batch)))[0].item()
