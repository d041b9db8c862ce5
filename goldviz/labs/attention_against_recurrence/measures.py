"""One network of a run of *Attention against recurrence* as plain arrays, and the numbers that claims tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.measures import ratio
from goldviz.diagnostics.findings.recorded import at_last, recorded
from goldviz.diagnostics.measure import measure
from goldviz.labs.attention_against_recurrence.networks import LABELS
from goldviz.labs.attention_against_recurrence.settings import AttentionAgainstRecurrence

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run


class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was. All is of unseen sequences."""

    labels = LABELS
    declared = AttentionAgainstRecurrence
    accuracy = measure(at_last("accuracy", "look"))
    """The share of right answers at the last look."""
    near = measure(at_last("accuracy_by_distance", "look", "distance", by=lambda shares: shares[0]))
    """The share of right answers where the marked symbol is nearest to the question."""
    far = measure(at_last("accuracy_by_distance", "look", "distance", by=lambda shares: shares[-1]))
    """The share of right answers where it lies farthest back."""
    everywhere = measure(at_last("accuracy_by_distance", "look", "distance", by=lambda shares: shares.min(axis=0)))
    """The share of right answers at the distance where it is lowest."""
    reach_at_first = measure(recorded("input_gradient", "look", "lag", by=lambda shares: shares[0, -1]))
    """Before training, the gradient at the farthest input as a multiple of that at the nearest."""
    faded_at_first = measure(lambda n: ratio(np.ones_like(n.reach_at_first), n.reach_at_first))
    """How many times smaller it is there than at the nearest input."""
    reach = measure(at_last("input_gradient", "look", "lag", by=lambda shares: shares[-1]))
    """After training, the gradient at the farthest input as a multiple of that at the nearest."""


def _at(run: Run, name: str, network: str, length: int) -> float:
    return float(run[name].sel(network=network, series_length=length))


lstm_steps_in_a_row = measure(lambda run: _at(run, "steps_in_a_row", "lstm", 1024))
"""How many steps of the LSTM wait for one another at a length of 1,024."""
encoder_steps_in_a_row = measure(lambda run: _at(run, "steps_in_a_row", "transformer", 1024))
"""How many layers of the Transformer wait for one another at a length of 1,024."""
encoder_work_at_64 = measure(
    lambda run: _at(run, "multiplications", "transformer", 64) / _at(run, "multiplications", "lstm", 64)
)
"""The Transformer's multiplications at a length of 64 as a multiple of the LSTM's."""
encoder_work_at_1024 = measure(
    lambda run: _at(run, "multiplications", "transformer", 1024) / _at(run, "multiplications", "lstm", 1024)
)
"""The Transformer's multiplications at a length of 1,024 as a multiple of the LSTM's."""
