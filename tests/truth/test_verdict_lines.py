"""The sentence that stands first on a page is true of the recorded arrays, whatever they are.

Runs are recorded examples whose arrays are drawn anew. Beside each opening of a verdict stands what has to be so of
them, written apart from it.
"""

import math
import re

import numpy as np
import pytest

from goldviz.declare.registry import laboratories
from goldviz.labs.bert_pretraining.findings import pretraining_verdict
from goldviz.labs.bert_pretraining.measures import torn_between
from goldviz.labs.gold_forecast import verdict as of_forecasts
from goldviz.labs.price_tokens import verdict as of_tokens
from goldviz.runs.examples import has_example
from tests.thinned import thinned
from tests.truth.drawn_readings import drawn, light
from tests.truth.predicates import series, texts
from tests.truth.predicates.told import Told

ONCE, OFTEN = 1, 20
"""Drawn runs of each preset in the ordinary suite and in the long one."""


def level_is(told, target):
    return told.settings.target == target


def neither(told):
    return not series.better(series.own(told)) and not series.worse(series.own(told))


def simplest(told, better):
    return series.better(series.own(told)) == better


FORECASTS = {
    "Better than zero": lambda told: level_is(told, "return") and simplest(told, True),
    "Worse than saying zero": lambda told: level_is(told, "return") and series.worse(series.own(told)),
    "No detectable skill over zero": lambda told: level_is(told, "return") and neither(told),
    "The size of the next move can be": lambda told: simplest(told, True) and series.moves_within_refits(told) >= 0.02,
    "Better than a constant variance by its level alone": lambda told: (
        simplest(told, True) and series.moves_within_refits(told) < 0.02
    ),
    "Worse than a constant variance": lambda told: series.worse(series.own(told)),
    "No detectable skill in the size": lambda told: level_is(told, "volatility") and neither(told),
    ": something was learned about tomorrow": lambda told: level_is(told, "level") and simplest(told, True),
    ": nothing was learned about tomorrow": lambda told: level_is(told, "level") and simplest(told, False),
    "dealt out at random, yet": lambda told: told.settings.shuffle_targets and simplest(told, True),
    "dealt out at random, and no skill": lambda told: told.settings.shuffle_targets and simplest(told, False),
    "no honest forecast of": series.too_good,
    "with part of the future in sight": lambda told: told.settings.alignment == "date",
}
TOKENS = {
    "Tokens know the future": series.PRICE_TOKENS["knows_future"],
    "Names switch between fits": series.PRICE_TOKENS["labels_switch"],
    "Most days share one token": series.PRICE_TOKENS["codes_unused"],
    "in random order, yet": series.PRICE_TOKENS["shuffled_skill"],
    "in random order, and no skill": series.PRICE_TOKENS["shuffled_check_passed"],
    "Too good: the sign": series.PRICE_TOKENS["sign_skill"],
    "The next move's size can be forecast": series.PRICE_TOKENS["size_skill"],
    "Better than token frequency": lambda told: series.better(series.gain(told)),
    "Worse than token frequency": series.PRICE_TOKENS["worse"],
    "No detectable skill over token frequency": series.PRICE_TOKENS["no_skill"],
}


def masked(told):
    return float(texts.unseen(told).isel(look=-1).median()), float(told.run.unigram_loss)


PRETRAINING = {
    "Masked words(, pre-trained)?: only": lambda told: masked(told)[0] >= masked(told)[1],
    "Masked words(, pre-trained)?: [0-9]": lambda told: masked(told)[0] < masked(told)[1],
    "It has read no masked words": lambda told: not (told.run.phase.values == texts.READING).any(),
}
OPENINGS = {
    "gold-forecast": (FORECASTS, lambda run, settings: of_forecasts.verdict(run, settings.target)),
    "price-tokens": (TOKENS, of_tokens.verdict),
    "bert-pretraining": (PRETRAINING, lambda run, settings: pretraining_verdict(run)),
}
"""By laboratory: what a verdict may say, and of which arrays that is true; and the verdict."""


def with_example(lab):
    return [preset.slug for preset in lab.declared.presets if has_example(lab.declared, preset.slug)]


@pytest.mark.parametrize("times", thinned([ONCE, OFTEN]))
@pytest.mark.parametrize("name", OPENINGS)
def test_a_verdict_is_true_of_the_arrays(name, times):
    lab, (openings, verdict) = laboratories()[name], OPENINGS[name]
    generator, said = np.random.default_rng(times), set()
    with np.errstate(all="ignore"):
        for slug in with_example(lab) * times:
            settings, run = lab.declared.preset(slug), drawn(light(lab, slug), generator)
            words = verdict(run, settings)
            for opening in (one for one in openings if re.search(one, words)):
                said.add(opening)
                assert openings[opening](Told(run, settings, "", {})), f"{slug}: {words}"
    assert len(said) >= 2


def test_a_loss_above_that_of_guessing_is_said_to_be_worse():
    assert torn_between(math.log(100) + 0.01, math.log(100)) == "worse than guessing all alike"
    assert torn_between(math.log(40), math.log(100)) == "as torn between 40 pieces"
