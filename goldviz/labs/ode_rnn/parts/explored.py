"""A sequence that a visitor changes, the path along it, and its figures: for the page, and ahead of the page's script.

Changes count in the six digits that a link has: what is alike in these shares a path and its figures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from goldviz.arrays.labelled import Run
from goldviz.cache import Cache
from goldviz.figures.draft import Figure
from goldviz.figures.limits import Limits
from goldviz.figures.theme import Theme
from goldviz.labs.ode_rnn.edited import EditedSeries
from goldviz.labs.ode_rnn.figures import FIGURES, shared_limits
from goldviz.labs.ode_rnn.probe import look_at, looks_of, probe_of, weights_at
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.panels.lanes import AnyLane, Lane
from goldviz.ui.serving import services

LIMITS_IN_MEMORY = 64

_limits: Cache[Limits] = Cache(LIMITS_IN_MEMORY, lambda _: 1)


@dataclass(frozen=True)
class Explored:
    """A lane at one of its looks (by its place among them), and what is made of its probe sequence."""

    lane: Lane[ODERNNLaboratory]
    look: int
    recorded: EditedSeries
    edited: EditedSeries

    @classmethod
    def of(cls, lane: AnyLane, look: int = -1) -> Explored | None:
        """The sequence as it was recorded; None where a lane has no weights to follow it with."""
        if not isinstance(lane, Lane) or not isinstance(lane.settings, ODERNNLaboratory):
            return None
        series = probe_of(lane.dataset)
        return None if series is None else cls(lane, look, series, series)

    def at(self, step: int | None) -> Explored:
        """The same at the last look that is not after a step; at the last of all where none is in view."""
        return replace(self, look=look_at(self.lane.dataset, step))

    @property
    def step(self) -> int:
        """The step of the look."""
        return looks_of(self.lane.dataset)[self.look]

    @property
    def changes(self) -> str:
        """What was changed, for a link."""
        return self.edited.changes(self.recorded)

    @property
    def subject(self) -> str:
        """All that the path depends on."""
        return f"{self.lane.id} {self.lane.version} {self.step} {self.changes}"

    def task(self) -> Task[Run]:
        """Following the observations, with about how long it takes."""
        from goldviz.labs.ode_rnn.following import follow, follow_seconds

        settings, (times, values) = self.lane.settings, self.edited.kept()
        weights = weights_at(self.lane.dataset, self.look)
        arguments = (settings.model_dump_json(), weights, times, values)
        seconds = follow_seconds(settings, times)
        return Task(f"ode-rnn-{self.subject}", follow, arguments, "Following the observations", seconds)

    def figure(self, name: str, theme: Theme, follow: Callable[[], Run], **more: Any) -> str:
        """A figure of the path that ``followed`` gives, in the axes of the run's own, as JSON."""
        key = ("ode-rnn", self.subject, name, theme, str(more))
        return services.figure_json(key, lambda: self.drawn(name, theme, follow(), **more))

    def drawn(self, name: str, theme: Theme, path: Run, **more: Any) -> Figure:
        """Such a figure, which nobody keeps."""
        lane = self.lane
        limits = _limits.get((lane.id, lane.version), lambda: shared_limits([lane.dataset]))
        return FIGURES[name].draw(path, limits=limits, theme=theme, **more)
