"""What the Jacobian lens shows: products of exact step Jacobians as labelled arrays (document 001, eq. 5-24)."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import torch
import xarray as xr
from torch import Tensor

from goldviz.diagnostics.recurrent.gate_products import gate_products
from goldviz.diagnostics.recurrent.jacobians import CellJacobians, RecurrentJacobians, step_jacobians
from goldviz.labs.jacobian_lens.bounds import eigenvalues, lag_lines, saturated_share, slopes, stepwise_bound
from goldviz.labs.jacobian_lens.products import (
    cell_path_norms,
    frobenius_norm_of_diagonal,
    frobenius_norms,
    singular_values,
)
from goldviz.labs.jacobian_lens.settings import JacobianLens
from goldviz.models.recurrent.cells import recurrent_layer
from goldviz.models.recurrent.elman import Elman, ElmanTrace
from goldviz.models.recurrent.gru import GRUTrace
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.recurrent.lstm import LSTMTrace
from goldviz.models.recurrent.min_gru import MinGRUTrace
from goldviz.models.recurrent.weights import RecurrentTrace, RecurrentWeights
from goldviz.training.seeds import DATA, WEIGHTS, stream
from goldviz.training.threads import one_thread

INPUTS = 8
"""Features of the random sequence, each N(0, 1)."""


@torch.no_grad()
def unrolled(settings: JacobianLens) -> tuple[RecurrentWeights, RecurrentTrace]:
    """The network of these settings and its forward pass over one random sequence, in float64."""
    layer = recurrent_layer(settings.cell, INPUTS, settings.hidden, dtype=torch.float64)
    biases = {"forget": settings.forget_bias, "update": settings.update_bias}
    how = RecurrentInitialisation(
        settings.initialisation, settings.scaling, settings.size, settings.input_scale, biases
    )
    initialise(layer, lambda index: stream(settings.seed, WEIGHTS + index), how)
    inputs = torch.randn(settings.length, 1, INPUTS, generator=stream(settings.seed, DATA), dtype=torch.float64)
    return layer, layer(inputs)


def compute(settings: JacobianLens) -> xr.Dataset:
    """The whole map, and what belongs to the products that start at ``settings.start``.

    Times t and k run from 0, lags from 0 to T - k. Logarithms are to base 10. Raises ``ValueError`` if the state
    stops being finite.
    """
    with one_thread():
        overview, layer, jacobians = _overview(settings.changed(start=0))
        start = min(settings.start, settings.length - 1)
        column = _from(start, layer, jacobians, overview["passed"].values)
        return overview.merge(column).assign_attrs({**overview.attrs, **column.attrs, "start": start})


@lru_cache(maxsize=8)
def _overview(settings: JacobianLens) -> tuple[xr.Dataset, RecurrentWeights, RecurrentJacobians]:
    """All that does not depend on where one looks."""
    layer, trace = unrolled(settings)
    jacobians = step_jacobians(layer, trace)
    root = 0.5 * math.log10(jacobians.state)
    slope, words = _passed(layer, trace, jacobians)
    data = xr.Dataset(
        {
            "norm": (("t", "k"), frobenius_norms(jacobians).numpy() - root),
            "passed": (("step", "unit"), slope.numpy(), {"long_name": words}),
            "saturated": ("step", saturated_share(trace).numpy()),
        },
        coords={
            "t": np.arange(settings.length + 1),
            "k": np.arange(settings.length + 1),
            "step": np.arange(1, settings.length + 1),
            "unit": np.arange(1, settings.hidden + 1),
        },
        attrs={"cell": settings.cell, "state": jacobians.state, "hidden": settings.hidden},
    )
    if isinstance(jacobians, CellJacobians):
        path = cell_path_norms(jacobians).numpy() - 0.5 * math.log10(settings.hidden)
        data["cell_path"] = (("t", "k"), path)
    return data, layer, jacobians


def _passed(layer: RecurrentWeights, trace: RecurrentTrace, jacobians: RecurrentJacobians) -> tuple[Tensor, str]:
    """The share of a change that each unit hands on by itself at each step, and its name."""
    match layer, trace:
        case Elman(), ElmanTrace():
            return slopes(layer, trace)[:, 0], "Slope φ′(u) of the unit"
        case _, LSTMTrace():
            return torch.stack(trace.forget_gates)[:, 0], "Forget gate f"
        case _, GRUTrace() | MinGRUTrace():
            return 1 - torch.stack(trace.update_gates)[:, 0], "Kept share 1 − z"
    own = jacobians.dense().diagonal(dim1=1, dim2=2)[:, : layer.hidden]
    return own, "Handed on by the unit itself, ∂h/∂h"


def _from(start: int, layer: RecurrentWeights, jacobians: RecurrentJacobians, slopes: np.ndarray) -> xr.Dataset:
    """Singular values, bounds and eigenvalues of the products from step ``start`` on.

    ``slopes`` (steps, units) are an Elman network's slopes: none after ``start`` is above the largest of them.
    """
    steps = jacobians.steps - start
    values = torch.cat([torch.zeros(1, jacobians.state, dtype=torch.float64), singular_values(jacobians, start)])
    step_eigenvalues = eigenvalues(jacobians.dense()[start])
    data = xr.Dataset(
        {
            "singular_value": (("lag", "order"), values.numpy()),
            "stepwise_bound": ("lag", stepwise_bound(jacobians)[start:, start].numpy()),
            "step_eigenvalue": (("part", "step_eigenvalue_number"), _parts(step_eigenvalues)),
        },
        coords={"lag": np.arange(steps + 1), "part": ["real", "imaginary"]},
    )
    if layer.reads_state:
        recurrent = layer.block(layer.W_h, layer.blocks[-1])
        data["weight_eigenvalue"] = (("part", "eigenvalue"), _parts(eigenvalues(recurrent)))
    else:
        products = gate_products(jacobians.dense()[start:].diagonal(dim1=1, dim2=2))[:, 0]
        data["gate_product"] = (("lag", "unit"), products.numpy())
        data["gate_path"] = ("lag", frobenius_norm_of_diagonal(products).numpy() - 0.5 * math.log10(jacobians.state))
    if isinstance(layer, Elman):
        slope = float(slopes[start:].max())
        lines = lag_lines(layer.W_h, steps, gamma=1.0)
        data["bound_by_slope"] = ("lag", lag_lines(layer.W_h, steps, gamma=slope).bound.numpy())
        data.attrs["largest_slope"] = slope
        data["bound"] = ("lag", lines.bound.numpy())
        data["asymptote"] = ("lag", lines.asymptote.numpy())
        data.attrs["spectral_norm"] = 10 ** float(lines.bound[1])
        data.attrs["spectral_radius"] = 10 ** float(lines.asymptote[1])
    return data


def _parts(values: Tensor) -> np.ndarray:
    return torch.stack([values.real, values.imag]).numpy()
