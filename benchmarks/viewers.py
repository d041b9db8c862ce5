"""Viewers who each look at a run of their own and poll twice a second: how long a poll takes, and who waits.

Viewers speak Streamlit's protocol over web sockets; a poll's time runs from the request to the message that the
script has finished, and a viewer who is late skips what was missed. Two situations:

* *growing*: every viewer's run gets a new epoch twice a second. The records are played from a tape by a process of
  its own, so all runs grow at the same time, as with a worker each: nothing that is drawn can be drawn twice.
* *in turn*: every viewer presses Train at the same moment, and one worker trains the runs one after another. In a
  second round the viewers poll as often as the page asks for: once a second while several runs wait.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from serving.server import APP, Server, database, running
from serving.tape import Tape, play_all
from serving.viewer import Viewer, open_viewer

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.store import Store

POLL_SECONDS = 0.5
EPOCHS = 20
PATIENCE_SECONDS = 300


@dataclass
class Load:
    """The polls of some viewers over some seconds, and what they cost the server."""

    words: str
    times: list[float]
    seconds: float
    asked: float
    server_cpu: float
    workers_cpu: float
    received_bytes: int

    def row(self) -> str:
        ordered = sorted(self.times)
        p95 = ordered[int(0.95 * (len(ordered) - 1))]
        p50 = statistics.median(ordered)
        return (
            f"{self.words:<24}{p50 * 1000:7.0f} ms{p95 * 1000:7.0f} ms{ordered[-1] * 1000:7.0f} ms"
            f"{len(ordered) / self.seconds:9.1f}{self.asked:8.1f}{self.server_cpu / self.seconds:8.0%}"
            f"{self.workers_cpu / self.seconds:9.0%}{self.server_cpu / len(ordered) * 1000:7.0f} ms"
            f"{self.received_bytes / len(ordered) / 1000:7.0f} kB"
        )


HEADING = (
    f"{'':<24}{'p50':>10}{'p95':>10}{'max':>10}{'polls/s':>9}{'asked':>8}{'server':>8}{'workers':>9}"
    f"{'CPU/poll':>10}{'sent/poll':>10}"
)


@asynccontextmanager
async def visitors(server: Server, queries: list[str]) -> AsyncIterator[list[Viewer]]:
    """One open page for each query, opened one after another."""
    async with AsyncExitStack() as stack:
        opened = []
        for query in queries:
            viewer = await stack.enter_async_context(open_viewer(server.port, "depth-gradients", query))
            await viewer.rerun()
            opened.append(viewer)
        yield opened


async def poll(viewer: Viewer, start: float, every: float | None, times: list[float]) -> int:
    """Poll as long as the server asks for it, as often as it asks where ``every`` is None; returns the polls due."""
    due, asked = start, 0.0
    while viewer.interval is not None:
        await asyncio.sleep(due - time.monotonic())
        times.append(await viewer.rerun(fragment=True))
        pause = every or viewer.interval or POLL_SECONDS
        late = max(0.0, time.monotonic() - due - pause)
        due += pause + late
        asked += 1 + late / pause
    return round(asked)


async def watch(words: str, server: Server, viewers: list[Viewer], every: float | None = POLL_SECONDS) -> Load:
    """Let all viewers poll, evenly spread in time, until all their runs have ended."""
    times: list[float] = []
    received = sum(viewer.received_bytes for viewer in viewers)
    cpu, workers = server.cpu_seconds(), server.workers_cpu_seconds()
    began = time.monotonic()
    spread = every or max((viewer.interval or POLL_SECONDS for viewer in viewers), default=POLL_SECONDS)
    async with asyncio.timeout(PATIENCE_SECONDS):
        polled = await asyncio.gather(
            *(poll(viewer, began + place / len(viewers) * spread, every, times) for place, viewer in enumerate(viewers))
        )
    seconds = time.monotonic() - began
    return Load(
        words,
        times,
        seconds,
        sum(polled) / seconds,
        server.cpu_seconds() - cpu,
        server.workers_cpu_seconds() - workers,
        sum(viewer.received_bytes for viewer in viewers) - received,
    )


async def growing(server: Server, url: str, tape: Tape, count: int) -> Load:
    """Runs that all grow at once."""
    store = Store(url)
    run_ids = [store.create(tape.settings, name=f"{count} growing, {place}") for place in range(count)]
    for run_id in run_ids:
        tape.begin(store, run_id)
    async with visitors(server, [f"runs={run_id}" for run_id in run_ids]) as viewers:
        player = multiprocessing.get_context("spawn").Process(
            target=play_all, args=(tape, url, run_ids, POLL_SECONDS), daemon=True
        )
        player.start()
        load = await watch(f"{count} growing at once", server, viewers)
        player.join()
    return load


async def in_turn(server: Server, url: str, count: int, every: float | None) -> tuple[Load, str]:
    """Runs that are all started at once and wait for one worker."""
    manner = "polling as asked" if every is None else "trained in turn"
    async with visitors(server, [f"epochs={EPOCHS + 1 + place % 5}" for place in range(count)]) as viewers:
        pressed = await asyncio.gather(*(viewer.rerun(pressed="Train") for viewer in viewers))
        load = await watch(f"{count} {manner}", server, viewers, every)
        store = Store(url)
        runs = [store.run(viewer.run_id) for viewer in viewers]
    done = sum(run.status == "finished" and run.step == run.total for run in runs)
    return load, (
        f"{manner.capitalize()}: {len({run.id for run in runs})} runs, {done} of them trained to their last epoch"
        f" within {load.seconds:.0f} s; a press of Train took {statistics.median(pressed):.2f} s in the middle,"
        f" {max(pressed):.2f} s at most."
    )


async def all_loads(server: Server, url: str, counts: list[int], tape: Tape) -> None:
    async with visitors(server, [f"epochs={EPOCHS}"]) as (first,):
        # Workers load torch, and everything is drawn once.
        await first.rerun(pressed="Train")
        await watch("", server, [first])
    print(HEADING, flush=True)
    for count in counts:
        print((await growing(server, url, tape, count)).row(), flush=True)
    remarks = []
    for every in (POLL_SECONDS, None):
        load, words = await in_turn(server, url, counts[-1], every)
        print(load.row(), flush=True)
        remarks.append(words)
    print("\n".join(remarks))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--viewers", type=int, nargs="+", default=[1, 10, 30])
    parser.add_argument("--epochs", type=int, default=40, help="length of the runs that grow at once, two a second")
    arguments = parser.parse_args()
    tape = Tape.of(DepthGradients(epochs=arguments.epochs))
    with tempfile.TemporaryDirectory() as name, running(APP, Path(name)) as server:
        asyncio.run(all_loads(server, database(Path(name)), arguments.viewers, tape))


if __name__ == "__main__":
    main()
