"""Long work on a page: its result, or how far it is, with the time left, a place in line and a stop.

The work is done by :class:`goldviz.runs.jobs.jobs.Jobs`, in worker processes. *Stop* means "I no longer wait": others
who wait for the same are not disturbed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from goldviz.data.tables.sealed_names import sealed_text
from goldviz.runs.jobs.jobs import Job, Task, TooManyJobsError
from goldviz.runs.jobs.worker import JobFailedError
from goldviz.ui import whole_page
from goldviz.ui.serving import services
from goldviz.ui.words import duration, plain

LOOK_EVERY = 0.5
AT_ONCE_SECONDS = 0.05
"""Work that takes no longer is done while the page is drawn; all else by a worker, so that nobody else waits for it."""
WAITED_SECONDS = 2.0
"""The rest of the page is drawn after work that takes no longer, and before what takes longer."""
PATIENCE_SECONDS = 6.0
"""Work that was thought to be short gets a progress bar with a stop after so long."""
QUIET_SECONDS = 0.4
"""Work that is done by then shows no bar."""
LEFT = "jobs-left"
"""In the session state: the keys of jobs for which this visitor no longer waits."""

Made = TypeVar("Made")


def made(task: Task[Made]) -> Made | None:
    """The task's result; None while it is made or where that failed, which the page then says. Not for fragments.

    Where the work is done at once, what it raises is passed on.
    """
    jobs = services.jobs()
    result = jobs.held(task)
    if result is not None:
        return result
    job = jobs.job(task.key)
    if task.seconds <= AT_ONCE_SECONDS and (job is None or not job.unfinished):
        return jobs.here(task)
    if task.key not in _left() and (job is None or job.unfinished or job.state == "done"):
        try:
            job = jobs.ask(task, _session())
        except TooManyJobsError as error:
            st.error(plain(str(error)), icon=":material/hourglass_top:")
            return None
        if task.seconds <= WAITED_SECONDS:
            _wait_for(job, PATIENCE_SECONDS)
        if job.state == "done":
            made: Made = jobs.outcome(job)
            return made
    finished_job = show(task.key)
    if finished_job is not None and not finished_job.unfinished:
        st.button("Try again", key=f"again-{task.key}", icon=":material/refresh:", on_click=_again, args=(task.key,))
    return None


def answer(task: Task[Made]) -> Made | None:
    """The answer to what a visitor asks, waited for as :func:`awaited` does; None after saying why there is none."""
    try:
        return awaited(task)
    except (JobFailedError, TooManyJobsError, ValueError) as error:
        st.error(plain(str(error)), icon=":material/block:")
        return None


def awaited(task: Task[Made]) -> Made:
    """The task's result, waited for with a bar where it takes a while; fit for fragments.

    Raises :class:`goldviz.runs.jobs.jobs.JobFailedError` and TooManyJobsError with a sentence for a person; where the
    work is done at once, what it raises is passed on.
    """
    jobs = services.jobs()
    result = jobs.held(task)
    if result is not None:
        return result
    if task.seconds <= AT_ONCE_SECONDS:
        return jobs.here(task)
    job = jobs.ask(task, _session())
    _wait_for(job, float("inf"))
    made: Made = jobs.outcome(job)
    return made


def finished(task: Task[Made], holds: Callable[[Made], bool] = lambda made: True) -> Made | None:
    """The task's result, waited for under a bar with a stop; for dialogs and other fragments.

    Always made by a worker; one that no longer ``holds``, such as the name of a file that is gone, is made again. None
    where it was stopped or failed, which is then said, with a way to try again.
    """
    jobs = services.jobs()
    result = jobs.held(task)
    if result is not None and holds(result):
        return result
    if result is not None:
        jobs.results.forget(task.key)
    job = jobs.job(task.key)
    if task.key not in _left() and (job is None or job.unfinished or job.state == "done"):
        try:
            job = jobs.ask(task, _session())
        except TooManyJobsError as error:
            st.error(plain(str(error)), icon=":material/hourglass_top:")
            return None
        _wait_with_a_stop(job)
        if job.state == "done":
            made: Made = jobs.outcome(job)
            return made
        if job.unfinished:
            return None
    if job is not None and job.state == "failed":
        st.error(plain(sealed_text(job.message)), icon=":material/error:")
    else:
        st.caption(f"{plain(task.words)}: stopped.")
    st.button("Try again", key=f"again-{task.key}", icon=":material/refresh:", on_click=_again, args=(task.key,))
    return None


def _wait_with_a_stop(job: Job) -> None:
    """Wait for a job, or until a press of *Stop* or another has this drawn anew."""
    if job.over.wait(QUIET_SECONDS):
        return
    place = st.empty()
    with place.container():
        left, right = st.columns([5, 1], vertical_alignment="center")
        bar = left.empty()
        with right:
            _stop_button(job)
    while not job.over.wait(0.1) and not _pressed_in_this_fragment():
        bar.progress(_share(job), _progress_words(job))
    place.empty()


def _pressed_in_this_fragment() -> bool:
    """Whether something was pressed in the fragment that is just being drawn.

    Streamlit interrupts a page's script for that, but lets a fragment end first.
    """
    context = get_script_run_ctx(suppress_warning=True)
    requests = None if context is None else context.script_requests
    own = ThreadState.get().fragment_id
    if requests is None or own is None or requests._state is not ScriptRequestType.RERUN:
        return False
    rerun = requests._rerun_data
    return own in (rerun.fragment_id, *rerun.fragment_id_queue)


def _wait_for(job: Job, seconds: float) -> None:
    """Wait for a job, so long at most. The bar lets Streamlit draw the page anew meanwhile, if it has to."""
    bar, end = st.empty(), time.monotonic() + seconds
    while not job.over.wait(0.1) and time.monotonic() < end:
        bar.progress(_share(job), _progress_words(job))
    bar.empty()


def start(task: Task[Any]) -> Job:
    """Begin a task, or wait for it with those who do. Raises :class:`goldviz.runs.jobs.jobs.TooManyJobsError`."""
    _left().discard(task.key)
    return services.jobs().ask(task, _session())


def when_idle(task: Task[Any]) -> None:
    """Begin a task that nobody waits for, if the workers have nothing else to do."""
    jobs = services.jobs()
    if jobs.idle and jobs.held(task) is None:
        with suppress(TooManyJobsError):
            jobs.ask(task, _session())


def leave(key: str) -> None:
    """No longer wait for the job of this key, which stops where nobody else does."""
    services.jobs().leave(key, _session())


def job(key: str) -> Job | None:
    """The job of this key, if it is remembered."""
    return services.jobs().job(key)


def forget(key: str) -> None:
    """Let go of a job that has ended, so that the next start begins anew."""
    services.jobs().forget(key)


def show(key: str) -> Job | None:
    """Draw the job of this key and return it: a bar with the time left and *Stop* while it works, else its sentence.

    The whole page is drawn again when it ends. Not to be called inside a fragment that polls.
    """
    result = job(key)
    if result is None:
        return None
    if result.unfinished and key in _left() and result.waiters:
        st.caption(f"{plain(result.task.words)}: you no longer wait for this, but somebody else does.")
        st.button("Wait for it, too", key=f"wait-{key}", icon=":material/hourglass_top:", on_click=_again, args=(key,))
    elif result.unfinished:
        whole_page.drawn_alone(_watch, run_every=LOOK_EVERY)(result)
    elif result.state == "failed":
        st.error(plain(sealed_text(result.message)), icon=":material/error:")
    elif result.state == "stopped":
        st.caption(f"{plain(result.task.words)}: stopped after {duration(result.seconds)}.")
    return result


def _watch(job: Job) -> None:
    if not job.unfinished:
        st.rerun()
    bar, button = st.columns([5, 1], vertical_alignment="center")
    with bar:
        st.progress(_share(job), _progress_words(job))
    with button:
        _stop_button(job)


def _stop_button(job: Job) -> None:
    st.button(
        "Stop",
        icon=":material/stop:",
        key=f"stop-{job.task.key}",
        disabled=job.stop_asked.is_set(),
        on_click=_leave,
        args=(job.task.key,),
        width="stretch",
        help="What others wait for, too, goes on for them." if len(job.waiters) > 1 else None,
    )


def _share(job: Job) -> float:
    return min(1.0, job.done / job.total) if job.total else 0.0


def _progress_words(job: Job) -> str:
    words = plain(job.task.words)
    if job.stop_asked.is_set():
        return f"{words}: stopping"
    if job.state == "waiting":
        before = services.jobs().before(job)
        return f"{words}: waiting for other work on this server, {before} before it"
    left = job.seconds_left
    return f"{words}: about {duration(left)} left" if left is not None else f"{words}: starting"


def _leave(key: str) -> None:
    _left().add(key)
    leave(key)


def _again(key: str) -> None:
    """Wait for a job again, or let the page begin it anew."""
    _left().discard(key)
    forget(key)


def _left() -> set[str]:
    keys: set[str] = st.session_state.setdefault(LEFT, set())
    return keys


def _session() -> str:
    """The visitor's session; nothing outside of one."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context is not None else ""
