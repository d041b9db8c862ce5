"""What a run of *Continuous depth* does: document 001, section 3.2.1.

Neural ODE and residual network of a seed start from the same field and read-out and see the same batches. They take
their steps in turn, so their curves grow together; what one shows does not depend on the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor
from torch.optim import Optimizer

from goldviz.data.problems.plane_points import PlanePoints
from goldviz.labs.continuous_depth.field import DepthField, TimedDepthField, UnsolvedFlowError
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
    DepthNetwork,
    EulerBlocks,
    FlowSolver,
    drawn_read_out,
    flow_faults_in_words,
)
from goldviz.training.devices import device_name, resolve
from goldviz.training.memory import keep_freed_memory
from goldviz.training.clipping import clip_gradients
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.seeds import BATCH_ORDER, DATA, READ_OUT_WEIGHTS, TEST_DATA, WEIGHTS, stream
from goldviz.training.state import Part, pack, unpack
from goldviz.training.threads import one_thread

if TYPE_CHECKING:
    from goldviz.labs.continuous_depth.settings import ContinuousDepth
    from goldviz.runs.recorder import Recorder

LANES = ("ode", "residual")
OF_THE_FLOW = ("gradient_difference", "adjoint_cost")
"""What only the neural ODE has."""


@dataclass
class SeedPoints:
    """One seed's points: those that are trained on, the stream that draws batches of them, and what is looked at."""

    trained_on: PlanePoints
    order: torch.Generator
    view: DepthView


@dataclass
class DepthLearner:
    """One network of one seed, with its optimiser."""

    network: DepthNetwork
    optimiser: Optimizer


def train(settings: ContinuousDepth, record: Recorder) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares.

    Raises :class:`goldviz.labs.continuous_depth.field.UnsolvedFlowError` with the step at which a solver gave up.
    """
    device = resolve(settings.device)
    keep_freed_memory()
    with one_thread():
        lanes = LANES if settings.networks == "both" else (settings.networks,)
        data = [seed_points(settings, seed, device) for seed in settings.seeds]
        learners = [[depth_learner(settings, lane, seed, device) for seed in settings.seeds] for lane in lanes]
        announce(settings, record, lanes, data[0].view, device)
        record.once("parameter_count", [sum(p.numel() for p in row[0].network.parameters()) for row in learners])
        record.once("label", data[0].view.unseen.answers[: len(data[0].view.kept)].numpy())
        parts: dict[str, Part] = {f"order/{seed}": own.order for seed, own in zip(settings.seeds, data, strict=True)}
        for lane, row in zip(lanes, learners, strict=True):
            for seed, one in zip(settings.seeds, row, strict=True):
                parts |= {f"{lane}/{seed}/{name}": part for name, part in vars(one).items()}
        if record.restored is not None:
            unpack(record.restored, parts)

        for step in record.steps(settings.steps, state=lambda: pack(parts)):
            closely = step in (1, settings.steps) or step % settings.look_every == 0
            try:
                if closely:
                    look(learners, [own.view for own in data], record)
                take_step(learners, data, record)
            except UnsolvedFlowError as error:
                words = str(error)
                raise UnsolvedFlowError(f"At step {step}, {words[0].lower()}{words[1:]}") from error

        first = [in_double(row[0].network) for row in learners]
        found = [by_tolerance(network, data[0].view) for network in first]
        record.once("evaluations_by_tolerance", [evaluations for evaluations, _ in found])
        record.once("error_by_tolerance", [errors for _, errors in found])
        record.once("error_by_blocks", [by_euler_steps(network, data[0].view) for network in first])


def seed_points(settings: ContinuousDepth, seed: int, device: torch.device) -> SeedPoints:
    """The points of one seed; those that are trained on lie on the device."""
    drawn = drawn_points(settings, stream(seed, DATA))
    moved = PlanePoints(drawn.points.to(device, precision(device)), drawn.answers.to(device, precision(device)))
    return SeedPoints(moved, stream(seed, BATCH_ORDER), depth_view(settings, stream(seed, TEST_DATA)))


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
    network = DepthNetwork(field, carrier, read_out).to(device)
    return DepthLearner(network, OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate))


def announce(
    settings: ContinuousDepth, record: Recorder, lanes: tuple[str, ...], view: DepthView, device: torch.device
) -> None:
    """Label the dimensions, and name the device."""
    plane = view.unseen.points.shape[1]
    dimensions = [f"h{index + 1}" for index in range(plane + settings.augmented)]
    record.coordinates(
        network=list(lanes),
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
    )
    record.attribute(device=device_name(device))


def look(learners: list[list[DepthLearner]], views: list[DepthView], record: Recorder) -> None:
    """Record what every network shows as the step finds it."""
    with record.instrument():
        networks = [[in_double(one.network) for one in row] for row in learners]
        seen = [[seed_readings(*pair) for pair in zip(row, views, strict=True)] for row in networks]
        close = [first_seed_readings(row[0], views[0]) for row in networks]
        flows = [adjoint_against_solver(*pair) for pair in zip(networks[0], views, strict=True)
                 if isinstance(pair[0].carrier, FlowSolver)]  # fmt: skip
    for name in seen[0][0]:
        record(name, torch.stack([torch.stack([one[name] for one in row]) for row in seen]).numpy())
    for name in close[0]:
        record(name, torch.stack([one[name] for one in close]).numpy())
    for name in OF_THE_FLOW if flows else ():
        record(name, torch.stack([one[name] for one in flows]).numpy())


def take_step(learners: list[list[DepthLearner]], data: list[SeedPoints], record: Recorder) -> None:
    """One step of every network on its seed's next batch, recorded. The loss comes last: it may end the run."""
    settings = cast("ContinuousDepth", record.settings)
    batches = [next_batch(own, settings.batch) for own in data]
    seen = [[train_step(one, settings, batch) for one, batch in zip(row, batches, strict=True)] for row in learners]
    for name in sorted(seen[0][0], key=lambda name: name == "loss"):
        record(name, torch.stack([torch.stack([one[name].cpu() for one in row]) for row in seen]).numpy())


def next_batch(own: SeedPoints, size: int) -> PlanePoints:
    """So many different points of the training set, or all of it where it has fewer."""
    rows = torch.randperm(len(own.trained_on.points), generator=own.order)[:size].to(own.trained_on.points.device)
    return PlanePoints(own.trained_on.points[rows], own.trained_on.answers[rows])


def train_step(one: DepthLearner, settings: ContinuousDepth, batch: PlanePoints) -> dict[str, Tensor]:
    """One step on a batch: its loss, the gradient's norm, and how often the field was asked forward and back."""
    network, optimiser = one.network, one.optimiser
    set_learning_rate(optimiser, settings.learning_rate)
    loss = answer_loss(network, network(batch.points), batch.answers)
    forward, network.field.evaluations = network.field.evaluations, 0
    optimiser.zero_grad()
    with flow_faults_in_words(settings.method):
        loss.backward()
    norm, _ = clip_gradients(network.parameters(), settings.clip or math.inf)
    optimiser.step()
    return {
        "loss": loss.detach(),
        "gradient_norm": norm,
        "evaluations_forward": torch.tensor(forward),
        "evaluations_backward": torch.tensor(network.field.evaluations),
    }
