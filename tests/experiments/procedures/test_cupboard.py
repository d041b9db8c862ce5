"""Things made once: budgets, faults, and threads that ask at the same time."""

import doctest
import threading
import time

import pytest

from goldviz.experiments.procedures import cupboard
from goldviz.experiments.procedures.cupboard import Cupboard


def test_the_example_in_the_docstring() -> None:
    assert doctest.testmod(cupboard).failed == 0


def test_those_not_asked_for_longest_are_let_go() -> None:
    kept: Cupboard[str] = Cupboard(10, len)
    for key in "abc":
        kept.get(key, lambda: "1234")
        kept.held("a")
    assert [key for key in "abc" if kept.held(key)] == ["a", "c"]
    kept.get("large", lambda: "1" * 50)
    assert kept.held("large")
    assert not kept.held("a")
    kept.clear()
    assert not kept.held("large")


def test_many_threads_wait_for_one_making() -> None:
    kept: Cupboard[str] = Cupboard(100, len)
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
    kept: Cupboard[str] = Cupboard(100, len)

    def fail() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        kept.get("k", fail)
    assert kept.held("k") is None
    assert kept.get("k", lambda: "yes") == "yes"
    assert not kept._making
