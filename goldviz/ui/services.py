"""What all visitors share: the store, the executor, the runs in view and their figures."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from goldviz.runs.execution import ExecutionError, Executor
from goldviz.runs.live import LiveRun
from goldviz.runs.schema import default_url
from goldviz.runs.store import Store

RUNS_IN_MEMORY = 64
BYTES_IN_MEMORY = 256 * 2**20
FIGURES_IN_MEMORY = 512


@dataclass
class _Shared:
    lock: threading.RLock = field(default_factory=threading.RLock)
    starting: threading.RLock = field(default_factory=threading.RLock)
    """Held while workers start, which takes seconds; nothing but a run has to wait for them."""
    store: Store | None = None
    executor: Executor | None = None
    refusal: str = ""
    runs: OrderedDict[str, LiveRun] = field(default_factory=OrderedDict)
    figures: OrderedDict[tuple[Any, ...], str] = field(default_factory=OrderedDict)


_shared = _Shared()


def store() -> Store:
    """The store; raises :class:`goldviz.runs.schema.StoreError` and tries again at the next call."""
    with _shared.lock:
        if _shared.store is None or _shared.store.url != default_url():
            _shared.store = Store()
        return _shared.store


def executor() -> Executor:
    """The executor; raises :class:`goldviz.runs.execution.ExecutionError` and tries again at the next call."""
    with _shared.starting:
        wanted = store()
        if _shared.executor is None or _shared.executor.store.url != wanted.url:
            if _shared.executor is not None:
                _shared.executor.close()
                _shared.executor = None
            try:
                _shared.executor = Executor(wanted)
            except ExecutionError as error:
                _shared.refusal = str(error)
                raise
            _shared.refusal = ""
        return _shared.executor


def executor_refusal() -> str:
    """Why there are no workers since they were last asked for, in a sentence; nothing while they may come."""
    return _shared.refusal


def executor_ready() -> bool:
    """Whether workers are up, so that asking for them does not wait."""
    return _shared.executor is not None


def live_run(run_id: str) -> LiveRun:
    """A run in view, shared by everybody who looks at it; the least recently seen are let go."""
    with _shared.lock:
        live = _shared.runs.pop(run_id, None) or LiveRun(store(), run_id)
        _shared.runs[run_id] = live
        while len(_shared.runs) > 1 and (
            len(_shared.runs) > RUNS_IN_MEMORY or sum(seen.nbytes for seen in _shared.runs.values()) > BYTES_IN_MEMORY
        ):
            _shared.runs.popitem(last=False)
        return live


def figure_json(key: tuple[Any, ...], draw: Callable[[], Any]) -> str:
    """A figure as JSON, drawn once for everybody who asks with the same key."""
    with _shared.lock:
        if key in _shared.figures:
            _shared.figures.move_to_end(key)
            return _shared.figures[key]
    text: str = draw().to_json()
    with _shared.lock:
        _shared.figures[key] = text
        while len(_shared.figures) > FIGURES_IN_MEMORY:
            _shared.figures.popitem(last=False)
    return text


def close() -> None:
    """Let the workers go."""
    with _shared.starting, _shared.lock:
        if _shared.executor is not None:
            _shared.executor.close()
        _shared.executor = None
        _shared.refusal = ""
        _shared.store = None
        _shared.runs.clear()
        _shared.figures.clear()
