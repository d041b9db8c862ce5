"""What ``goldviz.watch`` is given, checked: one sentence for each that cannot be."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from torch import nn
from torch.optim.optimizer import Optimizer

from goldviz.declare.settings import SettingsError
from goldviz.runs.store.run_store import Store, UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.watching.declared import VARIABLES, WATCHED
from goldviz.watching.layers import layers_of
from goldviz.watching.waiting import Waiting, has_no_shape
from goldviz.watching.watcher import Watcher

log = logging.getLogger(__name__)


def watched(
    model: object,
    optimizer: object,
    *,
    name: str,
    config: object,
    to: str | Path | Store | None,
    every: int,
    budget: float | None,
    histograms: bool,
    resume: str = "",
    knobs: bool = False,
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
    if not isinstance(config, Mapping):
        wrong["config"] = f"config is a {type(config).__name__}; allowed is a dictionary of facts."
    if wrong:
        raise SettingsError(wrong)
    assert isinstance(model, nn.Module)
    assert isinstance(config, Mapping)
    assert optimizer is None or isinstance(optimizer, Optimizer)
    store = _store(to)
    if resume and store is not None:
        _check_resumed(resume, store, model)
    watcher = Waiting if has_no_shape(model) else Watcher
    return watcher(
        model,
        optimizer,
        name=str(name) or type(model).__name__,
        config=config,
        store=store,
        every=every,
        budget=budget,
        histograms=histograms,
        resume=resume,
        knobs=bool(knobs),
    )


def _check_resumed(run_id: str, store: Store, model: nn.Module) -> None:
    """Raise :class:`SettingsError` for a run that this model cannot go on with."""
    try:
        run, about = store.run(run_id), store.about(run_id)
    except UnknownRunError:
        raise SettingsError(
            {"resume": f"There is no run {str(run_id)[:60]!r} here; record.run_id names one."}
        ) from None
    if run.experiment != WATCHED or set(about.variables) != set(VARIABLES):
        raise SettingsError({"resume": f"The run {run_id} is none that this version of goldviz.watch wrote."})
    if list(about.coordinates.get("layer", ())) != list(layers_of(model).names):
        raise SettingsError({"resume": f"The run {run_id} is of a model with other layers; allowed are the same."})


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
