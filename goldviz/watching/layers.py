"""Which modules of a network are watched, under which names, and which parameters are theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

ACTIVATIONS = (
    nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.ELU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.Softmax, nn.LogSoftmax,
    nn.Softplus, nn.Hardtanh, nn.SELU, nn.Mish, nn.PReLU,
)  # fmt: skip
"""Modules without parameters that have a row of their own."""
WRAPPERS = (nn.DataParallel, nn.parallel.DistributedDataParallel)
COMPILED = "_orig_mod"
"""Under which ``torch.compile`` keeps the module that it compiled."""


@dataclass(frozen=True)
class Layers:
    """The watched modules of a model, and its parameters, each once.

    ``names`` and ``modules`` are the rows. ``layer_of`` is the row of each parameter, ``moves`` those parameters whose
    steps are told: a row's matrices, or all it has where there are none. ``hooked`` are the modules that may be hooked,
    by name: all that no compiler has taken.
    """

    root: nn.Module
    names: Sequence[str]
    modules: Sequence[nn.Module]
    parameters: Sequence[nn.Parameter]
    layer_of: np.ndarray
    moves: Sequence[int]
    hooked: Mapping[str, nn.Module]

    @property
    def facts(self) -> list[list[str | int]]:
        """Name, kind and number of parameters of each row."""
        counts = np.zeros(len(self.names), dtype=np.int64)
        np.add.at(counts, self.layer_of, [one.numel() for one in self.parameters])
        kinds = [type(module).__name__ for module in self.modules]
        return [[name, kind, int(n)] for name, kind, n in zip(self.names, kinds, counts, strict=True)]

    def by_layer(self, squares: np.ndarray) -> np.ndarray:
        """Norms of layers from the squares of their parameters' norms; NaN where no parameter was measured."""
        known = ~np.isnan(squares)
        sums, counts = np.zeros(len(self.names)), np.zeros(len(self.names))
        np.add.at(sums, self.layer_of[known], squares[known])
        np.add.at(counts, self.layer_of[known], 1)
        return np.sqrt(np.where(counts > 0, sums, np.nan))


def layers_of(model: nn.Module) -> Layers:
    """The rows of a model: every module with parameters of its own, and every activation."""
    root: nn.Module = model
    compiled = False
    while isinstance(root, WRAPPERS) or hasattr(root, COMPILED):
        compiled = compiled or hasattr(root, COMPILED)
        inner = getattr(root, COMPILED if hasattr(root, COMPILED) else "module")
        assert isinstance(inner, nn.Module)
        root = inner
    names: list[str] = []
    modules: list[nn.Module] = []
    parameters: list[nn.Parameter] = []
    rows: list[int] = []
    moves: list[int] = []
    hooked: dict[str, nn.Module] = {}
    taken: set[int] = set()
    for path, module in root.named_modules():
        name = ".".join(part for part in path.split(".") if part != COMPILED) or "(model)"
        inside = f".{path}.".find(f".{COMPILED}.") >= 0 or hasattr(module, COMPILED)
        if not (compiled or inside or _compiled_in_place(root, path)):
            hooked[name] = module
        own = [one for one in module.parameters(recurse=False) if id(one) not in taken]
        tied = any(True for _ in module.parameters(recurse=False))
        if not (own or tied or isinstance(module, ACTIVATIONS)):
            continue
        matrices = [one for one in own if one.ndim > 1]
        for one in own:
            taken.add(id(one))
            if one.ndim > 1 or not matrices:
                moves.append(len(parameters))
            parameters.append(one)
            rows.append(len(names))
        names.append(name)
        modules.append(module)
    return Layers(root, names, modules, parameters, np.array(rows, dtype=np.int64), moves, hooked)


def _compiled_in_place(root: nn.Module, path: str) -> bool:
    """Whether ``module.compile()`` took this module, or one around it."""
    parts = path.split(".") if path else []
    around = [root, *(root.get_submodule(".".join(parts[: n + 1])) for n in range(len(parts)))]
    return any(getattr(one, "_compiled_call_impl", None) is not None for one in around)


def tensors_in(value: object) -> Iterator[Tensor]:
    """The tensors of real numbers in what a module takes or returns, in their order."""
    match value:
        case Tensor():
            if torch.is_floating_point(value):
                yield value
        case PackedSequence():
            yield from tensors_in(value.data)
        case Mapping():
            for part in value.values():
                yield from tensors_in(part)
        case list() | tuple():
            for part in value:
                yield from tensors_in(part)
        case _ if is_dataclass(value):
            for field in fields(value):
                yield from tensors_in(getattr(value, field.name))
