"""What an optimiser's step does: the gradients that it uses, how far it moves the weights, and what clipping left.

Norms are taken of lists of tensors at once. How far weights move is read off up to 1,024 entries of each, so no copy
of the weights is made.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.hooks import RemovableHandle

from goldviz.diagnostics.histograms import MAGNITUDE_BINS
from goldviz.watching.arrivals import Arrivals, Own
from goldviz.watching.layers import Layers
from goldviz.watching.price import Price

ENTRIES = 1024
"""Of each weight, of which a step's length is told."""
ENTRIES_LEFT = 64
"""Of a weight, by which others are known that somebody wrote."""
FEW = 8
"""Weights that are asked whether somebody wrote into them."""
HALF = 0.5
"""Of the weights' size, a change that makes others of them."""
CALLERS = 16
"""Among which a scaler's step is looked for."""


class Steps:
    """What happened to parameters in this step. ``began`` is called when an optimiser begins a step of its own.

    Gradients that arrived scaled, for a ``GradScaler``, are told without its scale.
    """

    def __init__(self, layers: Layers, price: Price, facts: dict[str, Any], *, histograms: bool) -> None:
        self.layers, self.price, self.facts = layers, price, facts
        self.histograms = histograms
        self.measures = self.looks = True
        self.keeps = False
        """Whether the weights before the next step are kept, for the rate to be probed along it."""
        self.kept: dict[int, Tensor] = {}
        self.stepped: set[int] = set()
        self.strangers = False
        """Whether an optimiser stepped that holds none of the parameters."""
        self.rate = math.nan
        self.began: Callable[[int], None] = lambda optimiser: None
        self.turned: Callable[[Optimizer, Sequence[Tensor], float], None] | None = None
        """Called before an optimiser steps, with its gradients and their scale, where knobs were asked for."""
        self.trouble: Callable[[Exception], None] = lambda error: None
        self.arrivals = Arrivals(layers.parameters, price, facts, _norms)
        self._own: dict[int, tuple[int, Own]] = {}
        self._place = {id(one): place for place, one in enumerate(layers.parameters)}
        self._moving = set(layers.moves)
        self._views: dict[int, Tensor] = {}
        self.others: set[int] = set()
        """Identities of all parameters of others that an optimiser holds."""
        self._left: dict[int, tuple[int, tuple[int, Tensor] | None]] = {}
        """Of each optimiser: versions of its weights as it left them, and entries of one once others wrote."""
        self._written: set[int] = set()
        """Identities of optimisers into whose weights others wrote."""
        self._before: dict[int, Tensor] = {}
        self._handles: list[RemovableHandle] = [
            register_optimizer_step_pre_hook(self._pre),
            register_optimizer_step_post_hook(self._post),
        ]
        self.clear()
        self.arrivals.listen(True)

    def clear(self) -> None:
        """Begin a step."""
        self.gradients: list[tuple[Own, Tensor, float]] = []
        self.moved: list[tuple[Own, Tensor, Tensor]] = []
        self.kept = {}
        self.scale = 1.0
        self.arrivals.before_clipping = None
        self.shares: list[tuple[int, Tensor]] = []
        self.stepped.clear()

    def close(self) -> None:
        """Take every hook away."""
        for handle in self._handles:
            handle.remove()
        self.arrivals.close()

    def prepare(self, *, measures: bool, looks: bool, keeps: bool) -> None:
        """Say whether the next step is measured, looked at, and probed along."""
        self.measures, self.looks, self.keeps = measures or looks, looks, keeps
        self.clear()
        self.arrivals.listen(looks)

    # -- the optimiser's step ---------------------------------------------------------------------------------

    def _own_of(self, optimiser: Optimizer) -> Own:
        count = sum(len(group["params"]) for group in optimiser.param_groups)
        known = self._own.get(id(optimiser))
        if known is None or known[0] != count:
            given = [one for group in optimiser.param_groups for one in group["params"]]
            known = (count, [self._place[id(one)] for one in given if id(one) in self._place])
            self.others.update(id(one) for one in given if id(one) not in self._place)
            self._own[id(optimiser)] = known
        return known[1]

    def given(self, optimiser: Optimizer) -> set[int]:
        """The places of an optimiser's parameters, before it steps."""
        return set(self._own_of(optimiser))

    @property
    def optimised(self) -> set[int]:
        """The places of all parameters that an optimiser holds."""
        return {place for _, own in self._own.values() for place in own}

    def _pre(self, optimiser: Optimizer, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        began = time.perf_counter()
        changed = None
        try:
            own = self._own_of(optimiser)
            self.strangers |= not own
            if own:
                self.began(id(optimiser))
                given = (*arguments[1:2], named.get("closure"))
                closure = next((one for one in given if callable(one)), None)
                if closure is None:
                    self._begins(optimiser, own)
                else:
                    heard = self._heard(closure, optimiser, own)
                    swap = [heard if one is closure else one for one in arguments]
                    changed = tuple(swap), {name: heard if one is closure else one for name, one in named.items()}
        except Exception as error:  # noqa: BLE001 - as above
            self.trouble(error)
        self.price.spent += time.perf_counter() - began
        return changed

    def _heard(self, closure: Callable[[], Any], optimiser: Optimizer, own: Own) -> Callable[[], Any]:
        """A closure, whose first backward pass makes the gradients of the step."""
        waiting = True

        def heard() -> Any:
            nonlocal waiting
            loss = closure()
            if waiting:
                waiting, began = False, time.perf_counter()
                try:
                    self._begins(optimiser, own)
                except Exception as error:  # noqa: BLE001 - as above
                    self.trouble(error)
                self.price.spent += time.perf_counter() - began
            return loss

        return heard

    def _begins(self, optimiser: Optimizer, own: Own) -> None:
        """The gradients of a step are there."""
        self.arrivals.stepping(id(optimiser), own)
        if self.turned is not None:
            given = [one.grad for at in own if (one := self.layers.parameters[at]).grad is not None]
            self.turned(optimiser, given, float(getattr(optimiser, "grad_scale", None) or 1.0))
        self._note_written(optimiser, own)
        self.facts["maximises"] = bool(optimiser.param_groups[0].get("maximize"))
        self.rate = float(optimiser.param_groups[0].get("lr", math.nan))
        if self.keeps:
            self.kept |= {place: self.layers.parameters[place].detach().clone() for place in own}
        if self.measures:
            self._use(optimiser, own)

    def _use(self, optimiser: Optimizer, own: Own) -> None:
        parameters = self.layers.parameters
        given = [(place, gradient) for place in own if (gradient := parameters[place].grad) is not None]
        used = [place for place, _ in given]
        # A fused optimiser unscales within its step, and says by how much.
        scale = getattr(optimiser, "grad_scale", None)
        if self.looks:
            self.scale = _scale_above()
            if self.scale != 1.0:
                self.facts["scaled"] = True
        if used:
            norms = _norms([gradient for _, gradient in given])
            self.gradients.append((used, norms, 1.0 if scale is None else float(scale)))
            if self.looks and self.histograms:
                matrices = [(at, _dense(one)) for at, one in given if at in self._moving]
                shares: Iterable[Tensor] = MAGNITUDE_BINS.shares([one for _, one in matrices]) if matrices else []
                self.shares += [(at, row) for (at, _), row in zip(matrices, shares, strict=True)]
        moving = [place for place in used if place in self._moving]
        if moving:
            self._before[id(optimiser)] = self._sample(moving)
            self._moves = moving

    def _post(self, optimiser: Optimizer, _arguments: object, _named: object) -> None:
        began = time.perf_counter()
        try:
            if own := self._own_of(optimiser):
                self.arrivals.stepped(id(optimiser), own)
                self.stepped.add(id(optimiser))
                before = self._before.pop(id(optimiser), None)
                if before is not None:
                    self.moved.append((self._moves, self._sample(self._moves).sub_(before), before))
                kept = None
                if id(optimiser) in self._written:
                    place = next((at for at in own if at in self._moving), own[0])
                    kept = place, self._view(place)[:ENTRIES_LEFT].clone()
                self._left[id(optimiser)] = self._versions(own), kept
        except Exception as error:  # noqa: BLE001 - as above
            self.trouble(error)
        self.price.spent += time.perf_counter() - began

    def _versions(self, own: Own) -> int:
        return sum(self.layers.parameters[place]._version for place in own[:FEW])

    def _note_written(self, optimiser: Optimizer, own: Own) -> None:
        """Count how often somebody else wrote other weights between two steps."""
        versions, kept = self._left.get(id(optimiser), (None, None))
        if versions is None or versions == self._versions(own):
            return
        self._written.add(id(optimiser))
        if kept is None:
            return
        place, left = kept
        now = self._view(place)[:ENTRIES_LEFT]
        if now.shape == left.shape and bool((now - left).norm() > HALF * left.norm()):
            self.facts["written_outside"] = self.facts.get("written_outside", 0) + 1

    def _sample(self, places: Own) -> Tensor:
        """Up to 1,024 entries of each of these weights, in one row; copied."""
        views = [self._view(place) for place in places]
        return torch.cat([view if view.dtype == torch.float32 else view.float() for view in views])

    def _view(self, place: int) -> Tensor:
        parameter = self.layers.parameters[place]
        view = self._views.get(place)
        if view is None or view.data_ptr() != parameter.data_ptr():
            flat = torch.view_as_real(parameter.detach()) if parameter.is_complex() else parameter.detach()
            count = flat.numel()
            # A step that shares no factor with the last dimension meets every column.
            apart = max(1, count // ENTRIES)
            while apart > 1 and math.gcd(apart, flat.shape[-1]) > 1:
                apart += 1
            some = math.ceil(count / apart)
            view = flat.view(-1)[::apart] if flat.is_contiguous() else _strided(flat, some, apart)
            self._views[place] = view
        return view

    # -- what came of it --------------------------------------------------------------------------------------

    def gathered(self) -> list[Tensor]:
        """What was measured, on the device, to be read together; see :meth:`told`."""
        weights = [one.detach() for one in self.layers.parameters] if self.looks else []
        before = self.arrivals.before_clipping
        arrived = [] if before is None else [torch.linalg.vector_norm(before[1])[None]]
        self._counts = (len(arrived), len(weights))
        return [
            *(norms for _, norms, _ in self.gradients),
            *(part for _, moved, before in self.moved for part in (moved, before)),
            *arrived,
            *([_norms(weights)] if weights else []),
            *(row for _, row in self.shares),
        ]

    def told(self, numbers: np.ndarray) -> dict[str, np.ndarray]:
        """What :meth:`gathered` gave, now on the host: by layer, and of the whole gradient."""
        at = 0
        told: dict[str, np.ndarray] = {}

        def take(n: int) -> np.ndarray:
            nonlocal at
            at += n
            return numbers[at - n : at]

        by_layer = np.full(len(self.layers.names), np.nan)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            alive: set[int] = set()
            for used, norms, scale in self.gradients:
                squares = (take(len(norms)).astype(np.float64) / scale) ** 2
                alive |= {place for place, square in zip(used, squares, strict=True) if square > 0}
                squares[~np.isfinite(squares)] = np.inf
                by_layer = _plus(by_layer, self.layers.summed(used, squares))
            if self.gradients:
                told["gradient_by_layer"] = np.sqrt(by_layer)
                told["used_gradient_norm"] = np.sqrt(np.nansum(by_layer))
            lengths: np.ndarray | None = None
            for moving, moved, _ in self.moved:
                both = take(2 * len(moved)).reshape(2, -1).astype(np.float64) ** 2
                starts = np.cumsum([0, *(len(self._views[place]) for place in moving[:-1])])
                of_each = np.add.reduceat(both, starts, axis=1)
                if self.looks and self.rate > 0:
                    self._note_lost(alive, moving, np.split(both[0], starts[1:]))
                of_each[~np.isfinite(of_each)] = np.inf
                sums = np.stack([self.layers.summed(moving, part) for part in of_each])
                lengths = sums if lengths is None else _plus(lengths, sums)
            if lengths is not None:
                ratio = np.sqrt(lengths[0] / lengths[1])
                told["update_to_data"] = np.where(np.isnan(lengths[0]) | np.isfinite(ratio), ratio, np.inf)
            if self._counts[0]:
                arrived = take(1)[0]
                # Where the optimiser did not step, nobody knows the scale.
                if self.gradients:
                    told["gradient_norm"] = np.asarray(_bad_as_infinite(arrived / self.scale))
            if self._counts[1]:
                weights = take(self._counts[1]).astype(np.float64) ** 2
                told["weight_norm"] = self.layers.by_layer(np.where(np.isfinite(weights), weights, np.inf))
        if self.looks and self.histograms:
            bins = np.full((len(self.layers.names), MAGNITUDE_BINS.count + 2), np.nan)
            for place, _ in self.shares:
                bins[self.layers.layer_of[place]] = take(bins.shape[1])
            told["gradient_histogram"] = bins
        return told

    def _note_lost(self, alive: set[int], moving: Own, moved: Sequence[np.ndarray]) -> None:
        """Count a step that left most weights with a gradient as they were: all entries, or most of a coarse dtype."""
        told = [(place, float((one == 0).mean())) for place, one in zip(moving, moved, strict=True) if place in alive]
        coarse = [self.layers.parameters[place].element_size() < 4 for place, _ in told]
        lost = [still > 0.5 if rough else still == 1 for (_, still), rough in zip(told, coarse, strict=True)]
        if lost:
            self.facts["updates"] = self.facts.get("updates", 0) + 1
            self.facts["updates_lost"] = self.facts.get("updates_lost", 0) + int(sum(lost) > len(lost) / 2)


def _scale_above() -> float:
    """The scale of the ``GradScaler`` that called the optimiser; 1 where none did.

    A scaler tells its optimiser nothing, but its method is among the callers.
    """
    frame = sys._getframe(1)
    for _ in range(CALLERS):
        if frame.f_back is None:
            return 1.0
        frame = frame.f_back
        if frame.f_code.co_name == "step" and isinstance(scaler := frame.f_locals.get("self"), torch.amp.GradScaler):
            return float(scaler.get_scale()) if scaler.is_enabled() else 1.0
    return 1.0


def _plus(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Sums of what two optimisers hold of each layer; NaN where neither holds any."""
    return np.where(np.isnan(one), other, np.where(np.isnan(other), one, one + other))


def _bad_as_infinite(value: float) -> float:
    return value if math.isfinite(value) else math.inf


def _dense(gradient: Tensor) -> Tensor:
    """A gradient's real entries; of a sparse one those that are there."""
    entries = gradient.detach() if gradient.layout == torch.strided else gradient.detach().coalesce().values()
    return torch.view_as_real(entries.resolve_conj()) if entries.is_complex() else entries


@torch.no_grad()
def _norms(tensors: list[Tensor]) -> Tensor:
    """The norm of each, in single precision at least."""
    doubles = tensors[0].dtype == torch.float64 and all(one.dtype == torch.float64 for one in tensors)
    dtype = torch.float64 if doubles else torch.float32
    try:
        norms = torch._foreach_norm(tensors, 2, dtype=dtype)
    except (NotImplementedError, RuntimeError):  # a sparse or a complex gradient is among them
        norms = torch._foreach_norm([_dense(one) for one in tensors], 2, dtype=dtype)
    where = norms[0].device
    several = len({norm.device for norm in norms}) > 1
    return torch.stack([norm.to(where) for norm in norms] if several else norms)


def _strided(weight: Tensor, count: int, apart: int) -> Tensor:
    """Entries of a weight in the order of its memory, where it lies dense in another order."""
    if not torch.ops.aten.is_non_overlapping_and_dense(weight):
        return weight.flatten()[::apart]
    return weight.as_strided((count,), (apart,), weight.storage_offset())
