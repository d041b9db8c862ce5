"""Every sentence of a card is true of the recorded arrays, whatever a run measured: not only around presets.

Runs are recorded examples whose arrays are drawn anew, at settings that rules read otherwise. Each rule has a predicate
beside it, written apart from its line (``predicates/``): what has to be so of the arrays for its title to be true.
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from goldviz.declare.kinds import by_kind
from goldviz.declare.registry import laboratories
from goldviz.diagnostics.findings import networks
from goldviz.diagnostics.findings.rule import name_of
from goldviz.runs.examples import example, has_example
from tests.labs.drawn_findings import ALIKE, LEVELS, OF_THEIR_OWN, OTHERWISE, POWERS, WITH_CARDS, conclusions_of
from tests.labs.test_contradictions import EXCLUDED
from tests.thinned import thinned
from tests.truth.predicates import answers, gradients, series, texts
from tests.truth.predicates.told import Told, most

TRUE_WHERE = {
    "adaptive-computation": answers.ADAPTIVE_COMPUTATION,
    "attention-against-recurrence": answers.ATTENTION_AGAINST_RECURRENCE,
    "attention-interface": answers.ATTENTION_INTERFACE,
    "bert-pretraining": texts.BERT_PRETRAINING,
    "char-gpt": texts.CHAR_GPT,
    "char-language-model": texts.CHAR_LANGUAGE_MODEL,
    "continuous-depth": gradients.CONTINUOUS_DEPTH,
    "depth-gradients": gradients.DEPTH_GRADIENTS,
    "gold-forecast": series.GOLD_FORECAST,
    "leaderboard": series.LEADERBOARD,
    "neural-programmer": answers.NEURAL_PROGRAMMER,
    "neural-turing-machine": answers.NEURAL_TURING_MACHINE,
    "ode-rnn": gradients.ODE_RNN,
    "price-tokens": series.PRICE_TOKENS,
    "recurrent-gradients": gradients.RECURRENT_GRADIENTS,
    "series-attention": series.SERIES_ATTENTION,
    "translation-transformer": answers.TRANSLATION_TRANSFORMER,
}
"""By laboratory and rule: of which seeds of a network its sentence is true."""
OF_ANY_SEED = ("diverged", "not_learned")
"""What one seed is enough for."""
OF_THE_ARRAYS = (
    "task",
    "most",
    "distance",
    "target",
    "network",
    "documents",
    "tone_response",
    "tokeniser",
    "returns",
    *("longer_look_back", "augmented", "in_time"),
)
"""Settings that arrays of other settings would contradict."""
SOME, MANY, LARGE, STEPS = 20, 180, 20_000, 60
"""Readings of a laboratory in the ordinary suite and in the long one; values of what is not drawn; steps left."""
LEVELS_OF = {**OF_THEIR_OWN, "update_to_data": (1e-6, 1e-3, 0.1)}
WORDS = (
    (r"\b1\.00? times\b", "a factor that says nothing"),
    (r"\bnan\b", "no number"),
    (r"[.!?] +[A-Z]", "more than one sentence"),
)
"""What no explanation says; of titles and numbers the first two."""


@cache
def light(lab, slug):
    """An example of three seeds alike, of as few steps as tell the same."""
    run = example(lab.declared, slug)
    if "seed" in run.dims:
        run = run.isel(seed=[0, 0, 0]).assign_coords(seed=[0, 1, 2])
    if run.sizes.get("step", 0) > STEPS:
        run = run.isel(step=np.unique(np.linspace(0, run.sizes["step"] - 1, STEPS).astype(int)))
    return run.load()


def drawn_array(name, values, generator):
    """Numbers of any size in a variable's shape, each network's and at times each seed's own, level or leaning."""
    own = {"network", "model", "metric", "forecaster"} | ({"seed"} if generator.random() < 0.5 else set())
    size = [values.sizes[dim] if dim in own else 1 for dim in values.dims]
    logarithms = name.startswith("log_")
    may_be_infinite = re.search("loss|norm|error|stiff|size|variance|update", name)
    levels = np.array(LEVELS_OF.get(name, POWERS if logarithms else LEVELS))
    if not may_be_infinite:
        levels = levels[np.isfinite(levels)]
    data = levels[generator.integers(len(levels), size=size)]
    if "score" in name:
        data = data * generator.choice([-1.0, 1.0], size=size)
    others = [axis for axis, dim in enumerate(values.dims) if dim not in own | {"seed"}]
    if others and generator.random() < 0.5:
        axis, slope = others[generator.integers(len(others))], generator.choice([-5.0, -1.0, -0.1, 0.1, 1.0, 5.0])
        lean = slope * np.linspace(0, 1, values.shape[axis])
        lean = lean.reshape([-1 if place == axis else 1 for place in range(values.ndim)])
        data = data + lean if logarithms else data * 10**lean
    return np.where(np.isnan(values.values), np.nan, np.broadcast_to(data, values.shape))


def drawn(run, generator):
    """A run of which some of what was recorded is drawn anew; an interval holds its score."""
    share = generator.choice([0.1, 0.3, 0.6])
    arrays = {
        name: drawn_array(name, values, generator)
        for name, values in sorted(run.data_vars.items())
        if values.dtype.kind == "f" and values.size < LARGE and generator.random() < share
    }
    arrays = {name: array for name, array in arrays.items() if name not in ALIKE}
    for middle in (name for name in run.data_vars if name.endswith(("score", "told")) and f"{name}_low" in run):
        names = (f"{middle}_low", middle, f"{middle}_high")
        ordered = np.sort([arrays.get(name, run[name].values) for name in names], axis=0)
        arrays |= dict(zip(names, ordered, strict=True))
    for name, source in ALIKE.items():
        if name in run and source in arrays:
            arrays[name] = np.broadcast_to(arrays[source][:, None], run[name].shape)
    # Plain arrays under their dimensions' names: xarray need not compare the coordinates of each.
    return run.assign({name: (run[name].dims, array, run[name].attrs) for name, array in arrays.items()})


def cards(lab, settings, run, readings):
    """Every card of a run with its rule and the networks that it names."""
    conclusions = replace(conclusions_of(lab), readings=lambda settings, run: readings)
    of = {}

    def marked(rule):
        def title(case):
            of[len(of)] = rule, {verdict.network for verdict in case.verdicts}
            words = rule.title(case) if callable(rule.title) else rule.title
            return f"{words}@{len(of) - 1}"

        return replace(rule, title=title)

    for card in replace(conclusions, rules=[marked(rule) for rule in conclusions.rules]).all(settings, run):
        title, _, place = card.title.rpartition("@")
        rule, names = of[int(place)]
        yield replace(card, title=title), rule, names


def untrue(lab, settings, run) -> Iterator[str]:
    """What is false on the cards of a run, and which of them contradict each other."""
    readings = conclusions_of(lab).readings(settings, run)
    found = list(cards(lab, settings, run, readings))
    called = dict(zip(map(name_of, readings), networks(run) if name_of(readings[0]) else [""], strict=True))
    kinds = by_kind(lab.declared.variables)
    for card, rule, names in found:
        for name in names or called:
            told = Told(run, settings, called[name], kinds)
            verdicts = np.asarray(TRUE_WHERE[lab.name][rule.kind](told))
            if not (verdicts.any() if rule.kind in OF_ANY_SEED else most(verdicts)) and (names or not verdicts.any()):
                yield f"{rule.kind}: “{card.title}” ({card.number}) is not true of {name or 'the run'}"
        for pattern, fault in WORDS:
            texts_of = (card.explanation,) if "sentence" in fault else (card.title, card.number, card.explanation)
            yield from (f"{rule.kind}: {fault} in “{text}”" for text in texts_of if re.search(pattern, text))
        if "as well" in card.explanation and any(int(share) > 105 for share in re.findall(r"(\d+) %", card.number)):
            yield f"{rule.kind}: “as well” beside {card.number}"
    excluded = EXCLUDED.get(lab.name, {})
    for (_, one, names), (_, other, others) in combinations(found, 2):
        exclusive = other.kind in excluded.get(one.kind, ()) or one.kind in excluded.get(other.kind, ())
        if exclusive and names & others:
            yield f"{one.kind} and {other.kind} of {names & others}"


def reading(lab, place):
    """The settings and the run of one of the readings."""
    generator = np.random.default_rng([zlib.crc32(lab.name.encode()), place])
    slugs = [preset.slug for preset in lab.declared.presets if has_example(lab.declared, preset.slug)]
    slug = slugs[place % len(slugs)]
    choices = {name: some for name, some in OTHERWISE[lab.name].items() if name not in OF_THE_ARRAYS}
    changes = {name: some[generator.integers(len(some))] for name, some in choices.items()}
    settings = lab.declared.preset(slug)
    return (settings.changed(**changes) if place % 2 else settings), drawn(light(lab, slug), generator)


@pytest.mark.parametrize("lab", WITH_CARDS, ids=lambda lab: lab.name)
def test_every_rule_has_a_predicate(lab):
    assert {rule.kind for rule in conclusions_of(lab).rules} == set(TRUE_WHERE[lab.name])


@pytest.mark.parametrize("lab", WITH_CARDS, ids=lambda lab: lab.name)
@pytest.mark.parametrize("places", thinned([range(SOME), range(SOME, MANY)]), ids=["some", "many"])
def test_no_card_of_a_drawn_run_is_false(lab, places):
    with np.errstate(all="ignore"):
        wrong = [f"{place}: {words}" for place in places for words in untrue(lab, *reading(lab, place))]
    assert not wrong, "\n".join(wrong)


def test_a_sentence_that_is_false_is_noticed(monkeypatch):
    lab = laboratories()["neural-turing-machine"]
    told = TRUE_WHERE[lab.name]
    with np.errstate(all="ignore"):
        monkeypatch.setitem(TRUE_WHERE, lab.name, {**told, "learned": told["most_wrong"]})
        assert [words for place in range(4) for words in untrue(lab, *reading(lab, place))]
