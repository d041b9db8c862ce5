"""An instant laboratory's numbers and figures, made once for everybody who looks at the same settings."""

from __future__ import annotations

from typing import Any

import xarray as xr

from goldviz.declare.instant import Instant
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import Theme
from goldviz.runs.jobs.instant import compute
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.serving import services


def task_of(settings: Instant) -> Task[xr.Dataset]:
    """The numbers of these settings; nothing changes a dataset that comes of it, because all visitors share it."""
    settings_json = settings.model_dump_json()
    name = settings.name
    return Task(f"instant-{name}-{settings_json}", compute, (name, settings_json), f"Computing {settings.title}", 0.0)


def subject_of(settings: Instant) -> str:
    """What is looked at, wherever one looks."""
    return settings.model_dump_json(exclude={settings.position})


def position_of(settings: Instant) -> int:
    """Where one looks; 0 where there is only one place."""
    return int(getattr(settings, settings.position, 0))


def figure_text(settings: Instant, ds: xr.Dataset, spec: FigureSpec, theme: Theme, **more: Any) -> str:
    """A figure of these numbers at the settings' position, as JSON."""
    view = {**more, **spec.position(position_of(settings))}
    key = (settings.name, settings.model_dump_json(), spec.name, theme, str(view))
    return services.figure_json(key, lambda: spec.draw(ds, theme=theme, **view))
