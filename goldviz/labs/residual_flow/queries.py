"""What the page draws ahead of its script: the plane, without the solvers beside it, or every depth at once.

While nobody moves one, fields are trained that may be chosen next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.figures.maps import at_positions
from goldviz.figures.theme import Theme
from goldviz.labs.residual_flow import LAB
from goldviz.labs.residual_flow.settings import FIELDS, ResidualFlow

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.runs.jobs.jobs import Report

PREFETCH_SECONDS = 0.3
"""About how long the numbers take where a field is trained first."""
WARM_UP_SECONDS = 1.5
"""About how long all fields take together."""


def prefetch(report: Report, settings: str) -> Run:
    """The numbers of the plane's figures for settings in JSON; a worker process calls it."""
    plane: Run = LAB.part("compute").plane(ResidualFlow.checked_json(settings))
    return plane


def likely(settings: ResidualFlow) -> ResidualFlow:
    """The settings on which it depends what :func:`warm_up` makes."""
    return settings.changed(field="linear", blocks=1, view=100)


def warm_up(report: Report, settings: str) -> bool:
    """Train all fields and follow their flows, for settings in JSON; this process remembers what came of it."""
    chosen_settings, plane = ResidualFlow.checked_json(settings), LAB.part("compute").plane
    for number, field in enumerate(FIELDS):
        report(number, len(FIELDS))
        plane(chosen_settings.changed(field=field))
    return True


def everywhere(report: Report, settings: str, names: tuple[str, ...], theme: Theme) -> dict[str, str]:
    """The figures of these names at every depth, so that looking through it needs no server; for settings in JSON."""
    chosen_settings = ResidualFlow.checked_json(settings)
    first, last = chosen_settings.positions()
    plane, figures = LAB.part("compute").plane, LAB.figures().FIGURES
    views = []
    for view in range(first, last + 1):
        report(view, last)
        views.append((view, plane(chosen_settings.changed(view=view))))
    return {name: at_positions(figures[name], views, theme) for name in names}
