"""A hook that is no burden on the model that it stands on."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import nn


def _nothing(*_arguments: object, **_named: object) -> None:
    """What is left of a hook in a pickled or copied model."""


def gone() -> Callable[..., None]:
    """What a pickled hook becomes."""
    return _nothing


class Hook:
    """A hook that a pickled or copied model leaves behind."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[..., None]) -> None:
        self.call = call

    def __call__(self, *arguments: Any) -> None:
        """Hand on what PyTorch says; nothing in a function that is being compiled, whose graph it would break."""
        if not torch.compiler.is_compiling():
            self.call(*arguments)

    def __reduce__(self) -> tuple[Callable[[], Callable[..., None]], tuple[()]]:
        return gone, ()


@cache
def seconds_of_a_hook() -> float:
    """How long PyTorch takes to come to a hook and back, which no clock inside the hook sees: tried once, in 1 ms."""
    module, nothing = nn.Identity(), torch.zeros(1)

    def seconds() -> float:
        began = time.perf_counter()
        for _ in range(50):
            module(nothing)
        return (time.perf_counter() - began) / 50

    without = min(seconds() for _ in range(3))
    with module.register_forward_hook(Hook(_nothing), with_kwargs=True):
        return max(0.0, min(seconds() for _ in range(3)) - without)
