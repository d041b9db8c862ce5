"""The units of feed-forward networks: which are dead, and what is left in them of negative moves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn

from goldviz.diagnostics.layers import activation_readings
from goldviz.labs.series_attention.networks import SeriesNetwork, SeriesTransformer, layer_names
from goldviz.models.feedforward.activations import ACTIVATIONS
from goldviz.models.series.row_transformer import LEAK

if TYPE_CHECKING:
    from goldviz.labs.series_attention.settings import SeriesAttention

RIDGE = 1e-6
"""Of the linear map back, for each row that it is fitted to."""
Sums = Float[Tensor, "series row unit"]


@contextmanager
def watching_sums(network: SeriesNetwork) -> Iterator[list[Sums]]:
    """What each block's nonlinearity is applied to in the passes made meanwhile, block after block; none of a GRU."""
    sums: list[Sums] = []

    def keep(_module: nn.Module, _given: object, output: Tensor) -> None:
        sums.append(output)

    blocks = network.stack() if isinstance(network, SeriesTransformer) else []
    hooks = [block.expand.register_forward_hook(keep) for block in blocks]
    try:
        yield sums
    finally:
        for hook in hooks:
            hook.remove()


def dead_by_layer(settings: SeriesAttention, sums: Sequence[Sums]) -> Float[Tensor, " layer"]:
    """The share of each block's units that are flat at every row; NaN for what has none."""
    names = layer_names(settings)
    shares = torch.full((len(names),), math.nan)
    activation = ACTIVATIONS[settings.activation](LEAK)
    for number, z in enumerate(sums, start=1):
        one = [z.flatten(0, 1)]
        shares[names.index(f"block {number}")] = activation_readings(one, one, activation)["dead_units"][0]
    return shares


def recovered(
    units: Float[Tensor, "row unit"],
    values: Float[Tensor, " row"],
    new_units: Float[Tensor, "other unit"],
    new_values: Float[Tensor, " other"],
) -> float:
    """How much of the variance of negative values a linear map of the units gives back, fitted to other rows.

    1 - squared errors over squared distances from the mean that the map was fitted to. NaN without two such values.

    >>> values = torch.tensor([-1.0, 2.0, -3.0, -2.0])
    >>> recovered(values[:, None] / 7, values, values[:, None] / 7, values) > 0.99
    True
    """
    x, y = units[values < 0].double(), values[values < 0].double()
    new_x, new_y = new_units[new_values < 0].double(), new_values[new_values < 0].double()
    if len(y) < 2 or len(new_y) < 2:
        return math.nan
    centre, level = x.mean(0), y.mean()
    x = x - centre
    weights = torch.linalg.solve(x.T @ x + RIDGE * len(x) * torch.eye(x.shape[1], dtype=x.dtype), x.T @ (y - level))
    errors = new_y - level - (new_x - centre) @ weights
    return float(1 - errors.square().sum() / (new_y - level).square().sum())
