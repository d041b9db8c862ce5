"""A hook that is no burden on the model that it stands on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


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
