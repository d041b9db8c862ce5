"""What ``goldviz.watch`` is given, checked: one sentence for each that cannot be."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import nn
from torch.optim.optimizer import Optimizer

from goldviz.declare.settings import SettingsError
from goldviz.runs.store.run_store import Store
from goldviz.runs.store.schema import StoreError
from goldviz.watching.watcher import Watcher

log = logging.getLogger(__name__)


def watched(
    model: object,
    optimizer: object,
    *,
    name: str,
    config: Mapping[str, Any],
    to: str | Path | Store | None,
    every: int,
    budget: float | None,
    histograms: bool,
) -> Watcher:
    """A watcher of this model; see :func:`goldviz.api.watch`."""
    wrong: dict[str, str] = {}
    if not isinstance(model, nn.Module):
        wrong["model"] = f"The model is a {type(model).__name__}; allowed is a torch.nn.Module."
    elif not any(True for _ in model.parameters()):
        wrong["model"] = "The model has no parameters; allowed is one that has some."
    if optimizer is not None and not isinstance(optimizer, Optimizer):
        wrong["optimizer"] = f"The optimizer is a {type(optimizer).__name__}; allowed is a torch.optim.Optimizer."
    if isinstance(every, bool) or not isinstance(every, int) or not 1 <= every <= 10_000:
        wrong["every"] = f"every is {every!r}; allowed is a whole number from 1 to 10,000."
    if budget is not None and not (isinstance(budget, int | float) and 0.001 <= budget <= 10):
        wrong["budget"] = f"budget is {budget!r}; allowed is a share from 0.001 to 10, or None."
    if wrong:
        raise SettingsError(wrong)
    assert isinstance(model, nn.Module)
    assert optimizer is None or isinstance(optimizer, Optimizer)
    return Watcher(
        model,
        optimizer,
        name=str(name) or type(model).__name__,
        config=config,
        store=_store(to),
        every=every,
        budget=budget,
        histograms=histograms,
    )


def _store(to: str | Path | Store | None) -> Store | None:
    """Where the run goes; none, with a word in the log, where that cannot be opened: the training goes on."""
    try:
        if isinstance(to, Store):
            return to
        if to is None or "://" in str(to):
            return Store(None if to is None else str(to))
        return Store(f"sqlite:///{Path(to).expanduser().absolute()}")
    except StoreError as error:
        log.warning("goldviz keeps this run in memory alone: %s", error)
        return None
