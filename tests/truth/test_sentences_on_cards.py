"""Every sentence of a card is true of the recorded arrays, whatever a run measured: not only around presets.

Runs are recorded examples whose arrays are drawn anew, at settings that rules read otherwise. Each rule has a predicate
beside it, written apart from its line (``predicates/``): what has to be so of the arrays for its title to be true, and
which numbers it then has to print.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from goldviz.declare.kinds import by_kind
from goldviz.declare.registry import laboratories
from goldviz.diagnostics.findings import conclude, networks
from goldviz.diagnostics.findings.rule import name_of
from tests.labs.bert_pretraining import test_contradictions as of_pretraining
from tests.labs.drawn_findings import WITH_CARDS, conclusions_of
from tests.labs.gold_forecast import test_contradictions as of_forecasts
from tests.labs.small_runs import with_own
from tests.labs.test_contradictions import EXCLUDED
from tests.thinned import thinned
from tests.truth.drawn_readings import ALONE, readings
from tests.truth.predicates import answers, gradients, numbers, series, texts
from tests.truth.predicates.told import Told, most
from tests.truth.recorded_cards.printed import numbers_in

TABLES = {
    "adaptive-computation": answers,
    "attention-against-recurrence": answers,
    "attention-interface": answers,
    "bert-pretraining": texts,
    "char-gpt": texts,
    "char-language-model": texts,
    "continuous-depth": gradients,
    "depth-gradients": gradients,
    "gold-forecast": series,
    "leaderboard": series,
    "neural-programmer": answers,
    "neural-turing-machine": answers,
    "ode-rnn": gradients,
    "price-tokens": series,
    "recurrent-gradients": gradients,
    "series-attention": series,
    "translation-transformer": answers,
}
TRUE_WHERE = with_own(
    {name: getattr(module, name.replace("-", "_").upper()) for name, module in TABLES.items()}, "TRUE_WHERE"
)
"""By laboratory and rule: of which seeds of a network its sentence is true."""
PRINTED = with_own({name: getattr(numbers, name.replace("-", "_").upper()) for name in TABLES}, "PRINTED")
"""By laboratory and rule: the numbers that it prints of a network."""
EXCLUDED_OF = {
    **EXCLUDED,
    "bert-pretraining": of_pretraining.EXCLUDED,
    "gold-forecast": of_forecasts.EXCLUDED,
}
"""By laboratory and kind: the kinds that no network may have beside it."""
OF_ANY_SEED = ("diverged", "not_learned")
"""What one seed is enough for."""
SOME, MANY = {True: 10, False: 4}, {True: 120, False: 40}
"""Drawn runs of a laboratory in the ordinary suite, a thousand readings in all, and in the long one; more of those
whose readings stand alone."""
WORDS = (
    (r"\b1\.00? times\b", "a factor that says nothing"),
    (r"\bnan\b", "no number"),
    (r"[.!?] +[A-Z]", "more than one sentence"),
)
"""What no explanation says; of titles and numbers the first two."""


@dataclass
class Judge:
    """What is so of one run's seeds by the recorded arrays alone; each is computed once for all readings of it."""

    lab: Any
    run: Any
    settings: Any
    so_far: dict[Any, Any] = field(default_factory=dict)

    def of(self, table, kind, network):
        """What a table has of a rule and a network, seed by seed."""
        key = id(table), kind, network
        if key not in self.so_far:
            told = Told(self.run, self.settings, network, by_kind(self.lab.declared.variables))
            self.so_far[key] = table[self.lab.name][kind](told)
        return self.so_far[key]

    def verdicts(self, kind, network, seeds):
        """Of which of these seeds a rule's sentence is true."""
        return of_these(self.of(TRUE_WHERE, kind, network), seeds)

    def printed(self, kind, network, seeds):
        """The numbers that it has to print: the middle one of these seeds."""
        values = [
            one.of(seeds) if isinstance(one, numbers.If | numbers.Apart) else one
            for one in self.of(PRINTED, kind, network)
        ]
        return [middle(of_these(value, seeds)) for value in values if value is not None]


def of_these(values, seeds):
    values = np.asarray(values)
    return values[seeds] if values.ndim else values


def middle(values):
    """The median; infinity is larger than every number, and what is none has no place."""
    if isinstance(values[()], np.integer):
        return int(values)
    there = np.sort(values[~np.isnan(values)], axis=None)
    return float(np.median(there)) if there.size else np.nan


def cards(lab, reading):
    """Every card of a reading with its rule, the networks that it names and the number that it says of each."""
    of = {}

    def marked(rule):
        def title(case):
            of[len(of)] = rule, {verdict.network: verdict.number for verdict in case.verdicts}
            words = rule.title(case) if callable(rule.title) else rule.title
            return f"{words}@{len(of) - 1}"

        return replace(rule, title=title)

    rules = [marked(rule) for rule in conclusions_of(lab).rules]
    for card in conclude(rules, reading.networks, reading.settings, reading.run, most=len(rules)):
        title, _, place = card.title.rpartition("@")
        rule, said = of[int(place)]
        yield replace(card, title=title), rule, said


def agrees(number, values):
    """Whether a line prints these numbers, in their order; of what is not finite, or no share any more, words."""
    large = number.count("more than 1,000 %")
    for value in [value for value in values if value > 10][:large]:
        values.remove(value)
    said, due = numbers_in(number.replace("more than 1,000 %", "")), [value for value in values if np.isfinite(value)]
    return len(said) == len(due) and all(one.agrees_with(value) for one, value in zip(said, due, strict=True))


def untrue(lab, reading, judge) -> Iterator[str]:
    """What is false on the cards of a reading, and which of them contradict each other."""
    run, seeds = reading.run, reading.seeds
    found = list(cards(lab, reading))
    names_of = networks(run) if name_of(reading.networks[0]) else [""]
    called = dict(zip(map(name_of, reading.networks), names_of, strict=True))
    for card, rule, said in found:
        for name in said or called:
            verdicts = judge.verdicts(rule.kind, called[name], seeds)
            if not (verdicts.any() if rule.kind in OF_ANY_SEED else most(verdicts)) and (said or not verdicts.any()):
                yield f"{rule.kind}: “{card.title}” ({card.number}) is not true of {name or 'the run'}"
        if rule.kind in PRINTED[lab.name]:
            for name, number in said.items():
                values = judge.printed(rule.kind, called[name], seeds)
                told, _, agreement = number.partition("; on ")
                if not agrees(told, values):
                    yield f"{rule.kind}: “{number}” of {name or 'the run'} where the arrays give {values}"
                verdicts = np.asarray(judge.verdicts(rule.kind, called[name], seeds))
                if agreement and sum(map(int, re.findall(r"^\d+|\d+(?= learned)", agreement))) > verdicts.sum():
                    yield f"{rule.kind}: “{number}” of {name or 'the run'} where the arrays say {verdicts}"
        for pattern, fault in WORDS:
            texts_of = (card.explanation,) if "sentence" in fault else (card.title, card.number, card.explanation)
            yield from (f"{rule.kind}: {fault} in “{text}”" for text in texts_of if re.search(pattern, text))
        if "as well" in card.explanation and any(int(share) > 105 for share in re.findall(r"(\d+) %", card.number)):
            yield f"{rule.kind}: “as well” beside {card.number}"
    excluded = EXCLUDED_OF[lab.name]
    for (_, one, names), (_, other, others) in combinations(found, 2):
        exclusive = other.kind in excluded.get(one.kind, ()) or one.kind in excluded.get(other.kind, ())
        if exclusive and names.keys() & others.keys():
            yield f"{one.kind} and {other.kind} of {names.keys() & others.keys()}"


def untrue_at(lab, places) -> Iterator[str]:
    """The same of all readings of some drawn runs."""
    with np.errstate(all="ignore"):
        for place in places:
            judge = None
            for reading in readings(lab, place):
                judge = judge or Judge(lab, reading.run, reading.settings)
                yield from (f"{place}, {reading.seeds}: {words}" for words in untrue(lab, reading, judge))


@pytest.mark.parametrize("lab", WITH_CARDS, ids=lambda lab: lab.name)
def test_every_rule_has_a_predicate(lab):
    told, where = TRUE_WHERE.get(lab.name, {}), f"tests/labs/{lab.folder}/cases.py"
    assert {rule.kind for rule in conclusions_of(lab).rules} == set(told), f"TRUE_WHERE in {where} has each kind"
    assert set(PRINTED.get(lab.name, {None})) <= set(told), f"PRINTED in {where} has those that print numbers"


@pytest.mark.parametrize("lab", WITH_CARDS, ids=lambda lab: lab.name)
@pytest.mark.parametrize("runs", thinned([SOME, MANY]), ids=["some", "many"])
def test_no_card_of_a_drawn_run_is_false(lab, runs):
    alone = lab.name in ALONE
    wrong = list(untrue_at(lab, range(0 if runs is SOME else SOME[alone], runs[alone])))
    assert not wrong, "\n".join(wrong)


def test_a_sentence_that_is_false_is_noticed(monkeypatch):
    lab = laboratories()["neural-turing-machine"]
    told = TRUE_WHERE[lab.name]
    monkeypatch.setitem(TRUE_WHERE, lab.name, {**told, "learned": told["most_wrong"]})
    assert list(untrue_at(lab, range(2)))


def test_a_number_that_is_false_is_noticed(monkeypatch):
    lab = laboratories()["neural-turing-machine"]
    monkeypatch.setitem(PRINTED, lab.name, {"most_wrong": PRINTED[lab.name]["longer"]})
    assert list(untrue_at(lab, range(2)))


def test_two_cards_that_contradict_are_noticed(monkeypatch):
    lab = laboratories()["neural-turing-machine"]
    monkeypatch.setitem(EXCLUDED_OF, lab.name, {"learned": ("longer",)})
    assert any("learned and longer" in words for words in untrue_at(lab, range(2)))
