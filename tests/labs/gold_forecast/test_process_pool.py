import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.gold_forecast.process_pool import ProcessPool, ProcessPoolError, shares
from tests.labs.gold_forecast.pool_cases import Clerk, FullMoonError, Learner

SEEDS = [3, 0, 2, 1, 4]


def until(condition, seconds=200.0):
    """Wait for something that other processes bring about, on a machine that has much else to do."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def at_work(pid):
    """Whether a process is there and not just waiting to be forgotten."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def children():
    return [child for child in psutil.Process().children() if "pool_process" in " ".join(child.cmdline())]


@pytest.mark.slow
def test_results_are_the_same_to_the_bit_in_any_number_of_processes():
    found = []
    for processes in (1, 2, 3):
        with ProcessPool(Learner, SEEDS, processes=processes, costs=[5, 1, 3, 1, 1]) as pool:
            pool.call("learn", 0.1, 20)
            last = pool.call_each("learn", [(0.01 * (number + 1), 3) for number in range(5)])
            ids, threads = zip(*pool.call("process"), strict=True)
        assert len(set(ids)) == processes
        assert os.getpid() in ids
        assert threads == (1,) * 5
        found.append(np.stack(last))
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])
    assert children() == []


def test_answers_larger_than_a_pipe_holds_arrive_in_order():
    with ProcessPool(Clerk, SEEDS, processes=3) as pool:
        for _ in range(3):
            assert [data[:1] + data[-1:] for data in pool.call("large", 300_000)] == [bytes([s, s]) for s in SEEDS]


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_the_first_member_that_fails_says_why(processes):
    with ProcessPool(Clerk, SEEDS, processes=processes) as pool:
        assert pool.call("fail_from", 5) == SEEDS
        with pytest.raises(FullMoonError, match=r"^Seed is 3, but the moon is full; choose another night\.$"):
            pool.call("fail_from", 2)
    assert children() == []


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_in_building_a_member_is_that_error(processes):
    with (
        pytest.raises(FullMoonError, match=r"^Seed is -1, but the moon is full"),
        ProcessPool(Clerk, [0, -1], processes=processes) as pool,
    ):
        pool.call("process")
    assert children() == []


def test_an_error_that_cannot_travel_is_told_in_words():
    with (
        ProcessPool(Clerk, [0, 1], processes=2) as pool,
        pytest.raises(RuntimeError, match="StubbornError: this and that"),
    ):
        pool.call("be_stubborn")


def test_a_traceback_from_another_process_comes_along():
    with ProcessPool(Clerk, [0, 1], processes=2) as pool, pytest.raises(FullMoonError) as failed:
        pool.call("fail_from", 1)
    assert "in fail_from" in failed.value.__notes__[0]


def test_a_process_that_dies_fails_the_call_in_a_sentence():
    with ProcessPool(Clerk, [0, 1, 2], processes=2) as pool:
        with pytest.raises(
            ProcessPoolError, match=r"^A process that trained 1 of this run's networks died \(exit status 7\)"
        ):
            pool.call("die", 1)
        assert children() == []
    assert ProcessPoolError.for_a_person


def test_a_process_that_is_killed_between_calls_fails_the_next_one():
    with ProcessPool(Clerk, [0, 1], processes=2) as pool:
        pool.call("process")
        os.kill(children()[0].pid, signal.SIGKILL)
        with pytest.raises(ProcessPoolError, match=r"died \(exit status -9\)"):
            pool.call("process")


def test_an_error_outside_lets_the_processes_go():
    def fail():
        until(lambda: len(children()) == 1)
        raise KeyError

    with pytest.raises(KeyError), ProcessPool(Clerk, [0, 1], processes=2):
        fail()
    assert children() == []


@pytest.mark.parametrize("order", [signal.SIGKILL, signal.SIGTERM])
def test_processes_end_in_the_middle_of_their_work_when_their_parent_dies(tmp_path, order):
    code = "import sys; from tests.labs.gold_forecast.pool_cases import work_for_ever; work_for_ever(sys.argv[1])"
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=Path(__file__).parents[3])
    try:
        until(lambda: len(os.listdir(tmp_path)) == 2)
        (child,) = {int(name) for name in os.listdir(tmp_path)} - {parent.pid}
        assert at_work(child)
        os.kill(parent.pid, order)
        until(lambda: not at_work(child))
    finally:
        parent.kill()
        assert parent.wait() == -order


@given(
    st.lists(st.floats(0.01, 100, allow_nan=False), min_size=1, max_size=20),
    st.integers(1, 8),
)
def test_shares_are_even(costs, processes):
    found = shares(costs, processes)
    assert sorted(number for share in found for number in share) == list(range(len(costs)))
    assert len(found) == min(processes, len(costs))
    assert all(share == sorted(share) and share for share in found)
    loads = [sum(costs[number] for number in share) for share in found]
    least_possible = max(*costs, sum(costs) / len(found))
    # Graham's 4/3 is of the optimum, which may exceed this lower bound; twice the bound always holds.
    assert max(loads) <= 2 * least_possible * (1 + 1e-12)
