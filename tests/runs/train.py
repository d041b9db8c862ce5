"""What a run of a toy does: what its class says."""

from typing import Any

from goldviz.runs.recorder import Recorder


def train(settings: Any, record: Recorder) -> None:
    settings.train(record)
