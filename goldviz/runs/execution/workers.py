"""The workers that runs are sent to: this machine's own, or a Dask scheduler's. What goes away comes back."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from goldviz.runs.execution.cluster import local_cluster, quieten
from goldviz.runs.execution.limits import run_bytes

if TYPE_CHECKING:
    from distributed import Client, Future, SpecCluster
    from distributed.scheduler import WorkerState

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 5.0
"""So long a scheduler may think about who is there: a page waits for it, and a machine that went away never answers."""
ABSENT_SECONDS = 120.0
"""So long none of this machine's workers may be up before they are all started anew; a slow machine takes half a minute
to start one."""
WARM_UP = ("goldviz.declare.warm_up", "goldviz.runs.execution.spare_time")
"""Imported by every worker as it starts: torch and the laboratories, so that the first click need not wait, and what
loads the rest later."""


class WorkersError(RuntimeError):
    """No worker can be reached; the message is a sentence for a person."""

    for_a_person = True


def _of_this_machine(processes: int) -> SpecCluster:
    """Worker processes in which a run may take its share of memory; or threads of this one."""
    return local_cluster(processes, preload=("goldviz.runs.execution.worker", *WARM_UP), memory=run_bytes(processes))


def _let_go(cluster: SpecCluster) -> None:
    # A worker that is just being started anew makes this take longer; it ends with this process.
    with suppress(TimeoutError):
        cluster.close(timeout=5)


class Workers:
    """The connection to workers. :meth:`mend` is to be called every few seconds.

    ``database`` is the address of the store; workers are told it once, under the word :attr:`store`, so that it stands
    in no task: Dask logs and shows tasks. Raises :class:`WorkersError` where there is nothing to connect to.
    """

    def __init__(self, processes: int, scheduler: str, database: str) -> None:
        self.store = secrets.token_hex(8)
        self._processes, self._scheduler, self._database = processes, scheduler, database
        self._cluster: SpecCluster | None = None
        self._seen = time.monotonic()
        self._told = ""
        self._chosen: dict[str, int] = {}
        self.troubles: dict[str, str] = {}
        """What keeps the records of runs in their workers' memory, in sentences."""
        self._client = self._connected()

    def _connected(self) -> Client:
        from distributed import Client

        from goldviz.runs.store.address import TROUBLE

        try:
            if self._scheduler:
                quieten()
                client = Client(self._scheduler, set_as_default=False, timeout=CONNECT_SECONDS)
            else:
                self._cluster = self._local()
                client = Client(self._cluster, set_as_default=False)
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            where = f"the Dask scheduler at {self._scheduler}" if self._scheduler else "the local workers"
            raise WorkersError(f"No run can start: {where} cannot be reached ({error}).") from error
        client.subscribe_topic(TROUBLE, self._heard)
        return client

    def _local(self) -> SpecCluster:
        """This machine's own workers: those that are up, or new ones once what is left of the others was let go."""
        if self._cluster is not None:
            if self._cluster.scheduler is not None and self._cluster.scheduler.status.name == "running":
                return self._cluster
            _let_go(self._cluster)
        return _of_this_machine(self._processes)

    def _heard(self, event: tuple[float, tuple[str, str]]) -> None:
        run_id, sentence = event[1]
        self.troubles[run_id] = sentence

    @property
    def reachable(self) -> bool:
        """Whether work can be sent now."""
        return bool(self._client.status == "running")

    @property
    def count(self) -> int:
        """Workers that are up now."""
        if not self.reachable:
            return 0
        if self._cluster is not None and self._cluster.scheduler is not None:
            # It is an object of this process: asking it by a message, as a client does, takes milliseconds.
            return len(self._cluster.scheduler.workers)
        try:
            return len(self._identity(workers=-1)["workers"])
        except OSError:
            return 0

    def _identity(self, workers: int) -> dict[str, Any]:
        """What the scheduler says of itself and of some of its workers, -1 of all; OSError where it says nothing."""
        client = self._client
        if client.scheduler is None:
            raise ConnectionError("the client is being closed")
        # client.scheduler_info asks the same, and waits for ever.
        asked = client.sync(client.scheduler.identity, n_workers=workers, callback_timeout=ANSWER_SECONDS)
        return dict(asked)

    @property
    def missing(self) -> str:
        """What keeps runs from starting, in a sentence; nothing while there are workers."""
        if not self.reachable:
            return f"The Dask scheduler at {self._scheduler} is away. What is queued starts when it is back."
        if not self.count:
            return "No worker is up at the moment. What is queued starts when one is back."
        return ""

    def submit(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Future[Any]:
        """Send a task, as Dask's client does; ``options`` are the function's and Dask's."""
        self._tell_address()
        # What Dask takes for pure it carries out once: a run that is sent again would get the answer of the first time.
        return self._client.submit(function, *arguments, pure=False, **self._to_the_freest(options), **options)

    def _to_the_freest(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Have that of this machine's workers take the next task which has the fewest of its kind, or else of all.

        Dask would choose by how long tasks of a kind took so far: after short runs it would send a long one behind
        another long one, while a worker has nothing to do but answer a question.
        """
        scheduler = self._cluster.scheduler if self._cluster is not None else None
        workers = [*scheduler.running] if scheduler is not None else []
        if not workers:
            return {}
        kind = f"{options.get('key', '')}-"

        def busy(worker: WorkerState) -> tuple[int, int, int]:
            tasks = [str(task.key) for task in list(worker.processing)]
            alike = sum(kind.startswith(f"{key.partition('-')[0]}-") for key in tasks)
            # A task that was just sent may not stand with its worker yet: of equal ones the one chosen longer ago.
            return alike, len(tasks), self._chosen.get(worker.address, 0)

        freest = min(workers, key=busy).address
        known = {worker.address: self._chosen.get(worker.address, 0) for worker in workers}
        self._chosen = known | {freest: max(known.values()) + 1}
        return {"workers": [freest], "allow_other_workers": True}

    def _tell_address(self) -> None:
        """Tell the workers the store's address, once a scheduler: Dask itself may have connected to another one."""
        from goldviz.runs.store.address import StoreAddress

        scheduler = self._identity(workers=0)["id"]
        if scheduler != self._told:
            self._client.register_plugin(StoreAddress(self.store, self._database))
            self._told = scheduler

    def mend(self) -> bool:
        """Connect again to a scheduler that was away, or start workers that are missing; whether it connected anew."""
        if self._client.status == "closed":
            with suppress(WorkersError):
                self._client = self._connected()
                return True
        elif self._cluster is not None and self._processes:
            self._fill_up(self._cluster)
        return False

    def _fill_up(self, cluster: SpecCluster) -> None:
        """Dask starts a worker's process again when it dies. What it gives up is started here."""
        now, count = time.monotonic(), self.count
        if count:
            self._seen = now
        elif now - self._seen > ABSENT_SECONDS:
            self._seen = now
            cluster.scale(0)
        if count < self._processes:
            cluster.scale(self._processes)

    def close(self) -> None:
        """Let them go. This machine's own end."""
        with suppress(TimeoutError):
            self._client.close(timeout=2)
        if self._cluster is not None:
            _let_go(self._cluster)
