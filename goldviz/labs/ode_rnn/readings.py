"""One network of an ODE-RNN run as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Recorded, Verdicts
from goldviz.diagnostics.findings.measures import diverged, share

if TYPE_CHECKING:
    import xarray as xr

LABELS = {"ode_rnn": "ODE-RNN", "gru": "GRU", "gru_gap": "GRU with gaps", "gru_decay": "GRU with decay"}

REFINED = 1.1
"""Factor by which refining the steps may change the error, up or down."""

DEAF = 0.05
"""Change of the forecast when gaps are shuffled, over its spread, below which gaps count as ignored."""

NO_BETTER = 0.9
"""Share of the error of a GRU without times from which knowing the times counts as no use."""


@dataclass(frozen=True)
class Reading:
    """What was recorded of one network, for each seed; NaN where nothing was.

    All is as of the last look, unless it says otherwise. ``error`` and ``long_gap_error`` are mean squared errors in
    range and after unseen longer gaps, ``zero`` and ``long_gap_zero`` those of predicting zero on the same sequences,
    ``plain_error`` that of the GRU without times (None where none was trained beside it, or it diverged). ``gained`` is
    the part of the error that the last quarter of the looks took away. ``growth`` of evaluations compares the last
    tenth of the steps with the first. Of the ODE-RNN alone: ``refined`` is its error with steps four times as fine,
    ``saturation`` a share, ``stiffness`` and ``early_stiffness`` spectral norms of df/dh at the last look and after a
    third of them (a fresh field is nearly still, so the first look says nothing).
    """

    name: str
    error: Floats
    long_gap_error: Floats
    zero: Floats
    long_gap_zero: Floats
    plain_error: Floats | None
    gained: Floats
    refined: Floats
    coverage: Floats
    saturation: Floats
    stiffness: Floats
    early_stiffness: Floats
    growth: Floats
    state_size: Floats
    gap_sensitivity: Floats
    diverged: Verdicts

    @classmethod
    def of(cls, ds: xr.Dataset, network: str) -> Reading:
        """Read one network off a run's dataset; variables may be missing or empty."""
        recorded = Recorded(ds, network)
        of_flow = recorded if network == "ode_rnn" else Recorded(ds.coords.to_dataset(), network)
        return cls(
            name=LABELS.get(network, network),
            **recorded.at_last_look(
                error="error", long_gap_error="long_gap_error", coverage="coverage", state_size="state_size",
                gap_sensitivity="gap_sensitivity",
            ),
            **of_flow.at_last_look(refined="refined_error", saturation="field_saturation", stiffness="field_stiffness"),
            zero=_of_zero(recorded, "in range"),
            long_gap_zero=_of_zero(recorded, "long gap"),
            plain_error=_of_plain(ds),
            gained=recorded.measure("error", "look", by=_gained),
            early_stiffness=of_flow.measure("field_stiffness", "look", by=lambda norms: norms[len(norms) // 3]),
            growth=of_flow.measure("evaluations", "step", by=_growth),
            diverged=recorded.verdict("loss", "step", by=diverged),
        )  # fmt: skip

    @property
    def worth(self) -> Floats:
        """The error in range as a share of what predicting zero scores."""
        return share(self.error, self.zero)

    @property
    def long_gap_worth(self) -> Floats:
        """The same after unseen longer gaps."""
        return share(self.long_gap_error, self.long_gap_zero)

    @property
    def beside_plain(self) -> Floats:
        """The error in range as a share of that of the GRU without times; NaN where there is none."""
        return share(self.error, np.nan if self.plain_error is None else self.plain_error)

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


def _of_zero(recorded: Recorded, horizon: str) -> Floats:
    """Each seed's own; the mean over the seeds in runs that kept no more."""
    ds = recorded.dataset
    name = "zero_error_by_seed" if "zero_error_by_seed" in ds else "zero_error"
    if name not in ds or ds[name].size == 0:
        return recorded.nothing
    return np.broadcast_to(ds[name].sel(horizon=horizon).values.astype(np.float64), recorded.nothing.shape)


def _of_plain(ds: xr.Dataset) -> Floats | None:
    if "gru" not in ds["network"].values:
        return None
    plain = Recorded(ds, "gru")
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
