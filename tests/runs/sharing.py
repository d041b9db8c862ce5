"""A tiny experiment that says among how many processes it may share its work."""

import time
from collections.abc import Mapping
from typing import ClassVar

from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.runs.recorder import Recorder


class Sharing(Experiment):
    """Notes what it is given."""

    about = About("sharing", "Sharing", question="How many processes?", icon=":material/toys:")
    variables: ClassVar[Mapping[str, Variable]] = {"count": Variable(("epoch",), "Steps so far")}
    presets: ClassVar[tuple[Preset, ...]] = (Preset("As in the document", "Nothing special."),)

    epochs: int = setting(1, ge=1, le=100_000, group="Toy", description="Steps of a hundredth of a second.")

    def steps_planned(self) -> int:
        return self.epochs

    def estimated_seconds(self) -> float:
        return 0.01 * self.epochs

    def train(self, record: Recorder) -> None:
        record.attribute(processes=record.processes)
        for epoch in record.steps(self.epochs):
            time.sleep(0.01)
            record("count", epoch)
