"""Questions that only another pass answers: whether rows of a batch change each other's answers, and what is ahead.

The last batch passes through the network once more, in evaluation mode and without gradient, as it is and with a part
of it exchanged. Afterwards attributes, buffers and random streams are what they were.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils import _pytree

from goldviz.watching.compiled import as_it_was, copied
from goldviz.watching.layers import tensors_in

MOVED = 1e-3
"""Of an answer's size, what counts as another answer."""
PARAMETERS = 50_000_000
"""Of larger networks nobody asks."""


@contextmanager
def untouched(model: nn.Module) -> Iterator[None]:
    """Afterwards a model's modes and attributes are what they were, lists and tensors among them included, and its
    buffers and random streams; others' forward hooks do not hear of what passes meanwhile."""
    kept = [(module, dict(module.__dict__)) for module in model.modules()]
    held = [(value, _copy(value)) for _, own in kept for name, value in own.items() if _changes(name, value)]
    with as_it_was(model):
        try:
            for module, _ in kept:
                module.training = False
                module._forward_hooks = type(module._forward_hooks)()
            yield
        finally:
            for module, own in kept:
                module.__dict__.clear()
                module.__dict__.update(own)
            for value, before in held:
                _restore(value, before)


def _changes(name: str, value: object) -> bool:
    return name not in ("_parameters", "_buffers", "_modules") and isinstance(value, list | dict | set | deque | Tensor)


def _copy(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else copy.copy(value)


def _restore(value: Any, before: Any) -> None:
    if isinstance(value, Tensor):
        value.data.copy_(before)
        return
    value.clear()
    (value.extend if isinstance(value, list | deque) else value.update)(before)


@torch.no_grad()
def asked(
    model: nn.Module, arguments: tuple[Any, ...], named: Mapping[str, Any], targets: np.ndarray
) -> dict[str, Any]:
    """What the passes say, as facts; none of what does not apply to a network.

    ``targets`` are the classes that its first answers were asked for; -1 where nothing was asked.
    """
    answer = next((one for one in tensors_in(model(*copied(arguments), **copied(dict(named)))) if one.ndim), None)
    given = next((one for one in _pytree.tree_leaves((arguments, dict(named))) if isinstance(one, Tensor)), None)
    if answer is None or given is None or given.ndim < 2 or answer.ndim < 1:
        return {}
    rows, told = len(given), {}

    def again(dim: int, kept: slice) -> float:
        """How far these answers along a dimension move when all others are given what the first of these is given."""

        def exchanged(one: object) -> object:
            if not isinstance(one, Tensor) or one.ndim <= dim or one.shape[: dim + 1] != given.shape[: dim + 1]:
                return one
            places = torch.arange(one.shape[dim], device=one.device)
            return one.index_select(dim, torch.where(torch.isin(places, places[kept]), places, places[kept][0]))

        other, more = _pytree.tree_map(exchanged, (copied(arguments), copied(dict(named))))
        changed = next(one for one in tensors_in(model(*other, **more)) if one.ndim)
        before, after = (one.transpose(0, dim)[kept] for one in (answer, changed))
        size = answer.double().std(correction=0).item()
        return (after - before).abs().max().item() / size if size > 0 else 0.0

    places, words = given.shape[1], not given.is_floating_point()
    # A table's rows may be a graph's, whose answers depend on each other; two rows may be the ends of its edges.
    apart = (given.ndim > 2 or words) and answer.ndim == 2 and len(answer) == rows and rows not in (2, answer.shape[1])
    if apart and rows > 1 and places > 1:
        told["rows_mix"] = max(again(0, slice(rows // 2)), again(0, slice(rows // 2, None))) > MOVED
    if words and answer.ndim == 3 and answer.shape[:2] == given.shape and places > 3:
        told["sees_ahead"] = _next_words(given.cpu().numpy(), targets) and again(1, slice(places - places // 3)) > MOVED
    return told


def _next_words(words: np.ndarray, targets: np.ndarray) -> bool:
    """Whether what is asked for at a place is what stands at the next one."""
    following = np.pad(words[:, 1:], ((0, 0), (0, 1)), constant_values=-1).reshape(-1)[: targets.size]
    known = (targets >= 0) & (following >= 0) if targets.size == following.size else np.zeros(0, dtype=bool)
    return bool(known.any() and (targets == following)[known].mean() > 0.9)
