"""Things that take long to make, made once and kept while there is room."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Generic, ParamSpec, TypeVar

Kept = TypeVar("Kept")
Needed = TypeVar("Needed")
Asked = ParamSpec("Asked")


class Cache(Generic[Kept]):
    """Things by key, at most ``budget`` bytes of them by ``size``; those that were not asked for longest are let go.

    Threads that ask for the same at once wait for one making. The newest stays even where it alone is over the budget.
    Things may grow: all are measured anew whenever one comes.

    >>> texts = Cache(budget=8, size=len)
    >>> texts.get("a", lambda: "four"), texts.get("b", lambda: "fives"), texts.held("a")
    ('four', 'fives', None)
    """

    def __init__(self, budget: int, size: Callable[[Kept], int]) -> None:
        self.budget = budget
        self.size = size
        self._lock = threading.Lock()
        self._held: OrderedDict[Hashable, Kept] = OrderedDict()
        self._making: dict[Hashable, tuple[threading.Lock, int]] = {}
        self._followers: list[Callable[[], None]] = []

    @property
    def room(self) -> int:
        """How much of the budget is taken."""
        with self._lock:
            return sum(map(self.size, self._held.values()))

    def held(self, key: Hashable) -> Kept | None:
        """What is kept under a key; None where nothing is."""
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key]

    def __contains__(self, key: Hashable) -> bool:
        """Whether something is kept under a key; asking so does not count as a use of it."""
        with self._lock:
            return key in self._held

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What is kept under a key, made now if nothing is; what ``make`` raises is passed on, and nothing is kept."""
        value = self.held(key)
        if value is not None:
            return value
        with self._lock:
            making, waiting = self._making.get(key, (threading.Lock(), 0))
            self._making[key] = (making, waiting + 1)
        try:
            with making:
                value = self.held(key)
                if value is None:
                    value = make()
                    self.put(key, value)
                return value
        finally:
            with self._lock:
                making, waiting = self._making.pop(key)
                if waiting > 1:
                    self._making[key] = (making, waiting - 1)

    def put(self, key: Hashable, value: Kept) -> None:
        """Keep something under a key, in place of what was there."""
        with self._lock:
            previous = self._held.pop(key, None)
            self._held[key] = value
            left = previous is not None
            while len(self._held) > 1 and sum(map(self.size, self._held.values())) > self.budget:
                self._held.popitem(last=False)
                left = True
        if left:
            self._tell_followers()

    def forget(self, key: Hashable) -> None:
        """Let go of what is kept under a key, if anything is."""
        with self._lock:
            left = self._held.pop(key, None) is not None
        if left:
            self._tell_followers()

    def drop(self, is_unwanted: Callable[[Kept], bool]) -> None:
        """Let go of everything of which ``is_unwanted`` is true."""
        with self._lock:
            items = list(self._held.items())
        going = [(key, value) for key, value in items if is_unwanted(value)]
        with self._lock:
            for key, value in going:
                if self._held.get(key) is value:
                    del self._held[key]
        if going:
            self._tell_followers()

    def clear(self) -> None:
        """Let everything go."""
        self.drop(lambda _: True)

    def holds(self, thing: object) -> bool:
        """Whether this very thing is kept, under whatever key."""
        with self._lock:
            return any(value is thing for value in self._held.values())

    def follow(self, other: Cache[Needed], needs: Callable[[Kept], Needed]) -> None:
        """From now on let go, whenever ``other`` lets something go, of all that needs what ``other`` does not hold.

        So that a thing which keeps a larger one alive does not outlive the place where the larger one is counted.
        """
        other._followers.append(lambda: self.drop(lambda value: not other.holds(needs(value))))

    def _tell_followers(self) -> None:
        # Outside the lock: they ask what is still held.
        for tell in self._followers:
            tell()


def remembered(count: int) -> Callable[[Callable[Asked, Kept]], Callable[Asked, Kept]]:
    """Make a function remember what it returned for the ``count`` latest arguments; these must be hashable.

    As ``functools.lru_cache``, but threads that ask for the same at once wait for one making.

    >>> calls = []
    >>> squared = remembered(2)(lambda number: calls.append(number) or number**2)
    >>> [squared(number) for number in (3, 3, 4, 3)], calls
    ([9, 9, 16, 9], [3, 4])
    """

    def remembering(function: Callable[Asked, Kept]) -> Callable[Asked, Kept]:
        results: Cache[Kept] = Cache(count, lambda _: 1)

        @wraps(function)
        def recalled(*args: Asked.args, **keywords: Asked.kwargs) -> Kept:
            return results.get((args, tuple(sorted(keywords.items()))), lambda: function(*args, **keywords))

        return recalled

    return remembering
