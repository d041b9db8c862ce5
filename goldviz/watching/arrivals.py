"""Which gradients arrive in a backward pass, and what an optimiser's step then finds of them.

Of each optimiser its smallest parameter is asked: whether the gradient that its last step used is still there when
another arrives, and whether a gradient arrived at all. What came while nobody listened is not known, and not judged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils.hooks import RemovableHandle

from goldviz.watching.hook import Hook
from goldviz.watching.price import Price

Own = list[int]
"""Places of an optimiser's parameters among the model's."""


@dataclass(frozen=True)
class Used:
    """The gradient that an optimiser's last step used, of one small parameter, and when that was."""

    place: int
    gradient: Tensor | None
    version: int
    tick: int


class Arrivals:
    """Hears of gradients while somebody looks. ``norms`` takes the norm of each of some tensors."""

    def __init__(
        self,
        parameters: Sequence[Tensor],
        price: Price,
        facts: dict[str, Any],
        norms: Callable[[list[Tensor]], Tensor],
    ) -> None:
        self.parameters, self.price, self.facts, self._norms = parameters, price, facts, norms
        self.trouble: Callable[[Exception], None] = lambda error: None
        self.before_clipping: tuple[Own, Tensor] | None = None
        """The norms of the gradients that were there when the last backward pass ended, and whose they are."""
        self.ever: set[int] = set()
        """Where a gradient has arrived."""
        self._place = {id(one): place for place, one in enumerate(parameters)}
        self._came: dict[int, int] = {}
        self._tick = 0
        self._used: dict[int, Used] = {}
        self._small: dict[int, tuple[int, Own]] = {}
        self._places: dict[int, int] = {}
        self._known: set[int] = set()
        """Optimisers of which every gradient since their last step was heard."""
        self._stale: set[int] = set()
        self._handles: list[RemovableHandle] = []
        self._asked: set[int] = set()
        self._queued = False

    def listen(self, wanted: bool) -> None:
        """Hear of every gradient that arrives from now on, or of none."""
        if not wanted:
            self.close()
            return
        if not self._handles:
            own = [one for one in self.parameters if one.requires_grad and one.is_leaf]
            self._handles = [one.register_post_accumulate_grad_hook(self._arrived) for one in own]
            self._known = {
                optimiser
                for optimiser, used in self._used.items()
                if self._is_left(used) or not _any(self.parameters[used.place].grad)
            }
        for place in {used.place for used in self._used.values()} - self._asked:
            if self.parameters[place].requires_grad:
                self._handles.append(self.parameters[place].register_hook(Hook(partial(self._about_to_arrive, place))))
                self._asked.add(place)

    def close(self) -> None:
        """Take every hook away."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._asked.clear()
        self._known.clear()
        self._stale.clear()

    def _is_left(self, used: Used) -> bool:
        """Whether the gradient that a step used is still there as it was."""
        now = self.parameters[used.place].grad
        return now is not None and now is used.gradient and now._version == used.version

    # -- the backward pass ------------------------------------------------------------------------------------

    def _about_to_arrive(self, place: int, _gradient: Tensor) -> None:
        """A gradient is about to be added to what is there."""
        try:
            now = self.parameters[place].grad
            for optimiser in [optimiser for optimiser, used in self._used.items() if used.place == place]:
                if self._is_left(self._used[optimiser]) and _any(now):
                    self._stale.add(optimiser)
                elif optimiser in self._stale and not _any(now):
                    self._stale.discard(optimiser)
        except Exception as error:  # noqa: BLE001 - nothing may go wrong in somebody's training for this
            self.trouble(error)

    def _arrived(self, parameter: Tensor) -> None:
        place = self._place[id(parameter)]
        self._came[place] = self._tick
        self.ever.add(place)
        if not self._queued:
            self._queued = True
            # At the end of the whole backward pass, when every gradient is there.
            torch.autograd.Variable._execution_engine.queue_callback(self._all_arrived)

    def _all_arrived(self) -> None:
        began = time.perf_counter()
        self._queued = False
        try:
            given = [(at, one.grad) for at, one in enumerate(self.parameters) if one.grad is not None]
            self.before_clipping = [at for at, _ in given], self._norms([gradient for _, gradient in given])
        except Exception as error:  # noqa: BLE001 - as above
            self.trouble(error)
        self.price.spent += time.perf_counter() - began

    # -- the optimiser's step ---------------------------------------------------------------------------------

    def stepping(self, optimiser: int, own: Own) -> None:
        """An optimiser is about to step: what is no longer there makes its gradient stale no more."""
        if optimiser in self._stale:
            used = self._used[optimiser]
            now = self.parameters[used.place].grad
            if now is not used.gradient or not _any(now):
                self._stale.discard(optimiser)
        if self._handles and self._heard(optimiser, own):
            cleared = not any(_any(self.parameters[at].grad) for at in own) and self._was_there(own)
            self._count(optimiser, steps_with_gradient=True, steps_cleared=cleared)

    def _heard(self, optimiser: int, own: Own) -> bool:
        """Whether a gradient arrived for any of these since the optimiser's last step."""
        since = self._used[optimiser].tick if optimiser in self._used else 0
        return any(self._came.get(at, -1) >= since for at in own)

    def _was_there(self, own: Own) -> bool:
        """Whether any of these had a gradient other than 0 when the last backward pass ended."""
        places, norms = self.before_clipping or ([], torch.zeros(0))
        return any(norm > 0 for at, norm in zip(places, norms.tolist(), strict=True) if at in set(own))

    def stepped(self, optimiser: int, own: Own) -> None:
        """An optimiser has stepped."""
        last = self._used.get(optimiser)
        if optimiser in self._known and last is not None:
            stale, without = optimiser in self._stale, not self._heard(optimiser, own)
            self._count(optimiser, first_gradients=True, stale_gradients=stale, steps_without_gradient=without)
        self._stale.discard(optimiser)
        self._tick += 1
        if optimiser not in self._small or self._small[optimiser][0] != len(own):
            # The smallest of all, so that its gradient may be kept.
            self._small[optimiser] = len(own), sorted(own, key=lambda at: self.parameters[at].numel())
        small = self._small[optimiser][1]
        place = next((at for at in small if _strided(self.parameters[at].grad)), small[0])
        gradient = self.parameters[place].grad
        gradient = gradient if _strided(gradient) else None
        self._used[optimiser] = Used(place, gradient, 0 if gradient is None else gradient._version, self._tick)
        if self._handles:
            self._known.add(optimiser)

    def _count(self, optimiser: int, **happened: bool) -> None:
        """Count what happened to each optimiser apart: one that is right does not hide another."""
        place = self._places.setdefault(optimiser, len(self._places))
        for fact, true in happened.items():
            counts = self.facts.setdefault(fact, [])
            counts.extend([0] * (place + 1 - len(counts)))
            counts[place] += int(true)


def _strided(gradient: Tensor | None) -> bool:
    return gradient is not None and gradient.layout == torch.strided


def _any(gradient: Tensor | None) -> bool:
    return gradient is not None and bool(
        (gradient if _strided(gradient) else gradient.coalesce().values()).detach().any()
    )
