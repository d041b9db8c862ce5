"""What a network's own parts say before anything is computed, and what its weights say while it learns."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from goldviz.watching.layers import Layers

ALIKE = 1e-4
"""Of a weight's size, how far rows of units that are all alike may lie apart."""


def largest_dropout(root: nn.Module) -> tuple[str, float]:
    """The dropout that drops most, by name, and its share."""
    shares = [
        (name, float(one.p)) for name, one in root.named_modules() if isinstance(one, nn.modules.dropout._DropoutNd)
    ]
    return max(shares, key=lambda one: one[1], default=("", 0.0))


def hidden_parameters(root: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Parameters in lists and dictionaries of Python's, of which no module knows, with where they stand."""
    known = {id(one) for one in root.parameters()}
    for path, module in root.named_modules():
        for name, value in vars(module).items():
            if name.startswith("_") or not isinstance(value, list | tuple | dict):
                continue
            for one in value.values() if isinstance(value, dict) else value:
                own = one.parameters() if isinstance(one, nn.Module) else [one] if isinstance(one, nn.Parameter) else []
                place = f"{path}.{name}".lstrip(".")
                yield from ((place, held) for held in own if id(held) not in known and held.requires_grad)


@torch.no_grad()
def units_alike(layers: Layers) -> list[str]:
    """The layers whose every unit has the same weights: no gradient will ever tell them apart."""
    alike: dict[int, bool] = {}
    for weight, row in zip(layers.parameters, layers.layer_of.tolist(), strict=True):
        if weight.ndim > 1 and len(weight) > 1 and weight.requires_grad:
            # Of a recurrent layer the gates stand below each other, each with a row for every unit.
            few = weight.detach()[: min(4, getattr(layers.modules[row], "hidden_size", 4))].float()
            size = few.abs().max()
            same = bool(size > 0) and bool((few - few[:1]).abs().max() <= ALIKE * size)
            alike[row] = alike.get(row, True) and same
    return [layers.names[row] for row, same in alike.items() if same]


def behind(norm: nn.modules.batchnorm._BatchNorm, given: Tensor) -> float:
    """How far a batch norm's running mean lies from a batch's own, in its standard deviations; median over channels."""
    if norm.running_mean is None or given.ndim < 2 or len(given) < 2:
        return 0.0
    dims = [dim for dim in range(given.ndim) if dim != 1]
    spread, mean = torch.std_mean(given.detach().float(), dims)
    return float(((mean - norm.running_mean).abs() / spread.clamp_min(1e-12)).median())
