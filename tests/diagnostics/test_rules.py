"""Rules of findings: lines that print themselves, silence, order, number, advice within bounds."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from goldviz.diagnostics.findings import (
    DividedBy,
    IfZero,
    LoweredTo,
    NetworkReading,
    RaisedTo,
    Remedy,
    Rule,
    Times,
    above,
    at_least,
    at_most,
    below,
    conclude,
    remedies,
    steps_too_long,
    steps_too_short,
    training_diverged,
    where,
)
from goldviz.diagnostics.findings.conclude import Conclusions
from goldviz.diagnostics.findings.training import LARGEST_UPDATE
from goldviz.diagnostics.findings.words import Networks, Printed


class Settings(BaseModel):
    step: ClassVar[str] = "epoch"
    learning_rate: float = Field(1e-3, ge=1e-6, le=1)
    clip: float = Field(0.0, ge=0, le=100)
    depth: int = Field(5, ge=1, le=8)
    epochs: int = 10

    def steps_planned(self):
        return self.epochs


@dataclass(frozen=True)
class Reading:
    name: str
    size: np.ndarray
    diverged: np.ndarray
    rising: np.ndarray
    update: np.ndarray


def reading(name, *size, **measures):
    calm = np.zeros(3, dtype=bool)
    usual = {"size": np.array(size or (1.0, 1.0, 1.0)), "diverged": calm, "rising": calm, "update": np.full(3, 1e-3)}
    return Reading(name, **usual | measures)


def rule(kind, severity="bad", line=None, **parts):
    return Rule(
        kind=kind,
        severity=severity,
        title=kind + " in {subject}",
        line=line or above("size", 10, "above {at}"),
        number="{size:.0f}",
        explanation="",
        **parts,
    )


def run(epochs=10, **attrs):
    return xr.Dataset(coords={"epoch": np.arange(1, epochs + 1)}, attrs=attrs)


def found(rules, *readings, dataset=None, **options):
    return conclude(rules, readings, Settings(), run() if dataset is None else dataset, **options)


@pytest.mark.parametrize("at", [10, 1000.0, 0.25])
@pytest.mark.parametrize(
    ("line", "just_over", "just_not"),
    [(above, 1e-9, 0), (below, -1e-9, 0), (at_least, 0, -1e-9), (at_most, 0, 1e-9)],
)
def test_a_line_prints_the_number_that_it_compares_with(line, just_over, just_not, at):
    drawn = line("size", at, "a size of {at}, or {at:.1f}")
    assert drawn.words == f"a size of {at:,g}, or {at:.1f}"
    assert drawn.over(reading("a", at + just_over, at + just_not)).tolist() == [True, False]


def test_two_lines_are_joined_with_their_words():
    either = above("size", 10, "above {at}") | where("rising", "rising by {at:part}", at=0.1)
    both = above("size", 10, "above {at}") & below("size", 20, "below {at}")
    assert either.words == "above 10, or rising by a tenth"
    assert both.words == "above 10, and below 20"
    assert either.over(reading("a", 5.0, 11.0, 5.0, rising=np.array([True, False, False]))).tolist() == [1, 1, 0]
    assert both.over(reading("a", 5.0, 15.0, 25.0)).tolist() == [0, 1, 0]


def test_nothing_recorded_is_over_no_line():
    nothing = reading("a", np.nan, np.nan)
    assert not any(line("size", 1, "").over(nothing).any() for line in (above, below, at_least, at_most))


def test_a_finding_says_number_line_networks_and_seeds():
    big, bigger = reading("plain", 11.0, 12.0, 1.0), reading("residual", 20.0, 20.0, 20.0)
    [one] = found([rule("large")], big, reading("other"))
    assert (one.title, one.threshold) == ("large in the plain", "above 10")
    assert one.number == "11; on 2 of 3 seeds, 1 on the other"
    assert one.confidence == "2 of 3 seeds agree"
    [two] = found([rule("large")], big, bigger)
    assert (two.title, two.number) == ("large in the plain and residual", f"plain: {one.number}; residual: 20")
    assert two.confidence == "2 of 3 seeds agree"
    assert found([rule("large")], reading("plain", 11.0, 1.0)) == []


def test_subject_verb_and_settings_agree_in_a_title():
    words = "{Subject} network{|s} keep{s its| their} gradient over {settings.depth} layers"
    keeps = replace(rule("kept"), title=words)
    assert found([keeps], reading("a", 11.0))[0].title == "The a network keeps its gradient over 5 layers"
    three = found([keeps], *(reading(name, 11.0) for name in "abc"))
    assert three[0].title == "The a, b and c networks keep their gradient over 5 layers"


def test_a_rule_silences_later_ones_for_its_own_networks_alone():
    rules = [
        rule("first", line=above("size", 100, "")),
        rule("second", silenced_by=("first",)),
        rule("third", only=lambda n, settings: n.name != "small"),
    ]
    findings = found(rules, reading("large", 200.0), reading("small", 50.0))
    assert [f.title for f in findings] == ["first in the large", "second in the small", "third in the large"]


def test_a_rule_that_another_excludes_is_silent_for_all_networks():
    rules = [rule("first", line=above("size", 100, "")), rule("second", unless=("first",))]
    assert [f.title for f in found(rules, reading("large", 200.0), reading("small", 50.0))] == ["first in the large"]
    assert [f.title for f in found(rules, reading("small", 50.0))] == ["second in the small"]


def test_a_rule_that_waits_for_the_end_silences_before():
    rules = [rule("first", at_end=True), rule("second", silenced_by=("first",))]
    assert [f.kind for f in found(rules, reading("a", 11.0), dataset=run(9))] == []
    assert [f.kind for f in found(rules, reading("a", 11.0))] == ["first"]


def test_a_rule_cannot_be_silenced_by_one_that_comes_after():
    with pytest.raises(KeyError, match="second"):
        found([rule("first", silenced_by=("second",)), rule("second")], reading("a", 11.0))


def test_findings_are_ordered_by_severity_and_then_as_judged():
    rules = [rule("a", "good"), rule("b", "warning"), rule("c", "bad"), rule("d", lambda case: "bad")]
    assert [f.kind for f in found(rules, reading("n", 11.0))] == ["c", "d", "b", "a"]


def test_at_most_five_with_places_for_what_is_good_and_what_must_be_told():
    many = [rule(kind, "bad") for kind in "abcdef"]
    n = reading("n", 11.0)
    assert [f.kind for f in found(many, n)] == list("abcde")
    good = [*many, rule("g", "good"), rule("h", "good")]
    assert [f.kind for f in found(good, n)] == list("abcdg")
    assert [f.kind for f in found([*good, rule("t", "warning", must_tell=True)], n)] == list("abctg")
    assert [f.kind for f in found(good, n, most=6, praise=2)] == list("abcdgh")


def test_a_run_that_goes_on_says_how_far_it_is():
    assert found([rule("a")], reading("n", 11.0), dataset=run(4))[0].confidence.endswith("so far, at epoch 4 of 10")
    assert "so far" not in found([rule("a")], reading("n", 11.0))[0].confidence
    assert found([rule("a")], reading("n", 11.0), dataset=xr.Dataset())[0].confidence.endswith("epoch 0 of 10")


def test_a_run_that_diverged_does_not_go_on():
    one = np.array([False, False, True])
    rules = [training_diverged(explanation="", advice=()), rule("b")]
    for finding in found(rules, reading("n", 11.0, diverged=one), dataset=run(4, status="diverged")):
        assert finding.confidence.endswith("; the run ended at epoch 4 of 10")


def test_divergence_is_said_by_a_seed_or_by_the_run():
    rules = [
        training_diverged(where_it_did="in {subject}", explanation="", advice=()),
        rule("b", silenced_by=("diverged",)),
    ]
    one = np.array([False, False, True])
    findings = found(rules, reading("a", 11.0, diverged=one), reading("b", 11.0))
    assert [f.title for f in findings] == ["Training diverged in the a", "b in the b"]
    [stopped] = found(rules, reading("a", 11.0), dataset=run(status="diverged"))
    assert (stopped.title, stopped.confidence) == ("Training diverged", "the run stopped for it")


def test_steps_are_too_long_too_short_or_right():
    words = {"title": "", "explanation": ""}
    rules = [steps_too_long(**words), steps_too_short(**words)]
    assert found(rules, reading("a")) == []
    [long] = found(rules, reading("a", update=np.full(3, LARGEST_UPDATE * 1.01)))
    assert (long.severity, long.threshold) == (
        "warning",
        "a median ratio above 0.03, or a loss that ends a tenth above its start, beyond its noise",
    )
    [rising] = found(rules, reading("a", rising=np.ones(3, dtype=bool), update=np.full(3, 1e-6)))
    assert (rising.severity, rising.number) == ("bad", "update-to-data ratio 1 × 10⁻⁶, the loss rises")
    [short] = found(rules, reading("a", update=np.full(3, 1e-6)))
    assert short.threshold == "a median ratio below 0.00003"


@pytest.mark.parametrize(
    ("name", "now", "change", "then"),
    [
        ("learning_rate", 3e-3, DividedBy(10), 3e-4),
        ("learning_rate", 5e-6, DividedBy(10), 1e-6),
        ("learning_rate", 0.5, Times(10), 1.0),
        ("depth", 5, DividedBy(2), 2),
        ("depth", 5, Times(2), 8),
        ("clip", 0.0, IfZero(1.0), 1.0),
        ("clip", 7.0, LoweredTo(1.0), 1.0),
        ("clip", 0.5, RaisedTo(1.0), 1.0),
        ("clip", 7.0, lambda settings: settings.clip * 100, 100.0),
        ("clip", 7.0, 2.0, 2.0),
    ],
)
def test_advice_is_relative_and_within_declared_bounds(name, now, change, then):
    words = "Make it {" + name + ":g}."
    [given] = remedies(Settings(**{name: now}), (words, {name: change}))
    assert given == Remedy(words, f"Make it {then:g}.", {name: pytest.approx(then)})
    assert type(given.changes[name]) is type(now)


def test_advice_that_changes_nothing_is_passed_over():
    settings = Settings(clip=1.0, learning_rate=1e-6)
    slower = ("Slower.", {"learning_rate": DividedBy(10), "clip": IfZero(1.0)})
    assert [remedy.advice for remedy in remedies(settings, slower, ("Deeper.", {"depth": 8}))] == ["Deeper."]
    assert remedies(settings, slower) == ()


def test_advice_may_hang_on_the_settings():
    def halved(settings):
        return f"Take half of {settings.depth}.", {"depth": DividedBy(2)}

    assert remedies(Settings(depth=4), halved) == (Remedy("Take half of 4.", "Take half of 4.", {"depth": 2}),)


def test_a_reading_has_no_number_where_nothing_was_recorded():
    dataset = xr.Dataset(
        {"loss": (("epoch", "network", "seed"), np.arange(8.0).reshape(2, 2, 2))}, {"network": ["a", "b"]}
    )
    read = NetworkReading(dataset, "b")
    assert read.at_last("loss", "epoch").tolist() == [6.0, 7.0]
    assert read.recorded("loss", "epoch", by=lambda loss: loss.sum(0)).tolist() == [8.0, 10.0]
    assert np.isnan(read.recorded("nothing", "epoch")).all()
    assert read.judged("nothing", by=np.isnan).tolist() == [False, False]


def test_nothing_is_said_of_the_training_of_seeds_that_learned_their_task():
    of_training = rule("large", of_training=True)
    conclusions = Conclusions([of_training, rule("result")], lambda settings, run: [], learned=below("update", 0.2, ""))
    narrowed = conclusions.rules
    assert found(narrowed, reading("a", 11.0, 11.0, 11.0, update=np.zeros(3)))[0].title == "result in the a"
    some = found(narrowed, reading("a", 11.0, 12.0, 13.0, update=np.array([1.0, 0.0, 1.0])))
    assert [card.title for card in some] == ["large in the a", "result in the a"]
    assert some[0].number == "12; on 2 of 3 seeds; 1 learned the task all the same"


@pytest.mark.parametrize("form", ["percent", "times", ".1f", ".2f", ".1%"])
@given(st.sampled_from([0.1, 0.3, 0.5, 0.9, 2.0, 5.0]), st.sampled_from([-1e-3, -1e-5, 1e-5, 1e-3]))
def test_a_number_beside_its_limit_is_printed_on_its_side(form, limit, by):
    printed = f"{Printed(limit * (1 + by)).beside((limit,)):{form}}"
    longer = f"{Printed(limit):{form}}"
    assert printed != longer


def test_a_finding_tells_its_number_from_its_limit():
    large = replace(rule("large", line=above("size", 0.02, "{at:percent}")), number="{size:percent}")
    [card] = found([large], reading("a", 0.023))
    assert (card.number, card.threshold) == ("2.3 %", "2 %")


@pytest.mark.parametrize(
    ("names", "listed"),
    [
        (["RNN", "GRU"], "the RNN and GRU"),
        (["GRU with attention", "GRU"], "the GRU with attention and the GRU"),
        (["a, b", "c"], "the network “a, b” and the c"),
    ],
)
def test_names_in_a_sentence_can_be_told_apart(names, listed):
    assert "{subject}".format_map(Networks(names)) == listed
