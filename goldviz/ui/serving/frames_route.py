"""The routes of frames: a question waits until one of its runs has something new, and one look a moment serves all.

A question about one lane, such as what becomes of an observation that was dropped, is answered at once.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from goldviz.runs.store.schema import StoreError
from goldviz.ui.serving.answers import TEXT, Answer, body_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

Answered = TypeVar("Answered")

FRAMES_PATH = "/goldviz/frames"
LOOK_SECONDS = 0.1
"""How often the store is asked for the runs that somebody watches."""
HELD_SECONDS = 20.0
"""So long a question waits for news; proxies cut what stays silent for a minute."""


ABOUT_AT_ONCE = 2
"""Questions about a lane that are answered at the same time; some wait for a worker, and keep no figures waiting."""
ANSWERS_AT_ONCE = 2
"""More would take turns at the interpreter and all be late; the second goes on while the first reads the database."""
NOTHING_NEW = Answer(204, b"", TEXT)


class Watch:
    """The versions of all runs that are watched, looked up together, and what keeps new records from being written."""

    def __init__(self) -> None:
        self._watched: Counter[str] = Counter()
        self._versions: dict[str, tuple[int, str]] = {}
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def watching(self, run_ids: Sequence[str]) -> Iterator[None]:
        """Look for changes of these runs as long as this lasts."""
        self._watched.update(run_ids)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())
        try:
            yield
        finally:
            self._watched.subtract(run_ids)
            self._watched = +self._watched

    def versions(self, run_ids: Sequence[str]) -> list[tuple[int, str] | None]:
        """The versions last seen, each with the run's trouble."""
        return [self._versions.get(run_id) for run_id in run_ids]

    async def change(self, run_ids: Sequence[str], seconds: float) -> None:
        """Wait until one of these runs has changed, so long at most; nobody wakes for the runs of others."""
        event = asyncio.Event()
        for run_id in run_ids:
            self._waiting.setdefault(run_id, set()).add(event)
        try:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(event.wait(), seconds)
        finally:
            for run_id in set(run_ids):
                self._waiting[run_id].discard(event)
                if not self._waiting[run_id]:
                    del self._waiting[run_id]

    def _seen(self) -> dict[str, tuple[int, str]]:
        from goldviz.ui.serving import services

        versions = services.store().versions(list(self._watched))
        return {run_id: (version, services.trouble(run_id)) for run_id, version in versions.items()}

    async def _look(self) -> None:
        while self._watched:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                news = await asyncio.to_thread(self._seen)
            except StoreError:
                # A page says so itself; here the next look tries again.
                continue
            before, self._versions = self._versions, news
            for run_id in [run_id for run_id in self._waiting if news.get(run_id) != before.get(run_id)]:
                for event in self._waiting[run_id]:
                    event.set()


def routes(base: str) -> list[BaseRoute]:
    """The routes under a server's base path."""
    from anyio import CapacityLimiter
    from anyio.to_thread import run_sync
    from starlette.routing import Route

    from goldviz.ui.serving import frames

    watch, about_at_once = Watch(), CapacityLimiter(ABOUT_AT_ONCE)
    # Threads that take the next question by themselves: a limiter would wake the event loop between two.
    answering = ThreadPoolExecutor(ANSWERS_AT_ONCE, "goldviz-frames")

    def answered(answer: Callable[..., Answered], *arguments: str) -> asyncio.Future[Answered]:
        return asyncio.get_running_loop().run_in_executor(answering, answer, *arguments)

    async def news(request: Request) -> Response:
        token, question = request.path_params["token"], request.query_params.get("has", "")
        run_ids, end = frames.runs_of(token), time.monotonic() + HELD_SECONDS
        with watch.watching(run_ids):
            while True:
                before = watch.versions(run_ids)
                # Most questions come before the run's next step: then the store need not be read.
                if not frames.lacks_nothing(token, question, dict(zip(run_ids, before, strict=True))):
                    answer = await answered(frames.answer, token, question)
                    if answer is not None:
                        return answer.response()
                while watch.versions(run_ids) == before:
                    left = end - time.monotonic()
                    if left <= 0 or not run_ids:
                        return NOTHING_NEW.response()
                    await watch.change(run_ids, min(left, 1.0))
                    if watch.versions(run_ids) == before and await request.is_disconnected():
                        return NOTHING_NEW.response()

    async def one(request: Request) -> Response:
        where = request.path_params
        place = (where["token"], where["lane"], where["figure"], where["step"])
        return (await answered(frames.answer_at, *place)).response()

    async def about(request: Request) -> Response:
        where, body = request.path_params, await body_of(request, frames.LARGEST_QUESTION)
        reply = await run_sync(frames.answer_about, where["token"], where["lane"], body, limiter=about_at_once)
        return reply.response()

    return [
        Route(f"{base}/{{token}}", news),
        Route(f"{base}/{{token}}/{{lane}}", about, methods=["POST"]),
        Route(f"{base}/{{token}}/{{lane}}/{{figure}}/{{step}}", one),
    ]
