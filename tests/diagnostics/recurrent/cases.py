"""Recurrent networks of every kind, drawn small, that the tests of the recurrent diagnostics share."""

from functools import partial
from typing import Any, NamedTuple

import torch
from hypothesis import strategies as st

from goldviz.models.recurrent.cells import CELL_OF_LAYER, recurrent_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.recurrent.matrices import MATRICES
from goldviz.models.recurrent.weights import RecurrentTrace, RecurrentWeights
from tests.models.recurrent.minimal_gated_unit import MinimalGatedUnit

STEP_ALONE = "minimal_gated"
"""A cell of which goldviz knows the step alone: every derivative is that of the step."""
NAMES = (*CELL_OF_LAYER, STEP_ALONE)


class Case(NamedTuple):
    """A layer with its forward pass over a random batch."""

    layer: RecurrentWeights
    inputs: torch.Tensor
    trace: RecurrentTrace


def case(
    name: str,
    *,
    hidden: int = 6,
    steps: int = 8,
    matrix: str = "gaussian",
    size: float = 1.0,
    batch: int = 2,
    seed: int = 0,
    scaling: str = "gain",
) -> Case:
    """A drawn float64 network with random biases, and its trace."""

    def stream(index: int) -> torch.Generator:
        return torch.Generator().manual_seed(1000 * seed + index)

    make = MinimalGatedUnit if name == STEP_ALONE else partial(recurrent_layer, name)
    layer = make(3, hidden, dtype=torch.float64)
    initialise(layer, stream, RecurrentInitialisation(matrix, scaling, size, 1.0, {"forget": 1.0}))
    with torch.no_grad():
        layer.b.add_(torch.randn(layer.b.shape, generator=stream(50), dtype=torch.float64) * 0.3)
        if name == "gru_reset_after":
            layer.b_hh.copy_(torch.randn(hidden, generator=stream(51), dtype=torch.float64) * 0.3)
    x = torch.randn(steps, batch, 3, generator=stream(52), dtype=torch.float64)
    return Case(layer, x, layer(x))


def recipes(least_steps: int = 1, most_steps: int = 12) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments of :func:`case`: networks of every kind, initialisation and small size."""
    return st.fixed_dictionaries(
        {
            "name": st.sampled_from(NAMES),
            "hidden": st.integers(1, 7),
            "steps": st.integers(least_steps, most_steps),
            "matrix": st.sampled_from(list(MATRICES)),
            "size": st.floats(0.3, 1.6),
            "seed": st.integers(0, 50),
        }
    )


def state_after(one: Case, steps: int, sequence: int, start: torch.Tensor, first: int) -> torch.Tensor:
    """The state (h, or h before c) of one sequence ``steps`` steps after ``start``, from step ``first``."""
    x = one.inputs[first : first + steps, sequence : sequence + 1]
    hidden = one.layer.hidden
    if len(start) == hidden:
        return one.layer(x, start[None]).states[-1][0]
    trace = one.layer(x, (start[None, :hidden], start[None, hidden:]))
    return torch.cat([trace.states[-1][0], trace.cells[-1][0]])


def state(one: Case, step: int, sequence: int) -> torch.Tensor:
    """The state at time ``step`` of one sequence, cut from the graph."""
    parts = [one.trace.states[step][sequence]]
    if hasattr(one.trace, "cells"):
        parts.append(one.trace.cells[step][sequence])
    return torch.cat(parts).detach()
