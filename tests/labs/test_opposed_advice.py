"""No two cards of a page offer changes that go opposite ways: a page has one panel of settings for all its networks."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.declare.laboratory import Laboratory, laboratory_of
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.diagnostics.findings import Finding, Remedy
from goldviz.diagnostics.findings.advice import opposed
from goldviz.runs.examples import example
from tests.labs.drawn_findings import (
    EVERY_LAB_WITH_CARDS,
    EVERY_SHAPE,
    FEWER,
    SEVERAL,
    drawn_conclusions,
    drawn_settings,
    of_several,
)
from tests.labs.small_runs import Small


def opposites(settings: Experiment, findings: Sequence[Finding]) -> Iterator[str]:
    """Pairs of cards that complain and offer opposite changes. What a good finding suggests mends nothing."""
    blamed = [finding for finding in findings if finding.severity != "good"]
    for one, other in combinations(blamed, 2):
        if opposed(settings, one.changes, other.changes):
            yield f"“{one.advice}” ({one.kind}) and “{other.advice}” ({other.kind})"


def some_settings(small: Small, generator: np.random.Generator) -> Experiment:
    """Those of a preset, or drawn ones."""
    presets = small.lab.declared.presets
    if generator.random() < 0.5:
        return small.lab.declared.preset(presets[generator.integers(len(presets))].slug)
    return drawn_settings(small, generator, **SEVERAL)


@EVERY_LAB_WITH_CARDS
def test_no_recorded_example_is_offered_opposites(lab: Laboratory) -> None:
    for preset in lab.declared.presets:
        settings = lab.declared.preset(preset.slug)
        assert not list(
            opposites(settings, laboratory_of(settings).findings(settings, example(lab.declared, preset.slug)))
        ), preset.slug


@EVERY_SHAPE
@FEWER
@given(seed=st.integers(0, 2**32 - 1))
def test_no_drawn_readings_are_offered_opposites(small: Small, seed: int) -> None:
    generator = np.random.default_rng(seed)
    run = of_several(small)
    for drawn in drawn_conclusions(small, run, generator):
        settings = some_settings(small, generator)
        with np.errstate(invalid="ignore"):
            findings = drawn.all(settings, run)
        assert not list(opposites(settings, laboratory_of(settings).advised(settings, findings)))


class TestOpposed:
    """What counts as opposite."""

    @staticmethod
    def settings(**values: Any) -> Any:
        return type("Settings", (), {"learning_rate": 0.1, "depth": 8, "optimiser": "sgd", "clip": True, **values})()

    @pytest.mark.parametrize(
        ("one", "other", "apart"),
        [
            ({"learning_rate": 0.01}, {"learning_rate": 1.0}, True),
            ({"learning_rate": 0.01}, {"learning_rate": 0.03}, False),
            ({"depth": 4}, {"depth": 16}, True),
            ({"depth": 4}, {"learning_rate": 1.0}, False),
            ({"optimiser": "adam"}, {"optimiser": "rmsprop"}, True),
            ({"optimiser": "adam"}, {"optimiser": "adam"}, False),
            ({"optimiser": "adam", "learning_rate": 0.01}, {"learning_rate": 1.0}, False),
            ({"clip": False}, {"clip": False}, False),
        ],
    )
    def test_of_two_changes(self, one: dict[str, Any], other: dict[str, Any], apart: bool) -> None:
        assert opposed(self.settings(), one, other) == opposed(self.settings(), other, one) == apart


class TestOffered:
    """What a page makes of cards whose rules would go opposite ways."""

    @staticmethod
    def card(kind: str, *changes: dict[str, Any], severity: Any = "bad") -> Finding:
        remedies = tuple(Remedy(f"To {change}.", f"To {change}.", change, check=True) for change in changes)
        return Finding(
            kind, "", severity, "", "", "", "", advice=remedies[0].advice, changes=changes[0], remedies=remedies
        )

    @pytest.mark.parametrize("lab", [one for one in laboratories().values() if one.name == "depth-gradients"], ids=str)
    def test_the_card_that_comes_first_decides(self, lab: Laboratory) -> None:
        settings, deeper, fewer = lab.declared.preset("as-in-the-document"), {"depth": 30}, {"depth": 3}
        slower = {"learning_rate": 1e-4}
        first, second = self.card("diverged", deeper), self.card("vanishing", fewer, slower)
        assert [card.changes for card in laboratory_of(settings).advised(settings, [first, second])] == [
            deeper,
            slower,
        ]
        assert [card.changes for card in laboratory_of(settings).advised(settings, [second, first])] == [
            fewer,
            {},
        ]
        assert laboratory_of(settings).advised(settings, [second, first])[1].advice == ""
        praise = self.card("gradient_kept", deeper, severity="good")
        assert [card.changes for card in laboratory_of(settings).advised(settings, [second, praise])] == [
            fewer,
            deeper,
        ]
