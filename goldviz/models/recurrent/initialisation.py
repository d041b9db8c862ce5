"""How a recurrent matrix starts: the kind of matrix, and its size as a gain or as a spectral radius.

The kinds stand in :mod:`goldviz.models.recurrent.matrices`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import Generator

from goldviz.models.recurrent.matrices import MATRICES
from goldviz.models.recurrent.weights import RecurrentWeights

if TYPE_CHECKING:
    from goldviz.models.recurrent.matrices import Matrix

GATE_STREAMS = {"state": 0, "candidate": 0, "forget": 1, "update": 1, "input": 2, "reset": 2, "output": 3}
"""Which random stream draws a gate's matrices. Gates with the same part share one, so that with the same seed an
Elman network's W_hh, an LSTM's W_hc and a GRU's W_hh are the same matrix."""


def spectral_radius(matrix: Matrix) -> float:
    """The largest modulus of an eigenvalue."""
    return float(torch.linalg.eigvals(matrix.detach()).abs().max())


def scaled_to_gain(matrix: Matrix, size: float) -> Matrix:
    """``size`` times the matrix."""
    return size * matrix


def scaled_to_spectral_radius(matrix: Matrix, size: float) -> Matrix:
    """The matrix scaled so that its spectral radius is ``size``; ``ValueError`` if all its eigenvalues are zero."""
    radius = spectral_radius(matrix)
    if radius == 0:
        raise ValueError("The spectral radius of the matrix is 0; a matrix can be scaled to one only from above 0.")
    return matrix * (size / radius)


SCALINGS: dict[str, Callable[[Matrix, float], Matrix]] = {
    "gain": scaled_to_gain,
    "spectral_radius": scaled_to_spectral_radius,
}


@dataclass(frozen=True)
class RecurrentInitialisation:
    """How to draw a recurrent layer: kind and size of every W_h block, scale of W_x, and the gates' biases.

    Input matrices have entries N(0, input_scale^2 / inputs). ``biases`` maps a gate to its constant bias, for
    example {"forget": 1.0} (Gers et al. 2000); gates that are not named start at 0, and names of gates that the
    layer does not have are ignored, so that one initialisation serves RNN, LSTM and GRU side by side.
    """

    matrix: str = "orthogonal"
    scaling: str = "gain"
    size: float = 1.0
    input_scale: float = 1.0
    biases: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value, table in (("initialisation", self.matrix, MATRICES), ("scaling", self.scaling, SCALINGS)):
            if value not in table:
                raise ValueError(f"The {name} is {value!r}; allowed is one of {', '.join(table)}.")
        for name, number in (("size", self.size), ("input scale", self.input_scale)):
            if not (math.isfinite(number) and number >= 0):
                raise ValueError(f"The {name} is {number}; allowed is a number from 0.")
        unknown_gates = sorted(set(self.biases) - set(GATE_STREAMS))
        if unknown_gates:
            gates = ", ".join(GATE_STREAMS)
            raise ValueError(f"A bias is given for the gate {unknown_gates[0]!r}; allowed is one of {gates}.")


@torch.no_grad()
def initialise(layer: RecurrentWeights, stream: Callable[[int], Generator], settings: RecurrentInitialisation) -> None:
    """Draw all weights of ``layer``.

    ``stream(index)`` gives a fresh generator for every matrix: index 2 s for an input matrix and 2 s + 1 for a
    recurrent one, with s from :data:`GATE_STREAMS`. So a matrix does not depend on which others are drawn. Matrices
    are drawn in float64 and rounded to the layer's type, so that both precisions start from the same network.
    """
    for name in layer.blocks:
        index = 2 * GATE_STREAMS[name]
        normal = torch.randn(layer.hidden, layer.inputs, generator=stream(index), dtype=torch.float64)
        layer.block(layer.W_x, name).copy_(normal * (settings.input_scale / math.sqrt(layer.inputs)))
        if layer.reads_state:
            recurrent = MATRICES[settings.matrix](layer.hidden, stream(index + 1))
            layer.block(layer.W_h, name).copy_(SCALINGS[settings.scaling](recurrent, settings.size))
        layer.block(layer.b, name).fill_(settings.biases.get(name, 0.0))
