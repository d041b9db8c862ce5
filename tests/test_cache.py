"""Things made once: budgets, faults, and threads that ask at the same time."""

import threading
import time

import pytest

from goldviz.cache import Cache, remembered


def test_those_not_asked_for_longest_are_let_go() -> None:
    kept: Cache[str] = Cache(10, len)
    for key in "abc":
        kept.get(key, lambda: "1234")
        kept.held("a")
    assert [key for key in "abc" if kept.held(key)] == ["a", "c"]
    kept.get("large", lambda: "1" * 50)
    assert kept.held("large")
    assert not kept.held("a")
    kept.clear()
    assert not kept.held("large")


def test_what_is_unwanted_is_dropped_and_what_is_put_twice_counts_once() -> None:
    kept: Cache[str] = Cache(10, len)
    for word in ("gold", "rose"):
        kept.put(word, word)
        kept.put(word, word)
    kept.drop(lambda word: word == "gold")
    assert (kept.held("gold"), kept.held("rose")) == (None, "rose")


def test_what_needs_a_thing_goes_when_the_thing_goes() -> None:
    """A reading keeps its model alive, so it may not outlive the model's place in the models' budget."""
    models: Cache[list[str]] = Cache(2, len)
    readings: Cache[tuple[list[str], str]] = Cache(100, lambda _: 1)
    readings.follow(models, lambda reading: reading[0])
    for name in ("a", "b"):
        model = models.get(name, lambda name=name: [name])  # type: ignore[misc]
        readings.get(name, lambda model=model: (model, "text"))  # type: ignore[misc]
    equal, first = ["a"], models.held("a")
    assert models.holds(first)
    assert not models.holds(equal)
    models.held("b")
    models.get("c", lambda: ["c"])
    assert [name for name in "abc" if models.held(name)] == ["b", "c"]
    assert [name for name in "ab" if readings.held(name)] == ["b"]
    models.put("b", ["b"])
    assert readings.held("b") is None
    readings.put("c", (["c"], "a model that has left meanwhile"))
    models.clear()
    assert readings.held("c") is None


def test_many_threads_wait_for_one_making() -> None:
    kept: Cache[str] = Cache(100, len)
    made, got = [], []

    def make() -> str:
        made.append(1)
        time.sleep(0.05)
        return "x"

    threads = [threading.Thread(target=lambda: got.append(kept.get("k", make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), got) == (1, ["x"] * 8)
    assert not kept._making


def test_a_failed_making_keeps_nothing_and_may_be_tried_again() -> None:
    kept: Cache[str] = Cache(100, len)

    def fail() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        kept.get("k", fail)
    assert kept.held("k") is None
    assert kept.get("k", lambda: "yes") == "yes"
    assert not kept._making


def test_threads_that_ask_a_function_for_the_same_wait_for_one_making() -> None:
    asked: list[tuple[int, int]] = []

    @remembered(2)
    def slow(number: int, *, times: int = 1) -> int:
        """How often, and what."""
        asked.append((number, times))
        time.sleep(0.05)
        return number * times

    threads = [threading.Thread(target=slow, args=(3,), kwargs={"times": 2}) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert asked == [(3, 2)]
    assert (slow(3, times=2), slow(3), slow(4), slow(3, times=2)) == (6, 3, 4, 6)
    assert asked == [(3, 2), (3, 1), (4, 1), (3, 2)]
    assert slow.__doc__ == "How often, and what."
