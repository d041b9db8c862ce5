"""What a run of *Attention against recurrence* does: document 001, section 4.1.

The networks of a seed share their read-out and see the same sequences in the same order.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from goldviz.labs.attention_against_recurrence.encoder import Encoder, initialise_encoder
from goldviz.labs.attention_against_recurrence.instruments import Measured, look
from goldviz.labs.attention_against_recurrence.marked_symbols import (
    Sequences,
    anywhere,
    groups,
    unseen_sequences,
)
from goldviz.labs.attention_against_recurrence.networks import (
    ENCODER,
    FEATURES,
    LENGTHS,
    SYMBOLS,
    cost,
    trained_networks,
)
from goldviz.models.recurrent.cells import recurrent_layer, usual_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.recurrent.weights import RecurrentWeights
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, on_cpu, training_on
from goldviz.training.grid import Grid, Learner, hand_over, is_look, parameter_count, steps_from_state, table
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.seeds import DATA, READ_OUT_WEIGHTS, TEST_DATA, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.attention_against_recurrence.settings import AttentionAgainstRecurrence
    from goldviz.runs.recorder import Recorder

    Record = Recorder[AttentionAgainstRecurrence]


class SymbolReader(nn.Module):
    """A cell or an encoder that reads a sequence, and what reads the symbol asked for off its end."""

    def __init__(self, body: RecurrentWeights | Encoder, width: int) -> None:
        super().__init__()
        self.body = body
        self.read_out = nn.Linear(width, SYMBOLS)

    def forward(self, inputs: Float[Tensor, "time batch features"]) -> Float[Tensor, "batch symbols"]:
        """A score for each symbol."""
        end = self.body(inputs) if isinstance(self.body, Encoder) else self.body(inputs).states[-1]
        scores: Tensor = self.read_out(end)
        return scores


def reader(settings: AttentionAgainstRecurrence, name: str, seed: int) -> SymbolReader:
    """A network at its start."""

    def weights(index: int) -> torch.Generator:
        return stream(seed, WEIGHTS + index)

    body: RecurrentWeights | Encoder
    if name == ENCODER:
        with_positions = settings.positions == "sinusoidal"
        body = Encoder(FEATURES, settings.width, settings.layers, settings.heads, positions=with_positions)
        initialise_encoder(body, weights)
    else:
        body = recurrent_layer(usual_layer(name), FEATURES, settings.width)
        initialise(body, weights, RecurrentInitialisation(biases={"forget": settings.forget_bias}))
    network = SymbolReader(body, settings.width)
    spread = 1 / math.sqrt(settings.width)
    nn.init.normal_(network.read_out.weight, 0, spread, generator=stream(seed, READ_OUT_WEIGHTS))
    nn.init.zeros_(network.read_out.bias)
    return network


def train(settings: AttentionAgainstRecurrence, record: Record) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    tests = [unseen_sequences(settings.distance, stream(seed, TEST_DATA)) for seed in settings.seeds]
    streams = [stream(seed, DATA) for seed in settings.seeds]
    with training_on(settings.device) as device:

        def learner(name: str, seed: int) -> Learner[SymbolReader]:
            network = reader(settings, name, seed).to(device)
            return Learner(network, OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate))

        grid = Grid.made(trained_networks(settings.networks), settings.seeds, learner, sequences=streams)
        announce(settings, record, grid, device)
        for step in steps_from_state(record, settings.steps, grid.parts()):
            now = record.settings
            if is_look(step, settings.steps, settings.look_every):
                with record.instrument():
                    rows = grid.each(lambda one, own: look(on_cpu(one.network), own), tests)
                    hand_over(table(rows), record)
            batches = [anywhere(now.distance, now.batch, generator).on(device) for generator in streams]
            hand_over(table(grid.each(partial(learn, now=now), batches)), record)


def announce(
    settings: AttentionAgainstRecurrence, record: Record, grid: Grid[Learner[SymbolReader]], device: torch.device
) -> None:
    """Label the dimensions, name the device, and tell sizes and costs."""
    record.coordinates(
        network=list(grid.networks),
        seed=list(settings.seeds),
        distance=groups(settings.distance),
        lag=list(range(1, settings.distance + 1)),
        series_length=list(LENGTHS),
    )
    record.attribute(device=device_name(device))
    record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])
    record.once("uniform_loss", math.log(SYMBOLS))
    costs = [[cost(name, length, settings.width, settings.layers) for length in LENGTHS] for name in grid.networks]
    record.once("multiplications", [[float(one.multiplications) for one in row] for row in costs])
    record.once("steps_in_a_row", [[float(one.steps) for one in row] for row in costs])


def learn(one: Learner[SymbolReader], batch: Sequences, *, now: AttentionAgainstRecurrence) -> Measured:
    """One step on a batch."""
    loss = cross_entropy(one.network(batch.inputs), batch.targets)
    clear_gradients(one.optimiser)
    loss.backward()
    norm, _ = clip_gradients(one.network.parameters(), now.clip or math.inf)
    set_learning_rate(one.optimiser, now.learning_rate)
    take_step(one.optimiser)
    return {
        "loss": loss.detach(),
        "norm_before_clip": norm.float(),
        "norm_after_clip": norm.clamp(max=now.clip or math.inf).float(),
    }
