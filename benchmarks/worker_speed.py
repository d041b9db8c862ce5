"""What a run's steps take in a worker process, against the same run without one, and with memory as Dask would have it.

Dask has its workers give memory back to the system as soon as it is free (``MALLOC_TRIM_THRESHOLD_``). Ways take turns;
what is compared is the time that a run's recorder counts, of runs whose worker has had one before.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import Experiment
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.runs.execution import cluster
from goldviz.runs.execution.execution import Executor
from goldviz.runs.recorder import Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from goldviz.runs.store.run_store import Store
from goldviz.training.devices import resolve, training_on

TRIM = "MALLOC_TRIM_THRESHOLD_"
AS_DASK = {f"distributed.nanny.pre-spawn-environ.{TRIM}": 65536}
REPEATS = 3
RUNS: dict[str, Experiment] = {
    "Gradient flow in depth": DepthGradients(epochs=12),
    "Memory through time": RecurrentGradients(steps=30),
    "Character GPT": CharGpt(steps=40, close_looks=0),
    "ODE-RNN": ODERNNLaboratory(steps=40),
}


def in_this_process(settings: Experiment) -> float:
    """Seconds of a run here."""
    record = Recorder(settings, Memory(), NobodyAsks())
    with training_on(str(resolve("cpu"))):
        laboratory_of(settings).run(settings, record)
    return record.seconds


def in_a_worker(keeping: dict[str, int | None]) -> dict[str, float]:
    """Seconds of each run in one new worker."""
    os.environ.pop(TRIM, None)
    cluster.KEEPING = keeping
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/runs.sqlite")
        executor = Executor(store, workers=1)
        try:
            found = {}
            for name, settings in RUNS.items():
                for _ in range(2):
                    found[name] = _seconds(executor, settings)
            return found
        finally:
            executor.close()
            store.close()


def _seconds(executor: Executor, settings: Experiment) -> float:
    run_id = executor.submit(settings)
    while (run := executor.store.run(run_id)).status in ("queued", "running"):
        time.sleep(0.2)
    if run.status != "finished":
        raise RuntimeError(f"The run ended as {run.status}: {run.message}")
    return run.seconds


def main() -> None:
    own = dict(cluster.KEEPING)
    for settings in RUNS.values():
        in_this_process(settings)
    times: dict[str, list[dict[str, float]]] = {"here": [], "worker": [], "as Dask has it": []}
    for _ in range(REPEATS):
        times["here"].append({name: in_this_process(settings) for name, settings in RUNS.items()})
        times["worker"].append(in_a_worker(own))
        times["as Dask has it"].append(in_a_worker(AS_DASK))
    for name in RUNS:
        here = [one[name] for one in times["here"]]
        ratios = {
            way: statistics.median(other[name] / plain for other, plain in zip(found, here, strict=True))
            for way, found in times.items()
        }
        print(
            f"{name:<28} {min(here):5.1f} s here, " + ", ".join(f"{way} {ratio:.2f} x" for way, ratio in ratios.items())
        )


if __name__ == "__main__":
    main()
