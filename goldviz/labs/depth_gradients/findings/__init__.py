"""What a run of the depth laboratory says about its two networks, in order and without contradiction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Finding, majority
from goldviz.labs.depth_gradients.findings import gradient, training
from goldviz.labs.depth_gradients.readings import Reading

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.depth_gradients.settings import DepthGradients

MOST = 5


def findings_of(settings: DepthGradients, dataset: xr.Dataset) -> list[Finding]:
    """Findings of a depth run, most serious first, at most five.

    A network that diverged, or has no gradient at all, gets no other verdict: the cause comes first. An exploding
    gradient is not also called vanishing, one that vanishes is not called too slow, and a network whose steps are too
    long, or whose gradient explodes, is not told to train for longer.
    """
    if "network" not in dataset.coords:
        return []
    networks = [Reading.of(dataset, str(name), settings.depth) for name in dataset["network"].values]
    status = str(dataset.attrs.get("status", ""))
    lost = status == "diverged" and not any(n.diverged.any() for n in networks)
    sound = [n for n in networks if not (lost or n.diverged.any() or majority(n.silent))]
    loud = {verdict.network for verdict in gradient.exploding_verdicts(networks)}
    quiet = [n for n in sound if n.name not in loud]
    fading = {verdict.network for verdict in gradient.vanishing_verdicts(quiet)}
    steady = [n for n in quiet if n.name not in fading]
    hasty = {verdict.network for verdict in training.step_too_large_verdicts(sound)}
    found = [
        gradient.training_diverged(settings, networks, status),
        gradient.no_gradient(settings, [n for n in networks if not n.diverged.any()]),
        training.step_too_large(settings, sound),
        gradient.exploding(settings, networks),
        gradient.vanishing(settings, quiet),
        training.no_better_than_zero(settings, [n for n in quiet if n.name not in hasty], fading),
        training.saturated(settings, sound),
        training.dead(settings, sound),
        training.step_too_small(settings, steady),
        gradient.kept(settings, steady, compared=sound),
    ]
    order = {"bad": 0, "warning": 1, "good": 2}
    kept = sorted((finding for finding in found if finding is not None), key=lambda finding: order[finding.severity])
    return [_dated(finding, settings, dataset) for finding in kept[:MOST]]


def _dated(finding: Finding, settings: DepthGradients, ds: xr.Dataset) -> Finding:
    """The finding with how far the run was, where that is not its end."""
    epoch = int(ds["epoch"].max()) if ds.sizes.get("epoch") else 0
    if epoch >= settings.epochs:
        return finding
    return replace(finding, confidence=f"{finding.confidence}; so far, at epoch {epoch} of {settings.epochs}")
