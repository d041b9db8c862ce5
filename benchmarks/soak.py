"""A long class: visits that come, train and go, and what they leave behind in the server and its workers.

Each visit opens a laboratory over a web socket, presses Train, follows its run to the end as the page's figures do,
looks at the runs page, and leaves. Memory, descriptors and threads are read every so many visits; after the first 100
they should stay within a tenth. Then browsers go from page to page by the navigation, and what their consoles say is
counted.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from pathlib import Path

import psutil
from playwright.sync_api import Page
from serving.chromium import chromium, fresh_page
from serving.server import APP, Server, database, running
from serving.viewer import Viewer, open_viewer

from goldviz.declare.registry import laboratories
from goldviz.runs.store.run_store import Store

SMALL = "depth={depth}&width=2&samples=16&epochs=2&histogram_every=0"
WARM = 100
"""Visits after which nothing should grow."""
ALLOWED = 1.1
PATIENCE_SECONDS = 120.0
SETTLE_SECONDS = 0.3
"""A page that is left so soon is still being drawn, which is what a hurried person does."""


@dataclass(frozen=True)
class Held:
    """What the processes of a server hold: megabytes, descriptors and threads of itself and of its workers."""

    server_mb: float
    server_descriptors: int
    server_threads: int
    workers_mb: float
    workers_descriptors: int
    workers_threads: int

    @classmethod
    def now(cls, server: Server) -> Held:
        workers = [child for child in server.process.children(recursive=True) if "spawn_main" in str(child.cmdline())]
        return cls(*_of([server.process]), *_of(workers))


def _of(processes: Iterable[psutil.Process]) -> tuple[float, int, int]:
    held = list(processes)
    return (
        sum(one.memory_info().rss for one in held) / 2**20,
        sum(one.num_fds() for one in held),
        sum(one.num_threads() for one in held),
    )


HEADING = (
    f"{'visits':>8}{'server MB':>12}{'descriptors':>13}{'threads':>9}"
    f"{'workers MB':>13}{'descriptors':>13}{'threads':>9}{'database MB':>13}{'s a visit':>11}"
)


def row(visits: int, held: Held, store: Store, seconds: float) -> str:
    megabytes, descriptors, threads, workers_mb, workers_descriptors, workers_threads = astuple(held)
    return (
        f"{visits:>8}{megabytes:>12.0f}{descriptors:>13}{threads:>9}{workers_mb:>13.0f}{workers_descriptors:>13}"
        f"{workers_threads:>9}{(store.size_on_disk() or 0) / 1e6:>13.1f}{seconds:>11.2f}"
    )


async def visit(server: Server, store: Store, number: int) -> None:
    """Open, train, follow to the end, list, leave."""
    async with open_viewer(server.port, "depth-gradients", SMALL.format(depth=1 + number % 4)) as viewer:
        await viewer.rerun()
        await viewer.rerun(pressed="Train")
        await _followed(server, store, viewer)
    async with open_viewer(server.port, "runs") as viewer:
        await viewer.rerun()


async def _followed(server: Server, store: Store, viewer: Viewer) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while store.run(viewer.run_id).unfinished:
        await viewer.follow(server.port, time.time() + 0.1)
        if time.monotonic() > deadline:
            raise RuntimeError(f"The run {viewer.run_id} did not end within {PATIENCE_SECONDS:.0f} s.")
    if (status := store.run(viewer.run_id).status) != "finished":
        raise RuntimeError(f"The run {viewer.run_id} is {status}: {store.run(viewer.run_id).message}")


async def soak(server: Server, store: Store, visits: int, every: int) -> dict[int, Held]:
    """So many visits with a run each; what was held every so many of them."""
    await visit(server, store, 0)
    seen, began = {}, time.monotonic()
    for number in range(1, visits + 1):
        await visit(server, store, number)
        if number % every == 0 or number == visits:
            seen[number] = Held.now(server)
            print(row(number, seen[number], store, (time.monotonic() - began) / every), flush=True)
            began = time.monotonic()
    return seen


def verdict(seen: dict[int, Held]) -> str:
    """How each number at the end compares with that after the first visits."""
    begin = min((number for number in seen if number >= WARM), default=min(seen))
    first, last = astuple(seen[begin]), astuple(seen[max(seen)])
    grown = {
        name: after / max(before, 1) for name, before, after in zip(Held.__dataclass_fields__, first, last, strict=True)
    }
    told = ", ".join(f"{name.replace('_', ' ')} {ratio:.2f}" for name, ratio in grown.items())
    flat = all(ratio <= ALLOWED for ratio in grown.values())
    return f"visit {max(seen)} against visit {begin}: {told}: {'flat' if flat else 'NOT FLAT'} within {ALLOWED - 1:.0%}"


def descriptors(server: Server) -> str:
    """What the server's descriptors are, the most frequent kind first."""
    kinds: Counter[str] = Counter()
    for path in Path(f"/proc/{server.process.pid}/fd").glob("*"):
        try:
            target = str(path.readlink())
        except OSError:
            continue
        kinds[target.partition(":")[0] if ":" in target else Path(target).name] += 1
    return ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(8))


def switch_pages(server: Server, browsers: int, switches: int) -> str:
    """Browsers that go on to the next page of the navigation in turn, mostly before the last one is drawn."""
    faults: list[str] = []
    with chromium() as browser, ExitStack() as stack:
        pages = [stack.enter_context(fresh_page(browser)) for _ in range(browsers)]
        for page in pages:
            page.on("pageerror", lambda error: faults.append(f"exception: {error}"))
            page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
            page.goto(f"{server.address}/")
            page.get_by_test_id("stHeading").first.wait_for(timeout=120_000)
        began = time.monotonic()
        for number, page in zip(range(switches), itertools.cycle(pages), strict=False):
            _go_on(page, number // browsers)
        seconds = (time.monotonic() - began) / max(switches, 1)
        for page in pages:
            page.get_by_test_id("stHeading").first.wait_for(timeout=120_000)
            shown = page.get_by_test_id("stException").count()
            faults += ["an exception on the page"] * shown
    told = "".join(f"\n    {count} x {text[:160]}" for text, count in Counter(faults).most_common(10))
    return f"{switches} page switches in {browsers} browsers, {seconds:.2f} s each: {len(faults)} faults{told}"


LABORATORIES = tuple(laboratories())
LISTS = ("runs", "claims", "stories")
CLICKED = """path => {
  const found = [...document.querySelectorAll("a[href]")].map((link) => [link, new URL(link.href)]);
  const link = found.find(([, where]) => where.pathname === path && !where.search);
  if (link) link[0].click();
  return Boolean(link);
}"""


def _path(turn: int) -> str:
    """Home, a laboratory by its card there, a list by the navigation, and so on."""
    round_, place = divmod(turn, 3)
    return "/" + ("", LABORATORIES[round_ % len(LABORATORIES)], LISTS[round_ % len(LISTS)])[place]


def _go_on(page: Page, turn: int) -> None:
    """To another page within the session, by a link that is in sight; mostly before that page is drawn."""
    page.wait_for_function(CLICKED, arg=_path(turn), timeout=120_000)
    page.wait_for_timeout(1000 * SETTLE_SECONDS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--visits", type=int, default=1000, help="visits, each with a run")
    parser.add_argument("--every", type=int, default=50, help="visits between two rows")
    parser.add_argument("--browsers", type=int, default=10)
    parser.add_argument("--switches", type=int, default=200, help="page switches of all browsers together")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, running(APP, Path(name)) as server:
        store = Store(database(Path(name)))
        if arguments.visits:
            print(HEADING, flush=True)
            print(verdict(asyncio.run(soak(server, store, arguments.visits, arguments.every))))
            print(f"descriptors of the server: {descriptors(server)}", flush=True)
        if arguments.switches:
            print(switch_pages(server, arguments.browsers, arguments.switches), flush=True)


if __name__ == "__main__":
    main()
