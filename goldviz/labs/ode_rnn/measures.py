"""One network of an ODE-RNN run as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from goldviz.diagnostics.by_kind import ByKind
from goldviz.diagnostics.findings import Floats, Recorded, Verdicts
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.measures import diverged, share
from goldviz.diagnostics.findings.recorded import Derived, at_last, measured, read
from goldviz.diagnostics.measure import combined
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

LABELS = {
    "ode_rnn": "ODE-RNN",
    "gru": "GRU",
    "gru_gap": "GRU with gaps",
    "gru_decay": "GRU with decay",
    "neural_cde": "Neural CDE",
}

REFINED = 1.1
"""Factor by which refining the steps may change the error, up or down."""

DEAF = 0.05
"""Change of the forecast when gaps are shuffled, over its spread, below which gaps count as ignored."""

NO_BETTER = 0.9
"""Share of the error of a GRU without times from which knowing the times counts as no use."""


def _of_zero(run: Recorded, horizon: str) -> Floats:
    """Each seed's own; the mean over the seeds in runs that kept no more."""
    ds = run.dataset
    name = "zero_error_by_seed" if "zero_error_by_seed" in ds else "zero_error"
    if name not in ds or ds[name].size == 0:
        return run.nothing
    return np.broadcast_to(ds[name].sel(horizon=horizon).values.astype(np.float64), run.nothing.shape)


def _of_plain(run: Recorded) -> Floats | None:
    if "gru" not in run.dataset["network"].values:
        return None
    plain = Recorded(run.dataset, "gru")
    return None if plain.verdict("loss", "step", by=diverged).any() else plain.last("error", "look")


def _gained(errors: Floats) -> Floats:
    """The part of the error (look, seed) that the last quarter of the looks took away; NaN for fewer than four."""
    if len(errors) < 4:
        return np.full(errors.shape[1:], np.nan)
    return 1 - share(errors[-1], errors[-1 - len(errors) // 4])


def _growth(counts: Floats) -> Floats:
    """Mean evaluations in the last tenth of the steps over those in the first tenth, by seed."""
    tenth = max(1, len(counts) // 10)
    return share(counts[-tenth:].mean(axis=0), counts[:tenth].mean(axis=0))


@dataclass(frozen=True)
class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was.

    All is as of the last look, unless it says otherwise. ``error`` and ``long_gap_error`` are mean squared errors in
    range and after unseen longer gaps, ``zero`` and ``long_gap_zero`` those of predicting zero on the same sequences,
    ``plain_error`` that of the GRU without times (None where none was trained beside it, or it diverged). ``gained`` is
    the part of the error that the last quarter of the looks took away. ``growth`` of evaluations compares the last
    tenth of the steps with the first. Of the ODE-RNN alone: ``refined`` is its error with steps four times as fine,
    ``saturation`` a share, ``stiffness`` and ``early_stiffness`` spectral norms of df/dh at the last look and after a
    third of them (a fresh field is nearly still, so the first look says nothing). Along the first seed's probe
    sequence, ``gap_cost`` is the mean of the field's evaluations in a gap, and ``largest_jump`` that at an observation.
    """

    labels: ClassVar[Mapping[str, str]] = LABELS
    kinds: ClassVar[ByKind] = ODERNNLaboratory.variables_by_kind
    error: Floats = at_last("error", "look")
    long_gap_error: Floats = at_last("long_gap_error", "look")
    zero: Floats = read(lambda run: _of_zero(run, "in range"))
    long_gap_zero: Floats = read(lambda run: _of_zero(run, "long gap"))
    plain_error: Floats | None = read(_of_plain)
    gained: Floats = measured("error", "look", by=_gained)
    refined: Floats = at_last("refined_error", "look", only="ode_rnn")
    coverage: Floats = at_last("coverage", "look")
    saturation: Floats = at_last("field_saturation", "look", only="ode_rnn")
    stiffness: Floats = at_last("field_stiffness", "look", only="ode_rnn")
    early_stiffness: Floats = measured(
        "field_stiffness", "look", by=lambda norms: norms[len(norms) // 3], only="ode_rnn"
    )
    growth: Floats = measured("evaluations", "step", by=_growth, only="ode_rnn")
    state_size: Floats = at_last("state_size", "look")
    gap_sensitivity: Floats = at_last("gap_sensitivity", "look")
    gap_cost: Floats = at_last(
        "interval_evaluations", "look", "observation", by=lambda counts: counts[1:].mean(axis=0), only="ode_rnn"
    )
    largest_jump: Floats = at_last("jump", "look", "observation", by=lambda jumps: jumps.max(axis=0))

    worth = Derived(lambda n: share(n.error, n.zero))
    """The error in range as a share of what predicting zero scores."""

    @property
    def long_gap_worth(self) -> Floats:
        """The same after unseen longer gaps."""
        return share(self.long_gap_error, self.long_gap_zero)

    @property
    def beside_plain(self) -> Floats:
        """The error in range as a share of that of the GRU without times; NaN where there is none, or it diverged."""
        plain = np.nan if self.plain_error is None else self.plain_error
        return share(self.error, np.where(np.isfinite(plain), plain, np.nan))

    @property
    def deaf(self) -> Verdicts:
        """Whether the forecast hardly changes when the gaps are shuffled."""
        return np.asarray(self.gap_sensitivity < DEAF)

    @property
    def no_better(self) -> Verdicts:
        """Whether this is an ODE-RNN that hardly beats a GRU without times."""
        return np.asarray((self.beside_plain > NO_BETTER) & (self.name == LABELS["ode_rnn"]))

    @property
    def refined_ratio(self) -> Floats:
        """The error with refined steps over the error with the steps of training."""
        return share(self.refined, self.error)

    @property
    def refined_change(self) -> Floats:
        """By which share of itself refined steps change the error."""
        return np.abs(self.refined_ratio - 1)

    @property
    def off_solution(self) -> Verdicts:
        """Whether refining the steps changes the error by more than a tenth."""
        return np.asarray((self.refined_ratio > REFINED) | (self.refined_ratio < 1 / REFINED))

    @property
    def on_solution(self) -> Verdicts:
        """Whether it is known not to."""
        return np.asarray((self.refined_ratio <= REFINED) & (self.refined_ratio >= 1 / REFINED))

    @property
    def stiffening(self) -> Floats:
        """How many times its early value the field's stiffness is."""
        return share(self.stiffness, self.early_stiffness)


ERRORS = {network: Reading.measure(network, "error") for network in LABELS}
LONG_GAP_ERRORS = {network: Reading.measure(network, "long_gap_error") for network in LABELS}
ZERO_AFTER_LONG_GAPS = Reading.measure("ode_rnn", "long_gap_zero")
BESIDE_A_GRU = Reading.measure("ode_rnn", "beside_plain")
REFINED_RATIO = Reading.measure("ode_rnn", "refined_ratio")
WORTH = Reading.measure("ode_rnn", "worth")


@combined()
def beside_a_gru_with_gaps(run: Run) -> float:
    """The ODE-RNN's error after gaps as in training, over that of a GRU that is told the gaps."""
    return ERRORS["ode_rnn"](run) / ERRORS["gru_gap"](run)


@combined()
def beside_a_gru_with_gaps_after_long_ones(run: Run) -> float:
    """The ODE-RNN's error after gaps longer than any in training, over that of a GRU that is told the gaps."""
    return LONG_GAP_ERRORS["ode_rnn"](run) / LONG_GAP_ERRORS["gru_gap"](run)
