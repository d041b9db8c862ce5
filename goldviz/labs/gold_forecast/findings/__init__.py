"""What a run of the forecast laboratory says about its forecasts, in order and without contradiction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Finding
from goldviz.labs.gold_forecast.findings import caveats, skill, training
from goldviz.labs.gold_forecast.scoring.results import Evidence

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.gold_forecast.settings import GoldForecast

MOST = 5
ORDER = {"bad": 0, "warning": 1, "good": 2}


def findings_of(settings: GoldForecast, dataset: xr.Dataset) -> list[Finding]:
    """Findings of a forecast run, most serious first, at most five.

    A run that diverged gets no other verdict: the cause comes first. Of a score that is too good nothing else is
    said, for a leak explains all of it. On shuffled targets the check is what counts. Skill is judged when the run
    has ended, and with it the intervals are there; until then only a leak and the training show.
    """
    if lost := training.training_diverged(settings, dataset):
        return [_dated(lost, settings, dataset)]
    evidence = Evidence.of(dataset)
    leak = skill.leak_suspected(settings, dataset, evidence)
    check = skill.shuffled(settings, evidence)
    judged = [] if leak or settings.shuffle_targets else _of_skill(settings, dataset, evidence)
    constant = None if leak else training.constant_forecast(settings, evidence)
    found = [
        leak,
        check,
        *judged,
        constant,
        training.over_fitting(settings, dataset),
        training.under_trained(settings, dataset),
        None if leak else training.badly_calibrated(settings, dataset, evidence.series),
        None if constant else training.short_reach(settings, dataset),
        caveats.simulated(settings, dataset),
    ]
    kept = sorted((finding for finding in found if finding is not None), key=lambda finding: ORDER[finding.severity])
    return [_dated(finding, settings, dataset) for finding in _shortened(kept)]


def _of_skill(settings: GoldForecast, dataset: xr.Dataset, evidence: Evidence) -> list[Finding | None]:
    return [
        skill.worthless_level(settings, dataset, evidence),
        skill.no_skill(settings, evidence),
        skill.worse(settings, evidence),
        skill.skill(settings, dataset, evidence),
        skill.worse_than_garch(settings, evidence),
        caveats.one_episode(settings, dataset, evidence),
        caveats.refits_disagree(settings, dataset, evidence),
        caveats.few_forecasts(settings, evidence),
        caveats.final_block(settings, dataset, evidence),
    ]


def _shortened(findings: list[Finding]) -> list[Finding]:
    """At most five, in which the last places are kept for a simulated market, which must be told, and a good one."""
    if len(findings) <= MOST:
        return findings
    good = [finding for finding in findings if finding.severity == "good"][:1]
    told = [finding for finding in findings if finding.kind == "simulated_market"]
    others = [finding for finding in findings if finding not in (*told, *good)]
    kept = [*others[: MOST - len(told) - len(good)], *told, *good]
    return sorted(kept, key=findings.index)


def _dated(finding: Finding, settings: GoldForecast, ds: xr.Dataset) -> Finding:
    """The finding with how far the run was, where that is not its end."""
    epoch = int(ds["epoch"].max()) if ds.sizes.get("epoch") else 0
    if epoch >= settings.epochs:
        return finding
    return replace(finding, confidence=f"{finding.confidence}; so far, at epoch {epoch} of {settings.epochs}")
