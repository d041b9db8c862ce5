"""Work that takes longer than a visitor should wait for: a thread of the server, progress, time left and a stop.

A job's key says what comes out of it, so everybody who asks for the same watches the same job, and a page that is
reloaded finds it again. Training does not belong here: it has workers of its own.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from goldviz.ui.words import duration, plain

AT_ONCE = {"work": 2, "download": 2}
"""How many jobs of each line go on at once: a slow network keeps nobody from the processor."""
MOST_UNFINISHED = 12
MOST_OF_ONE_VISITOR = 3
KEPT_JOBS = 48
LOOK_EVERY = 0.5
ASK_EVERY = 0.1
"""How often a waiting job asks for its turn, and whether it is still wanted."""

State = Literal["waiting", "working", "done", "failed", "stopped"]
Line = Literal["work", "download"]
Report = Callable[[float, float], None]
"""Told how much is done of how much; raises :class:`Stopped` once somebody has asked for a stop."""

AT_ONCE_SECONDS = 0.3
"""Work that takes no longer is done while the page is drawn; what takes longer is a job with progress."""

Kept = TypeVar("Kept")

log = logging.getLogger(__name__)


class Stopped(Exception):  # noqa: N818 - an order, not an error
    """Raised inside a job's work by its report: stop here, somebody asked for it."""


class TooManyJobsError(RuntimeError):
    """There is more work waiting than the server takes, in a sentence for a person."""

    for_a_person = True


@dataclass
class Job:
    """One piece of work: what it is, how far it is, and what came of it."""

    key: str
    words: str
    owner: str = ""
    """The session that asked for it first, and may stop it."""
    line: Line = "work"
    state: State = "waiting"
    done: float = 0.0
    total: float = 0.0
    began: float = 0.0
    ended: float = 0.0
    message: str = ""
    result: Any = None
    stop_asked: threading.Event = field(default_factory=threading.Event)

    @property
    def unfinished(self) -> bool:
        """Whether it waits or works."""
        return self.state in ("waiting", "working")

    @property
    def seconds(self) -> float:
        """How long it has worked."""
        if not self.began:
            return 0.0
        return (self.ended or time.monotonic()) - self.began

    @property
    def seconds_left(self) -> float | None:
        """How long it will take at the pace so far; None while there is no pace yet."""
        if self.state != "working" or not 0 < self.done < self.total or self.seconds < 0.2:
            return None
        return self.seconds * (self.total - self.done) / self.done

    def report(self, done: float, total: float) -> None:
        """What the work is told to call."""
        if self.stop_asked.is_set():
            raise Stopped
        self.done, self.total = done, total


@dataclass
class _Jobs:
    lock: threading.Lock = field(default_factory=threading.Lock)
    slots: dict[str, threading.Semaphore] = field(
        default_factory=lambda: {line: threading.Semaphore(count) for line, count in AT_ONCE.items()}
    )
    known: OrderedDict[str, Job] = field(default_factory=OrderedDict)


_jobs = _Jobs()


def start(key: str, work: Callable[[Report], Any], words: str, *, line: Line = "work") -> Job:
    """Begin ``work`` and return its job; where one with this key waits, works or is done, that one.

    A job that failed or was stopped is begun anew. ``words`` say what is done, as in "Encoding 98 documents". A visitor
    who asks for more than ``MOST_OF_ONE_VISITOR`` at once gives up the oldest. Raises :class:`TooManyJobsError`.
    """
    owner = _session()
    with _jobs.lock:
        known = _jobs.known.get(key)
        if known is not None and known.state in ("waiting", "working", "done"):
            return known
        unfinished = [other for other in _jobs.known.values() if other.unfinished and not other.stop_asked.is_set()]
        own = [other for other in unfinished if owner and other.owner == owner]
        for given_up in own[: max(0, len(own) - MOST_OF_ONE_VISITOR + 1)]:
            given_up.stop_asked.set()
            unfinished.remove(given_up)
        if len(unfinished) >= MOST_UNFINISHED:
            raise TooManyJobsError(
                f"{len(unfinished)} other jobs are waiting on this server; try again when some are done."
            )
        new = Job(key, words, owner, line)
        _jobs.known[key] = new
        _jobs.known.move_to_end(key)
        _forget_the_oldest()
    threading.Thread(target=_carry_out, args=(new, work), name=f"goldviz-job-{key[:40]}", daemon=True).start()
    return new


def job(key: str) -> Job | None:
    """The job of this key, if it is remembered."""
    with _jobs.lock:
        return _jobs.known.get(key)


def stop(key: str) -> None:
    """Ask a job to stop at its next report."""
    found = job(key)
    if found is not None:
        found.stop_asked.set()


def forget(key: str) -> None:
    """Let go of a job that has ended, so that the next start begins anew."""
    with _jobs.lock:
        known = _jobs.known.get(key)
        if known is not None and not known.unfinished:
            del _jobs.known[key]


def show(key: str) -> Job | None:
    """Draw the job of this key and return it: a bar with the time left and *Stop* while it works, else its sentence.

    The whole page is drawn again when it ends. Not to be called inside a fragment that polls.
    """
    found = job(key)
    if found is None:
        return None
    if found.unfinished:
        st.fragment(_watch, run_every=LOOK_EVERY)(found)
    elif found.state == "failed":
        st.error(plain(found.message), icon=":material/error:")
    elif found.state == "stopped":
        st.caption(f"{plain(found.words)}: stopped after {duration(found.seconds)}.")
    return found


def _watch(watched: Job) -> None:
    if not watched.unfinished:
        st.rerun()
    bar, button = st.columns([5, 1], vertical_alignment="center")
    with bar:
        st.progress(min(1.0, watched.done / watched.total) if watched.total else 0.0, _progress_words(watched))
    if watched.owner not in ("", _session()):
        # Others may be waiting for the same; who asked first may stop it.
        return
    with button:
        st.button(
            "Stop",
            icon=":material/stop:",
            key=f"stop-{watched.key}",
            disabled=watched.stop_asked.is_set(),
            on_click=watched.stop_asked.set,
            width="stretch",
        )


def _progress_words(watched: Job) -> str:
    words = plain(watched.words)
    if watched.stop_asked.is_set():
        return f"{words}: stopping"
    if watched.state == "waiting":
        return f"{words}: waiting for other work on this server"
    left = watched.seconds_left
    return f"{words}: about {duration(left)} left" if left is not None else f"{words}: starting"


def _carry_out(new: Job, work: Callable[[Report], Any]) -> None:
    while not _jobs.slots[new.line].acquire(timeout=ASK_EVERY):
        if new.stop_asked.is_set():
            new.state = "stopped"
            return
    state: State = "failed"
    try:
        new.report(0, 0)
        new.began, new.state = time.monotonic(), "working"
        new.result = work(new.report)
        state = "done"
    except Stopped:
        state = "stopped"
    except BaseException as error:  # noqa: BLE001 - nobody else would hear of it, also where a library panics
        new.message = _sentence(error)
    finally:
        _jobs.slots[new.line].release()
        new.ended = time.monotonic()
        # Last, because whoever watches takes the result as soon as the state says so.
        new.state = state


def _session() -> str:
    """The visitor's session; nothing outside of one."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context is not None else ""


def _sentence(error: BaseException) -> str:
    if getattr(error, "for_a_person", False):
        return str(error)
    log.error("A background job failed", exc_info=error)
    return f"This did not work: {type(error).__name__}. The server's log says more."


def _forget_the_oldest() -> None:
    for key in [key for key, known in _jobs.known.items() if not known.unfinished]:
        if len(_jobs.known) <= KEPT_JOBS:
            return
        del _jobs.known[key]


def in_the_background(
    job_key: str, kept: Callable[[], Kept | None], make: Callable[[Report], object], *,
    seconds: float, words: str,
) -> Kept | None:  # fmt: skip
    """What ``kept`` finds; else ``make`` is begun, and the page shows how far it is, until it is drawn again.

    What takes less than ``AT_ONCE_SECONDS`` is made now. ``make`` puts its result where ``kept`` looks. Not for
    fragments.
    """
    found = kept()
    if found is not None:
        return found
    asked = job(job_key)
    if seconds <= AT_ONCE_SECONDS and (asked is None or not asked.unfinished):
        make(_nobody_stops)
        return kept()
    if asked is not None and asked.state == "done":
        # Its result was let go meanwhile.
        forget(job_key)
        asked = None
    try:
        if asked is None:
            start(job_key, _without_result(make), f"{words} (about {duration(seconds)})")
    except TooManyJobsError as error:
        st.error(plain(str(error)), icon=":material/hourglass_top:")
        return None
    shown = show(job_key)
    if shown is not None and shown.state in ("failed", "stopped"):
        st.button("Try again", key=f"again-{job_key}", icon=":material/refresh:", on_click=forget, args=(job_key,))
    return None


def _without_result(make: Callable[[Report], object]) -> Callable[[Report], None]:
    """The same work for a job, which would hold on to what it returns."""

    def work(report: Report) -> None:
        make(report)

    return work


def _nobody_stops(done: float, total: float) -> None:
    """The report of work that is not waited for."""
