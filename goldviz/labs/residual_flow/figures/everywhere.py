"""The plane at every depth at once, so that looking through the depth needs no server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.figures.maps import at_positions
from goldviz.figures.theme import Theme
from goldviz.labs.residual_flow import LAB
from goldviz.labs.residual_flow.figures import FIGURES
from goldviz.labs.residual_flow.settings import ResidualFlow

if TYPE_CHECKING:
    from goldviz.runs.jobs.jobs import Report


def everywhere(report: Report, settings: str, names: tuple[str, ...], theme: Theme) -> dict[str, str]:
    """The figures of these names at every depth, as they travel to the browser; for settings in JSON."""
    chosen_settings = ResidualFlow.checked_json(settings)
    first, last = chosen_settings.positions()
    plane = LAB.part("compute").plane
    views = []
    for view in range(first, last + 1):
        report(view, last)
        views.append((view, plane(chosen_settings.changed(view=view))))
    return {name: at_positions(FIGURES[name], views, theme) for name in names}
