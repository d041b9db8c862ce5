"""Ten thousand stored runs: how long the store and the runs page take to list them; and the server's memory.

Each time is of a large store against a small one, in turn. The memory part opens stored runs one after another, each
by a visitor of its own who leaves again, and reads the server's resident memory every 50 visits.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from serving.server import APP, Server, database, running
from serving.tape import Tape
from serving.viewer import open_viewer
from sqlalchemy import create_engine, insert, select
from streamlit.testing.v1 import AppTest

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.store.run_store import Store
from goldviz.runs.store.schema import batches, finals, runs

SMALL, LARGE = 100, 10_000
PAGE = 50
REPEATS = 9
STATES = ("finished", "finished", "finished", "finished", "stopped", "diverged", "failed", "interrupted")
ACTIVATIONS = ("leaky_relu", "relu", "tanh", "sigmoid", "gelu")


def fill(url: str, count: int) -> None:
    """Runs with different settings, names, states and ages, without records."""
    store = Store(url)
    first = store.create(DepthGradients())
    engine, chance = create_engine(url), random.Random(0)
    with engine.begin() as connection:
        template = dict(connection.execute(select(runs).where(runs.c.id == first)).one()._mapping)
        rows = []
        for place in range(count - 1):
            depth, epochs = chance.randint(1, 100), chance.randint(5, 200)
            settings = DepthGradients(depth=depth, epochs=epochs, activation=chance.choice(ACTIVATIONS))
            rows.append(
                template
                | {
                    "id": f"{chance.getrandbits(48):012x}",
                    "name": f"Try {place} with {depth} layers" if place % 3 == 0 else "",
                    "settings": settings.model_dump_json(),
                    "status": chance.choice(STATES),
                    "created": template["created"] - 60.0 * place,
                    "step": epochs,
                    "total": epochs,
                    "seconds": epochs * depth / 500,
                    "version": 40,
                }
            )
        connection.execute(insert(runs), rows)


def fill_with_records(url: str, tape: Tape, count: int) -> list[str]:
    """Finished runs, each with all that the tape holds."""
    store = Store(url)
    first = store.create(tape.settings)
    tape.begin(store, first)
    tape.play(store, first, 1, len(tape.steps))
    tape.finish(store, first)
    engine = create_engine(url)
    with engine.begin() as connection:
        copied = {
            table: [dict(row._mapping) for row in connection.execute(select(table).where(column == first))]
            for table, column in ((runs, runs.c.id), (batches, batches.c.run_id), (finals, finals.c.run_id))
        }
        ids = [f"{place:012x}" for place in range(count)]
        connection.execute(insert(runs), [copied[runs][0] | {"id": run_id} for run_id in ids])
        for table in (batches, finals):
            rows = [{name: value for name, value in row.items() if name != "id"} for row in copied[table]]
            connection.execute(insert(table), [row | {"run_id": run_id} for run_id in ids for row in rows])
    return ids


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def list_runs(urls: dict[int, str]) -> None:
    """Times of ``Store.list``."""
    stores = {count: Store(url) for count, url in urls.items()}
    questions: dict[str, Callable[[Store, int], object]] = {
        "store: first page": lambda store, count: store.list(limit=PAGE),
        "store: last page": lambda store, count: store.list(limit=PAGE, offset=count - PAGE),
        "store: one state": lambda store, count: store.list(status="diverged", limit=PAGE),
        "store: part of a name": lambda store, count: store.list(text="42 layers", limit=PAGE),
        "store: all filters": lambda store, count: store.list(
            text="layers", experiment="depth-gradients", status="failed", limit=PAGE
        ),
    }
    for words, ask in questions.items():
        compare(words, {count: lambda s=store, c=count, a=ask: a(s, c) for count, store in stores.items()})


def rerun_runs_page(urls: dict[int, str]) -> None:
    """Times of the runs page, as Streamlit's own test harness runs it: no browser, no socket."""
    os.environ["GOLDVIZ_WORKERS"] = "0"

    def opened(count: int) -> AppTest:
        os.environ["GOLDVIZ_DATABASE_URL"] = urls[count]
        page = AppTest.from_file(str(APP), default_timeout=60).run()
        return page.switch_page("pages/runs.py").run()

    def again(count: int) -> object:
        os.environ["GOLDVIZ_DATABASE_URL"] = urls[count]
        return pages[count].run()

    def found(count: int) -> object:
        os.environ["GOLDVIZ_DATABASE_URL"] = urls[count]
        box = pages[count].text_input(key="runs-text")
        return box.set_value("" if box.value else "layers").run()

    pages = {count: opened(count) for count in urls}
    compare("runs page: run again", {count: lambda c=count: again(c) for count in urls})
    compare("runs page: find a name", {count: lambda c=count: found(c) for count in urls})


def compare(words: str, ways: dict[int, Callable[[], object]]) -> None:
    """A row: the medians of both stores, taken in turn, and their ratio."""
    times: dict[int, list[float]] = {count: [] for count in ways}
    for work in ways.values():
        work()
    for _ in range(REPEATS):
        for count, work in ways.items():
            times[count].append(seconds(work))
    small, large = (statistics.median(times[count]) * 1000 for count in (SMALL, LARGE))
    ratio = statistics.median(b / a for a, b in zip(times[SMALL], times[LARGE], strict=True))
    print(f"{words:<26}{small:9.1f} ms{large:9.1f} ms{ratio:8.1f}", flush=True)


async def runs_page_of_a_server(server: Server, url: str) -> None:
    """The same page over a socket, in a real server."""
    del url
    async with open_viewer(server.port, "runs") as viewer:
        await viewer.rerun()
        times = [await viewer.rerun() for _ in range(REPEATS)]
    print(f"{'runs page: in a server':<26}{'':>12}{statistics.median(times) * 1000:9.1f} ms", flush=True)


async def visit_all(server: Server, run_ids: list[str], rounds: int) -> None:
    print(f"\nResident memory of the server\n{'before':>8} visits {server.megabytes():6.0f} MB", flush=True)
    visits = 0
    for _ in range(rounds):
        for run_id in run_ids:
            async with open_viewer(server.port, "depth-gradients", f"runs={run_id}") as viewer:
                await viewer.rerun()
            visits += 1
            if visits % 50 == 0:
                print(f"{visits:>8} visits {server.megabytes():6.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=200, help="runs that are opened and closed")
    parser.add_argument("--rounds", type=int, default=2, help="how often each of them is")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        urls = {}
        for count in (SMALL, LARGE):
            (folder / str(count)).mkdir()
            urls[count] = database(folder / str(count))
            fill(urls[count], count)
        megabytes = (folder / str(LARGE) / "runs.sqlite").stat().st_size / 2**20
        length = len(json.dumps(DepthGradients().model_dump(mode="json")))
        print(f"{LARGE:,} runs take {megabytes:.0f} MB; settings of {length} characters each\n")
        print(f"{'median of ' + str(REPEATS):<26}{f'{SMALL} runs':>12}{f'{LARGE:,} runs':>12}{'ratio':>8}")
        list_runs(urls)
        rerun_runs_page(urls)
        with running(APP, folder / str(LARGE)) as server:
            asyncio.run(runs_page_of_a_server(server, urls[LARGE]))
        (folder / "visited").mkdir()
        run_ids = fill_with_records(database(folder / "visited"), Tape.of(DepthGradients(epochs=40)), arguments.runs)
        with running(APP, folder / "visited") as server:
            asyncio.run(visit_all(server, run_ids, arguments.rounds))


if __name__ == "__main__":
    main()
