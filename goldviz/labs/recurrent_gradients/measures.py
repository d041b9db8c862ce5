"""One network of a recurrent run as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.by_kind import ByKind
from goldviz.diagnostics.findings import Floats, Recorded, Verdicts, networks
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.measures import largest, mean, ratio, share, typical_updates
from goldviz.diagnostics.findings.recorded import Derived, at_last, measured, read
from goldviz.diagnostics.measure import combined, measure, of_each
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.models.recurrent.cells import CELL_LABELS

FADED = -2.0
"""log10 of a hundredth: a signal below it counts as gone."""

KEPT_WITHIN = 10
"""The factor, up or down, within which a signal counts as kept."""

FORGET, UPDATE, STEERING = ("forget",), ("update",), ("input", "output", "update", "reset")
LABELS = CELL_LABELS


def _faded_at(run: Recorded) -> Floats:
    """The first lag below a hundredth for each seed; infinite: none is; NaN: nothing was measured."""

    def first(logarithms: Floats) -> Floats:
        below, lags = logarithms < FADED, run.dataset["lag"].values.astype(np.float64)
        first_lags = np.where(below.any(axis=0), lags[below.argmax(axis=0)], np.inf)
        return np.where(np.isnan(logarithms).all(axis=0), np.nan, first_lags)

    return run.last("log_jacobian_norm", "look", "lag", by=first)


def _longest_lag(run: Recorded) -> int:
    there = run.values("log_jacobian_norm", "look", "lag") is not None
    return int(run.dataset["lag"].max()) if there else 0


def _tested(run: Recorded) -> bool:
    return run.values("test_loss") is not None


def _peak(logarithms: Floats) -> Floats:
    return np.asarray(np.where(np.isnan(logarithms), -np.inf, logarithms).max(axis=0))


def _gates(run: Recorded, gates: tuple[str, ...], name: str, *dims: str) -> Floats:
    """The mean over gates (and over time) of what is finite at the last look, for each seed."""
    names = run.dataset["gate"].values.tolist() if "gate" in run.dataset.coords else []
    rows = [row for row, gate in enumerate(names) if gate in gates]
    return run.last(name, "look", "gate", *dims, by=lambda shares: mean(shares[rows].reshape(-1, shares.shape[-1])))


def _power_of_ten(exponents: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(10.0**exponents)


def _recent(losses: Floats) -> Floats:
    """The mean loss of the last tenth of the steps."""
    return np.asarray(losses[-max(1, len(losses) // 10) :].mean(axis=0))


@dataclass(frozen=True)
class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was.

    The Jacobian product's norm is the geometric mean over unseen sequences.
    """

    labels: ClassVar[Mapping[str, str]] = LABELS
    kinds: ClassVar[ByKind] = RecurrentGradients.variables_by_kind
    units: ClassVar[Mapping[str, str]] = {
        "faded_at": "steps",
        "farthest": "log10",
        "peak": "log10",
        "longest_lag": "steps",
        "cell_path": "log10",
        "drift": "log10",
        "memory_half_life": "steps",
    }
    faded_at: Floats = read(_faded_at)
    """The first lag at which the Jacobian product's norm is below 1/100, at the last look; or infinite."""
    farthest: Floats = at_last("log_jacobian_norm", "look", "lag", by=lambda logs: logs[-1])
    """log10 of the Jacobian product's norm at the largest lag, at the last look."""
    peak: Floats = at_last("log_jacobian_norm", "look", "lag", by=_peak)
    """log10 of the largest such norm at any lag."""
    longest_lag: int = read(_longest_lag)
    """The largest lag."""
    forget: Floats = read(lambda run: _gates(run, FORGET, "gate_opening", "time"))
    """The mean opening of the forget gate at the last look."""
    renewed: Floats = read(lambda run: _gates(run, UPDATE, "gate_opening", "time"))
    """The mean opening of the update gate at the last look."""
    cell_path: Floats = at_last("log_cell_path", "look", "lag", by=lambda logs: logs[-1])
    """log10 of the cell path at the largest lag."""
    stuck: Floats = read(lambda run: _gates(run, STEERING, "gate_saturation"))
    """The share of saturated gate values, mean over the gates that are not a forget gate, at the last look."""
    flat: Floats = at_last("state_saturation", "look")
    """The share of saturated hidden values at the last look."""
    largest_norm: Floats = measured("clipped_gradient_norm", "step", by=largest)
    """The largest gradient's norm after clipping."""
    update: Floats = measured("update_to_data", "look", by=typical_updates)
    """The typical update-to-data ratio."""
    loss: Floats = read(
        lambda one: one.measure("test_loss") if _tested(one) else one.measure("loss", "step", by=_recent)
    )
    """The test loss, or the mean of the last tenth of the steps while there is none."""
    tested: bool = read(_tested)
    memoryless: Floats = measured("memoryless_loss")
    """The best loss without memory."""
    gradient_reach: Floats = at_last("state_gradient_norm", "look", "time", by=lambda norms: ratio(norms[0], norms[-1]))
    """The gradient's norm at the first time step over that at the last, at the last look."""
    right_unseen: Floats = measured("test_accuracy")
    """The share of unseen texts whose class is said rightly."""
    majority: Floats = measured("majority_share")
    """The share of these texts that are of the largest class."""
    tested_texts: float = read(lambda one: float(one.dataset.attrs.get("tested_texts", np.nan)))
    """How many texts were asked for."""
    right_of_20: Floats = measured("accuracy", "step", by=lambda right: mean(right[-20:]))
    """The share of right answers, mean over the last 20 steps that were recorded."""
    right_of_10: Floats = measured("accuracy", "step", by=lambda right: mean(right[-10:]))
    """The share of right answers, mean over the last 10 steps that were recorded."""

    @property
    def faded(self) -> Verdicts:
        """Whether the signal falls below a hundredth at all."""
        return np.isfinite(self.faded_at)

    drift = Derived(lambda n: np.abs(n.farthest))
    """How many powers of ten the signal at the largest lag is away from its size at the start."""

    @property
    def lost(self) -> Verdicts:
        """Whether nothing is left of the signal at the largest lag, or it is no longer finite."""
        return ~np.isfinite(self.farthest)

    farthest_factor = Derived(lambda n: _power_of_ten(n.farthest))
    """The factor by which the signal at the largest lag is away from its size at the start."""
    factor_a_step = Derived(lambda n: _power_of_ten(n.farthest / max(n.longest_lag, 1)))
    """The factor by which a step multiplies the signal, the geometric mean over the steps from end to end."""
    state_kept = Derived(lambda n: 1 - n.renewed)
    """The share of its state that the GRU keeps at a step, at its update gate's mean opening (eq. 24)."""
    cell_path_left = Derived(lambda n: _power_of_ten(n.cell_path))
    """The share of the gradient that is left along the LSTM's cell at the largest lag."""
    worth = Derived(lambda n: share(n.loss, n.memoryless))
    """The loss as a share of the best loss without memory."""

    over_majority = Derived(lambda n: n.right_unseen - n.majority)
    """The share of unseen texts that is right, less that of always naming the largest class."""
    chance_of_it = Derived(lambda n: 2 * np.sqrt(n.right_unseen * (1 - n.right_unseen) / n.tested_texts))
    """Two standard errors of the share of unseen texts that is right, a binomial share of as many texts."""
    by_heart = Derived(lambda n: n.right_of_20 - n.right_unseen)
    """The share of learned texts that was right in the last 20 steps, less that of unseen ones."""

    @property
    def told_apart(self) -> Verdicts:
        """Whether more unseen texts are right than by always naming the largest class, by two standard errors."""
        return np.asarray(self.over_majority > self.chance_of_it)

    @property
    def memory_half_life(self) -> Floats:
        """In how many steps the LSTM's cell path falls to a half, at its forget gate's mean opening (eq. 18)."""
        inside = (self.forget > 0) & (self.forget < 1)
        return np.asarray(np.log(0.5) / np.log(np.where(inside, self.forget, np.nan)))

    @property
    def memory(self) -> Floats:
        """The memory's half-life as a share of the longest lag; NaN where the signal arrives by other paths."""
        return ratio(np.where(self.farthest >= -np.log10(KEPT_WITHIN), np.nan, self.memory_half_life), self.longest_lag)


MEASURES = Reading.measures()
WORTH = of_each(MEASURES, "worth")
TEST_LOSS = of_each(MEASURES, "test")
FARTHEST = of_each(MEASURES, "farthest")
PARAMETERS = of_each(MEASURES, "parameters")
GRADIENT_REACH = of_each(MEASURES, "gradient_reach")
RIGHT_OF_20 = of_each(MEASURES, "right_of_20")
RIGHT_OF_10 = of_each(MEASURES, "right_of_10")
CLIPPED = of_each(MEASURES, "clipped")
MEMORYLESS = MEASURES["rnn.memoryless"]
CELL_PATH_LEFT = MEASURES["lstm.cell_path_left"]
BATCHES = (4, 32, 256)
"""Those whose scatter is compared."""


@combined()
def right_in_the_end(run: Run) -> float:
    """The share of right answers over the last 20 steps that were recorded, mean over the networks."""
    return fmean(RIGHT_OF_20[network](run) for network in networks(run))


@combined()
def clipped_share(run: Run) -> float:
    """The share of steps whose gradient was cut, mean over the networks."""
    return fmean(CLIPPED[network](run) for network in networks(run))


@combined()
def mean_test_loss(run: Run) -> float:
    """The test loss, mean over the networks."""
    return fmean(TEST_LOSS[network](run) for network in networks(run))


@combined()
def lstm_over_rnn(run: Run) -> float:
    """The LSTM's test loss over the RNN's."""
    return TEST_LOSS["lstm"](run) / TEST_LOSS["rnn"](run)


@combined()
def gru_over_rnn(run: Run) -> float:
    """The GRU's test loss over the RNN's."""
    return TEST_LOSS["gru"](run) / TEST_LOSS["rnn"](run)


@combined("log10")
def lstm_reaches_further(run: Run) -> float:
    """log10 of how many times more of a change at the largest lag the LSTM's state keeps than the RNN's, at the end."""
    return FARTHEST["lstm"](run) - FARTHEST["rnn"](run)


@combined()
def lstm_size(run: Run) -> float:
    """The LSTM's number of parameters over the RNN's."""
    return PARAMETERS["lstm"](run) / PARAMETERS["rnn"](run)


@combined()
def gru_size(run: Run) -> float:
    """The GRU's number of parameters over the LSTM's."""
    return PARAMETERS["gru"](run) / PARAMETERS["lstm"](run)


@measure()
def diverges(run: Run) -> float:
    """1 where the loss stopped being a number."""
    return float(not np.isfinite(run["loss"].values).all() or run.attrs.get("status") == "diverged")


@measure()
def scatter_over_largest_batch(small: Run, _middle: Run, large: Run) -> float:
    """How many times as far the loss jumps from step to step at the smallest batch as at the largest."""
    return _scatter(small) / _scatter(large)


@measure()
def scatter_by_batch(*runs: Run) -> float:
    """The power of the batch that the scatter goes with; -1/2 is what independent samples have."""
    return float(np.polyfit(np.log(BATCHES), np.log([_scatter(run) for run in runs]), 1)[0])


def _scatter(run: Run) -> float:
    """The spread of the step's loss in the second half of a run, read off neighbours: learning hardly shows there."""
    losses = run["loss"].values.ravel().astype(np.float64)
    return float(np.diff(losses[len(losses) // 2 :]).std() / np.sqrt(2))
