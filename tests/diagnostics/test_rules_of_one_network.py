"""Rules of a run with one network: words with measures of its reading, and causes that stand alone."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest
import xarray as xr
from pydantic import BaseModel, Field

from goldviz.diagnostics.findings import Rule, Scaled, above, conclude, remedies, training_diverged, where


class Settings(BaseModel):
    step: ClassVar[str] = "epoch"
    learning_rate: float = Field(1e-3, ge=1e-6, le=1)
    seed: int = 7

    def steps_planned(self):
        return 1


@dataclass(frozen=True)
class Curve:
    rise: float = 0.3
    early: int = 2


@dataclass(frozen=True)
class Reading:
    lost: bool = False
    diverged: bool = False
    share: np.ndarray = field(default_factory=lambda: np.array([0.5, 0.7, 0.6]))
    kind: str = "plain"
    curve: Curve = field(default_factory=Curve)


@dataclass(frozen=True)
class Named(Reading):
    name: str = ""


RISE = Rule(
    "rise",
    "warning",
    "It rises in texts of the kind {kind}",
    line=above("curve.rise", 0.15, "{at:points} above {share:percent}, after epoch {curve.early}"),
    number="{share:percent} with seed {settings.seed}",
    explanation="{share:.2f}",
    confidence="{kind} for sure",
)
LOST = Rule("lost", "bad", "Lost", line=where("lost", "any"), number="", explanation="", alone=True)


def found(rules, reading):
    return conclude(rules, [reading], Settings(), xr.Dataset(coords={"epoch": [1]}))


def test_words_name_measures_of_the_reading_and_their_parts():
    [finding] = found([RISE], Reading())
    assert finding.title == "It rises in texts of the kind plain"
    assert finding.threshold == "15 points above 60 %, after epoch 2"
    assert (finding.number, finding.explanation) == ("60 % with seed 7", "0.60")
    assert finding.confidence == "plain for sure"
    assert found([RISE], Reading(curve=Curve(rise=0.1))) == []


def test_a_cause_that_stands_alone_silences_all_after_it():
    assert [finding.kind for finding in found([LOST, RISE], Reading(lost=True))] == ["lost"]
    assert [finding.kind for finding in found([RISE, LOST], Reading(lost=True))] == ["lost", "rise"]
    assert [finding.kind for finding in found([LOST, RISE], Reading())] == ["rise"]
    assert [finding.kind for finding in found([training_diverged(), RISE], Reading(diverged=True))] == ["diverged"]


def test_of_a_network_that_diverged_nothing_else_is_said_and_it_counts_among_all():
    whole = Rule(
        "rise",
        lambda case: "bad" if len(case.names) == len(case.everything) else "warning",
        "It rises",
        line=above("curve.rise", 0.15, "a rise"),
        number="much",
    )
    one, other = Named(diverged=True, name="A"), Named(name="B")
    run = xr.Dataset(coords={"epoch": [1]})
    diverged, rise = conclude([training_diverged(), whole], [one, other], Settings(), run)
    assert (diverged.kind, rise.kind, rise.severity) == ("diverged", "rise", "warning")
    assert conclude([whole], [one, other], Settings(), run)[0].severity == "bad"


@pytest.mark.parametrize(("rate", "factor", "scaled"), [(0.00123456, 0.1, 0.000123), (0.5, 10, 1.0), (2e-6, 0.1, 1e-6)])
def test_a_scaled_setting_has_three_digits_and_stays_within_its_bounds(rate, factor, scaled):
    [slower] = remedies(Settings(learning_rate=rate), ("Take {learning_rate:g}.", {"learning_rate": Scaled(factor)}))
    assert (slower.advice, slower.changes) == (f"Take {scaled:g}.", {"learning_rate": scaled})
