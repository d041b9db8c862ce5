"""Where networks are trained: the CPU, or an accelerator if this machine has one."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from typing import Any, TypeVar

import torch
import torch.utils.deterministic
from torch import nn

from goldviz.training.memory import keep_freed_memory
from goldviz.training.threads import one_thread

Network = TypeVar("Network", bound=nn.Module)
deterministic: Any = torch.utils.deterministic
"""A module that replaces itself by an object with the attribute that is set below, which types do not know."""

# cuBLAS reads it when a GPU is first used: with a workspace of its own it adds in the same order every time.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


class DeviceError(RuntimeError):
    """A device that this machine does not have."""

    for_a_person = True


ACCELERATORS: dict[str, tuple[str, Callable[[], bool]]] = {
    "cuda": ("CUDA GPU", torch.cuda.is_available),
    "mps": ("Apple GPU", torch.backends.mps.is_available),
}
"""Name -> what it is called, and whether this machine has one; 'auto' takes the first that it has."""


def resolve(device: str) -> torch.device:
    """The device meant by 'auto', 'cpu', 'cuda' or 'mps'; raises :class:`DeviceError` if this machine lacks it."""
    present = [name for name, (_, available) in ACCELERATORS.items() if available()]
    if device == "auto":
        return torch.device(present[0] if present else "cpu")
    if device == "cpu" or device in present:
        return torch.device(device)
    names = ", ".join(["auto", "cpu", *present])
    what = f"this machine has no {ACCELERATORS[device][0]}" if device in ACCELERATORS else "there is no such device"
    raise DeviceError(f"Device is {device!r}, but {what}; allowed here: {names}.")


@contextmanager
def training_on(device: str) -> Iterator[torch.device]:
    """The device meant, for many small steps: torch uses one thread, and keeps the memory that a step frees.

    A GPU takes kernels that add in the same order every time, so that a run repeats, and goes on after a pause, to the
    last digit.
    """
    target = resolve(device)
    keep_freed_memory()
    with one_thread(), _same_order_every_time() if target.type == "cuda" else nullcontext():
        yield target


@contextmanager
def _same_order_every_time() -> Iterator[None]:
    before, fills = torch.are_deterministic_algorithms_enabled(), deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    # Nothing here reads memory that was not written: filling it would cost a kernel for every tensor.
    deterministic.fill_uninitialized_memory = False
    try:
        yield
    finally:
        deterministic.fill_uninitialized_memory = fills
        torch.use_deterministic_algorithms(before)


def on_cpu(network: Network) -> Network:
    """The network itself, or a copy on the CPU: float64 is there on every machine, and small products are fastest."""
    return network if next(network.parameters()).device.type == "cpu" else deepcopy(network).cpu()


def device_name(device: torch.device) -> str:
    """What a person calls the device: 'NVIDIA H200', 'CPU (x86_64)'."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"Apple GPU ({platform.machine()})" if device.type == "mps" else f"CPU ({platform.machine()})"


def present() -> list[str]:
    """Names of all devices that this machine can train on."""
    accelerators = [name for name, (_, available) in ACCELERATORS.items() if available()]
    return [device_name(torch.device(name)) for name in ("cpu", *accelerators)]
