"""A run's weights as they stood at a kept step, named so that a worker finds them."""

from __future__ import annotations

from typing import NamedTuple


class KeptWeights(NamedTuple):
    """The run, the step, and the run's settings as JSON."""

    run: str
    step: int
    settings: str
