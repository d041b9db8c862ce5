"""What a run says about its model of characters, in order and without contradiction.

A model that diverged gets no other verdict. One that learns names by heart is not told to train for longer, and one
whose steps are too long is not told that they are too short.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import (
    Case,
    Conclusions,
    DividedBy,
    LoweredTo,
    RaisedTo,
    Rule,
    Times,
    median,
    percent,
)
from goldviz.diagnostics.findings.advice import FASTER, LONGER, SLOWER, Candidate, Mend
from goldviz.diagnostics.findings.language_model import (
    BETTER,
    PAST_PAIRS,
    beats_pairs,
    guesses_overshoot,
    guesses_too_slowly,
    learned_by_heart,
    no_better_than_pairs,
)
from goldviz.diagnostics.findings.line import above, below, where
from goldviz.diagnostics.findings.training import saturated, training_diverged, units_dead
from goldviz.labs.char_language_model.measures import Reading
from goldviz.labs.char_language_model.settings import LAYERED, TANH
from goldviz.labs.char_language_model.sizes import WITHOUT_LAYERS

if TYPE_CHECKING:
    from goldviz.labs.char_language_model.settings import CharLanguageModel

TOO_SURE = 0.5
"""Nats by which a first loss may be above ln V: batches scatter by 0.1 to 0.2."""
NOISY = 0.4
STALE = 0.05
DEAD = 0.1

QUIET: Candidate = ("Draw the output's weights a hundred times smaller than N(0, 1).", {"output_gain": LoweredTo(0.01)})
KAIMING: Candidate = (
    "Draw hidden weights as Kaiming does, with 5/3.",
    {"initialisation": "kaiming", "gain": 1.667},
)
SHORTER: Candidate = ("Train a third as long.", {"steps": DividedBy(3)})
PULLED: Candidate = ("Pull weights towards 0 with a penalty of 0.003.", {"weight_decay": RaisedTo(0.003)})
NARROWER: Candidate = ("Take an eighth of the hidden units.", {"hidden": DividedBy(8)})
LARGER_BATCH: Candidate = ("Take eight times the contexts in a step.", {"batch": Times(8)})
PROMPT: Candidate = ("Take a tenth of every batch's statistics.", {"momentum": RaisedTo(0.1)})
RIGHT_AXIS = Mend("Normalise over samples and places.", {"normalisation": "batch"})
SMOOTHED: Candidate = ("Put one fake count into every cell.", {"smoothing": 1.0})


def normalised(settings: CharLanguageModel) -> Candidate:
    """Batch norm, where the model can have it."""
    return (
        "Normalise the sums of every hidden layer.",
        {"normalisation": "batch"} if settings.model in LAYERED else {},
    )


def _why_flat(case: Case) -> str:
    began = median(case.readings[0].saturation_at_first)
    return f"At the start it was {percent(began)} (document 002, 1.3.2)." if math.isfinite(began) else ""


def _has_layers(n: Reading, settings: CharLanguageModel) -> bool:
    return settings.model not in WITHOUT_LAYERS


def _takes_steps(n: Reading, settings: CharLanguageModel) -> bool:
    return settings.model != "bigram"


RULES = (
    training_diverged(where_it_did="in {subject}", advice=[SLOWER]),
    Rule(
        "impossible_pair",
        "bad",
        "{Subject} hold{s|} something possible for impossible",
        line=where("impossible", "an infinite dev loss"),
        number="an infinite loss",
        explanation="A pair that the training text never has gets the probability 0 (document 002, 1.1).",
        advice=[SMOOTHED],
    ),
    Rule(
        "wrong_axis",
        "bad",
        "Batch norm goes over the wrong axis in {subject}",
        line=below("kept", 1.0, "a running mean for each channel"),
        number="a layer keeps {means:.0f} running means for {settings.hidden} channels",
        explanation="Each place is normalised over all channels, not each channel (document 002, 1.5).",
        advice=[RIGHT_AXIS],
    ),
    learned_by_heart(
        "names",
        [SHORTER, PULLED, NARROWER],
        silenced_by=("impossible_pair",),
    ),
    Rule(
        "first_loss",
        "bad",
        "{Subject} start{s|} sure of what {it does|they do} not know",
        line=above("excess", TOO_SURE, "a first loss {at:.1f} nat above guessing all alike"),
        number="a first loss of {began:.1f} nat",
        explanation="Guessing all alike would be {uniform:.3f} nat (document 002, 1.3.2).",
        advice=[QUIET],
    ),
    guesses_overshoot(only=_takes_steps),
    saturated(
        title="{saturation:Quantity} hidden values of {subject} are saturated",
        of=", mean over the hidden layers at the last look",
        of_what="the hidden values",
        explanation=_why_flat,
        advice=[KAIMING, normalised],
        only=lambda n, settings: settings.model in TANH,
        silenced_by=("by_heart",),
        of_training=False,  # By a poor start a model guesses worse than it could, past counted pairs, too.
    ),
    units_dead(
        DEAD,
        title="{dead:Quantity} hidden units of {subject} are dead",
        of=" of the units flat for all contexts that are looked at",
        explanation="A unit that is flat for every context gets no gradient (document 002, 1.3.2).",
        advice=[KAIMING, normalised],
        only=lambda n, settings: settings.model in TANH,
        of_training=False,
    ),
    Rule(
        "stale_statistics",
        "warning",
        "Running statistics lag behind {subject}",
        line=above("lag", STALE, "{at:.2f} nat worse than with the text's own statistics"),
        number="{lag:.2f} nat",
        explanation="Each step renews only the share {settings.momentum:g} of them (document 002, 1.3.2).",
        advice=[PROMPT, LONGER],
    ),
    Rule(
        "batch_too_small",
        "warning",
        "The steps of {subject} follow single contexts",
        line=above("noise", NOISY, "step losses that scatter by {at:.1f} nat"),
        number="a scatter of {noise:.2f} nat",
        explanation="The mean of n contexts scatters as 1/√n (document 002, 1.3.3).",
        advice=[LARGER_BATCH],
        only=_takes_steps,
        silenced_by=("learning_rate_too_large",),
    ),
    guesses_too_slowly([FASTER], only=_takes_steps),
    no_better_than_pairs(
        "Counting which character follows which needs no training at all (document 002, 1.1).",
        advice=[LONGER, FASTER],
        only=_has_layers,
    ),
    beats_pairs(
        explanation="What stands before the last character helps (document 002, 1.3).",
        only=_has_layers,
        silenced_by=("by_heart",),
    ),
    Rule(
        "beats_letters",
        "good",
        "{Subject} guess{es|} better than single characters",
        line=above("over_letters", BETTER, "a dev loss {at:.2f} nat below that of single characters"),
        number="{dev:.3f} nat against {letters:.3f}",
        only=lambda n, settings: settings.model in WITHOUT_LAYERS,
        silenced_by=("impossible_pair",),
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, Reading.of_all, learned=PAST_PAIRS)
