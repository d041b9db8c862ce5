"""Viewers who each look at a run of their own that grows twice a second: how old what they see is, and what it costs.

Viewers open the page over a web socket and then ask for frames as its figures do. The records are played from a tape by
a process of its own, so all runs grow at the same time, as with a worker each: nothing that is drawn can be drawn
twice. Some of the viewers may be real browsers. Among them somebody presses Train, again and again.

* *answer*: from a new step's moment in the store, or from the question where that came later, to the answer.
* *age*: from the step's moment in the store to the answer that brought it, the pause between two questions included.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page
from serving.chromium import chromium, fresh_page
from serving.server import APP, Server, database, running
from serving.tape import Tape, play_all
from serving.viewer import Update, Viewer, open_viewer

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.store.run_store import Store

GROWS_EVERY = 0.5


@dataclass
class Load:
    """What some viewers had over some seconds, and what it cost the server."""

    words: str
    updates: Sequence[Update]
    written: dict[tuple[str, int], float]
    seconds: float
    server_cpu: float

    def row(self) -> str:
        known = [
            (update, self.written[update.lane, update.step])
            for update in self.updates
            if (update.lane, update.step) in self.written
        ]
        answers = sorted(update.had - max(update.asked, moment) for update, moment in known)
        ages = sorted(update.had - moment for update, moment in known)
        sizes = statistics.median(update.size for update, _ in known)
        return (
            f"{self.words:<32}{_ms(answers, 0.5)}{_ms(answers, 0.95)}{_ms(ages, 0.5)}{_ms(ages, 0.95)}"
            f"{len(known) / self.seconds:10.1f}{self.server_cpu / self.seconds:8.0%}"
            f"{self.server_cpu / len(self.updates) * 1000:9.1f} ms{sizes / 1000:8.1f} kB"
        )


def _ms(ordered: Sequence[float], share: float) -> str:
    return f"{1000 * ordered[int(share * (len(ordered) - 1))]:8.0f} ms"


HEADING = (
    f"{'':<32}{'answer p50':>11}{'p95':>11}{'age p50':>11}{'p95':>11}{'updates/s':>10}{'server':>8}"
    f"{'CPU/update':>12}{'size':>11}"
)


@asynccontextmanager
async def visitors(server: Server, queries: Sequence[str]) -> AsyncIterator[list[Viewer]]:
    """One open page for each query, opened one after another."""
    async with AsyncExitStack() as stack:
        opened = []
        for query in queries:
            viewer = await stack.enter_async_context(open_viewer(server.port, "depth-gradients", query))
            await viewer.rerun()
            opened.append(viewer)
        yield opened


async def presses(server: Server, until: float) -> list[float]:
    """Somebody who presses Train again and again; returns how long each press was unanswered."""
    times = []
    async with visitors(server, ["epochs=3&depth=3"]) as (viewer,):
        while time.time() < until:
            times.append(await viewer.rerun(pressed="Train"))
            await asyncio.sleep(2)
    return times


async def growing(
    server: Server, url: str, tape: Tape, run_ids: Sequence[str], watched: Sequence[str], log: Path
) -> Load:
    """Runs that all grow at once, of which some are watched by viewers that are no browsers."""
    async with visitors(server, [f"runs={run_id}" for run_id in watched]) as viewers:
        player = multiprocessing.get_context("spawn").Process(
            target=play_all, args=(tape, url, run_ids, GROWS_EVERY, log), daemon=True
        )
        player.start()
        while not log.exists():
            await asyncio.sleep(0.05)
        began, cpu = time.time(), server.cpu_seconds()
        end = began + GROWS_EVERY * (len(tape.steps) - 1)
        found = await asyncio.gather(*(viewer.follow(server.port, end) for viewer in viewers), presses(server, end - 2))
        pressed: list[float] = found.pop()
        seconds, cpu = time.time() - began, server.cpu_seconds() - cpu
        await asyncio.to_thread(player.join)
    written = {(run, int(step)): float(at) for run, step, at in (line.split() for line in log.read_text().splitlines())}
    print(f"    Train among them: {statistics.median(pressed):.2f} s, {max(pressed):.2f} s at most", flush=True)
    return Load(f"{len(run_ids)} runs grow at once", [one for own in found for one in own], written, seconds, cpu)


def updates_on(page: Page) -> int:
    """How often the figures of a page have been drawn."""
    hosts = "[...document.querySelectorAll('.goldviz-figure')]"
    found: int = page.evaluate(f"{hosts}.reduce((sum, host) => sum + Number(host.dataset.updates || 0), 0)")
    return found


def load(server: Server, folder: Path, tape: Tape, count: int, browsers: int) -> Load:
    """So many viewers, some of them browsers."""
    url = database(folder)
    store = Store(url)
    run_ids = [store.create(tape.settings, name=f"{count} growing, {place}") for place in range(count)]
    for run_id in run_ids:
        tape.begin(store, run_id)
    with ExitStack() as stack:
        pages = []
        if browsers:
            browser = stack.enter_context(chromium())
            for run_id in run_ids[:browsers]:
                page = stack.enter_context(fresh_page(browser))
                page.goto(f"{server.address}/depth-gradients?runs={run_id}")
                page.locator(".goldviz-figure :is(.goldviz-picture, .main-svg)").first.wait_for()
                pages.append(page)
        before = sum(map(updates_on, pages))
        log = folder / f"log-{count}-{browsers}"
        # In a thread of its own: Playwright has a loop in this one.
        with ThreadPoolExecutor(1) as aside:
            following = growing(server, url, tape, run_ids, run_ids[browsers:], log)
            found = aside.submit(lambda: asyncio.run(following)).result()
        if pages:
            drawn = (sum(map(updates_on, pages)) - before) / found.seconds / browsers
            found.words += f", {browsers} browsers"
            print(f"    {drawn:.1f} figures drawn a second in each browser", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--viewers", type=int, nargs="+", default=[1, 10, 30])
    parser.add_argument("--browsers", type=int, default=5, help="real browsers among the last of these viewers")
    parser.add_argument("--epochs", type=int, default=40, help="length of the runs, which grow twice a second")
    arguments = parser.parse_args()
    tape = Tape.of(DepthGradients(epochs=arguments.epochs))
    with tempfile.TemporaryDirectory() as name, running(APP, Path(name)) as server:
        print(HEADING, flush=True)
        # The first round is for warming up: workers load torch, and everything is drawn once.
        for count in (1, *arguments.viewers):
            print(load(server, Path(name), tape, count, 0).row(), flush=True)
        if arguments.browsers:
            print(load(server, Path(name), tape, arguments.viewers[-1], arguments.browsers).row(), flush=True)


if __name__ == "__main__":
    main()
