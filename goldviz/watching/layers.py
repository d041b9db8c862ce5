"""Which modules of a network are watched, under which names, and which parameters are theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from goldviz.diagnostics.layers import tensors_in as every_tensor_in

ACTIVATIONS = (
    nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.ELU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.Softmax, nn.LogSoftmax,
    nn.Softplus, nn.Hardtanh, nn.SELU, nn.Mish, nn.PReLU,
)  # fmt: skip
"""Modules without parameters that have a row of their own."""
WRAPPERS = (nn.DataParallel, nn.parallel.DistributedDataParallel)
MOST_HEADS = 256
MODEL = "(model)"
"""The name of the model itself among its modules."""
COMPILED = "_orig_mod"
"""Under which ``torch.compile`` keeps the module that it compiled."""


@dataclass(frozen=True)
class Region:
    """A part of a model that a compiler took.

    ``entry`` is the module that is called, ``module`` the one in it that can still be called uncompiled, and ``inside``
    are all its modules by name.
    """

    name: str
    entry: nn.Module
    module: nn.Module
    inside: dict[str, nn.Module] = field(default_factory=dict)


@dataclass(frozen=True)
class Layers:
    """The watched modules of a model, and its parameters, each once.

    ``names`` and ``modules`` are the rows. ``layer_of`` is the row of each parameter, ``moves`` those parameters whose
    steps are told: a row's matrices, or all it has where there are none. ``hooked`` are the modules that may be hooked,
    by name: all outside ``regions``, which a compiler has taken.
    """

    root: nn.Module
    names: Sequence[str]
    modules: Sequence[nn.Module]
    parameters: Sequence[nn.Parameter]
    layer_of: np.ndarray
    moves: Sequence[int]
    hooked: Mapping[str, nn.Module]
    regions: Sequence[Region]
    heads: Mapping[int, int]
    """How many attention heads each of these rows has."""

    @property
    def facts(self) -> list[list[str | int]]:
        """Name, kind and number of parameters of each row."""
        counts = np.zeros(len(self.names), dtype=np.int64)
        np.add.at(counts, self.layer_of, [one.numel() for one in self.parameters])
        kinds = [type(module).__name__ for module in self.modules]
        return [[name, kind, int(n)] for name, kind, n in zip(self.names, kinds, counts, strict=True)]

    def by_layer(self, squares: np.ndarray) -> np.ndarray:
        """Norms of layers from the squares of their parameters' norms; NaN where no parameter was measured."""
        measured = np.flatnonzero(~np.isnan(squares))
        return np.asarray(np.sqrt(self.summed(measured, squares[measured])))

    def summed(self, places: Sequence[int] | np.ndarray, values: np.ndarray) -> np.ndarray:
        """Sums by layer of a value of each of these parameters; NaN where a layer has none of them."""
        rows, count = self.layer_of[places], len(self.names)
        sums: np.ndarray = np.bincount(rows, values, count)
        sums[np.bincount(rows, minlength=count) == 0] = np.nan
        return sums


def layers_of(model: nn.Module) -> Layers:
    """The rows of a model: every module with parameters of its own, and every activation."""
    root, entry = _unwrapped(model)
    regions = {"": Region(MODEL, entry, root)} if entry is not None else {}
    names: list[str] = []
    modules: list[nn.Module] = []
    parameters: list[nn.Parameter] = []
    rows: list[int] = []
    moves: list[int] = []
    hooked: dict[str, nn.Module] = {}
    heads: dict[int, int] = {}
    taken: set[int] = set()
    for path, module in root.named_modules():
        name = ".".join(part for part in path.split(".") if part != COMPILED) or MODEL
        around = next((one for one in regions if one == "" or f"{path}.".startswith(f"{one}.")), None)
        if around is None and (hasattr(module, COMPILED) or _compiled_in_place(module)):
            inner, entry = _unwrapped(module)
            around, regions[path] = path, Region(name, module if entry is None else entry, inner)
        if around is None:
            hooked[name] = module
        elif not hasattr(module, COMPILED):
            regions[around].inside[name] = module
        own = [one for one in module.parameters(recurse=False) if id(one) not in taken]
        tied = any(True for _ in module.parameters(recurse=False))
        count = heads_in(module)
        if not (own or tied or count or isinstance(module, ACTIVATIONS)):
            continue
        if count:
            heads[len(names)] = count
        matrices = [one for one in own if one.ndim > 1]
        for one in own:
            taken.add(id(one))
            if one.ndim > 1 or not matrices:
                moves.append(len(parameters))
            parameters.append(one)
            rows.append(len(names))
        names.append(name)
        modules.append(module)
    layer_of = np.array(rows, dtype=np.int64)
    return Layers(root, names, modules, parameters, layer_of, moves, hooked, [*regions.values()], heads)


def heads_in(module: nn.Module) -> int:
    """How many heads a module that attends says that it has; 0 for others, and for one around another."""
    if "attention" not in type(module).__name__.lower():
        return 0
    if any("attention" in type(part).__name__.lower() for part in module.modules() if part is not module):
        return 0
    places = (module, getattr(module, "config", None))
    names = ("num_heads", "num_attention_heads", "n_head")
    counts = (getattr(place, name, None) for place in places for name in names)
    return next((count for count in counts if isinstance(count, int) and 0 < count <= MOST_HEADS), 0)


def _unwrapped(model: nn.Module) -> tuple[nn.Module, nn.Module | None]:
    """What is inside all wrappers, and the outermost module on the way that a compiler took; None where none was."""
    inner, entry = model, None
    while isinstance(inner, WRAPPERS) or hasattr(inner, COMPILED):
        compiled = hasattr(inner, COMPILED)
        entry = inner if entry is None and compiled else entry
        held = getattr(inner, COMPILED if compiled else "module")
        assert isinstance(held, nn.Module)
        inner = held
    return inner, inner if entry is None and _compiled_in_place(inner) else entry


def _compiled_in_place(module: nn.Module) -> bool:
    """Whether ``module.compile()`` took it."""
    return getattr(module, "_compiled_call_impl", None) is not None


def tensors_in(value: object) -> Iterator[Tensor]:
    """The tensors of real numbers in what a module takes or returns, in their order."""
    return filter(torch.is_floating_point, every_tensor_in(value))
