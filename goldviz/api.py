"""The Python face: run an experiment here, and look at runs that were kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from goldviz.experiments.base import Experiment
    from goldviz.runs.recorder import Progress


def experiments() -> dict[str, type[Experiment]]:
    """All experiments: name -> settings class."""
    from goldviz.experiments import experiments as declared

    return declared()


def run(experiment: str | Experiment, *, progress: bool = True, keep: bool = False, **settings: Any) -> xr.Dataset:
    """Carry an experiment out in this process and return what it recorded.

    ``experiment`` is a name, with settings as keywords, or a settings object. Defaults are those of the preset
    *As in the document*. ``progress=False`` silences the bar. Nothing is written anywhere unless ``keep`` is true;
    then the run also goes into the store, and ``ds.attrs["run_id"]`` names it.

    The dataset's attributes carry experiment, settings (JSON), status, device, versions (JSON), duration in seconds
    and the seconds spent on measuring. A run that diverges returns what it recorded, with the status *diverged*.

    Raises :class:`goldviz.experiments.SettingsError` for settings that are not allowed.
    """
    from goldviz.experiments import experiment as named

    if isinstance(experiment, str):
        chosen = named(experiment).checked(settings)
    else:
        chosen = experiment.changed(**settings) if settings else experiment
    return _run_kept(chosen, progress) if keep else _run_in_memory(chosen, progress)


def load(run_id: str) -> xr.Dataset:
    """What a kept run has recorded; raises :class:`goldviz.runs.store.UnknownRunError`."""
    from goldviz.runs.store import Store

    return Store().load(run_id)


def runs(limit: int = 50) -> pd.DataFrame:
    """The latest kept runs, newest first, one row each."""
    import pandas as pd

    from goldviz.runs.store import Store

    rows, _ = Store().list(limit=limit)
    columns = ["id", "experiment", "name", "status", "step", "total", "seconds", "created", "settings", "message"]
    frame = pd.DataFrame([asdict(row) for row in rows], columns=columns)
    frame["created"] = pd.to_datetime(frame["created"], unit="s", utc=True)
    return frame


def _run_in_memory(settings: Experiment, progress: bool) -> xr.Dataset:
    from goldviz.runs.memory import Memory, NobodyAsks
    from goldviz.runs.recorder import Ended, Recorder
    from goldviz.runs.versions import versions

    with _bar(settings, progress) as watch:
        memory = Memory(watch)
        record = Recorder(settings, memory, NobodyAsks())
        try:
            settings.run(record)
            status, message = "finished", ""
        except Ended as ended:
            status, message = ended.status, str(ended)
    return memory.dataset(
        {name: asdict(variable) for name, variable in settings.variables.items()},
        {
            "experiment": settings.name,
            "settings": settings.model_dump_json(),
            "status": status,
            "message": message,
            "versions": versions(),
            "duration": record.seconds,
            "instrument_seconds": record.instrument_seconds,
            "step_dimension": settings.step,
        },
    )


def _run_kept(settings: Experiment, progress: bool) -> xr.Dataset:
    from goldviz.runs.store import Store
    from goldviz.runs.worker import execute

    store = Store()
    run_id = store.create(settings)
    with _bar(settings, progress) as watch:
        execute(settings, run_id, store.url, watch=watch)
    return store.load(run_id)


@contextmanager
def _bar(settings: Experiment, shown: bool) -> Iterator[Any]:
    """A progress bar for notebooks and terminals, as a function that takes a :class:`Progress`."""
    if not shown:
        yield lambda progress: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=settings.steps_planned(), desc=settings.name, unit=settings.step) as bar:

        def watch(progress: Progress) -> None:
            bar.update(progress.step - bar.n)

        yield watch
