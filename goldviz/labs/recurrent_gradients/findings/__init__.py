"""What a run of the recurrent laboratory says about its networks, in order and without contradiction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Finding, majority
from goldviz.labs.recurrent_gradients.findings import signal, training
from goldviz.labs.recurrent_gradients.readings import Reading

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.recurrent_gradients.settings import RecurrentGradients

MOST = 5


def findings_of(settings: RecurrentGradients, dataset: xr.Dataset) -> list[Finding]:
    """Findings of a recurrent run, most serious first, at most five.

    A network that diverged gets no other verdict: the cause comes first. An exploding gradient is not also called
    vanishing or kept, a network that has solved its task is not told that its signal fades or that its steps are too
    small, and one whose steps are too large is not told to train for longer.
    """
    if "network" not in dataset.coords:
        return []
    networks = [Reading.of(dataset, str(name)) for name in dataset["network"].values]
    status = str(dataset.attrs.get("status", ""))
    lost = status == "diverged" and not any(n.diverged.any() for n in networks)
    sound = [n for n in networks if not (lost or n.diverged.any())]
    loud = {verdict.network for verdict in signal.exploding_verdicts(sound)}
    quiet = [n for n in sound if n.name not in loud]
    unsolved = [n for n in quiet if not majority(n.worth < training.SOLVED)]
    fading = {verdict.network for verdict in signal.vanishing_verdicts(quiet)}
    hasty = {verdict.network for verdict in training.step_too_large_verdicts(sound)}
    found = [
        signal.training_diverged(settings, networks, status),
        signal.exploding(settings, sound),
        training.step_too_large(settings, sound),
        signal.vanishing(settings, unsolved),
        training.learned_nothing(settings, [n for n in quiet if n.name not in hasty], fading),
        signal.forgetful(settings, unsolved),
        training.saturated_gates(settings, unsolved),
        training.saturated_states(settings, unsolved),
        training.always_clipped(settings, sound),
        training.step_too_small(settings, quiet),
        training.solved(sound),
        signal.kept(quiet, compared=sound),
    ]
    order = {"bad": 0, "warning": 1, "good": 2}
    kept = sorted((finding for finding in found if finding is not None), key=lambda finding: order[finding.severity])
    return [_dated(finding, settings, dataset) for finding in _shortened(kept)]


def _shortened(findings: list[Finding]) -> list[Finding]:
    """At most five, of which the last is a good one where there is any: what works is worth knowing, too."""
    if len(findings) <= MOST:
        return findings
    good = [finding for finding in findings if finding.severity == "good"]
    return findings[: MOST - 1] + good[:1] if good and findings[MOST - 1].severity != "good" else findings[:MOST]


def _dated(finding: Finding, settings: RecurrentGradients, ds: xr.Dataset) -> Finding:
    """The finding with how far the run was, where that is not its end."""
    step = int(ds["step"].max()) if ds.sizes.get("step") else 0
    if step >= settings.steps:
        return finding
    return replace(finding, confidence=f"{finding.confidence}; so far, at step {step} of {settings.steps}")
