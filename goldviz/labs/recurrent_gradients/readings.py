"""One network of a recurrent run as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Recorded, Verdicts
from goldviz.diagnostics.findings.measures import diverged, largest, mean, ratio, rising, share, typical_updates

if TYPE_CHECKING:
    import xarray as xr

FADED = -2.0
"""log10 of a hundredth: a signal below it counts as gone."""

KEPT_WITHIN = 10
"""The factor, up or down, within which a signal counts as kept."""

FORGET, UPDATE, STEERING = ("forget",), ("update",), ("input", "output", "update", "reset")
LABELS = {"rnn": "RNN", "lstm": "LSTM", "gru": "GRU"}


@dataclass(frozen=True)
class Reading:
    """What was recorded of one network, for each seed; NaN where nothing was.

    ``faded_at`` is the first lag at which the Jacobian product's norm is below 1/100 at the last look (infinite if it
    never is), ``farthest`` its log10 at the largest lag, ``peak`` the largest log10 at any lag. ``forget`` is the mean
    opening of the LSTM's forget gate, ``renewed`` that of the GRU's update gate, ``cell_path`` log10 of the LSTM's cell
    path at the largest lag, ``stuck`` the share of saturated gate values (mean over the gates that are not a forget
    gate), ``flat`` the share of saturated hidden values, all at the last look. ``clipped`` is the share of
    clipped steps, ``update`` the typical update-to-data ratio, ``loss`` the test loss, or the mean of the last tenth
    of the steps while there is none (``tested`` tells which), and ``memoryless`` the best loss without memory.
    """

    name: str
    faded_at: Floats
    farthest: Floats
    peak: Floats
    longest_lag: int
    forget: Floats
    renewed: Floats
    cell_path: Floats
    stuck: Floats
    flat: Floats
    clipped: Floats
    largest_norm: Floats
    update: Floats
    diverged: Verdicts
    rising: Verdicts
    loss: Floats
    tested: bool
    memoryless: Floats

    @classmethod
    def of(cls, ds: xr.Dataset, network: str) -> Reading:
        """Read one network off a run's dataset; variables may be missing or empty."""
        recorded = Recorded(ds, network)
        gates = [str(gate) for gate in ds["gate"].values] if "gate" in ds.coords else []
        forget, update, steering = (
            [row for row, gate in enumerate(gates) if gate in names] for names in (FORGET, UPDATE, STEERING)
        )
        test = recorded.values("test_loss")
        return cls(
            name=LABELS.get(network, network),
            faded_at=recorded.last(
                "log_jacobian_norm", "look", "lag", by=lambda logs: _faded_at(logs, ds["lag"].values)
            ),
            farthest=recorded.last("log_jacobian_norm", "look", "lag", by=lambda logs: logs[-1]),
            peak=recorded.last("log_jacobian_norm", "look", "lag", by=_peak),
            longest_lag=int(ds["lag"].max()) if recorded.values("log_jacobian_norm", "look", "lag") is not None else 0,
            forget=recorded.last("gate_opening", "look", "gate", "time", by=lambda shares: _together(shares[forget])),
            renewed=recorded.last("gate_opening", "look", "gate", "time", by=lambda shares: _together(shares[update])),
            cell_path=recorded.last("log_cell_path", "look", "lag", by=lambda logs: logs[-1]),
            stuck=recorded.last("gate_saturation", "look", "gate", by=lambda shares: _together(shares[steering])),
            flat=recorded.last("state_saturation", "look"),
            clipped=recorded.measure("clipped", "step", by=lambda clipped: clipped.mean(axis=0)),
            largest_norm=recorded.measure("clipped_gradient_norm", "step", by=largest),
            update=recorded.measure("update_to_data", "look", by=typical_updates),
            diverged=recorded.verdict("loss", "step", by=diverged),
            rising=recorded.verdict("loss", "step", by=rising),
            loss=test if test is not None else recorded.measure("loss", "step", by=_recent),
            tested=test is not None,
            memoryless=recorded.measure("memoryless_loss"),
        )

    @property
    def faded(self) -> Verdicts:
        """Whether the signal falls below a hundredth at all."""
        return np.isfinite(self.faded_at)

    @property
    def drift(self) -> Floats:
        """How many powers of ten the signal at the largest lag is away from its size at the start."""
        return np.abs(self.farthest)

    @property
    def worth(self) -> Floats:
        """The loss as a share of the best loss without memory."""
        return share(self.loss, self.memoryless)

    @property
    def memory_half_life(self) -> Floats:
        """In how many steps the LSTM's cell path falls to a half, at its forget gate's mean opening (eq. 18)."""
        inside = (self.forget > 0) & (self.forget < 1)
        return np.asarray(np.log(0.5) / np.log(np.where(inside, self.forget, np.nan)))

    @property
    def memory(self) -> Floats:
        """That half-life as a share of the longest lag; NaN where the signal arrives all the same, by other paths."""
        return ratio(np.where(self.farthest >= -np.log10(KEPT_WITHIN), np.nan, self.memory_half_life), self.longest_lag)


def _faded_at(logarithms: Floats, lags: Floats) -> Floats:
    """The first lag below a hundredth for each seed (second axis); infinite: none is; NaN: nothing was measured."""
    below = logarithms < FADED
    first = np.where(below.any(axis=0), lags[below.argmax(axis=0)].astype(np.float64), np.inf)
    return np.where(np.isnan(logarithms).all(axis=0), np.nan, first)


def _peak(logarithms: Floats) -> Floats:
    return np.asarray(np.where(np.isnan(logarithms), -np.inf, logarithms).max(axis=0))


def _together(shares: Floats) -> Floats:
    """The mean over gates (and over time) of what is finite, for each seed."""
    return mean(shares.reshape(-1, shares.shape[-1]))


def _recent(losses: Floats) -> Floats:
    """The mean loss of the last tenth of the steps."""
    return np.asarray(losses[-max(1, len(losses) // 10) :].mean(axis=0))
