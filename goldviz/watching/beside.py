"""Questions that only another pass answers: whether rows of a batch change each other's answers, and what is ahead.

A batch passes through a copy of the network once more, in evaluation mode and without gradient, as it is and with a
part of it exchanged. The network itself is not asked: what else it keeps, and changes with each pass, stays as it is.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils import _pytree

from goldviz.diagnostics.random_streams import unchanged_streams
from goldviz.watching.compiled import copied
from goldviz.watching.layers import tensors_in

MOVED = 1e-3
"""Of an answer's size, what counts as another answer."""
MOST_ENTRIES, MOST_PARTS = 20_000_000, 100_000
"""Numbers and parts of a network, beyond which nobody asks it."""


@contextmanager
def twin(model: nn.Module) -> Iterator[nn.Module | None]:
    """A copy of a network in evaluation mode, down to its plain attributes, and unchanged random streams afterwards.

    Others' hooks do not hear of what passes through it. None where the network holds so much beside its layers, such
    as a trainer or a table, that nobody knows what a copy costs. Raises what copying raises.
    """
    held = _held_by(model)
    if held is None:
        yield None
        return
    # Only leaves of a graph can be copied.
    memo: dict[int, Any] = {id(one): one.detach().clone() for one in held if not one.is_leaf}
    with unchanged_streams([*model.parameters(), *model.buffers()]):
        same = copy.deepcopy(model, memo).eval()
        for module in same.modules():
            module._forward_hooks.clear()
            for key, hook in [*module._forward_pre_hooks.items()]:
                # PyTorch's own make a weight, such as the one of a norm.
                if not type(hook).__module__.startswith("torch."):
                    del module._forward_pre_hooks[key]
        yield same


def _held_by(model: nn.Module) -> list[Tensor] | None:
    """All tensors that a network holds, wherever it keeps them; None where it holds more than may be copied."""
    waiting: list[Any] = [model]
    seen: set[int] = set()
    tensors: list[Tensor] = []
    size = 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type | str | bytes | int | float | FunctionType | ModuleType):
            continue
        seen.add(id(one))
        if isinstance(one, Tensor):
            tensors.append(one)
            size += one.numel()
        elif isinstance(one, np.ndarray):
            size += one.size
        elif isinstance(one, Mapping):
            waiting += [*one.values()]
        elif isinstance(one, list | tuple | set | frozenset | deque):
            waiting += [*one]
        else:
            waiting.append(getattr(one, "__dict__", None))
        if size > MOST_ENTRIES or len(seen) + len(waiting) > MOST_PARTS:
            return None
    return tensors


@torch.no_grad()
def asked(
    model: nn.Module, arguments: tuple[Any, ...], named: Mapping[str, Any], targets: np.ndarray
) -> dict[str, Any]:
    """What the passes say, as facts; none of what does not apply to a network.

    ``targets`` are the classes that its first answers were asked for; -1 where nothing was asked.
    """

    devices = {one.device.index or 0 for one in model.parameters() if one.is_cuda}
    streams = [torch.default_generator, *(torch.cuda.default_generators[one] for one in devices)]

    def answered(given: tuple[Any, ...], more: dict[str, Any]) -> Tensor | None:
        # Every pass draws the same numbers.
        for stream in streams:
            stream.manual_seed(0)
        return next((one for one in tensors_in(model(*given, **more)) if one.ndim), None)

    answer, repeated = (answered(copied(arguments), copied(dict(named))) for _ in range(2))
    given = next((one for one in _pytree.tree_leaves((arguments, dict(named))) if isinstance(one, Tensor)), None)
    if answer is None or repeated is None or given is None or given.ndim < 2 or not torch.equal(answer, repeated):
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
        changed = answered(other, more)
        if changed is None or changed.shape != answer.shape:
            return 0.0
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
