"""What the page *LSTM valves* shows: eq. 17-20 of document 001 on one sequence, beside autograd.

Unit by unit, also what goes on inside one step of any recurrent cell (eq. 5, 10-15, 21-24).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import numpy as np
import torch
import xarray as xr
from torch import Generator, Tensor
from torch.nn import functional
from torch.nn.functional import linear

from goldviz.data.problems import sequences
from goldviz.diagnostics.recurrent.gate_products import gate_products
from goldviz.labs.lstm_valves.settings import LSTMValves
from goldviz.labs.lstm_valves.valves import Valves, openings, valves
from goldviz.models.recurrent.cells import CELLS, RecurrentCell, recurrent_layer, usual_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.recurrent.lstm import LSTM, LSTMTrace
from goldviz.models.recurrent.min_gru import MinGRU, MinGRUTrace
from goldviz.models.recurrent.weights import RecurrentWeights
from goldviz.training.seeds import DATA, READ_OUT_WEIGHTS, WEIGHTS, stream
from goldviz.training.threads import one_thread

Parts = dict[str, Tensor]
"""By name a quantity (step, unit); what a nonlinearity is taken of is called ``sum of`` it."""


@torch.no_grad()
def parts_of(cell: RecurrentCell, layer: RecurrentWeights, inputs: Tensor) -> Parts:
    """Gates, candidate and states of a layer of this cell on ``inputs`` (step, 1, inputs), each with its sum.

    Of a cell without gates, whose one part is its state, also the two terms of its sum.
    """
    trace = layer(inputs)
    drives, read = linear(inputs[:, 0], layer.W_x, layer.b), layer.read_by_blocks(trace)[:, 0]
    parts: Parts = {}
    for letter, _, gate in cell.parts:
        block = gate or layer.blocks[-1]
        drive = drives.chunk(len(layer.blocks), 1)[layer.blocks.index(block)]
        from_state = linear(read[:, layer.blocks.index(block)], layer.block(layer.W_h, block))
        if not cell.gates:
            parts |= {"from x": drive, "from h": from_state}
        values = getattr(trace, f"{gate}_gates" if gate else "candidates", trace.states[1:])
        parts |= {f"sum of {letter}": drive + from_state, letter: torch.stack(values)[:, 0]}
    for name, carried_on in zip("hc", trace.carried, strict=False):
        values = torch.stack(getattr(trace, carried_on))[:, 0]
        parts |= {f"{name} before": values[:-1], name: values[1:]}
    return parts


def labelled(parts: Parts) -> xr.DataArray:
    """The quantities of a cell as one array (quantity, step, unit)."""
    values = torch.stack([*parts.values()]).numpy()
    return xr.DataArray(np.asarray(values), dims=("quantity", "step", "unit"), coords={"quantity": [*parts]})


Task = sequences.RegressionBatch | sequences.ClassificationBatch
Layer = TypeVar("Layer", bound=RecurrentWeights)
TASKS: dict[str, Callable[[int, int, Generator], Task]] = {
    "recall": sequences.delayed_recall,
    "adding": sequences.adding_problem,
    "sine": sequences.slow_sine,
}
FAINT = 0.01
"""Below this share of its size at the last step, the gradient counts as faded."""
VIEW = {"cell": "lstm", "unit": 1, "step": 1}
"""Settings that only say what is drawn: the same numbers are kept for all of them."""
REACH_BIASES = (-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 6.0)


def compute(settings: LSTMValves) -> xr.Dataset:
    """Norms over the units of every gradient, the valves' openings, the reach, and the distance to autograd."""
    with one_thread():
        layer, trace, direct, loss = _run(settings)
        gradients = valves(layer, trace, direct)
        valve_openings = openings(trace)
        norms = {
            name: torch.linalg.vector_norm(getattr(gradients, name)[:, 0], dim=1).detach().numpy()
            for name in (
                "cell",
                "through_hidden",
                "through_next_cell",
                "candidate",
                "input_gate",
                "forget_gate",
                "output_gate",
            )
        }
        gates = torch.stack([valve_openings.forget, valve_openings.input, valve_openings.output])[:, :, 0].detach()
        retention = [torch.stack(trace.forget_gates), 1 - torch.stack(_min_gru(settings).update_gates)]
        curve = [reach(cell_norms(settings.changed(**VIEW, forget_bias=bias))) for bias in REACH_BIASES]
        return xr.Dataset(
            {
                **{name: ("step", values) for name, values in norms.items()},
                "opening": (("valve", "step", "unit"), gates.numpy()),
                "reach_by_bias": ("bias", np.array(curve)),
                "gates_left": (("path", "step"), np.stack([_left_to_the_end(gates[:, 0]) for gates in retention])),
                "inside": labelled(_inside(settings)),
            },
            coords={
                "step": np.arange(1, settings.length + 1),
                "unit": np.arange(1, settings.hidden + 1),
                "valve": ["forget", "input", "output"],
                "path": ["lstm", "min_gru"],
                "bias": list(REACH_BIASES),
            },
            attrs={
                "reach": reach(norms["cell"]),
                "forget_bias": settings.forget_bias,
                "loss": float(loss.detach()),
                "difference": _difference_to_autograd(trace, loss, gradients),
                "cell_in_view": settings.cell,
                "unit_in_view": min(settings.unit, settings.hidden),
                "step_in_view": min(settings.step, settings.length),
            },
        )


def _inside(settings: LSTMValves) -> Parts:
    """One step after another of the cell in view, with the weights' streams and the sequence of the LSTM."""
    inputs = _task(settings).inputs.double()
    layer = recurrent_layer(usual_layer(settings.cell), inputs.shape[2], settings.hidden, dtype=torch.float64)
    return parts_of(CELLS[settings.cell], _drawn(layer, settings), inputs)


def _min_gru(settings: LSTMValves) -> MinGRUTrace:
    """A minGRU on the LSTM's sequence."""
    inputs = _task(settings).inputs.double()
    trace: MinGRUTrace = _drawn(MinGRU(inputs.shape[2], settings.hidden, dtype=torch.float64), settings)(inputs)
    return trace


def _left_to_the_end(gates: Tensor) -> np.ndarray:
    """log10 of what a unit's gates leave from step t to the last one, the root mean square over the units."""
    squares = (2 * gate_products(gates)[-1, 1:]).mul_(math.log(10))
    left: Tensor = (torch.logsumexp(squares, 1) - math.log(gates.shape[1])) / (2 * math.log(10))
    return left.numpy()


def reach(norms: np.ndarray) -> int:
    """Steps back from the last until ||dL/dc_t|| falls below 1/100 of what it is there; all steps if it never does."""
    faint = np.flatnonzero(norms[::-1] < FAINT * norms[-1])
    return int(faint[0]) if faint.size else len(norms)


@lru_cache(maxsize=256)
def cell_norms(settings: LSTMValves) -> np.ndarray:
    """||dL/dc_t|| over the units, t = 1 to T."""
    layer, trace, direct, _ = _run(settings)
    norms: Tensor = torch.linalg.vector_norm(valves(layer, trace, direct).cell[:, 0], dim=1)
    return norms.numpy()


def _run(settings: LSTMValves) -> tuple[LSTM, LSTMTrace, Tensor, Tensor]:
    """The network, its forward pass, dL/dh_t through the read-out at t alone, and the loss, in autograd's graph."""
    task = _task(settings)
    layer = _drawn(LSTM(task.inputs.shape[2], settings.hidden, dtype=torch.float64), settings)
    outputs = task.classes if isinstance(task, sequences.ClassificationBatch) else 1
    weights = torch.randn(
        outputs, settings.hidden, generator=stream(settings.seed, READ_OUT_WEIGHTS), dtype=torch.float64
    )
    read_out = weights / settings.hidden**0.5
    trace = layer(task.inputs.double())
    hidden = trace.hidden.detach().requires_grad_()
    (direct,) = torch.autograd.grad(_loss(task, hidden, read_out, settings.loss_at), hidden)
    return layer, trace, direct, _loss(task, trace.hidden, read_out, settings.loss_at)


def _task(settings: LSTMValves) -> Task:
    return TASKS[settings.task](settings.length, 1, stream(settings.seed, DATA))


def _drawn(layer: Layer, settings: LSTMValves) -> Layer:
    """The layer with its weights drawn; biases are those of gates that it has.

    A minGRU begins by keeping as much as the LSTM's forget gate: 1 - sigmoid(-b) = sigmoid(b).
    """
    biases = {"forget": settings.forget_bias, "output": settings.output_bias, "input": settings.input_bias}
    if isinstance(layer, MinGRU):
        biases["update"] = -settings.forget_bias
    how = RecurrentInitialisation("gaussian", "gain", settings.gain, settings.input_scale, biases)
    initialise(layer, lambda index: stream(settings.seed, WEIGHTS + index), how)
    return layer


def _loss(task: Task, hidden: Tensor, read_out: Tensor, loss_at: str) -> Tensor:
    """Cross-entropy or squared error of a linear read-out; a task that asks only at its end repeats that answer."""
    answers = hidden @ read_out.t()
    targets = task.targets if bool(task.scored.all()) else task.targets[-1:].expand_as(task.targets)
    if loss_at == "last":
        answers, targets = answers[-1:], targets[-1:]
    if isinstance(task, sequences.ClassificationBatch):
        return functional.cross_entropy(answers.flatten(0, 1), targets.flatten())
    return functional.mse_loss(answers.squeeze(2), targets.double())


def _difference_to_autograd(trace: LSTMTrace, loss: Tensor, by_hand: Valves) -> float:
    """The largest difference to autograd, relative to the largest entry, over dL/dc_t, dL/dc~_t and dL/do_t."""
    pairs = (
        (trace.cells[1:], by_hand.cell),
        (trace.candidates, by_hand.candidate),
        (trace.output_gates, by_hand.output_gate),
    )
    largest = 0.0
    for tensors, ours in pairs:
        theirs = torch.stack(torch.autograd.grad(loss, list(tensors), retain_graph=True))
        scale = max(float(theirs.abs().max()), 1e-300)
        largest = max(largest, float((theirs - ours).abs().max()) / scale)
    return largest
