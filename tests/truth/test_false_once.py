"""Sentences that cards said once and that were false, each with the reading of which it was: none is said any more.

Where a rule's predicate (``predicates/``) is false of the reading, drawn readings would have found it, too.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from goldviz.declare.kinds import by_kind
from goldviz.declare.registry import laboratories
from goldviz.diagnostics.findings import networks
from tests.truth.drawn_readings import light
from tests.truth.predicates.told import Told, most
from tests.truth.test_sentences_on_cards import OF_ANY_SEED, TRUE_WHERE


def all_at(value):
    return lambda values: np.where(np.isnan(values), np.nan, value)


def last_up(values):
    """The last place's loss is a nat above the others."""
    by_place = np.moveaxis(values.copy(), -1, 0)
    by_place[-1] += 1
    return np.moveaxis(by_place, 0, -1)


def deepest_huge(values):
    return np.where(np.arange(values.shape[-1]) == values.shape[-1] - 1, 1.6e17, values)


@dataclass(frozen=True)
class FalseOnce:
    """What was said of arrays of a preset's shape: words, an advice, or a kind of card; none may come again."""

    of: str
    lab: str
    preset: int | str
    arrays: dict[str, Any]
    words: str = ""
    advice: str = ""
    kinds: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    epochs: int = 0
    status: str = ""


SAID = (
    FalseOnce("a masked GPT sees ahead", "char-gpt", 0, {"position_loss": last_up}, kinds=("sees_ahead",)),
    FalseOnce(
        "a gradient that is no number was 0",
        "depth-gradients",
        0,
        {"gradient_norm": all_at(np.inf), "loss": all_at(np.inf)},
        words="longest gradient was 0",
        status="diverged",
    ),
    FalseOnce(
        "training did not find in all epochs what it ended before",
        "depth-gradients",
        0,
        {"loss_by_depth": deepest_huge, "loss": all_at(1.6e17)},
        kinds=("degradation",),
        epochs=1,
        status="diverged",
    ),
    FalseOnce(
        "an answer without memory would score as well",
        "recurrent-gradients",
        0,
        {"test_loss": all_at(10.0), "memoryless_loss": all_at(1.0)},
        words="as well",
    ),
    FalseOnce(
        "a signal between 1/100 and 1/10 arrives",
        "recurrent-gradients",
        0,
        {"log_jacobian_norm": all_at(-1.5), "log_cell_path": all_at(-1.5), "gate_opening": all_at(0.7)},
        kinds=("gradient_kept",),
    ),
    FalseOnce(
        "what was planted is in today's price",
        "gold-forecast",
        0,
        {"score": all_at(0.0), "score_low": all_at(-0.01), "score_high": all_at(0.01)},
        words="price already",
        settings={"documents": "generated", "tone_response": 0.3},
    ),
    FalseOnce("codes are never the nearest", "price-tokens", 0, {"code_perplexity": all_at(1.0)}, words="never the"),
    FalseOnce(
        "counted pairs are a network",
        "price-tokens",
        0,
        {"score": all_at(-0.1), "score_low": all_at(-0.2), "score_high": all_at(-0.05)},
        words="the network sees",
    ),
    FalseOnce(
        "rings that were never told apart are kept by the plane",
        "continuous-depth",
        0,
        {"test_accuracy": all_at(0.42)},
        words="could still",
        kinds=("learned",),
    ),
    FalseOnce(
        "1.0 times the error of predicting zero is worse",
        "ode-rnn",
        0,
        {"long_gap_error": all_at(1.02), "zero_error_by_seed": all_at(1.0), "zero_error": all_at(1.0)},
        kinds=("extrapolation_poor",),
    ),
    FalseOnce(
        "a rate that overwrites the weights wants more steps",
        "char-gpt",
        0,
        {"update_to_data": all_at(1.2), "dev_loss": all_at(3.4)},
        advice="three times as long",
    ),
    FalseOnce(
        "more of the same may not help, and is advised",
        "bert-pretraining",
        0,
        {"loss": all_at(5.4), "unseen_masked_loss": all_at(5.4), "unigram_loss": all_at(5.4)},
        advice="three times as long",
    ),
    FalseOnce(
        "an error below the best that there is",
        "continuous-depth",
        6,
        {"test_loss": all_at(0.3), "refined_test_loss": all_at(0.3)},
        words="the order is 1/3",
    ),
    FalseOnce(
        "a market's nature keeps a network that hardly trained from learning",
        "ode-rnn",
        5,
        {"error": all_at(1.02), "zero_error_by_seed": all_at(1.0), "zero_error": all_at(1.0)},
        words="nature",
        settings={"steps": 37, "learning_rate": 0.037},
    ),
    FalseOnce(
        "a network that learned to remember has a gradient to mend",
        "recurrent-gradients",
        0,
        {"loss": all_at(0.01), "memoryless_loss": all_at(1.0), "log_jacobian_norm": all_at(3.0)},
        words="explodes",
        kinds=("learned_nothing",),
    ),
    FalseOnce(
        "a coin is wrong on some inputs",
        "adaptive-computation",
        0,
        {"accuracy": all_at(0.53)},
        words="on some inputs",
    ),
    FalseOnce(
        "a steady loss beside an infinite seed",
        "ode-rnn",
        0,
        {
            "error": lambda values: values * 0 + np.array([0.5, 1.2, np.inf]),
            "zero_error_by_seed": all_at(1.0),
            "zero_error": all_at(1.0),
        },
        words="50 % of the error of predicting zero",
    ),
)


@pytest.mark.parametrize("one", SAID, ids=lambda one: one.of)
def test_what_was_false_is_not_said(one):
    lab = laboratories()[one.lab]
    preset = lab.declared.presets[one.preset]
    run, settings = light(lab, preset.slug), lab.declared.preset(preset.slug).changed(**one.settings)
    if one.epochs:
        run = run.isel(epoch=slice(one.epochs))
    arrays = {name: (run[name].dims, change(run[name].values)) for name, change in one.arrays.items() if name in run}
    assert arrays
    run = run.assign(arrays).assign_attrs(**({"status": one.status} if one.status else {}))
    with np.errstate(all="ignore"):
        cards = lab.findings(settings, run)
    assert cards
    assert not {card.kind for card in cards} & {*one.kinds}
    said = " | ".join(text for card in cards for text in (card.title, card.number, card.threshold, card.explanation))
    assert not one.words or one.words not in said
    assert not one.advice or one.advice not in " | ".join(card.advice for card in cards)


def untrue_kinds():
    return [(one, kind) for one in SAID for kind in one.kinds if kind not in OF_ANY_SEED and not one.epochs]


@pytest.mark.parametrize(("one", "kind"), untrue_kinds(), ids=lambda part: getattr(part, "of", part))
def test_its_predicate_would_have_found_it(one, kind):
    lab = laboratories()[one.lab]
    preset = lab.declared.presets[one.preset]
    run, settings = light(lab, preset.slug), lab.declared.preset(preset.slug)
    arrays = {name: (run[name].dims, change(run[name].values)) for name, change in one.arrays.items() if name in run}
    run = run.assign(arrays)
    for network in networks(run):
        told = Told(run, settings, network, by_kind(lab.declared.variables))
        assert not most(TRUE_WHERE[lab.name][kind](told))
