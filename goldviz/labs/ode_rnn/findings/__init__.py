"""What a run of the ODE-RNN laboratory says about its networks, in order and without contradiction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Finding, majority
from goldviz.labs.ode_rnn.findings import forecasts as forecast
from goldviz.labs.ode_rnn.findings import solver
from goldviz.labs.ode_rnn.readings import Reading

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

MOST = 5


def findings_of(settings: ODERNNLaboratory, dataset: xr.Dataset) -> list[Finding]:
    """Findings of an ODE-RNN run, most serious first, at most five.

    A network that diverged gets no other verdict, and one whose state explodes none on its forecasts: the cause comes
    first. A network that learned nothing is not told about gaps or bands as well; one whose solver is too coarse is
    neither called stiff, which is the same cause, nor praised; verdicts on what training came to wait for its end.
    """
    if "network" not in dataset.coords:
        return []
    networks = [Reading.of(dataset, str(name)) for name in dataset["network"].values]
    status = str(dataset.attrs.get("status", ""))
    lost = status == "diverged" and not any(n.diverged.any() for n in networks)
    sound = [n for n in networks if not (lost or n.diverged.any())]
    loud = {verdict.network for verdict in solver.exploding_verdicts(sound)}
    calm = [n for n in sound if n.name not in loud]
    coarse = {n.name for n in sound if majority(solver.off_solution(n))}
    useless = {verdict.network for verdict in forecast.useless_verdicts(settings, calm)}
    skilled = [n for n in calm if n.name not in useless]
    plain = next((n for n in sound if n.name == "GRU"), None)
    honest = [n for n in skilled if n.name not in coarse]
    able = {verdict.network for verdict in forecast.learned_verdicts(skilled, plain)}
    open_ended = [n for n in skilled if n.name not in able | coarse]
    timed = [n for n in open_ended if n.name != "GRU"]
    ended = _step(dataset) >= settings.steps
    found = [
        forecast.training_diverged(settings, networks, status),
        solver.exploding_state(settings, sound),
        solver.solver_too_coarse(settings, calm),
        forecast.learned_nothing(settings, calm) if ended else None,
        forecast.ignoring_gaps(settings, timed, plain) if ended else None,
        solver.stiff_field(settings, [n for n in calm if n.name not in coarse]),
        forecast.poor_extrapolation(settings, honest) if ended else None,
        forecast.dishonest_bands(settings, skilled) if ended else None,
        solver.saturated_field(settings, calm),
        forecast.under_trained(settings, [n for n in timed if n.name == "ODE-RNN"]) if ended else None,
        forecast.learned(honest, plain),
        forecast.holds(honest),
        solver.consistent(honest),
    ]
    order = {"bad": 0, "warning": 1, "good": 2}
    kept = sorted((finding for finding in found if finding is not None), key=lambda finding: order[finding.severity])
    return [finding if ended else _dated(finding, settings, dataset) for finding in _shortened(kept)]


def _shortened(findings: list[Finding]) -> list[Finding]:
    """At most five, of which the last is a good one where there is any: what works is worth knowing, too."""
    if len(findings) <= MOST:
        return findings
    good = [finding for finding in findings if finding.severity == "good"]
    return findings[: MOST - 1] + good[:1] if good and findings[MOST - 1].severity != "good" else findings[:MOST]


def _step(ds: xr.Dataset) -> int:
    return int(ds["step"].max()) if ds.sizes.get("step") else 0


def _dated(finding: Finding, settings: ODERNNLaboratory, ds: xr.Dataset) -> Finding:
    """The finding with how far the run was."""
    return replace(finding, confidence=f"{finding.confidence}; so far, at step {_step(ds)} of {settings.steps}")
