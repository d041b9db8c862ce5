"""A server that nobody uses: the processor time that its processes take, and which threads of the server take it.

A server is started with a worker for runs and one for jobs, and left alone until the workers have loaded what they load
while nobody asks for anything. Then processor time is read, once before and once after so many seconds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import psutil
from serving.server import APP, running

REST_SECONDS = 90.0
LEAST_SECONDS = 0.005


def seconds_of(process: psutil.Process) -> float:
    used = process.cpu_times()
    return float(used.user + used.system)


def threads_of(process: psutil.Process) -> dict[str, float]:
    """Processor time of each thread, by its number and the name that the system has for it."""
    return {
        f"{thread.id} {Path(f'/proc/{process.pid}/task/{thread.id}/comm').read_text().strip()}": float(
            thread.user_time + thread.system_time
        )
        for thread in process.threads()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="how long to watch")
    watched = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder, running(APP, Path(folder)) as server:
        time.sleep(REST_SECONDS)
        processes = [server.process, *server.process.children(recursive=True)]
        before, threads = [seconds_of(process) for process in processes], threads_of(server.process)
        time.sleep(watched)
        after, later = [seconds_of(process) for process in processes], threads_of(server.process)
    minutes = watched / 60
    for number, (then, now) in enumerate(zip(before, after, strict=True)):
        print(f"{'child ' + str(number) if number else 'server':>8} {(now - then) / minutes:8.3f} s a minute")
    for thread, now in later.items():
        if now - threads.get(thread, 0.0) > LEAST_SECONDS:
            print(
                f"         {(now - threads.get(thread, 0.0)) / minutes:8.3f} s a minute in the server's thread {thread}"
            )
    print(f"together {(sum(after) - sum(before)) / minutes:8.3f} s a minute")


if __name__ == "__main__":
    main()
