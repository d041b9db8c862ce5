"""One network of a recurrent run as plain arrays, one value for each seed, and how many weights it has.

Weights are counted as in document 001, eq. 5, 10-13 and 21-23; sections 2.2.3 and 2.3.
"""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import NamedTuple

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import Floats, NetworkReading, networks
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.measures import largest, mean, ratio, share, typical_updates
from goldviz.diagnostics.findings.recorded import at_last, recorded
from goldviz.diagnostics.measure import measure
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.models.recurrent.cells import CELL_LABELS, CELLS

FADED = -2.0
"""log10 of a hundredth: a signal below it counts as gone."""

KEPT_WITHIN = 10
"""The factor, up or down, within which a signal counts as kept."""

FORGET, UPDATE, STEERING = ("forget",), ("update",), ("input", "output", "update", "reset")
LABELS = CELL_LABELS


def _faded_at(n: NetworkReading) -> Floats:
    """The first lag below a hundredth for each seed; infinite: none is; NaN: nothing was measured."""

    def first(logarithms: Floats) -> Floats:
        below, lags = logarithms < FADED, n.dataset["lag"].values.astype(np.float64)
        first_lags = np.where(below.any(axis=0), lags[below.argmax(axis=0)], np.inf)
        return np.where(np.isnan(logarithms).all(axis=0), np.nan, first_lags)

    return n.at_last("log_jacobian_norm", "look", "lag", by=first)


def _longest_lag(n: NetworkReading) -> int:
    there = n.values("log_jacobian_norm", "look", "lag") is not None
    return int(n.dataset["lag"].max()) if there else 0


def _tested(n: NetworkReading) -> bool:
    return n.values("test_loss") is not None


def _peak(logarithms: Floats) -> Floats:
    return np.asarray(np.where(np.isnan(logarithms), -np.inf, logarithms).max(axis=0))


def _gates(n: NetworkReading, gates: tuple[str, ...], name: str, *dims: str) -> Floats:
    """The mean over gates (and over time) of what is finite at the last look, for each seed."""
    names = n.dataset["gate"].values.tolist() if "gate" in n.dataset.coords else []
    rows = [row for row, gate in enumerate(names) if gate in gates]
    return n.at_last(name, "look", "gate", *dims, by=lambda shares: mean(shares[rows].reshape(-1, shares.shape[-1])))


def _power_of_ten(exponents: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(10.0**exponents)


def _recent(losses: Floats) -> Floats:
    """The mean loss of the last tenth of the steps."""
    return np.asarray(losses[-max(1, len(losses) // 10) :].mean(axis=0))


class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was.

    The Jacobian product's norm is the geometric mean over unseen sequences.
    """

    labels = LABELS
    declared = RecurrentGradients
    faded_at = measure(_faded_at, "steps")
    """The first lag at which the Jacobian product's norm is below 1/100, at the last look; or infinite."""
    farthest = measure(at_last("log_jacobian_norm", "look", "lag", by=lambda logs: logs[-1]), "log10")
    """log10 of the Jacobian product's norm at the largest lag, at the last look."""
    peak = measure(at_last("log_jacobian_norm", "look", "lag", by=_peak), "log10")
    """log10 of the largest such norm at any lag."""
    longest_lag = measure(_longest_lag, "steps")
    """The largest lag."""
    forget = measure(lambda n: _gates(n, FORGET, "gate_opening", "time"))
    """The mean opening of the forget gate at the last look."""
    renewed = measure(lambda n: _gates(n, UPDATE, "gate_opening", "time"))
    """The mean opening of the update gate at the last look."""
    cell_path = measure(at_last("log_cell_path", "look", "lag", by=lambda logs: logs[-1]), "log10")
    """log10 of the cell path at the largest lag."""
    stuck = measure(lambda n: _gates(n, STEERING, "gate_saturation"))
    """The share of saturated gate values, mean over the gates that are not a forget gate, at the last look."""
    flat = measure(at_last("state_saturation", "look"))
    """The share of saturated hidden values at the last look."""
    largest_norm = measure(recorded("clipped_gradient_norm", "step", by=largest))
    """The largest gradient's norm after clipping."""
    update = measure(recorded("update_to_data", "look", by=typical_updates))
    """The typical update-to-data ratio."""
    loss = measure(lambda n: n.recorded("test_loss") if _tested(n) else n.recorded("loss", "step", by=_recent))
    """The test loss, or the mean of the last tenth of the steps while there is none."""
    tested = measure(_tested)
    """Whether the test loss is known."""
    memoryless = measure(recorded("memoryless_loss"))
    """The best loss without memory."""
    gradient_reach = measure(
        at_last("state_gradient_norm", "look", "time", by=lambda norms: ratio(norms[0], norms[-1]))
    )
    """The gradient's norm at the first time step over that at the last, at the last look."""
    right_of_20 = measure(recorded("accuracy", "step", by=lambda right: mean(right[-20:])))
    """The share of right answers, mean over the last 20 steps that were recorded."""
    right_of_10 = measure(recorded("accuracy", "step", by=lambda right: mean(right[-10:])))
    """The share of right answers, mean over the last 10 steps that were recorded."""
    faded = measure(lambda n: np.isfinite(n.faded_at))
    """Whether the signal falls below a hundredth at all."""
    drift = measure(lambda n: np.abs(n.farthest), "log10")
    """How many powers of ten the signal at the largest lag is away from its size at the start."""
    lost = measure(lambda n: ~np.isfinite(n.farthest))
    """Whether nothing is left of the signal at the largest lag, or it is no longer finite."""
    farthest_factor = measure(lambda n: _power_of_ten(n.farthest))
    """The factor by which the signal at the largest lag is away from its size at the start."""
    factor_a_step = measure(lambda n: _power_of_ten(n.farthest / max(n.longest_lag, 1)))
    """The factor by which a step multiplies the signal, the geometric mean over the steps from end to end."""
    state_kept = measure(lambda n: 1 - n.renewed)
    """The share of its state that the GRU keeps at a step, at its update gate's mean opening (eq. 24)."""
    cell_path_left = measure(lambda n: _power_of_ten(n.cell_path))
    """The share of the gradient that is left along the LSTM's cell at the largest lag."""
    worth = measure(lambda n: share(n.loss, n.memoryless))
    """The loss as a share of the best loss without memory."""

    @partial(measure, unit="steps")
    def memory_half_life(self) -> Floats:
        """In how many steps the LSTM's cell path falls to a half, at its forget gate's mean opening (eq. 18)."""
        inside = (self.forget > 0) & (self.forget < 1)
        return np.asarray(np.log(0.5) / np.log(np.where(inside, self.forget, np.nan)))

    memory = measure(
        lambda n: ratio(np.where(n.farthest >= -np.log10(KEPT_WITHIN), np.nan, n.memory_half_life), n.longest_lag)
    )
    """The memory's half-life as a share of the longest lag; NaN where the signal arrives by other paths."""


BATCHES = (4, 32, 256)
"""Those whose scatter is compared."""
right_in_the_end = measure(lambda run: fmean(Reading.right_of_20[network](run) for network in networks(run)))
"""The share of right answers over the last 20 steps that were recorded, mean over the networks."""
clipped_share = measure(lambda run: fmean(Reading.clipped[network](run) for network in networks(run)))
"""The share of steps whose gradient was cut, mean over the networks."""
mean_test_loss = measure(lambda run: fmean(Reading.test[network](run) for network in networks(run)))
"""The test loss, mean over the networks."""
lstm_over_rnn = measure(lambda run: Reading.test["lstm"](run) / Reading.test["rnn"](run))
"""The LSTM's test loss over the RNN's."""
gru_over_rnn = measure(lambda run: Reading.test["gru"](run) / Reading.test["rnn"](run))
"""The GRU's test loss over the RNN's."""
lstm_reaches_further = measure(lambda run: Reading.farthest["lstm"](run) - Reading.farthest["rnn"](run), "log10")
"""log10 of how many times more of a change at the largest lag the LSTM's state keeps than the RNN's, at the end."""
lstm_size = measure(lambda run: Reading.parameters["lstm"](run) / Reading.parameters["rnn"](run))
"""The LSTM's number of parameters over the RNN's."""
gru_size = measure(lambda run: Reading.parameters["gru"](run) / Reading.parameters["lstm"](run))
"""The GRU's number of parameters over the LSTM's."""
diverges = measure(lambda run: not np.isfinite(run["loss"].values).all() or run.attrs.get("status") == "diverged")
"""1 where the loss stopped being a number."""
scatter_over_largest_batch = measure(lambda small, _middle, large: _scatter(small) / _scatter(large))
"""How many times as far the loss jumps from step to step at the smallest batch as at the largest."""
scatter_by_batch = measure(lambda *runs: np.polyfit(np.log(BATCHES), np.log([_scatter(run) for run in runs]), 1)[0])
"""The power of the batch that the scatter goes with; -1/2 is what independent samples have."""


def _scatter(run: Run) -> float:
    """The spread of the step's loss in the second half of a run, read off neighbours: learning hardly shows there."""
    losses = run["loss"].values.ravel().astype(np.float64)
    return float(np.diff(losses[len(losses) // 2 :]).std() / np.sqrt(2))


SIZES = {"adding": (2, 1), "recall": (10, 8), "copy": (10, 8), "sine": (1, 1), "reviews": (37, 2)}
"""Of each task, how many numbers come in at a step, and of how many an answer consists."""


def sizes_of(settings: RecurrentGradients) -> tuple[int, int]:
    """How many numbers come in at a step and of how many an answer consists."""
    return SIZES[settings.task]


class Count(NamedTuple):
    """A network's weights: of the recurrent layer in letters and as a number, and of the read-out."""

    formula: str
    layer: int
    read_out: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.layer + self.read_out


def weights_of(settings: RecurrentGradients, network: str) -> Count:
    """With d inputs and h units a part of a cell has h (d + h + 1) weights; a read-out of o numbers has o (h + 1).

    A part that does not read the state has h (d + 1). A GRU whose reset gate acts after the matrix has h more: a bias
    inside the gate's reach.

    >>> from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
    >>> weights_of(RecurrentGradients(), "lstm")
    Count(formula='4 h (d + h + 1)', layer=17152, read_out=65)
    """
    inputs, outputs = sizes_of(settings)
    cell, h = CELLS[network], settings.hidden
    blocks, from_state = len(cell.parts), h if cell.reads_state else 0
    inner = h if network == "gru" and settings.reset == "after" else 0
    read = "d + h + 1" if cell.reads_state else "d + 1"
    formula = f"{f'{blocks} ' if blocks > 1 else ''}h ({read}){' + h' if inner else ''}"
    return Count(formula, blocks * h * (inputs + from_state + 1) + inner, outputs * (h + 1))
