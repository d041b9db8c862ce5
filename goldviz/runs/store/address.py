"""How workers come to know where a store is: told once by a plugin, under a word that means nothing to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distributed import get_worker
from distributed.diagnostics.plugin import WorkerPlugin

from goldviz.runs.execution.worker import execute

if TYPE_CHECKING:
    from goldviz.declare.settings import Experiment

TROUBLE = "goldviz-trouble"
"""The topic of what keeps records of runs in their workers' memory."""

_addresses: dict[str, str] = {}


class StoreAddress(WorkerPlugin):
    """Tells every worker, those that join later included, the address of the store that ``store`` means."""

    def __init__(self, store: str, address: str) -> None:
        self.name = f"goldviz-{store}"
        self._store, self._address = store, address

    def setup(self, worker: object) -> None:
        """Called by Dask in a worker's process."""
        _addresses[self._store] = self._address

    def teardown(self, worker: object) -> None:
        """Called by Dask as a worker ends; workers that are threads of one process share the address."""


def carry_out(settings: Experiment, run_id: str, store: str, budget: int | None, *, processes: int) -> str:
    """In a worker: :func:`goldviz.runs.execution.worker.execute`, on the store that ``store`` means.

    What keeps its records from being written goes to whoever sent the run, as an event of Dask's.
    """
    worker = get_worker()

    def trouble(sentence: str) -> None:
        worker.log_event(TROUBLE, (run_id, sentence))

    return execute(settings, run_id, _addresses[store], budget, processes=processes, trouble=trouble)
