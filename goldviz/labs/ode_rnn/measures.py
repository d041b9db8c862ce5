"""One network of an ODE-RNN run as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

import numpy as np

from goldviz.diagnostics.findings import Floats, NetworkReading
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.measures import diverged, share
from goldviz.diagnostics.findings.recorded import at_last, recorded
from goldviz.diagnostics.measure import measure
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

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


def _of_zero(n: NetworkReading, horizon: str) -> Floats:
    """Each seed's own; the mean over the seeds in runs that kept no more."""
    ds = n.dataset
    name = "zero_error_by_seed" if "zero_error_by_seed" in ds else "zero_error"
    if name not in ds or ds[name].size == 0:
        return n.nothing
    return np.broadcast_to(ds[name].sel(horizon=horizon).values.astype(np.float64), n.nothing.shape)


def _of_plain(n: NetworkReading) -> Floats | None:
    if "gru" not in n.dataset["network"].values:
        return None
    plain = n.beside("gru")
    return None if plain.judged("loss", "step", by=diverged).any() else plain.at_last("error", "look")


def _gained(errors: Floats) -> Floats:
    """The part of the error (look, seed) that the last quarter of the looks took away; NaN for fewer than four."""
    if len(errors) < 4:
        return np.full(errors.shape[1:], np.nan)
    return 1 - share(errors[-1], errors[-1 - len(errors) // 4])


def _growth(counts: Floats) -> Floats:
    """Mean evaluations in the last tenth of the steps over those in the first tenth, by seed."""
    tenth = max(1, len(counts) // 10)
    return share(counts[-tenth:].mean(axis=0), counts[:tenth].mean(axis=0))


class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was. All is as of the last look, unless it
    says otherwise."""

    labels = LABELS
    declared = ODERNNLaboratory
    error = measure(at_last("error", "look"))
    """The mean squared error on unseen sequences, after gaps as in training."""
    long_gap_error = measure(at_last("long_gap_error", "look"))
    """The mean squared error on unseen sequences, after gaps longer than any in training."""
    zero = measure(lambda n: _of_zero(n, "in range"))
    """The mean squared error of predicting zero on the same sequences, after gaps as in training."""
    long_gap_zero = measure(lambda n: _of_zero(n, "long gap"))
    """The mean squared error of predicting zero on the same sequences, after gaps longer than any in training."""
    plain_error = measure(_of_plain)
    """The error of the GRU without times; None where none was trained beside it, or it diverged."""
    gained = measure(recorded("error", "look", by=_gained))
    """The part of the error that the last quarter of the looks took away."""
    refined = measure(at_last("refined_error", "look", only="ode_rnn"))
    """The error with steps four times as fine."""
    coverage = measure(at_last("coverage", "look"))
    """The share of what came that lay inside the forecast's interval."""
    saturation = measure(at_last("field_saturation", "look", only="ode_rnn"))
    """The share of the field's saturated activations."""
    stiffness = measure(at_last("field_stiffness", "look", only="ode_rnn"))
    """The spectral norm of df/dh."""
    # A fresh field is nearly still, so the first look says nothing.
    early_stiffness = measure(
        recorded("field_stiffness", "look", by=lambda norms: norms[len(norms) // 3], only="ode_rnn")
    )
    """The spectral norm of df/dh after a third of the looks."""
    growth = measure(recorded("evaluations", "step", by=_growth, only="ode_rnn"))
    """How many times as often the field is evaluated in the last tenth of the steps as in the first."""
    state_size = measure(at_last("state_size", "look"))
    """The size of the state."""
    gap_sensitivity = measure(at_last("gap_sensitivity", "look"))
    """How far the forecast changes when the gaps are shuffled, over its spread."""
    # Before the first observation there is no gap.
    gap_cost = measure(
        at_last(
            "interval_evaluations", "look", "observation", by=lambda counts: counts[1:].mean(axis=0), only="ode_rnn"
        )
    )
    """How often the field is evaluated in a gap of the probe sequence, on average."""
    largest_jump = measure(at_last("jump", "look", "observation", by=lambda jumps: jumps.max(axis=0)))
    """The largest jump of the state at an observation of the probe sequence."""
    worth = measure(lambda n: share(n.error, n.zero))
    """The error in range as a share of what predicting zero scores."""
    long_gap_worth = measure(lambda n: share(n.long_gap_error, n.long_gap_zero))
    """The error after unseen longer gaps as a share of what predicting zero scores there."""

    @measure
    def beside_plain(self) -> Floats:
        """The error in range as a share of that of the GRU without times; NaN where there is none, or it diverged."""
        plain = np.nan if self.plain_error is None else self.plain_error
        return share(self.error, np.where(np.isfinite(plain), plain, np.nan))

    deaf = measure(lambda n: n.gap_sensitivity < DEAF)
    """Whether the forecast hardly changes when the gaps are shuffled."""
    no_better = measure(lambda n: (n.beside_plain > NO_BETTER) & (n.name == LABELS["ode_rnn"]))
    """Whether this is an ODE-RNN that hardly beats a GRU without times."""
    refined_ratio = measure(lambda n: share(n.refined, n.error))
    """The error with refined steps over the error with the steps of training."""
    refined_change = measure(lambda n: np.abs(n.refined_ratio - 1))
    """By which share of itself refined steps change the error."""
    off_solution = measure(lambda n: (n.refined_ratio > REFINED) | (n.refined_ratio < 1 / REFINED))
    """Whether refining the steps changes the error by more than a tenth."""
    on_solution = measure(lambda n: (n.refined_ratio <= REFINED) & (n.refined_ratio >= 1 / REFINED))
    """Whether refining the steps is known to change the error by no more."""
    stiffening = measure(lambda n: share(n.stiffness, n.early_stiffness))
    """How many times its early value the field's stiffness is."""


beside_a_gru_with_gaps = measure(lambda run: Reading.error["ode_rnn"](run) / Reading.error["gru_gap"](run))
"""The ODE-RNN's error after gaps as in training, over that of a GRU that is told the gaps."""
beside_a_gru_with_gaps_after_long_ones = measure(
    lambda run: Reading.long_gap_error["ode_rnn"](run) / Reading.long_gap_error["gru_gap"](run)
)
"""The ODE-RNN's error after gaps longer than any in training, over that of a GRU that is told the gaps."""
