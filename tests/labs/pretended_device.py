"""A device that no machine has: it computes on the CPU, and refuses what is on the CPU as a GPU does.

Its tensors are wrappers on PyTorch's device ``meta``, which keeps no numbers of its own. It cannot tell what a GPU's
kernels compute or lack.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.optim import optimizer
from torch.utils._python_dispatch import TorchDispatchMode

from goldviz.training import devices, seeds

CPU, FAR = torch.device("cpu"), torch.device("meta")
aten = torch.ops.aten
MOVES = {aten._to_copy, aten.copy_}
INDEXED = {aten.index, aten.index_put_, aten._index_put_impl_}
"""These take indices from the CPU."""


class MixedDevicesError(RuntimeError):
    """A computation of the pretended device and the CPU together."""


class Far(Tensor):
    """A tensor on the pretended device; ``near`` holds its numbers."""

    near: Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, near: Tensor) -> Far:
        layout = {"strides": near.stride(), "storage_offset": near.storage_offset(), "dtype": near.dtype}
        return Tensor._make_wrapper_subclass(cls, near.size(), device=FAR, **layout)

    def __init__(self, near: Tensor) -> None:
        self.near = near

    def __getitem__(self, index: Any) -> Tensor:
        # PyTorch would make a tensor of the list on ``meta``, without its numbers.
        return super().__getitem__(torch.tensor(index) if isinstance(index, list | np.ndarray) else index)

    def tolist(self) -> Any:
        return self.cpu().tolist()

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return computed(func, args, kwargs or {})


class FarGenerator(torch.Generator):
    """Draws the CPU's numbers for the pretended device."""

    device = FAR
    of_run: dict[int, FarGenerator]
    """Where PyTorch has them -> all generators of the run: in a computation a generator is another object."""

    def __init__(self) -> None:
        self.of_run[self._cdata] = self


class Dispatched(TorchDispatchMode):
    """Sees computations without a tensor of the device, which may make one or should have one."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return computed(func, args, kwargs or {})

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # It would load PyTorch's compiler, which takes a second.
        return False


def computed(func: Any, args: Any, kwargs: Any) -> Any:
    """What the CPU computes, on the device where a GPU would have it."""
    given: list[Tensor] = []
    near_args = changed(args, lambda one: given.append(one) or near(one))
    near_kwargs = {name: changed(value, lambda one: given.append(one) or near(one)) for name, value in kwargs.items()}
    device = kwargs.get("device")
    there = any(isinstance(one, Far) for one in given) if device is None else is_far(device)
    refuse_mixed(func, args, kwargs, given, there)
    found = func(*near_args, **(near_kwargs if device is None else {**near_kwargs, "device": CPU}))
    # What works in place returns the very tensor that it was given.
    own = {id(near(one)): one for one in given}
    return changed(found, lambda one: own.get(id(one), Far(one) if there else one))


def is_far(device: torch.device | str | None) -> bool:
    return device is not None and torch.device(device) == FAR


def near(one: Tensor) -> Tensor:
    return one.near if isinstance(one, Far) else one


def changed(one: Any, change: Callable[[Tensor], Any]) -> Any:
    """The same with every tensor changed, in lists too."""
    if isinstance(one, list | tuple):
        return type(one)(changed(part, change) for part in one)
    return change(one) if isinstance(one, Tensor) else one


def refuse_mixed(func: Any, args: Any, kwargs: Any, given: list[Tensor], there: bool) -> None:
    """Raise :class:`MixedDevicesError` where a GPU would refuse; ``there``: the result would be on the device."""
    generator = kwargs.get("generator")
    if generator is not None and (generator._cdata in FarGenerator.of_run) != there:
        raise MixedDevicesError(f"{func} draws from a generator that is not where its numbers go.")
    strange = [one for one in given if not isinstance(one, Far)]
    if any(one.is_meta for one in strange):
        raise MixedDevicesError(f"{func} takes a tensor that PyTorch made there without numbers.")
    if len(strange) in (0, len(given)) or func.overloadpacket in MOVES:
        return
    if func.overloadpacket in INDEXED and isinstance(args[0], Far):
        strange = [one for one in args[2:] if isinstance(one, Tensor) and not isinstance(one, Far)]
    # One number of the CPU will do where every value is computed on its own, and where values are put.
    if torch.Tag.pointwise in func.tags or func.overloadpacket in INDEXED:
        strange = [one for one in strange if one.dim() > 0]
    if strange:
        shapes = ", ".join(str(tuple(one.shape)) for one in strange)
        raise MixedDevicesError(f"{func} takes tensors of the device, and from the CPU those of the shapes {shapes}.")


def moved(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """``torch.tensor`` or ``torch.as_tensor``, which would leave the numbers out."""

    def on(data: Any, *args: Any, device: Any = None, **more: Any) -> Tensor:
        return make(data, *args, **more).to(FAR) if is_far(device) else make(data, *args, device=device, **more)

    return on


@contextmanager
def pretended_device() -> Iterator[torch.device]:
    """All that trains meanwhile trains on the pretended device, whatever its settings say."""
    swaps = torch.__future__.get_swap_module_params_on_conversion()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(), Dispatched():
        # PyTorch takes such a copy, which Far carries out, for one into a tensor without numbers.
        warnings.filterwarnings("ignore", message=".*copying from a non-meta parameter")
        patch.setattr(FarGenerator, "of_run", {}, raising=False)
        patch.setattr(devices, "resolve", lambda device: FAR)
        made = SimpleNamespace(Generator=lambda on: FarGenerator() if is_far(on) else torch.Generator(on))
        patch.setattr(seeds, "torch", made)
        for name in ("tensor", "as_tensor"):
            patch.setattr(torch, name, moved(getattr(torch, name)))
        patch.setattr(optimizer, "_get_fused_kernels_supported_devices", lambda: ["cuda", FAR.type])
        torch.__future__.set_swap_module_params_on_conversion(True)
        try:
            yield FAR
        finally:
            torch.__future__.set_swap_module_params_on_conversion(swaps)
