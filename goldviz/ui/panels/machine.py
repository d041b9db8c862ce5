"""What this server trains on, in a sentence. Asked of a worker, so that the page need not load torch."""

from __future__ import annotations

import os

from goldviz.plurals import how_many
from goldviz.runs.execution.execution import ExecutionError
from goldviz.runs.store.schema import StoreError
from goldviz.ui.serving import services
from goldviz.ui.words import plain


def sentence() -> str:
    """Device, cores, workers and where runs are kept."""
    cores = os.cpu_count() or 1
    try:
        place = f"Runs are kept in `{services.store().place}`."
        if not services.executor_ready():
            return plain(services.executor_refusal()) or f"{cores} cores; the workers are starting. {place}"
        executor = services.executor()
    except (StoreError, ExecutionError) as error:
        return plain(str(error))
    if missing := executor.missing:
        return plain(f"{missing} {place}")
    workers = executor.worker_count
    devices = executor.devices()
    devices_in_words = f"Devices: {', '.join(devices)}. " if devices else "The workers are loading torch. "
    return f"{devices_in_words}{cores} cores, {how_many(workers, 'worker')} for training. {place}"
