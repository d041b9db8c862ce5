"""Jobs on real worker processes, and in threads where there are none."""

import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from goldviz.runs.jobs import jobs as engine
from goldviz.runs.jobs.jobs import Job, JobFailedError, Jobs, Task, TooManyJobsError
from goldviz.runs.jobs.worker import job_worker_count
from tests.runs import job_tasks
from tests.runs.conftest import until

AT_ONCE = engine.AT_ONCE["work"]


@pytest.fixture(scope="module")
def shared_workers(light_workers: None) -> Iterator[Jobs]:
    started = Jobs(1)
    started.warm_up()
    yield started
    started.close()


@pytest.fixture
def workers(shared_workers: Jobs) -> Iterator[Jobs]:
    """One worker process, and no job of another test."""
    yield shared_workers
    _stop_all(shared_workers)


@pytest.fixture
def threads() -> Iterator[Jobs]:
    started = Jobs(0)
    yield started
    _stop_all(started)
    started.close()


@pytest.fixture(params=["workers", "threads"])
def jobs(request: pytest.FixtureRequest) -> Jobs:
    found: Jobs = request.getfixturevalue(request.param)
    return found


def _stop_all(jobs: Jobs) -> None:
    for job in list(jobs._line.values()):
        for visitor in list(job.waiters):
            jobs.leave(job.task.key, visitor)
    until(lambda: not jobs._line)


class Gate:
    """A task that goes on when it is let, one unit after another; ``key`` is its own."""

    def __init__(self, folder: Path, key: str = "a", total: int = 4, seconds: float = 1.0) -> None:
        self.folder = folder / f"{key}-{os.urandom(4).hex()}"
        self.folder.mkdir()
        self.let = 0
        self.task = Task(
            f"{key}-{self.folder}", job_tasks.counted, (total, str(self.folder)), f"Counting {key}", seconds
        )

    def go_on(self, units: int = 1) -> None:
        for _ in range(units):
            (self.folder / str(self.let)).touch()
            self.let += 1


def test_a_job_tells_how_far_it_is_and_gives_its_result(jobs: Jobs, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    job = jobs.ask(gate.task)
    until(lambda: job.state == "working")
    assert jobs.held(gate.task) is None
    gate.go_on(2)
    until(lambda: job.done == 2)
    assert job.total == 4
    assert job.seconds_left is None or job.seconds_left > 0
    gate.go_on(2)
    until(lambda: job.state == "done")
    np.testing.assert_array_equal(jobs.outcome(job)["numbers"], np.arange(4))
    assert jobs.job(gate.task.key) is job
    assert jobs.wait(gate.task) is jobs.held(gate.task)


def test_work_is_done_by_another_process_and_downloads_and_short_work_are_not(workers: Jobs) -> None:
    def task(key: str, line: engine.Line) -> Task[int]:
        return Task(key, job_tasks.process, (), "Looking", 1.0, line)

    assert workers.wait(task("far", "work")) != os.getpid()
    assert workers.wait(task("net", "download")) == os.getpid()
    assert workers.here(task("near", "work")) == os.getpid()


def test_what_several_wait_for_is_stopped_by_the_last_who_leaves(jobs: Jobs, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    job = jobs.ask(gate.task, "first")
    assert jobs.ask(gate.task, "second") is job
    until(lambda: job.state == "working")
    jobs.leave(gate.task.key, "first")
    jobs.leave(gate.task.key, "a stranger")
    gate.go_on(1)
    until(lambda: job.done == 1)
    assert not job.stop_asked.is_set()
    jobs.leave(gate.task.key, "second")
    until(lambda: job.state == "stopped")
    with pytest.raises(JobFailedError, match="Counting a: stopped"):
        jobs.outcome(job)
    again = jobs.ask(gate.task, "third")
    assert again is not job
    gate.go_on(3)
    until(lambda: again.state == "done")


def test_a_visitor_whose_session_has_ended_stops_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "ABSENT_SECONDS", 0.1)
    here = {"stays", "goes"}
    jobs, gate, other = Jobs(0, here.__contains__), Gate(tmp_path, "a"), Gate(tmp_path, "b")
    alone, shared = jobs.ask(gate.task, "goes"), jobs.ask(other.task, "goes")
    jobs.ask(other.task, "stays")
    here.remove("goes")
    until(lambda: alone.state == "stopped")
    until(lambda: list(shared.waiters) == ["stays"])
    assert not shared.stop_asked.is_set()
    _stop_all(jobs)
    jobs.close()


def test_jobs_wait_in_line_and_one_that_waits_is_stopped_at_once(jobs: Jobs, tmp_path: Path) -> None:
    gates = [Gate(tmp_path, str(number), 1) for number in range(AT_ONCE + 2)]
    asked = [jobs.ask(gate.task) for gate in gates]
    until(lambda: sum(job.state == "working" for job in asked) == AT_ONCE)
    assert [job.state for job in asked] == ["working"] * AT_ONCE + ["waiting"] * 2
    assert [jobs.before(job) for job in asked] == list(range(AT_ONCE + 2))
    jobs.leave(asked[AT_ONCE].task.key)
    until(lambda: asked[AT_ONCE].state == "stopped")
    assert jobs.before(asked[-1]) == AT_ONCE
    gates[0].go_on()
    until(lambda: asked[-1].state == "working")
    for gate in gates[1:]:
        gate.go_on()
    until(lambda: not any(job.unfinished for job in asked))


def test_a_short_job_does_not_wait_for_long_ones(jobs: Jobs, tmp_path: Path) -> None:
    gates = [Gate(tmp_path, str(number), 1, engine.SHORT_SECONDS + 1) for number in range(AT_ONCE + 1)]
    long = [jobs.ask(gate.task) for gate in gates]
    short = Gate(tmp_path, "short", 1)
    quick = jobs.ask(short.task)
    short.go_on()
    until(lambda: quick.state == "done")
    assert sum(job.state == "waiting" for job in long) == AT_ONCE
    for gate in gates:
        gate.go_on()
    until(lambda: not any(job.unfinished for job in long))


def test_a_job_of_just_the_short_length_keeps_no_place_from_a_long_one(jobs: Jobs, tmp_path: Path) -> None:
    gates = [Gate(tmp_path, str(number), 1, engine.SHORT_SECONDS) for number in range(AT_ONCE - 1)]
    gates.append(Gate(tmp_path, "long", 1, engine.SHORT_SECONDS + 1))
    asked = [jobs.ask(gate.task) for gate in gates]
    until(lambda: all(job.state == "working" for job in asked))
    for gate in gates:
        gate.go_on()
    until(lambda: not any(job.unfinished for job in asked))


@pytest.mark.parametrize(
    ("function", "arguments", "sentence"),
    [
        (job_tasks.wrong, ("There is no such thing.",), r"^There is no such thing\.$"),
        (job_tasks.wrong, ("",), r"^This did not work: KeyError\. The server's log says more\.$"),
    ],
)
def test_what_goes_wrong_is_said_in_a_sentence(
    jobs: Jobs, function: Callable[..., object], arguments: tuple[str, ...], sentence: str
) -> None:
    task = Task("wrong", function, arguments, "Trying", 1.0)
    for _ in range(AT_ONCE + 1):
        with pytest.raises(JobFailedError, match=sentence):
            jobs.wait(task)


def test_a_result_that_cannot_be_sent_is_said_in_a_sentence(workers: Jobs) -> None:
    with pytest.raises(JobFailedError, match=r"^What came of this cannot leave its process: lock\.$"):
        workers.wait(Task("lock", job_tasks.unsendable, (), "Trying", 1.0))


def test_work_that_takes_longer_than_it_may_ends_in_a_sentence_and_frees_its_place(jobs: Jobs) -> None:
    for _ in range(AT_ONCE + 1):
        with pytest.raises(
            JobFailedError, match=r"^This takes longer than a page's work of this kind may: 0\.5 seconds\.$"
        ):
            jobs.wait(Task("endless", job_tasks.endless, (), "Trying", 1.0, most_seconds=0.5))
    assert jobs.wait(Task("in time", job_tasks.process, (), "Looking", 1.0, most_seconds=60.0))


@pytest.mark.slow
def test_work_that_imports_as_its_time_ends_is_ended_behind_its_import(jobs: Jobs, tmp_path: Path) -> None:
    slow = f"""
    import time
    from pathlib import Path

    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        time.sleep(0.01)
    Path({str(tmp_path)!r}, "whole").touch()
    """
    (tmp_path / "slow_for_jobs.py").write_text(textwrap.dedent(slow))
    with pytest.raises(JobFailedError, match=r"^This takes longer than a page's work of this kind may: 0\.5 seconds"):
        jobs.wait(Task("importing", job_tasks.importing, (str(tmp_path),), "Loading", 1.0, most_seconds=0.5))
    assert (tmp_path / "whole").exists()
    sys.modules.pop("slow_for_jobs", None)


def test_what_waits_until_it_has_the_memory_alone_is_not_at_work_meanwhile(jobs: Jobs, tmp_path: Path) -> None:
    gate = Gate(tmp_path, total=1)
    beside = jobs.ask(gate.task)
    until(lambda: beside.total == 1)
    task = Task("short", job_tasks.short_at_first, (str(tmp_path),), "Hoarding", 1.0, most_seconds=0.5)
    waiting = jobs.ask(task)
    until((tmp_path / "short").exists)
    time.sleep(1.0)
    assert waiting.unfinished
    gate.go_on()
    assert jobs.wait(task)


def test_a_worker_that_dies_is_told_of_and_the_job_can_be_tried_again(workers: Jobs, tmp_path: Path) -> None:
    pid = workers.wait(Task("who", job_tasks.process, (), "Looking", 1.0))
    gate = Gate(tmp_path, total=1)
    job = workers.ask(gate.task)
    until(lambda: job.done == 0 and job.total == 1)
    os.kill(pid, signal.SIGKILL)
    until(lambda: job.state == "failed")
    assert job.message == ("The worker process that did this died: it was killed from outside, or ran out of memory.")
    gate.go_on()
    assert workers.wait(gate.task)["pid"] not in (pid, os.getpid())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("processes", "first"),
    [(1, job_tasks.process), (1, job_tasks.beside_a_driver), (0, job_tasks.process)],
    ids=["process", "process beside a driver", "threads"],
)
def test_a_job_that_takes_too_much_memory_ends_in_a_sentence_and_the_one_beside_it_goes_on(
    processes: int, first: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDVIZ_JOB_MEMORY_MB", "700")
    jobs = Jobs(processes)
    try:
        pid = jobs.wait(Task("first", first, (), "Looking", 1.0))
        modest = jobs.ask(Task("modest", job_tasks.modest, (str(tmp_path),), "Working", 1.0))
        until(lambda: modest.total == 1)
        with pytest.raises(JobFailedError, match=r"more memory than a page's work may have here: 700 MB\. Ask for"):
            jobs.wait(Task("greedy", job_tasks.greedy, (3_000, str(tmp_path)), "Hoarding", 1.0))
        until(lambda: not modest.unfinished)
        assert (jobs.outcome(modest), modest.message) == (pid, "")
        assert jobs.wait(Task("fits", job_tasks.greedy, (300, str(tmp_path)), "Hoarding", 1.0)) == 6
        assert jobs.wait(Task("who else", job_tasks.process, (), "Looking", 1.0)) == pid
    finally:
        jobs.close()


def test_a_limit_of_jobs_memory_that_is_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_JOB_MEMORY_MB", "lots")
    with pytest.raises(JobFailedError, match="GOLDVIZ_JOB_MEMORY_MB is 'lots'; allowed is a whole number from 1 on"):
        Jobs(1).wait(Task("who", job_tasks.process, (), "Looking", 1.0))


def test_a_closed_server_leaves_nobody_waiting(light_workers: None, tmp_path: Path) -> None:
    jobs, gate = Jobs(1), Gate(tmp_path)
    working = jobs.ask(gate.task)
    until(lambda: working.total > 0)
    jobs.close()
    until(lambda: working.state == "failed")
    assert working.message == "The server was closed before this was done."


@pytest.mark.slow
def test_a_worker_knows_the_models_that_names_mean(workers: Jobs) -> None:
    task = Task("shipped", job_tasks.model_name, ("shipped",), "Loading", 1.0)
    assert workers.wait(task)
    missing = Task("missing", job_tasks.model_name, ("nobody/nothing",), "Loading", 1.0)
    with pytest.raises(JobFailedError, match="nobody/nothing is not on this machine"):
        workers.wait(missing)


def test_a_server_takes_only_so_much_work(threads: Jobs, tmp_path: Path) -> None:
    for number in range(engine.MOST_UNFINISHED):
        threads.ask(Gate(tmp_path, str(number)).task)
    with pytest.raises(TooManyJobsError, match=f"{engine.MOST_UNFINISHED} other jobs are waiting"):
        threads.ask(Gate(tmp_path, "one more").task)


def test_one_visitor_gives_up_the_oldest_for_a_new_job_unless_another_waits_for_it(
    threads: Jobs, tmp_path: Path
) -> None:
    gates = [Gate(tmp_path, str(number)) for number in range(engine.MOST_OF_ONE_VISITOR + 2)]
    shared = threads.ask(gates[0].task, "another")
    asked = [threads.ask(gate.task, "a visitor") for gate in gates]
    assert asked[0] is shared
    assert not shared.stop_asked.is_set()
    assert asked[1].stop_asked.is_set()
    assert not any(job.stop_asked.is_set() for job in asked[2:])


def test_ended_jobs_are_forgotten_oldest_first(threads: Jobs) -> None:
    tasks = [Task(str(number), job_tasks.process, (), "Nothing", 1.0) for number in range(engine.KEPT_JOBS + 3)]
    for task in tasks:
        threads.wait(task)
    assert threads.job("0") is None
    assert threads.job(tasks[-1].key) is not None
    threads.forget(tasks[-1].key)
    assert threads.job(tasks[-1].key) is None


def test_a_panic_of_a_library_ends_the_job_and_frees_its_place(threads: Jobs) -> None:
    for _ in range(AT_ONCE + 1):
        with pytest.raises(JobFailedError, match="PanicException"):
            threads.wait(Task("panic", job_tasks.panic, (), "Trying", 1.0))


def test_work_that_could_not_travel_is_refused_where_it_is_written() -> None:
    def inside(report: engine.Report) -> int:
        return 1

    with pytest.raises(ValueError, match="allowed is one that a module has under its own name"):
        Task("a", inside, (), "Trying", 1.0)


def test_the_time_left_is_told_from_the_pace() -> None:
    task = Task("a", job_tasks.process, (), "Counting", 1.0)
    job = Job(task, state="working", done=1, total=4, began=time.monotonic() - 10)
    assert job.seconds_left == pytest.approx(30, rel=0.05)
    job.state = "done"
    assert job.seconds_left is None


def test_the_number_of_job_workers_follows_that_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOLDVIZ_JOB_WORKERS", raising=False)
    monkeypatch.delenv("GOLDVIZ_WORKERS", raising=False)
    assert job_worker_count() == 1
    monkeypatch.setenv("GOLDVIZ_WORKERS", "0")
    assert job_worker_count() == 0
    monkeypatch.setenv("GOLDVIZ_JOB_WORKERS", "2")
    assert job_worker_count() == 2
    monkeypatch.setenv("GOLDVIZ_JOB_WORKERS", "64")
    assert job_worker_count() == 64
    for refused in ("some", "65"):
        monkeypatch.setenv("GOLDVIZ_JOB_WORKERS", refused)
        with pytest.raises(JobFailedError, match=f"is '{refused}'; allowed is a whole number from 0 to 64"):
            job_worker_count()
