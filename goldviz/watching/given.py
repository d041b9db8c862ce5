"""What a network is given: whether its batches are new ones, of one scale, and those that evaluation gives it, too."""

from __future__ import annotations

import weakref
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils import _pytree

SAMPLE = 1024
"""Entries by which a batch is known again."""
MOST_ENTRIES = 1 << 16
EVALUATIONS = 8
"""Evaluation passes whose inputs are read."""
MOST_PLACES, MOST_ROWS = 4096, 64
"""Of a batch, in which a target is looked for."""
BATCHES = 8
"""The last batches, in which it is looked for."""
TELLS = 1e-3
"""Of a target's variance, what an input may leave open that tells it by itself."""
FAR = 100.0
"""Times nine in ten of the others: an entry of another scale."""


def batch_of(arguments: object) -> Tensor | None:
    """The first tensor with rows that a network is given, of whole numbers or others; None where there is none."""
    given = (one for one in _pytree.tree_leaves(arguments) if isinstance(one, Tensor) and one.ndim and one.numel())
    return next((one for one in given if one.ndim > 1 or len(one) > 1), None)


@dataclass
class Given:
    """Reads what goes in, at looks and at the first evaluations, and keeps it as facts."""

    facts: dict[str, Any]
    _owner: weakref.ref[Tensor] | None = None
    _sample: Tensor | None = None
    _evaluated: int = 0
    _shape: torch.Size | None = None
    _rows: np.ndarray | None = None
    _seen: deque[tuple[np.ndarray, np.ndarray]] = field(default_factory=lambda: deque(maxlen=BATCHES))

    def in_training(self, arguments: object) -> None:
        """A batch to learn from."""
        if (first := batch_of(arguments)) is None:
            return
        self._compare(first)
        self._rows = None
        if first.is_floating_point() and first.ndim > 1:
            self._rows = first.detach()[:MOST_ROWS].flatten(1)[:, :MOST_PLACES].double().cpu().numpy()
        if (told := _scale(first)) is not None:
            mean, spread, far = told
            self.facts.setdefault("inputs_began", [mean, spread])
            self.facts["inputs_now"] = [mean, spread]
            self.facts["inputs_measured"] = self.facts.get("inputs_measured", 0) + 1
            self.facts["inputs_far"] = self.facts.get("inputs_far", 0) + int(far > FAR)
            self.facts["farthest_input"] = max(far, self.facts.get("farthest_input", 0.0))
            self._shape = first.shape[1:]

    def again(self) -> None:
        """Another pass of the same step: an optimiser that asks several times asks for the same rows."""
        self._sample = None

    def in_evaluation(self, arguments: object) -> None:
        """A batch to be judged by."""
        if self._evaluated >= EVALUATIONS or self._shape is None:
            return
        given = batch_of(arguments)
        if given is not None and given.shape[1:] == self._shape and (told := _scale(given)) is not None:
            self._evaluated += 1
            self.facts["evaluation_inputs"] = [*told[:2]]

    def with_targets(self, targets: np.ndarray) -> None:
        """The targets of the batch are known, a row each: whether one of its inputs tells them by itself."""
        rows = self._rows
        if rows is None or targets.ndim != 1 or len(targets) < len(rows) or not np.isfinite(rows).all():
            return
        self._seen.append((rows, targets[: len(rows)]))
        if len({one.shape[1] for one, _ in self._seen}) > 1 or sum(map(len, (y for _, y in self._seen))) < MOST_ROWS:
            return
        x, y = (np.concatenate(parts) for parts in zip(*self._seen, strict=True))
        x = x - x.mean(0)
        whole = (x**2).sum(0)
        within = sum(((part - part.mean(0)) ** 2).sum(0) for value in np.unique(y) if len(part := x[y == value]))
        several = len(np.unique(y)) < len(y) / 8
        tells = (whole > 0) & (within <= TELLS * whole) & several & (len(np.unique(y)) > 1)
        self.facts["telling_input"] = np.flatnonzero(tells)[:1].tolist()

    def _compare(self, batch: Tensor) -> None:
        """Whether another tensor than the last look's holds the very same rows."""
        flat = batch.detach().reshape(-1)
        sample = flat[:: max(1, flat.numel() // SAMPLE)].clone()
        owner = batch if batch._base is None else batch._base
        before, kept = self._sample, self._owner
        if before is not None and len(batch) > 1:
            same = before.shape == sample.shape and before.dtype == sample.dtype and torch.equal(before, sample)
            anew = kept is None or kept() is not owner
            self.facts["batches_compared"] = self.facts.get("batches_compared", 0) + 1
            self.facts["batches_repeated"] = self.facts.get("batches_repeated", 0) + int(same and anew)
        self._sample, self._owner = sample, weakref.ref(owner)


def _scale(batch: Tensor) -> tuple[float, float, float] | None:
    """Mean, standard deviation, and the largest entry over the size that nine in ten of those that are not 0 have."""
    if not batch.is_floating_point() or batch.ndim < 2:
        return None
    flat = batch.detach().reshape(-1)[:MOST_ENTRIES].float().cpu()
    sizes = flat.abs()
    there = sizes[sizes > 0]
    if not len(there) or not bool(torch.isfinite(flat).all()):
        return None
    usual = float(there.kthvalue(max(1, int(0.9 * len(there)))).values)
    return float(flat.mean()), float(flat.std(correction=0)), float(there.max()) / usual
