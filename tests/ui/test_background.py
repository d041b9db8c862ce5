import threading
import time
from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from goldviz.ui import background
from goldviz.ui.background import Report, Stopped, TooManyJobsError

AT_ONCE = background.AT_ONCE["work"]


@pytest.fixture(autouse=True)
def no_jobs() -> Iterator[None]:
    yield
    for key in list(background._jobs.known):
        background.stop(key)
    background._jobs.known.clear()


def until(true: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


class Gate:
    """Work that goes on when it is let, one unit after another."""

    def __init__(self, total: int = 4) -> None:
        self.total = total
        self.let = threading.Semaphore(0)
        self.times = 0

    def __call__(self, report: Report) -> str:
        self.times += 1
        for done in range(self.total):
            report(done, self.total)
            self.let.acquire(timeout=10)
        report(self.total, self.total)
        return "all of it"


def test_a_job_tells_how_far_it_is_and_gives_its_result() -> None:
    gate = Gate()
    job = background.start("a", gate, "Counting")
    until(lambda: job.state == "working")
    assert job.result is None
    gate.let.release(2)
    until(lambda: job.done == 2)
    assert job.total == 4
    gate.let.release(2)
    until(lambda: job.state == "done")
    assert job.result == "all of it"
    assert background.job("a") is job


def test_the_same_key_is_the_same_job_until_it_failed_or_was_stopped() -> None:
    gate = Gate()
    first = background.start("a", gate, "Counting")
    assert background.start("a", gate, "Counting") is first
    background.stop("a")
    gate.let.release(1)
    until(lambda: first.state == "stopped")
    assert first.result is None
    again = background.start("a", gate, "Counting")
    assert again is not first
    gate.let.release(4)
    until(lambda: again.state == "done")
    assert background.start("a", gate, "Counting") is again
    assert gate.times == 2


def test_no_more_than_a_few_work_at_once_and_a_waiting_job_can_be_stopped() -> None:
    gates = [Gate(1) for _ in range(AT_ONCE + 1)]
    jobs = [background.start(str(number), gate, "Counting") for number, gate in enumerate(gates)]
    until(lambda: sum(job.state == "working" for job in jobs) == AT_ONCE)
    waiting = next(job for job in jobs if job.state == "waiting")
    background.stop(waiting.key)
    for gate in gates:
        gate.let.release(1)
    until(lambda: not any(job.unfinished for job in jobs))
    assert waiting.state == "stopped"
    assert gates[int(waiting.key)].times == 0


def test_a_server_takes_only_so_much_work() -> None:
    gates = [Gate(1) for _ in range(background.MOST_UNFINISHED)]
    jobs = [background.start(str(number), gate, "Counting") for number, gate in enumerate(gates)]
    with pytest.raises(TooManyJobsError, match=f"{background.MOST_UNFINISHED} other jobs are waiting"):
        background.start("one more", Gate(1), "Counting")
    for gate in gates:
        gate.let.release(1)
    until(lambda: not any(job.unfinished for job in jobs))


class NoSuchThingError(ValueError):
    for_a_person = True


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (NoSuchThingError("There is no such thing."), "There is no such thing."),
        (KeyError("secret/path"), "This did not work: KeyError. The server's log says more."),
    ],
)
def test_what_goes_wrong_is_said_in_a_sentence(error: Exception, sentence: str) -> None:
    def work(report: Report) -> None:
        raise error

    job = background.start("a", work, "Counting")
    until(lambda: job.state == "failed")
    assert job.message == sentence


def test_finished_jobs_are_forgotten_oldest_first() -> None:
    jobs = []
    for number in range(background.KEPT_JOBS + 3):
        jobs.append(background.start(str(number), lambda report: None, "Nothing"))
        until(lambda: not jobs[-1].unfinished)
    assert background.job("0") is None
    assert background.job(str(background.KEPT_JOBS + 2)) is jobs[-1]


def test_the_time_left_is_told_from_the_pace() -> None:
    job = background.Job("a", "Counting", state="working", done=1, total=4, began=time.monotonic() - 10)
    assert job.seconds_left == pytest.approx(30, rel=0.05)
    job.state = "done"
    assert job.seconds_left is None


def test_a_report_raises_once_a_stop_was_asked() -> None:
    job = background.Job("a", "Counting")
    job.report(1, 2)
    job.stop_asked.set()
    with pytest.raises(Stopped):
        job.report(2, 2)
    assert job.done == 1


def page() -> None:
    import streamlit as st

    from goldviz.ui import background

    found = background.show("a")
    st.text("nothing" if found is None else found.state)


def test_a_page_shows_progress_and_then_what_came_of_it() -> None:
    app = AppTest.from_function(page)
    app.run()
    assert app.text[0].value == "nothing"
    gate = Gate()
    job = background.start("a", gate, "Counting *stars*")
    until(lambda: job.state == "working")
    app.run()
    assert not app.exception
    assert app.button[0].label == "Stop"
    app.button[0].click()
    app.run()
    gate.let.release(1)
    until(lambda: job.state == "stopped")
    app.run()
    assert "stopped after" in app.caption[0].value
    assert r"\*stars\*" in app.caption[0].value
    assert not app.button


def test_a_waiting_job_is_stopped_at_once_and_leaves_no_thread_behind() -> None:
    gates = [Gate(1) for _ in range(AT_ONCE)]
    for number, gate in enumerate(gates):
        background.start(str(number), gate, "Counting")
    before = threading.active_count()
    for _ in range(5):
        waiting = background.start("one more", Gate(1), "Counting")
        background.stop("one more")
        until(lambda waiting=waiting: waiting.state == "stopped")
    until(lambda: threading.active_count() <= before)
    for gate in gates:
        gate.let.release(1)


def test_downloads_do_not_wait_for_work() -> None:
    gates = [Gate(1) for _ in range(AT_ONCE)]
    for number, gate in enumerate(gates):
        background.start(str(number), gate, "Counting")
    download = background.start("far", lambda report: "here", "Fetching", line="download")
    until(lambda: download.state == "done")
    for gate in gates:
        gate.let.release(1)


def test_a_panic_of_a_library_ends_the_job_and_frees_its_place() -> None:
    class PanicException(BaseException):
        pass

    def work(report: Report) -> None:
        raise PanicException

    for number in range(AT_ONCE + 1):
        job = background.start(str(number), work, "Counting")
        until(lambda job=job: job.state == "failed")
        assert "PanicException" in job.message


def test_one_visitor_gives_up_the_oldest_for_a_new_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_session", lambda: "a visitor")
    gates = [Gate(1) for _ in range(background.MOST_OF_ONE_VISITOR + 1)]
    jobs = [background.start(str(number), gate, "Counting") for number, gate in enumerate(gates)]
    assert jobs[0].stop_asked.is_set()
    assert not any(job.stop_asked.is_set() for job in jobs[1:])
    for gate in gates:
        gate.let.release(1)


def test_forgetting_lets_a_job_that_goes_on_alone() -> None:
    gate = Gate(1)
    job = background.start("a", gate, "Counting")
    background.forget("a")
    assert background.job("a") is job
    gate.let.release(1)
    until(lambda: job.state == "done")
    background.forget("a")
    assert background.job("a") is None
