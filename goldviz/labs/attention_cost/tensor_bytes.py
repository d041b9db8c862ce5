"""How many bytes the tensors of some work hold at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class _TensorBytes(TorchDispatchMode):
    """The most bytes that tensors made meanwhile hold at once, beside those that were there before."""

    def __init__(self, *before: torch.Tensor) -> None:
        super().__init__()
        self._before = {tensor.untyped_storage()._cdata for tensor in before}
        self._alive: dict[int, tuple[StorageWeakRef, int]] = {}
        self.most: int = 0

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self._alive = {key: (ref, size) for key, (ref, size) in self._alive.items() if not ref.expired()}
        for tensor in tree_leaves(result):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                if storage._cdata not in self._before:
                    self._alive[storage._cdata] = StorageWeakRef(storage), storage.nbytes()
        self.most = max(self.most, sum(int(size) for _, size in self._alive.values()))
        return result


def peak_bytes(work: Callable[[], object], *before: torch.Tensor) -> int:
    """The most bytes that the tensors of ``work`` hold at once, without those of the tensors ``before`` it."""
    with _TensorBytes(*before) as tensors:
        work()
    return int(tensors.most)
