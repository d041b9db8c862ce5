"""What a run of *Continuous depth* does: document 001, section 3.2.1.

Neural ODE and residual network of a seed start from the same field and read-out and see the same batches. They take
their steps in turn, so their curves grow together; what one shows does not depend on the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from goldviz.data.problems.plane_points import PlanePoints
from goldviz.diagnostics.histograms import MAGNITUDE_BINS
from goldviz.diagnostics.layers import LayerStep, Measured, of_weights, unseen_weights, with_means_over_seeds
from goldviz.labs.continuous_depth.instruments import (
    EULER_STEPS,
    TOLERANCES,
    DepthView,
    adjoint_against_solver,
    answer_loss,
    by_euler_steps,
    by_tolerance,
    depth_view,
    drawn_points,
    first_seed_readings,
    in_double,
    seed_readings,
)
from goldviz.labs.continuous_depth.networks import (
    DepthField,
    DepthNetwork,
    EulerBlocks,
    FlowSolver,
    TimedDepthField,
    UnsolvedFlowError,
    drawn_read_out,
    flow_faults_in_words,
)
from goldviz.labs.continuous_depth.settings import lanes
from goldviz.training.clipping import clip_gradients
from goldviz.training.course import learner
from goldviz.training.devices import device_name, training_on
from goldviz.training.grid import Grid, Learner, hand_over, is_look, parameter_count, stacked, steps_from_state, table
from goldviz.training.optimisers import set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.seeds import BATCH_ORDER, DATA, READ_OUT_WEIGHTS, TEST_DATA, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.continuous_depth.settings import ContinuousDepth
    from goldviz.runs.recorder import Recorder

    Record = Recorder[ContinuousDepth]


@dataclass
class SeedPoints:
    """One seed's points: those that are trained on, the stream that draws batches of them, and what is looked at."""

    trained_on: PlanePoints
    order: torch.Generator
    view: DepthView


DepthLearner = Learner[DepthNetwork]


def train(settings: ContinuousDepth, record: Record) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares.

    A flow that its solver cannot follow has a loss that is not a number, which ends the run as diverged.
    """
    with training_on(settings.device) as device:
        data = [seed_points(settings, seed, device) for seed in settings.seeds]
        grid = Grid.made(
            lanes(settings.networks),
            settings.seeds,
            lambda lane, seed: depth_learner(settings, lane, seed, device),
            order=[own.order for own in data],
        )
        view = data[0].view
        dimensions = [f"h{index + 1}" for index in range(view.unseen.points.shape[1] + settings.augmented)]
        record.coordinates(
            network=list(lanes(settings.networks)),
            seed=list(settings.seeds),
            depth=list(view.depths),
            point=list(range(1, len(view.kept) + 1)),
            dimension=dimensions,
            weight=[*dimensions, "bias"],
            grid_x=view.across.tolist(),
            grid_y=view.up.tolist(),
            arrow_x=view.arrows_across.tolist(),
            arrow_y=view.arrows_up.tolist(),
            tolerance=list(TOLERANCES),
            steps_taken=list(EULER_STEPS),
            layer=list(layers_of(grid.first()[0].network)),
            magnitude_bin=MAGNITUDE_BINS.centres,
        )
        record.attribute(device=device_name(device))
        record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])
        record.once("label", view.unseen.answers[: len(view.kept)].numpy())

        for step in steps_from_state(record, settings.steps, grid.parts()):
            closely = is_look(step, settings.steps, settings.look_every)
            if closely:
                look(grid, [own.view for own in data], record)
            batches = [next_batch(own, settings.batch) for own in data]
            training = partial(train_step, settings=record.settings, closely=closely, because=record.because)
            hand_over(with_means_over_seeds(table(grid.each(training, batches))), record)

        first = [in_double(one.network) for one in grid.first()]
        solutions = [by_tolerance(network, view) for network in first]
        record.once("evaluations_by_tolerance", [evaluations for evaluations, _ in solutions])
        record.once("error_by_tolerance", [errors for _, errors in solutions])
        record.once("error_by_blocks", [by_euler_steps(network, view) for network in first])


def seed_points(settings: ContinuousDepth, seed: int, device: torch.device) -> SeedPoints:
    """The points of one seed; those that are trained on lie on the device."""
    points = drawn_points(settings, stream(seed, DATA))
    on_device = PlanePoints(points.points.to(device, precision(device)), points.answers.to(device, precision(device)))
    return SeedPoints(on_device, stream(seed, BATCH_ORDER), depth_view(settings, stream(seed, TEST_DATA)))


def precision(device: torch.device) -> torch.dtype:
    """Float64, in which a tight tolerance means something, wherever the device has it."""
    return torch.float32 if device.type == "mps" else torch.float64


def depth_learner(settings: ContinuousDepth, lane: str, seed: int, device: torch.device) -> DepthLearner:
    """A network at its start, with its optimiser. The field has two tanh layers; classes need a read-out."""
    hidden = (1 if settings.task == "flip" else 2) + settings.augmented
    kind = TimedDepthField if settings.in_time else DepthField
    dtype = precision(device)
    field = kind(hidden, (settings.width, settings.width), stream(seed, WEIGHTS), dtype=dtype)
    read_out = None if settings.task == "flip" else drawn_read_out(hidden, stream(seed, READ_OUT_WEIGHTS), dtype)
    solver = FlowSolver(settings.method, settings.tolerance, settings.solver_steps, settings.gradient)
    carrier = solver if lane == "ode" else EulerBlocks(settings.blocks)
    return learner(DepthNetwork(field, carrier, read_out).to(device), settings)


def look(grid: Grid[DepthLearner], views: list[DepthView], record: Record) -> None:
    """Record what every network shows as the step finds it."""
    with record.instrument():
        networks = grid.each(lambda one: in_double(one.network))
        readings = [[seed_readings(*pair) for pair in zip(row, views, strict=True)] for row in networks]
        close = [first_seed_readings(row[0], views[0]) for row in networks]
        flows = [
            adjoint_against_solver(*pair)
            for pair in zip(networks[0], views, strict=True)
            if isinstance(pair[0].carrier, FlowSolver)
        ]
    hand_over(table(readings), record)
    hand_over(stacked(close), record)
    if flows:
        hand_over(stacked(flows), record)


def next_batch(own: SeedPoints, size: int) -> PlanePoints:
    """So many different points of the training set, or all of it where it has fewer."""
    rows = torch.randperm(len(own.trained_on.points), generator=own.order)[:size].to(own.trained_on.points.device)
    return PlanePoints(own.trained_on.points[rows], own.trained_on.answers[rows])


def layers_of(network: DepthNetwork) -> dict[str, list[Tensor]]:
    """The weights of the field's layers, and of the read-out where there is one, by name."""
    layers: dict[str, list[Tensor]] = {f"field, layer {i}": [W] for i, W in enumerate(network.field.weights, start=1)}
    return layers if network.read_out is None else {**layers, "read-out": [network.read_out]}


def train_step(
    one: DepthLearner, batch: PlanePoints, settings: ContinuousDepth, closely: bool, because: Callable[[str], None]
) -> Measured:
    """One step on a batch: its loss, the gradient's norm, and how often the field was asked forward and back.

    ``closely`` adds how the step finds and moves each layer. NaN, and nothing is moved, where the flow cannot be
    solved; ``because`` is told why.
    """
    network, optimiser = one.network, one.optimiser
    set_learning_rate(optimiser, settings.learning_rate)
    clear_gradients(optimiser)
    try:
        loss = answer_loss(network, network(batch.points), batch.answers)
        forward, network.field.evaluations = network.field.evaluations, 0
        with flow_faults_in_words(settings.method):
            loss.backward()
    except UnsolvedFlowError as error:
        because(str(error))
        return unsolved(len(layers_of(network)), closely)
    layer_step = LayerStep(layers_of(network).values())
    if closely:
        layer_step.after_backward()
    norm, _ = clip_gradients(network.parameters(), settings.clip or math.inf)
    take_step(optimiser)
    # A flow that cannot be solved has its NaN on the CPU.
    return {
        **(of_weights(layer_step) if closely else {}),
        "loss": loss.detach().cpu(),
        "gradient_norm": norm.cpu(),
        "evaluations_forward": torch.tensor(forward),
        "evaluations_backward": torch.tensor(network.field.evaluations),
    }


def unsolved(layers: int, closely: bool) -> Measured:
    """What a step shows of a flow that cannot be solved: NaN."""
    numbers = ("loss", "gradient_norm", "evaluations_forward", "evaluations_backward")
    return {name: torch.tensor(math.nan) for name in numbers} | (unseen_weights(layers) if closely else {})
