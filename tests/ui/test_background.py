"""Long work on a page: its result, progress, a stop that leaves others alone, and another try."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from goldviz.runs.jobs.jobs import Job
from goldviz.ui.panels import background
from goldviz.ui.serving import services
from tests.runs.conftest import until
from tests.runs.job_tasks import counted
from tests.runs.test_jobs import Gate


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    yield Gate(tmp_path, seconds=10.0)
    services.close()


def page() -> None:
    import streamlit as st

    from goldviz.ui.panels import background

    found = background.made(st.session_state["task"])
    st.text("nothing yet" if found is None else str(found["numbers"].sum()))


def visitor(gate: Gate) -> AppTest:
    app = AppTest.from_function(page, default_timeout=60)
    app.session_state["task"] = gate.task
    return run(app)


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def job_of(gate: Gate) -> Job:
    found = background.job(gate.task.key)
    assert found is not None
    return found


def test_a_page_shows_progress_and_then_what_came_of_it(gate: Gate) -> None:
    app = visitor(gate)
    assert app.text[0].value == "nothing yet"
    assert [button.label for button in app.button] == ["Stop"]
    gate.go_on(4)
    until(lambda: job_of(gate).state == "done")
    assert run(app).text[0].value == "6"
    assert not app.button


def test_a_stopped_job_says_so_and_can_be_tried_again(gate: Gate) -> None:
    app = visitor(gate)
    until(lambda: job_of(gate).state == "working")
    app.button[0].click()
    run(app)
    until(lambda: job_of(gate).state == "stopped")
    run(app)
    assert "stopped after" in app.caption[0].value
    gate.go_on(4)
    app.button[0].click()
    run(app)
    until(lambda: job_of(gate).state == "done")
    assert run(app).text[0].value == "6"


def test_who_stops_waiting_leaves_the_job_to_others_and_may_come_back(gate: Gate) -> None:
    services.jobs().ask(gate.task, "somebody else")
    app = visitor(gate)
    assert len(job_of(gate).waiters) == 2
    app.button[0].click()
    run(app)
    assert not job_of(gate).stop_asked.is_set()
    assert any("somebody else does" in caption.value for caption in app.caption)
    app.button[0].click()
    run(app)
    assert len(job_of(gate).waiters) == 2
    assert app.button[0].label == "Stop"
    gate.go_on(4)
    until(lambda: job_of(gate).state == "done")
    assert run(app).text[0].value == "6"


def test_what_is_short_is_made_at_once(tmp_path: Path) -> None:
    gate = Gate(tmp_path, total=0, seconds=0.0)
    assert visitor(gate).text[0].value == "0"
    assert background.job(gate.task.key) is None


def test_what_takes_a_moment_is_there_when_the_page_is(tmp_path: Path) -> None:
    gate = Gate(tmp_path, total=2, seconds=1.0)
    gate.go_on(2)
    assert visitor(gate).text[0].value == "1"
    assert job_of(gate).task.function is counted


def test_a_full_line_is_told(gate: Gate, tmp_path: Path) -> None:
    for number in range(12):
        services.jobs().ask(Gate(tmp_path, str(number)).task, str(number))
    app = visitor(gate)
    assert "12 other jobs are waiting on this server" in app.error[0].value


def test_the_place_in_line_is_told(gate: Gate, tmp_path: Path) -> None:
    for number in range(2):
        services.jobs().ask(Gate(tmp_path, str(number)).task, str(number))
    waiting = services.jobs().ask(gate.task)
    assert background._progress_words(waiting).endswith("waiting for other work on this server, 2 before it")
