"""The first value that is no finite number: which module, in which operation, pass and rows, made it.

Where a module's inputs and weights are finite and its output is not, the module made it, and none that only passes
it on. What a training loop does around its modules is read off the graph of its loss: names of operations, no values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from goldviz.watching.layers import tensors_in

MOST_ROWS = 32
"""Rows of a batch that are named one by one."""
MOST_NODES = 400
"""Operations of a graph that are looked through."""
OF_THE_LOSS = 8
"""The last operations, which are a loss's own."""
RISKY = (
    "log", "log2", "log10", "log1p", "div", "reciprocal", "sqrt", "rsqrt", "exp", "expm1", "pow", "acos", "asin",
    "atanh", "linalg_vector_norm", "norm", "std", "var", "softmax", "log_softmax", "logsumexp",
)  # fmt: skip
"""Operations that make infinities or NaN of finite numbers, the likeliest first."""
SOFTMAX = ("softmax", "log_softmax", "logsumexp")
"""Of which a loss over classes always has one; they make NaN of infinities alone."""
PASSING = (
    "view", "reshape", "unsafe_view", "to_copy", "slice", "transpose", "permute", "t", "clone", "unsqueeze",
    "squeeze", "select", "alias", "expand", "index",
)  # fmt: skip
"""Operations that only hand values on."""


class Call(NamedTuple):
    """A module's call in a step: its name and its kind."""

    name: str
    kind: str


@dataclass(frozen=True)
class Cause:
    """Where the first value came from that is no finite number; ``passing`` is forward, backward, batch, weights, loss
    or late: noticed in a step that was not looked at."""

    module: str
    kind: str
    passing: str
    operation: str
    value: str = "NaN"
    dtype: str = ""
    rows: Sequence[int] = ()
    bad_rows: int = 0
    of_rows: int = 0
    step: int = 0
    more: Sequence[str] = field(default_factory=tuple)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Cause:
        """As it was kept; what another version kept besides is left out."""
        named = {one.name: facts[one.name] for one in fields(cls) if one.name in facts}
        return cls(**{"module": "", "kind": "", "passing": "late", "operation": "", **named})

    def facts(self) -> dict[str, Any]:
        """As it is kept with the run."""
        return {**asdict(self), "rows": list(self.rows), "more": list(self.more)}


def cause_in_forward(
    call: Call, module: nn.Module, given: object, output: Tensor, calls: Sequence[Call], root: nn.Module
) -> Cause:
    """The cause where this module's output is the first of its step that is not finite."""
    bad = ~torch.isfinite(output.detach())
    rows = _rows(module, bad)
    facts: dict[str, Any] = {
        "value": "NaN" if bool(torch.isnan(output.detach()).any()) else "infinite",
        "dtype": str(output.dtype).removeprefix("torch."),
        "rows": rows[:MOST_ROWS],
        "bad_rows": len(rows),
        "of_rows": output.shape[batch_dim(module, output)] if output.ndim else 0,
    }
    wrong = [name for name, weight in module.named_parameters() if not bool(torch.isfinite(weight.detach()).all())]
    if wrong:
        return Cause(call.name, call.kind, "weights", f"its {wrong[0]}", **facts)
    if not all(bool(torch.isfinite(one.detach()).all()) for one in tensors_in(given)):
        if len(calls) == 1 or module is root:
            return Cause("the batch", "input", "batch", "", **facts)
        before = calls[-2].name
        return Cause(before, "", "between", f"between {before} and {call.name}", **facts)
    inner = operations_of(output, given)
    return Cause(call.name, call.kind, "forward", _likeliest(inner) or call.kind, more=inner[:6], **facts)


def batch_dim(module: nn.Module, output: Tensor) -> int:
    """Along which dimension the rows of the batch stand."""
    return 1 if output.ndim == 3 and getattr(module, "batch_first", True) is False else 0


def _rows(module: nn.Module, bad: Tensor) -> list[int]:
    if bad.ndim < 2:
        return []
    rows: list[int] = bad.movedim(batch_dim(module, bad), 0).flatten(1).any(1).nonzero().flatten().tolist()
    return rows


def name_of(node: Any) -> str:
    """An operation's name as PyTorch's functions have it.

    >>> class Node:
    ...     def name(self): return "NllLossBackward0"
    >>> name_of(Node())
    'nll_loss'
    """
    plain = re.sub(r"Backward\d*$", "", str(node.name()).rpartition("::")[2])
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()


def nodes_of(tensor: Tensor, stop: Sequence[Any] = ()) -> Iterator[Any]:
    """The operations that a tensor was made by, the last first, up to those of the graph's nodes ``stop``."""
    waiting, visited = [tensor.grad_fn], {*stop}
    while waiting and len(visited) < MOST_NODES:
        node = waiting.pop(0)
        if node is None or node in visited:
            continue
        visited.add(node)
        yield node
        waiting += [following for following, _ in node.next_functions]


def operations_of(output: Tensor, given: object) -> list[str]:
    """Names of the operations between what a module was given and what it gave."""
    stop = [one.grad_fn for one in tensors_in(given) if one.grad_fn is not None]
    return [name for node in nodes_of(output, stop) if (name := name_of(node)) not in ("accumulate_grad", *PASSING)]


def _likeliest(operations: Sequence[str], without: Sequence[str] = ()) -> str:
    return next((name for name in RISKY if name in operations and name not in without), "")


def cause_in_loss(loss: Tensor | None, value: float, last: str) -> Cause:
    """The cause where every module's output was finite and the loss is not."""
    operations = [name for node in nodes_of(loss) if (name := name_of(node)) not in PASSING] if loss is not None else []
    operations = operations[: operations.index("accumulate_grad")] if "accumulate_grad" in operations else operations
    word = "NaN" if math.isnan(value) else "infinite"
    return Cause(
        "the loss", "after " + last if last else "", "loss", _likeliest(operations, SOFTMAX), word, more=operations[:6]
    )


@dataclass(frozen=True)
class OfLoss:
    """What the graph of a loss says of the loop: how far it is a loss over classes, and of softmax twice."""

    over_classes: int = 0
    """Terms that are likelihoods of classes: of one alone it is known what a guess costs."""
    class_dim: int = -1
    softmax_twice: bool = False
    broadcast: str = ""
    softmax_over_one: bool = False
    reshaped: str = ""
    """A reshape that exchanged two sizes, which leaves the order in memory as it was."""
    squares: bool = False
    """Whether a mean or sum of squared errors is in it, with the weight 1."""
    distances: bool = False
    """Whether it is of absolute errors alone, or of Huber's."""
    likelihood: bool = False
    """Whether nothing but the likelihood of a class is in it, so that it cannot be below 0."""


def read_loss(loss: Tensor) -> OfLoss:
    """Read the graph of a loss; it may have been freed by its backward pass."""
    over_classes, dim, twice, broadcast, over_one, reshaped = 0, -1, False, "", False, ""
    squares, whole = False, {loss.grad_fn}
    for number, node in enumerate(nodes_of(loss)):
        name = name_of(node)
        if number < OF_THE_LOSS:
            broadcast = broadcast or _broadcast(node, name)
            over_one |= name in ("softmax", "log_softmax") and _length(node) == 1
            reshaped = reshaped or _reshaped(node, name)
        # Operations of which the loss is the sum, each taken once.
        if node in whole and name in ("add", "sub", *PASSING):
            whole |= {following for following, _ in node.next_functions[: 1 if name == "sub" else None]}
        squares |= name == "mse_loss" and node in whole
        if name.startswith("nll_loss"):
            over_classes, dim = over_classes + 1, -1 if name == "nll_loss" else 1
        if name == "log_softmax":
            twice = twice or _next_of(node) in ("softmax", "log_softmax")
    return OfLoss(
        over_classes, dim, bool(over_classes) and twice, broadcast, over_one, reshaped, squares, _of_distances(loss),
        name_of(loss.grad_fn).startswith("nll"),
    )  # fmt: skip


def _of_distances(loss: Tensor) -> bool:
    names = [name for node in islice(nodes_of(loss), 3) if (name := name_of(node))]
    return names[0] in ("smooth_l1_loss", "huber_loss") or (
        names[0] in ("mean", "sum") and names[1:2] == ["abs"] and names[2] in ("sub", "rsub")
    )


def _shape(node: Any) -> tuple[int, ...]:
    """Of what an operation gave; empty where this PyTorch does not tell."""
    told = getattr(node, "_input_metadata", None)
    return tuple(told[0].shape) if told else ()


def _length(node: Any) -> int:
    """Over how many values a softmax goes."""
    shape, dim = _shape(node), int(getattr(node, "_saved_dim", 0))
    # PyTorch keeps a negative dimension as an unsigned number.
    dim -= 2**64 if dim >= 2**63 else 0
    return shape[dim] if -len(shape) <= dim < len(shape) else 0


def _broadcast(node: Any, name: str) -> str:
    """The shapes, where a column of n predictions met a row of n targets, which asked for no gradient."""
    given = [following for following, _ in node.next_functions if following is not None]
    if name not in ("sub", "rsub", "expand") or len(given) != 1:
        return ""
    made, before = _shape(node), _shape(given[0])
    n = made[0] if made else 0
    met = n > 1 and made == (n, n) and before in ((n, 1), (n,))
    return f"{before} met the targets and became {made}" if met else ""


def _reshaped(node: Any, name: str) -> str:
    """The shapes, where a reshape gave the sizes of its input in another order."""
    given = [following for following, _ in node.next_functions if following is not None]
    if name not in ("view", "unsafe_view", "reshape") or len(given) != 1:
        return ""
    before, made = (tuple(size for size in _shape(one) if size > 1) for one in (given[0], node))
    return f"{before} was reshaped to {made}" if before != made and sorted(before) == sorted(made) else ""


def _next_of(node: Any) -> str:
    """The operation before a node, but for those that only hand values on."""
    while node.next_functions and node.next_functions[0][0] is not None:
        node = node.next_functions[0][0]
        if name_of(node) not in PASSING:
            return name_of(node)
    return ""
