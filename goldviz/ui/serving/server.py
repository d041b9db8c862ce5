"""What the server does besides answering visitors: workers, Plotly's script, memory."""

from __future__ import annotations

import asyncio
import gc
import gzip
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from goldviz.figures.plotly_script import PLOTLY_SCRIPT
from goldviz.origins import EMBEDDING, HOSTS, from_environment
from goldviz.ui.serving.addresses import PLOTLY_PATH, address, base_path
from goldviz.ui.serving.middleware import base_path as below
from goldviz.ui.serving.middleware import framing, hosts

if TYPE_CHECKING:
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from goldviz.ui.serving.sessions import ClosingStorage
    from goldviz.ui.serving.uploads import BoundedUploads

COLLECT_SECONDS = 30.0
LOOK_FOR_SETTINGS = "_POLLING_PERIOD_SECS"
SETTINGS_SECONDS = 1.0
"""A server that is told to end waits for the last of these looks."""
FEW_COLLECTIONS = 5
"""Where nobody comes, Python looks through its newest objects fewer times: there is no garbage worth a collection."""
SWITCH_SECONDS = 0.0005
"""How long a visitor's thread computes before another may go on. Python's own 5 ms let every short answer wait, several
times over, for figures that are drawn for others."""
COMPILED_WHOLE = b"//# allFunctionsCalledOnLoad\n"
"""V8 compiles a script with this first line whole while it arrives, and not when each function is called (v8.dev)."""

log = logging.getLogger(__name__)


def routes() -> list[BaseRoute]:
    """Plotly's script and the pages' own, so that nothing needs a network; answers,
    attention, frames."""
    from anyio import CapacityLimiter
    from anyio.to_thread import run_sync
    from starlette.responses import Response
    from starlette.routing import Route

    from goldviz.declare import registry
    from goldviz.ui import chrome, search_index
    from goldviz.ui.serving import deep_links, frames_route, page_modules, queries
    from goldviz.ui.serving.answers import body_of

    others = [page.path for page in chrome.pages_of_no_laboratory()]
    at_once, waiting = CapacityLimiter(queries.AT_ONCE), CapacityLimiter(queries.WAITING_AT_ONCE)

    year = page_modules.ALLOWED_TO_STAY

    def script() -> bytes:
        return COMPILED_WHOLE + PLOTLY_SCRIPT.read_bytes()

    @cache
    def compressed() -> bytes:
        return gzip.compress(script())

    async def plotly(request: Request) -> Response:
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(await run_sync(script), headers=year, media_type="text/javascript")
        # Once for all: a class that opens its pages together would wait while it is compressed for one after the other.
        with_gzip = {**year, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(await run_sync(compressed), headers=with_gzip, media_type="text/javascript")

    def exhibit(request: Request) -> Response:
        reply = queries.part_of_exhibit(request.path_params["token"], request.path_params["part"], request.query_params)
        # Weights hardly shrink by compression, and it would take longer than everything else; "identity" skips it.
        headers = {"Content-Encoding": "identity", "X-Content-Type-Options": "nosniff"}
        headers["Cache-Control"] = "private, max-age=3600" if reply.status == 200 else "no-store"
        return reply.response(headers)

    async def answered(request: Request) -> Response:
        body = await body_of(request, queries.LONGEST)
        laboratory = request.path_params["laboratory"]
        limiter = waiting if queries.by_a_worker(laboratory) else at_once
        return (await run_sync(queries.answer, laboratory, body, limiter=limiter)).response()

    return [
        Route(address(PLOTLY_PATH), plotly),
        *page_modules.routes(base_path()),
        *search_index.routes(base_path()),
        Route(address(f"{queries.QUERIES_PATH}/{{laboratory}}"), answered, methods=["POST"]),
        Route(address(f"{queries.EXHIBITS_PATH}/{{token}}/{{part:path}}"), exhibit),
        *frames_route.routes(address(frames_route.FRAMES_PATH)),
        *deep_links.routes(address("/"), ["", *registry.laboratories(), *others]),
    ]


def middleware() -> list[Middleware]:
    """What every request passes, the first one outermost: who may frame the answers, under which names and below which
    path the server queries."""
    from starlette.middleware import Middleware
    from streamlit import get_option

    return [
        Middleware(framing.FrameAncestors, origins=from_environment(EMBEDDING)),
        Middleware(hosts.KnownHosts, address=str(get_option("server.address")), more=from_environment(HOSTS)),
        Middleware(below.BelowBasePath, base=base_path()),
    ]


def exception_handlers() -> dict[type[Exception], Callable[..., Response]]:
    """What is answered where a route fails: outside of all middleware, so with the header that it would add."""
    from starlette.responses import PlainTextResponse

    headers = {framing.HEADER: framing.policy(from_environment(EMBEDDING))}

    def failed(_request: Request, _error: Exception) -> Response:
        return PlainTextResponse("The server could not answer this; its log says why.", 500, headers)

    return {Exception: failed}


@asynccontextmanager
async def lifespan(_app: Any) -> AsyncIterator[dict[str, Any]]:
    """Start the workers with the server, ahead of the first visitor, and let them go with it."""
    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.watcher import polling_path_watcher

    from goldviz.data.tables.private_files import keep_others_out
    from goldviz.runs.store.rights import close_what_is_kept
    from goldviz.ui.serving import services, sessions, uploads

    keep_others_out()
    for sentence in await asyncio.to_thread(close_what_is_kept):
        log.warning("%s", sentence)

    # Streamlit takes a folder named pages/ for its older way of navigating until st.navigation has run once; the
    # first visitor of a page's own address would be told that it does not exist.
    PagesManager.uses_pages_directory = False
    # Streamlit looks five times a second whether somebody has changed each of three files of settings.
    setattr(polling_path_watcher, LOOK_FOR_SETTINGS, SETTINGS_SECONDS)
    sys.setswitchinterval(SWITCH_SECONDS)
    starting = asyncio.create_task(asyncio.to_thread(_start_workers))
    collecting = asyncio.create_task(_collect(sessions.closing(), uploads.bounded()))
    yield {}
    collecting.cancel()
    with suppress(asyncio.CancelledError):
        await collecting
    await starting
    await asyncio.to_thread(services.close)


def _start_workers() -> None:
    from goldviz.runs.execution.execution import ExecutionError
    from goldviz.runs.jobs.jobs import JobFailedError
    from goldviz.runs.store.schema import StoreError
    from goldviz.ui.serving import services

    try:
        services.executor()
        services.store().check()
    except (ExecutionError, StoreError) as error:
        # Every page shows the same sentence, and tries again.
        log.error("%s", error)
    try:
        services.jobs().warm_up()
    except JobFailedError as error:
        # A job tries again, and says the same sentence.
        log.error("%s", error)


async def _collect(storage: ClosingStorage, held: BoundedUploads | None) -> None:
    """End sessions whose visitors stay away, let go of uploads that no page shows, and collect garbage on a timer, in
    place of Streamlit's full collection after every rerun."""
    from goldviz.ui.serving.uploads import sessions

    modules = previous = 0
    while True:
        await asyncio.sleep(COLLECT_SECONDS)
        storage.close_gone()
        if held is not None:
            held.free_unseen(sessions())
        collections = gc.get_stats()[0]["collections"]
        if collections - previous < FEW_COLLECTIONS:
            continue
        await asyncio.to_thread(gc.collect)
        previous = collections
        if len(sys.modules) > modules:
            # Modules stay. Collections, for which everybody waits, pass them over: 20 to 80 ms in place of 200.
            gc.freeze()
            modules = len(sys.modules)
