"""What a run of *Gradient flow in depth* does: document 001, Annex 5.3.3, Algorithm 1.

A plain and a residual network start from the same weights, see the same samples in the same order, and are disturbed
by the same dropout masks and noise. They take their epochs in turn, so their curves grow together. Each owns its
random streams: what a seed shows is the same alone and in company.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import mse_loss
from torch.optim import Optimizer

from goldviz.diagnostics.critical_rate import critical_factor
from goldviz.diagnostics.gradients import GradientNorms, decay_rate, matrices, matrix_norms
from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS
from goldviz.diagnostics.layers import (
    PROBE,
    LayerStep,
    MatrixStack,
    Measured,
    activation_readings,
    distributions,
    with_means_over_seeds,
)
from goldviz.labs.depth_gradients.depths import trained_depths
from goldviz.labs.depth_gradients.networks import CONNECTIONS, DeepMLP, Pass, block_gains
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, training_on
from goldviz.training.grid import Grid, hand_over, parameter_count, steps_from_state, table
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.seeds import BATCH_ORDER, DATA, DROPOUT_AND_NOISE, TEST_DATA, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.depth_gradients.settings import DepthGradients
    from goldviz.runs.recorder import Recorder

    Record = Recorder[DepthGradients]

JACOBIAN_SAMPLES = 4


def correlated_samples(
    n: int, features: int, mask_rate: float, generator: torch.Generator
) -> tuple[Float[Tensor, "n features"], Float[Tensor, "n features"]]:
    """Draw ``n`` samples x and their noisy copies y = x + 0.15 eps_2 (document 001, Annex 5.3.1).

    x = (sin(X C) + cos(2 X C) + 0.5 eps_1) * M with X, eps_1, eps_2 standard normal, C 0.8 on its diagonal and 0.3
    off it, and M zero where a value is missing, which happens with probability ``mask_rate``.

    ``generator`` lives on the CPU, so that every device gets the same data.
    """
    mixing = torch.full((features, features), 0.3).fill_diagonal_(0.8)
    shape = (n, features)
    samples = torch.randn(shape, generator=generator) @ mixing
    nonlinear = samples.sin() + (2 * samples).cos() + 0.5 * torch.randn(shape, generator=generator)
    present = torch.rand(shape, generator=generator) >= mask_rate
    x = nonlinear * present
    return x, x + 0.15 * torch.randn(shape, generator=generator)


@dataclass(frozen=True)
class Problem:
    """One seed's data, on the device."""

    x: Tensor
    y: Tensor
    test_x: Tensor
    test_y: Tensor


@dataclass
class Trainee:
    """One network of one seed, with everything of its own that changes in training."""

    network: DeepMLP
    optimiser: Optimizer
    disturbance: torch.Generator
    order: torch.Generator
    problem: Problem


class _Start(NamedTuple):
    """Where a step began: the weights, and the random stream of its disturbances."""

    weights: Sequence[Tensor]
    stream: Tensor

    @classmethod
    def of(cls, one: Trainee) -> _Start:
        return cls([weight.detach().clone() for weight in one.network.parameters()], one.disturbance.get_state())

    def headroom(self, one: Trainee, rows: Tensor | slice) -> Tensor:
        """How many times longer the step since then could have been before the loss of its batch rises."""
        after = one.disturbance.get_state()

        def again() -> Tensor:
            one.disturbance.set_state(self.stream)
            return mse_loss(one.network(one.problem.x[rows], one.disturbance).output, one.problem.y[rows])

        factor = critical_factor(again, one.network, [*one.network.parameters()], self.weights)
        one.disturbance.set_state(after)
        return torch.tensor(factor)


def train(settings: DepthGradients, record: Record) -> None:
    """Train both networks for every seed, and record every variable that the experiment declares."""
    with training_on(settings.device) as device:
        problems = {seed: problem(settings, seed, device) for seed in settings.seeds}
        grid = grid_of(settings, problems)
        announce(settings, record, grid.first()[0].network, device)
        record.once("zero_loss", [data.test_y.square().mean().item() for data in problems.values()])
        record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])
        depths = trained_depths(settings.depth, settings.shallower)
        shallower = {depth: grid_of(settings, problems, depth) for depth in depths[:-1]}
        parts = grid.parts() | {
            f"{depth}/{name}": part for depth, other in shallower.items() for name, part in other.parts().items()
        }

        for epoch in steps_from_state(record, settings.epochs, parts):
            every = settings.histogram_every
            closely = every > 0 and (epoch == 1 or epoch % every == 0)
            training = partial(train_epoch, settings=record.settings, record=record)
            measurements = grid.each(partial(training, closely=closely))
            with record.instrument():
                rows = with_means_over_seeds(table(measurements))
                rows["decay_rate"] = decay_rate(rows["gradient_norm"])
                rows["evaluation_loss"] = torch.tensor(grid.each(_test_loss))
            beside = [table(other.each(partial(training, closely=False)))["loss"] for other in shallower.values()]
            if beside:
                rows["loss_by_depth"] = torch.stack([*beside, rows["loss"]], dim=-1)
            hand_over(rows, record)

        record.once("test_loss", grid.each(_test_loss))


def grid_of(settings: DepthGradients, problems: Mapping[int, Problem], depth: int = 0) -> Grid[Trainee]:
    """Both networks of every seed at their start; pairs of other depths share their first layers' weights."""
    return Grid.made(
        list(CONNECTIONS), settings.seeds, lambda network, seed: trainee(settings, network, seed, problems[seed], depth)
    )


def problem(settings: DepthGradients, seed: int, device: torch.device) -> Problem:
    """The training and test samples of a seed."""
    examples = [
        correlated_samples(settings.samples, settings.features, settings.mask_rate, stream(seed, index))
        for index in (DATA, TEST_DATA)
    ]
    return Problem(*(tensor.to(device) for pair in examples for tensor in pair))


def trainee(settings: DepthGradients, network: str, seed: int, data: Problem, depth: int = 0) -> Trainee:
    """A network at its start, as deep as the settings say unless told, with its optimiser and its random streams."""
    model = DeepMLP(
        network=network,
        features=settings.features,
        width=settings.width,
        depth=depth or settings.depth,
        weights=lambda layer: stream(seed, WEIGHTS + layer),
        activation=settings.activation,
        slope=settings.slope,
        initialisation=settings.initialisation,
        gain=settings.gain,
        normalisation=settings.normalisation,
        residual_scale=settings.residual_scale,
        read_out=settings.read_out,
        dropout=settings.dropout,
        noise=settings.noise,
    ).to(data.x.device)
    optimiser = OPTIMISERS[settings.optimiser](model.parameters(), settings.learning_rate)
    disturbance = stream(seed, DROPOUT_AND_NOISE, data.x.device)
    return Trainee(model, optimiser, disturbance, stream(seed, BATCH_ORDER), data)


def announce(settings: DepthGradients, record: Record, network: DeepMLP, device: torch.device) -> None:
    """Label the dimensions, and name the device."""
    record.coordinates(
        network=list(CONNECTIONS),
        seed=list(settings.seeds),
        layer=list(range(len(matrices(network.weight_stacks())))),
        hidden=list(range(settings.depth + 1)),
        block=list(range(1, settings.depth + 1)),
        value_bin=VALUE_BINS.centres,
        magnitude_bin=MAGNITUDE_BINS.centres,
    )
    depths = trained_depths(settings.depth, settings.shallower)
    if len(depths) > 1:
        record.coordinates(trained_depth=depths)
    record.attribute(device=device_name(device))


def batches(samples: int, size: int, order: torch.Generator) -> Sequence[Tensor | slice]:
    """The rows of an epoch's mini-batches, in random order; all samples as they stand if ``size`` is 0 or not smaller.

    A rest of one sample joins the batch before it, since batch norm is not defined for one.
    """
    if size == 0 or size >= samples:
        return [slice(None)]
    indices = list(torch.randperm(samples, generator=order).split(size))
    if size > 1 and len(indices[-1]) == 1:
        indices[-2:] = [torch.cat(indices[-2:])]
    return indices


def train_epoch(one: Trainee, settings: DepthGradients, record: Record, closely: bool) -> Measured:
    """Train for an epoch, and measure: means over its batches, and the network as the epoch leaves it.

    ``closely`` adds distributions (those of gradients from the last batch, before clipping) and Jacobians.
    """
    network, optimiser, data = one.network.train(), one.optimiser, one.problem
    network.dropout = settings.dropout
    set_learning_rate(optimiser, settings.learning_rate)
    batch_rows = batches(len(data.x), settings.batch, one.order)
    each: list[Measured] = []
    at_end: Measured = {}
    for number, rows in enumerate(batch_rows, start=1):
        looks = closely and number == len(batch_rows)
        start = _Start.of(one) if looks and settings.headroom else None
        outcome = network(data.x[rows], one.disturbance)
        stacks = [MatrixStack(stack) if stack.ndim > 2 else [stack] for stack in network.weight_stacks()]
        layers = LayerStep(stacks, _each(_signals(network, outcome)) if looks else ())
        hidden_gradient_norms = GradientNorms(outcome.hidden, record.instrument)
        loss = mse_loss(outcome.output, data.y[rows])
        clear_gradients(optimiser)
        loss.backward()
        with record.instrument():
            layers.after_backward()
            measurements = {"hidden_gradient_norm": hidden_gradient_norms.measured()}
            if looks:
                at_end = layers.distributions()
        clip_factor = (
            clip_gradients(network.parameters(), settings.clip)[1] if settings.clip > 0 else loss.new_zeros(())
        )
        take_step(optimiser)
        with record.instrument():
            measurements |= layers.after_step()
            each.append({**measurements, "loss": loss.detach(), "clipped": clip_factor.float()})
            if start is not None:
                at_end["headroom"] = start.headroom(one, rows)
    with record.instrument():
        means = {name: torch.stack([measurements[name] for measurements in each]).mean(0) for name in each[0]}
        return {**means, **at_end, **measure_network(network, data.x[:PROBE], closely)}


def measure_network(network: DeepMLP, probe: Tensor, closely: bool) -> Measured:
    """The network as it stands, on samples that it sees without dropout and noise."""
    network.eval()
    with torch.no_grad():
        outcome = network(probe)
    measurements = activation_readings(outcome.hidden, outcome.sums, network.activation)
    measurements["weight_norm"] = matrix_norms(network.weight_stacks())
    if closely:
        measurements["activation_histogram"] = distributions(VALUE_BINS, _each(_signals(network, outcome)))
        measurements["jacobian_gain"] = block_gains(network, [h[:JACOBIAN_SAMPLES] for h in outcome.hidden])
        measurements["state_change"] = state_changes(outcome.hidden)
    return measurements


def state_changes(hidden: Sequence[Tensor]) -> Float[Tensor, " block"]:
    """||h_l - h_(l-1)|| / ||h_(l-1)|| of each block, mean over samples: how far it moves its state.

    Of a residual block it is its branch's length over the state's, ||s F(h)|| / ||h|| (document 001, 3.1.1). A state
    of zeros has no length to compare with: NaN.
    """
    states = torch.stack([*hidden])
    distances = torch.linalg.vector_norm(states.diff(dim=0), dim=-1)
    shares = distances / torch.linalg.vector_norm(states[:-1], dim=-1)
    return torch.as_tensor(shares.nan_to_num(nan=math.nan, posinf=math.nan).mean(-1))


def _signals(network: DeepMLP, forward_pass: Pass) -> list[Tensor]:
    """What each layer gives: the hidden states, and the output where the read-out is a layer of its own."""
    return forward_pass.hidden if network.read_out_weight is None else [*forward_pass.hidden, forward_pass.output]


def _each(tensors: Sequence[Tensor]) -> list[list[Tensor]]:
    """Every tensor as a layer's only one."""
    return [[tensor] for tensor in tensors]


def _test_loss(one: Trainee) -> float:
    one.network.eval()
    with torch.no_grad():
        return mse_loss(one.network.predict(one.problem.test_x), one.problem.test_y).item()
