"""What watching costs, and how seldom it has to look so as to keep its budget."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from statistics import median

from goldviz.watching.hook import seconds_of_a_hook

FEWEST = 3
"""Steps of each kind that are timed before anything is stretched."""
PLANNED_EVERY = 8
QUICK, AIM = 2e-3, 0.5
"""Seconds of a quick step; of slower ones the plan fills this share of the budget.

The rest pays for what no meter inside a hook sees: PyTorch's way into hooks, caches, and the thread that writes."""
RAREST = 10_000
ALWAYS = 4
"""Hooks that PyTorch calls at every step: before and behind the model, before and behind the optimiser's step."""


@dataclass
class Price:
    """The meter: seconds spent watching, beside those of the steps themselves.

    ``every`` is how seldom looks were asked for, ``budget`` the share of a step's own time that watching may take; None
    looks as asked whatever it costs. ``looks`` and ``norms`` say after how many steps each is taken; ``guards`` says
    whether every module's output is checked at every step.
    """

    every: int
    budget: float | None
    modules: int = 0
    """Modules that have a hook at looks, and while they are guarded."""
    looks: int = 1
    norms: int = 1
    guards: bool = True
    spent: float = 0.0
    """Seconds spent watching in this step."""
    guarding: float = 0.0
    """Of these, seconds of checks that no look asked for."""
    total: float = 0.0
    watched: float = 0.0
    beside: float = 0.0
    """Seconds of the thread that writes."""
    _steps: int = 0
    _bare: deque[float] = field(default_factory=lambda: deque(maxlen=32))
    _cheap: deque[float] = field(default_factory=lambda: deque(maxlen=32))
    _guard: deque[float] = field(default_factory=lambda: deque(maxlen=32))
    _look: deque[float] = field(default_factory=lambda: deque(maxlen=8))

    def __post_init__(self) -> None:
        self.looks = self.every

    @property
    def share(self) -> float:
        """The share of the steps' own time that watching has taken so far, the thread that writes included."""
        return (self.watched + self.beside) / max(self.total - self.watched, 1e-9)

    def stepped(self, seconds: float, looked: bool, measured: bool) -> bool:
        """A step took so many seconds, watching included; returns whether the plan is another from now on."""
        self.total += seconds
        self.watched += self.spent + seconds_of_a_hook() * (ALWAYS + (self.modules if looked or self.guards else 0))
        self._bare.append(max(seconds - self.spent, 1e-7))
        if looked:
            self._look.append(self.spent)
        elif measured:
            self._cheap.append(self.spent - self.guarding)
            if self.guards:
                self._guard.append(self.guarding)
        self.spent = self.guarding = 0.0
        before = (self.looks, self.norms, self.guards)
        self._steps += 1
        # Medians of the last steps would cost quick loops more than the plan gains them.
        if looked or self._steps % PLANNED_EVERY == 0:
            self._plan()
        return before != (self.looks, self.norms, self.guards)

    def _plan(self) -> None:
        if self.budget is None or len(self._look) < FEWEST or len(self._cheap) < FEWEST:
            return
        bare = median(self._bare)
        room = self.budget * bare * (1.0 if bare < QUICK else AIM)
        cheap = median(self._cheap)
        guard = median(self._guard) if self._guard else math.inf
        look = max(median(self._look) - cheap, 0.0)
        self.norms = _seldom(cheap, room / 2)
        left = max(room - cheap / self.norms, room / 4)
        self.guards = guard <= left / 2
        left -= guard if self.guards else 0.0
        self.looks = max(self.every, _seldom(look, left))


def _seldom(cost: float, room: float) -> int:
    """After how many steps something may come again, as a power of two: plans then seldom change.

    >>> _seldom(1.0, 2.0), _seldom(1.0, 0.3)
    (1, 4)
    """
    return 1 if cost <= room else min(RAREST, 2 ** math.ceil(math.log2(cost / room)))
