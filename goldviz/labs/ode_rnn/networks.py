"""The networks of the laboratory *ODE-RNN*, as its settings describe them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Generator, Tensor, nn

from goldviz.labs.ode_rnn.choices import JUMP_CELLS, method_of
from goldviz.models.continuous.fused_ode_rnn import fixed_step_ode_rnn
from goldviz.models.continuous.methods import FIXED, runge_kutta_method
from goldviz.models.continuous.neural_cde import FirstState, NeuralCDE, controls
from goldviz.models.continuous.ode_rnn import ODERNN
from goldviz.models.continuous.ode_solvers import Evolution, FixedSteps, TorchdiffeqSolver, steps_for
from goldviz.models.continuous.runge_kutta import integrate
from goldviz.models.continuous.series_forecaster import (
    ORTHOGONAL_START,
    CDESeriesReader,
    ODESeriesReader,
    SeriesForecaster,
    SeriesReader,
    baseline_reader,
)
from goldviz.models.continuous.vector_field import TanhField
from goldviz.models.recurrent.cells import recurrent_layer, usual_layer
from goldviz.models.recurrent.initialisation import initialise
from goldviz.training.seeds import READ_OUT_WEIGHTS, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

FIELD_WEIGHTS = WEIGHTS + 50
LONGEST_VALUE_STEP = 0.5
"""A neural CDE's state follows the move of an observation's values in two steps, where the solver does not adapt."""
FINER = 4
"""How many steps a refined solver takes where the network's own takes one."""


def series_network(settings: ODERNNLaboratory, lane: str, channels: int, seed: int) -> SeriesForecaster:
    """A network at its start; those of a seed share the read-out's weights, and the GRUs their recurrent matrices."""

    def weights(index: int) -> Generator:
        return stream(seed, WEIGHTS + index)

    if lane == "neural_cde":
        reader: SeriesReader = CDESeriesReader(neural_cde(settings, channels, seed))
        return SeriesForecaster(reader, channels, stream(seed, READ_OUT_WEIGHTS))
    if lane == "ode_rnn":
        cell = recurrent_layer(usual_layer(JUMP_CELLS[settings.cell]), 2 * channels, settings.hidden)
        initialise(cell, weights, ORTHOGONAL_START)
        field = TanhField(settings.hidden, (settings.width, settings.width), stream(seed, FIELD_WEIGHTS))
        if settings.solver in FIXED:
            network = fixed_step_ode_rnn(cell, field, settings.solver, settings.step_cap)
        else:
            network = ODERNN(cell, field, own_solver(settings))
        return SeriesForecaster(ODESeriesReader(network), channels, stream(seed, READ_OUT_WEIGHTS))
    reader = baseline_reader(lane, channels, settings.hidden, weights)
    return SeriesForecaster(reader, channels, stream(seed, READ_OUT_WEIGHTS))


def neural_cde(settings: ODERNNLaboratory, channels: int, seed: int) -> NeuralCDE:
    """A neural CDE at its start; its field has the ODE-RNN's layers but the last, which is wider."""
    widths, outputs = (settings.width, settings.width), settings.hidden * controls(channels)
    field = TanhField(settings.hidden, widths, stream(seed, FIELD_WEIGHTS), outputs=outputs)
    start = FirstState(channels, settings.hidden, stream(seed, WEIGHTS))
    solver = own_solver(settings)
    return NeuralCDE(field, start, channels, solver, replace(solver, longest_step=LONGEST_VALUE_STEP))


def own_solver(settings: ODERNNLaboratory, finer: int = 1) -> FixedSteps | TorchdiffeqSolver | FinerSteps:
    """The solver that the settings name, not fused; ``finer`` is how many steps it takes in place of each.

    A solver that adapts gets the tolerance that has about this effect.
    """
    method = method_of(settings.solver)
    if method.adaptive:
        tolerance = settings.tolerance / finer**method.tableau.order
        return TorchdiffeqSolver(method.library, tolerance, tolerance / 10)
    if settings.solver in FIXED:
        return FixedSteps(settings.solver, settings.step_cap, finer)
    if finer == 1:
        return TorchdiffeqSolver(method.library, longest_step=settings.step_cap)
    return FinerSteps("rk4_three_eighths", settings.step_cap)


@dataclass(frozen=True)
class FinerSteps:
    """:data:`FINER` equal steps for each one that torchdiffeq's solver takes for a whole batch.

    Dividing the longest step would not do: an interval shorter than that takes one step either way.
    """

    method: str
    longest_step: float
    longest_gap: float = math.inf

    def evolve(self, field: nn.Module, state: Tensor, durations: Tensor) -> Evolution:
        """Every sample's state after its own duration."""
        steps = FINER * steps_for(float(durations.max()), self.longest_step)
        if steps == 0:
            return Evolution(state, 0, 0)
        stages = runge_kutta_method(self.method).stages
        return Evolution(integrate(field, state, durations[:, None], steps, self.method), stages * steps, steps)


LAYERS = {
    "input weights": "W_x",
    "recurrent weights": "W_h",
    "decay weights": "W_d",
    "field, layer 1": "weights.0",
    "field, layer 2": "weights.1",
    "field, layer 3": "weights.2",
    "read-out": "W",
}
"""The layers of all networks, and how the name of their weights ends."""


def layers_of(network: nn.Module) -> dict[str, Tensor]:
    """The weights of the layers that a network has, by name."""
    layers = {f".{name}": weights for name, weights in network.named_parameters()}
    return {
        layer: weights for layer, end in LAYERS.items() for name, weights in layers.items() if name.endswith(f".{end}")
    }


def flat_weights(network: nn.Module) -> Tensor:
    """All weights side by side, in the order of the network's parameters."""
    return torch.nn.utils.parameters_to_vector(network.parameters()).detach()
