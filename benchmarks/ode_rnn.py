"""The fused ODE-RNN against torchdiffeq, plain autograd and its own matrix products: speed and accuracy.

Run by hand, on one core: OMP_NUM_THREADS=1 python benchmarks/ode_rnn.py

One channel, batch of 64, 40 own times in [0, 1] each, 32 hidden units, field 32-100-100-32: a forward and a backward
pass and a step of Adam. Times are those of the processor; all ways take their turns in every round, and the best round
counts. "n = 1" is one solver step an interval. Accuracy is the largest difference of any state, as a share of the
largest state, to torchdiffeq's dopri5 on every sample alone in float64 with a tolerance of 1e-10.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable

import torch
from torch import Tensor

from goldviz.labs.ode_rnn.tasks import Gaps, IrregularBatch, irregular_times, observed, oscillator_course
from goldviz.models.continuous.fused_ode_rnn import FusedODERNN
from goldviz.models.continuous.gru_decay import GapGRU
from goldviz.models.continuous.observed_series import gaps_before
from goldviz.models.continuous.ode_rnn import ODERNN
from goldviz.models.continuous.ode_solvers import FixedSteps, TorchdiffeqSolver, steps_of
from goldviz.models.continuous.vector_field import TanhField
from goldviz.models.recurrent.gru import ResetBeforeGRU
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.training.memory import keep_freed_memory

BATCH, OBSERVATIONS, HIDDEN, WIDTHS = 64, 40, 32, (100, 100)
ROUNDS = 15
ONE_STEP = math.inf


def stream(index: int) -> torch.Generator:
    return torch.Generator().manual_seed(index)


TYPICAL_GAPS = Gaps(0.02, 0.6)


def parts(jacobian: float = 1.2, dtype: torch.dtype = torch.float32) -> tuple[ResetBeforeGRU, TanhField]:
    """A cell and a field whose Jacobian at 0 has this spectral norm, all its layers scaled alike."""
    cell = ResetBeforeGRU(2, HIDDEN, dtype=dtype)
    initialise(cell, stream, RecurrentInitialisation())
    field = TanhField(HIDDEN, WIDTHS, stream(50), last_scale=1.0, dtype=dtype)
    with torch.no_grad():
        product = torch.linalg.multi_dot([W.double() for W in reversed(list(field.weights))])
        factor = (jacobian / float(torch.linalg.matrix_norm(product, 2))) ** (1 / len(field.weights))
        for W in field.weights:
            W.mul_(factor)
    return cell, field


def oscillator(observations: int, batch: int, generator: torch.Generator, gaps: Gaps = TYPICAL_GAPS) -> IrregularBatch:
    """The laboratory's oscillator, seen with a noise of 0.02."""
    times = irregular_times(observations, batch, generator, gaps)
    return observed(times, oscillator_course(batch, generator)(times), 0.02, generator)


def uniform_series(observations: int, batch: int = BATCH) -> tuple[Tensor, Tensor, Tensor]:
    times = torch.rand(observations, batch, generator=stream(60), dtype=torch.float64).sort(0).values
    values = torch.randn(observations, batch, 1, generator=stream(61))
    return times, values, torch.ones_like(values, dtype=torch.bool)


def training_step(network: ODERNN, series: tuple[Tensor, Tensor, Tensor]) -> Callable[[], None]:
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-4)

    def step() -> None:
        trace = network(*series)
        loss = (trace.before.mean(2, keepdim=True) - series[1]).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step


def gap_gru_step(series: tuple[Tensor, Tensor, Tensor]) -> Callable[[], None]:
    times, values, mask = series
    network = GapGRU(1, HIDDEN)
    initialise(network.cell, stream, RecurrentInitialisation())
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-4)
    gaps = gaps_before(times).float().unsqueeze(2)

    def step() -> None:
        loss = (network(values, mask, gaps).hidden.mean(2, keepdim=True) - values).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step


def matrix_products(stages: int) -> Callable[[], None]:
    """The field's products of one pass alone: forward, back to the inputs, and one a matrix for the weights."""
    _, field = parts()
    weights = [W.detach() for W in field.weights]
    inputs = [torch.randn(BATCH, W.shape[1], generator=stream(70)) for W in weights]
    outputs = [torch.randn(BATCH, W.shape[0], generator=stream(71)) for W in weights]
    back = [torch.empty_like(x) for x in inputs]
    forth = [torch.empty_like(y) for y in outputs]
    rows = stages * BATCH
    stacked = [
        (torch.randn(rows, W.shape[0], generator=stream(72)), torch.randn(rows, W.shape[1], generator=stream(73)))
        for W in weights
    ]

    def products() -> None:
        for _ in range(stages):
            for x, W, y in zip(inputs, weights, forth, strict=True):
                torch.mm(x, W.t(), out=y)
        for _ in range(stages):
            for y, W, x in zip(outputs, weights, back, strict=True):
                torch.mm(y, W, out=x)
        for delta, values in stacked:
            delta.t() @ values

    return products


def best_of_rounds(ways: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Milliseconds of each way, the best of all rounds; the first round warms up."""
    found = dict.fromkeys(ways, math.inf)
    for round_ in range(ROUNDS + 1):
        for name, way in ways.items():
            started = time.process_time()
            way()
            if round_:
                found[name] = min(found[name], (time.process_time() - started) * 1e3)
    return found


def compare_speed() -> None:
    series = uniform_series(OBSERVATIONS)
    times = best_of_rounds(
        {
            "fused RK4, n = 1": training_step(FusedODERNN(*parts(), "rk4", ONE_STEP), series),
            "fused RK4, steps of at most 0.05": training_step(FusedODERNN(*parts()), series),
            "fused Heun, n = 1": training_step(FusedODERNN(*parts(), "heun", ONE_STEP), series),
            "fused Euler, n = 1": training_step(FusedODERNN(*parts(), "euler", ONE_STEP), series),
            "plain autograd RK4, n = 1": training_step(ODERNN(*parts(), FixedSteps("rk4", ONE_STEP)), series),
            "torchdiffeq rk4, n = 1": training_step(
                ODERNN(*parts(), TorchdiffeqSolver("rk4", longest_step=ONE_STEP)), series
            ),
            "torchdiffeq dopri5 1e-5/1e-6": training_step(ODERNN(*parts(), TorchdiffeqSolver()), series),
            "matrix products of RK4 alone": matrix_products(4 * (OBSERVATIONS - 1)),
            "GRU with gaps, no field": gap_gru_step(series),
        }
    )
    print("Forward, backward and Adam")
    fused = times["fused RK4, n = 1"]
    for name, milliseconds in times.items():
        sequences = BATCH / milliseconds * 1e3
        print(
            f"  {name:34s} {milliseconds:7.1f} ms {sequences:7.0f} sequences/s  {milliseconds / fused:5.2f} x fused RK4"
        )
    print(f"  fused is {times['torchdiffeq rk4, n = 1'] / fused:.2f} times as fast as torchdiffeq rk4 (goal: 1.8)")
    print(f"  fused costs {fused / times['matrix products of RK4 alone']:.2f} times its products (goal: at most 3)")


def compare_times() -> None:
    print("Fused RK4, n = 1, by number of observations and by how irregular the times are")
    counts = (20, 40, 80, 160)
    mean_gap = 0.1
    taken: dict[str, float] = {}
    ways = {
        f"{count} observations": training_step(FusedODERNN(*parts(), "rk4", ONE_STEP), uniform_series(count))
        for count in counts
    }
    for ratio in (1.0, 10.0, 100.0):
        # The mean of a log-uniform gap between a and r a is a (r - 1) / ln r.
        shortest = mean_gap * (math.log(ratio) / (ratio - 1) if ratio > 1 else 1.0)
        batch = oscillator(OBSERVATIONS, BATCH, stream(80), Gaps(shortest, shortest * ratio))
        series = (batch.times, batch.values, batch.mask)
        capped = [(f"steps of at most {cap}", cap) for cap in (mean_gap, mean_gap / 4)]
        for label, longest in (("n = 1", ONE_STEP), *capped):
            name = f"gaps within a factor {ratio:.0f}, {label}"
            taken[name] = float(steps_of(batch.times.diff(dim=0), longest).sum()) / BATCH
            ways[name] = training_step(FusedODERNN(*parts(), "rk4", longest), series)
    for name, milliseconds in best_of_rounds(ways).items():
        steps = taken[name] if name in taken else int(name.split()[0]) - 1
        print(f"  {name:46s} {milliseconds:7.1f} ms {milliseconds / steps:6.3f} ms a step of each sample")


def error(network: ODERNN, series: tuple[Tensor, Tensor, Tensor]) -> float:
    """The largest difference of the states to the reference, as a share of the largest state."""
    twin = copy.deepcopy(network).double()
    reference = ODERNN(twin.cell, twin.field, TorchdiffeqSolver("dopri5", 1e-10, 1e-12))
    largest, apart = 0.0, 0.0
    with torch.no_grad():
        found = network(*series)
        for sample in range(series[0].shape[1]):
            times, values, mask = (part[:, sample : sample + 1] for part in series)
            exact = reference(times, values.double(), mask)
            for name in ("before", "after"):
                true = getattr(exact, name)[:, 0]
                largest = max(largest, float(true.abs().max()))
                apart = max(apart, float((getattr(found, name)[:, sample] - true).abs().max()))
    return apart / largest


def compare_accuracy() -> None:
    print("Largest error by size of the field's Jacobian (a fresh field about 1, a trained one about 10)")
    series = uniform_series(OBSERVATIONS, 6)
    settings = [("euler", ONE_STEP), ("heun", ONE_STEP), ("rk4", ONE_STEP), ("rk4", 0.05), ("rk4", 0.025)]
    print("  Jacobian " + "".join(f"{f'{method} {step:g}':>12s}" for method, step in settings))
    for jacobian in (1.2, 12.0, 30.0):
        errors = [error(FusedODERNN(*parts(jacobian), *setting), series) for setting in settings]
        print(f"  {jacobian:8.1f} " + "".join(f"{found:12.1e}" for found in errors))


def forecast_error(network: ODERNN, readout: torch.nn.Linear, batch: IrregularBatch) -> Tensor:
    trace = network(batch.times, batch.values, batch.mask)
    found: Tensor = (readout(trace.before[1:]) - batch.targets).square().mean()
    return found


def train_and_refine(iterations: int = 300) -> None:
    print(f"Damped oscillator, {iterations} iterations of training at the default step, then four times as many steps")
    cell = ResetBeforeGRU(2, 16)
    initialise(cell, stream, RecurrentInitialisation())
    network = FusedODERNN(cell, TanhField(16, (32,), stream(90)))
    readout = torch.nn.Linear(16, 1)
    with torch.no_grad():
        readout.weight.copy_(torch.randn(1, 16, generator=stream(91)) / 4)
        readout.bias.zero_()
    learned = [*network.parameters(), *readout.parameters()]
    optimiser = torch.optim.Adam(learned)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 1e-2, total_steps=iterations)
    order = stream(92)
    for _ in range(iterations):
        loss = forecast_error(network, readout, oscillator(20, BATCH, order))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimiser.step()
        schedule.step()
    unseen = oscillator(20, 256, stream(93))
    refined = FusedODERNN(cell, network.field, longest_step=0.05 / 4)
    with torch.no_grad():
        coarse, fine = (float(forecast_error(one, readout, unseen)) for one in (network, refined))
    few = oscillator(20, 6, stream(94))
    print(f"  forecast error {coarse:.5f}, with finer steps {fine:.5f} ({abs(fine / coarse - 1):.1e} apart)")
    print(f"  largest error of a state {error(network, (few.times, few.values, few.mask)):.1e} (goal: 1e-4)")


def main() -> None:
    torch.set_num_threads(1)
    keep_freed_memory()
    compare_speed()
    compare_times()
    compare_accuracy()
    train_and_refine()


if __name__ == "__main__":
    main()
