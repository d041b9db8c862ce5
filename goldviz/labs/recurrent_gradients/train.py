"""What a run of *Memory through time* does: document 001, section 2, and document 003's clipping.

The networks of a seed start from the same recurrent matrix and read-out and see the same sequences, a new batch at
every step. They take their steps in turn, so their curves grow together; what one shows does not depend on the others.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS
from goldviz.diagnostics.layers import LayerStep, distributions, with_means_over_seeds
from goldviz.labs.recurrent_gradients.instruments import (
    LAYERS,
    Measured,
    answers,
    layers_of,
    look,
    moments,
    state_gradient_norms,
)
from goldviz.labs.recurrent_gradients.reader import SequenceReader, at_start, side_by_side
from goldviz.labs.recurrent_gradients.settings import TESTED, lanes
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
from goldviz.models.recurrent.cells import GATES
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, on_cpu, training_on
from goldviz.training.grid import Grid, Learner, hand_over, parameter_count, steps_from_state, table
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.seeds import BATCH_ORDER, DATA, TEST_DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
    from goldviz.runs.recorder import Recorder

    Record = Recorder[RecurrentGradients]


def train(settings: RecurrentGradients, record: Record) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    with training_on(settings.device) as device:
        orders = [stream(seed, DATA) for seed in settings.seeds]
        evaluations = [evaluation(settings, stream(seed, TEST_DATA)) for seed in settings.seeds]
        grid = Grid.made(
            lanes(settings.networks),
            settings.seeds,
            lambda lane, seed: learner(settings, lane, seed, evaluations[0], device),
            sequences=orders,
        )
        announce(settings, record, evaluations[0], device)
        record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])
        by_lag = [[memoryless_loss(settings, group) for group in own.groups] for own in evaluations]
        record.once("memoryless_loss_by_lag", by_lag)

        for step in steps_from_state(record, settings.steps, grid.parts()):
            every = settings.look_every
            closely = every > 0 and (step == 1 or step % every == 0)
            batches = [on(sequences(settings, settings.length, settings.batch, order), device) for order in orders]
            looked_at = evaluations if closely else [None] * len(evaluations)
            measurements = grid.each(partial(train_step, settings=record.settings, record=record), batches, looked_at)
            with record.instrument():
                rows = with_means_over_seeds(table(measurements))
            hand_over(rows, record)

        tests = [unseen_sequences(settings, seed, device) for seed in settings.seeds]
        record.once("test_loss", grid.each(_tested, tests))
        if settings.task == "reviews":
            weights = side_by_side([one.network for one in grid.first()]).cpu().numpy()
            record.coordinates(weight=list(range(weights.shape[1])))
            record.once("weights", weights)
        record.once("memoryless_loss", [memoryless_loss(settings, batch) for batch in tests])


def learner(
    settings: RecurrentGradients, lane: str, seed: int, looked_at: Evaluation, device: torch.device
) -> Learner[SequenceReader]:
    """A network at its start, with its optimiser; what is looked at has the shapes of all that it will read."""
    reader = at_start(settings, lane, seed, looked_at.inputs.shape[2], outputs(looked_at.groups[-1]))
    network = reader.to(device)
    return Learner(network, OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate))


def announce(settings: RecurrentGradients, record: Record, looked_at: Evaluation, device: torch.device) -> None:
    """Label the dimensions, and name the device."""
    steps = len(looked_at.inputs)
    record.coordinates(
        network=list(lanes(settings.networks)),
        seed=list(settings.seeds),
        time=list(range(1, steps + 1)),
        lag=list(range(steps)),
        gate=list(GATES),
        task_lag=list(looked_at.lags),
        moment=moments(steps),
        layer=list(LAYERS),
        value_bin=VALUE_BINS.centres,
        magnitude_bin=MAGNITUDE_BINS.centres,
    )
    record.attribute(device=device_name(device))


def unseen_sequences(settings: RecurrentGradients, seed: int, device: torch.device) -> TaskBatch:
    """Sequences of the trained length that no network has seen."""
    return on(sequences(settings, settings.length, TESTED, stream(seed, BATCH_ORDER)), device)


def train_step(
    one: Learner[SequenceReader],
    batch: TaskBatch,
    looked_at: Evaluation | None,
    settings: RecurrentGradients,
    record: Record,
) -> Measured:
    """One step on ``batch``; with ``looked_at`` also a close look at the network as the step finds it."""
    network, optimiser = one.network, one.optimiser
    set_learning_rate(optimiser, settings.learning_rate)
    trace = network(batch.inputs)
    if looked_at is not None:
        layers = layers_of(network, trace)
        for state in trace.states[1:]:
            state.retain_grad()
    loss, accuracy = score(batch, answers(network, trace, scored_steps(batch)))
    clear_gradients(optimiser)
    loss.backward()
    close: Measured = {}
    if looked_at is not None:
        with record.instrument():
            close = {"state_gradient_norm": state_gradient_norms(trace), **look(on_cpu(network), looked_at)}
            layers.after_backward()
    norm, clip_factor = clip_gradients(network.parameters(), settings.clip or math.inf)
    with record.instrument():
        clipped_norm = _gradient_norm(network)
    take_step(optimiser)
    if looked_at is not None:
        with record.instrument():
            close |= of_layers(layers)
    return {
        **close,
        "loss": loss.detach(),
        "accuracy": accuracy,
        "gradient_norm": norm,
        "clipped_gradient_norm": clipped_norm,
        "clipped": clip_factor.float(),
    }


def of_layers(layers: LayerStep) -> Measured:
    """What the step shows of the network's layers; the recurrent weights' ratio has a name of its own beside."""
    ratios = layers.after_step()
    return {
        "update_to_data": ratios["update_to_data"][LAYERS.index("recurrent weights")],
        "update_to_data_by_layer": ratios["update_to_data"],
        "gradient_to_data": ratios["gradient_to_data"],
        "activation_histogram": distributions(VALUE_BINS, layers.outputs),
        **layers.distributions(),
    }


def _gradient_norm(network: SequenceReader) -> Tensor:
    gradients = [weights.grad for weights in network.parameters() if weights.grad is not None]
    norm: Tensor = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
    return norm


@torch.no_grad()
def _tested(one: Learner[SequenceReader], batch: TaskBatch) -> float:
    """The loss on sequences that were not learned."""
    return score(batch, answers(one.network, one.network(batch.inputs), scored_steps(batch)))[0].item()
