"""Rules on the steps of pre-training, and on the gradient's way down through the blocks.

Document 001, section 3; document 002, section 3.7.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from goldviz.diagnostics.findings import (
    Candidate,
    Case,
    Rule,
    above,
    majority,
    median,
    steps_too_long,
    steps_too_short,
    times,
    training_diverged,
    where,
)
from goldviz.diagnostics.findings.advice import CLIPPED as CLIP
from goldviz.diagnostics.findings.advice import DividedBy, IfZero, LoweredTo, RaisedTo, Scaled, Times
from goldviz.diagnostics.findings.training import LARGEST_UPDATE, SMALLEST_UPDATE, clipped_at_every_step
from goldviz.diagnostics.findings.words import share_of
from goldviz.labs.bert_pretraining.measures import LONGEST_UPDATE, PretrainingReading

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining


SLOWER = ("Take a tenth of the learning rate.", {"learning_rate": Scaled(0.1)})
FASTER = ("Take ten times the learning rate.", {"learning_rate": Scaled(10)})
LONG_WARM_UP = ("Warm up for a fifth of the steps.", {"warm_up": RaisedTo(0.2)})
WARM_AND_CLIPPED: dict[str, Any] = {"warm_up": RaisedTo(0.1), "clip": IfZero(1.0)}


def has_read(n: PretrainingReading, settings: BertPretraining) -> bool:
    """Whether there is a phase 1, and it has ended."""
    return n.last >= settings.pretraining_steps > 0


def usual(name: str, settings: BertPretraining) -> Any:
    """A setting as it is by default."""
    return type(settings).model_fields[name].default


def adamw(settings: BertPretraining) -> Candidate:
    """The usual optimiser with its usual rate: rates of other optimisers mean other steps."""
    changes = {"optimiser": "adamw", "learning_rate": usual("learning_rate", settings)}
    return "Let AdamW set the size of each step, at its usual rate.", {} if settings.optimiser == "adamw" else changes


def down_to_usual(settings: BertPretraining) -> Candidate:
    """The usual rate for one above it, with the care that first steps need."""
    rate = LoweredTo(usual("learning_rate", settings))
    changes = {"learning_rate": rate, **WARM_AND_CLIPPED} if settings.learning_rate > rate.most else {}
    return "Take the usual learning rate of {learning_rate:g}, with warm-up and clipping.", changes


def fewer_blocks(settings: BertPretraining) -> Candidate:
    """Half as many blocks, where their number is not that of the model that training starts from."""
    changes = {} if "layers" in settings.without_effect() else {"layers": DividedBy(2)}
    return "Take half as many blocks.", changes


def longer(case: Case) -> list[Candidate]:
    """More of the same steps, where they are neither too long nor spent on texts that it knows by heart."""
    hopeless = any(case.crossed.get(kind) for kind in ("learning_rate_too_large", "words_by_heart"))
    return [] if hopeless else [("Pre-train three times as long.", {"pretraining_steps": Times(3)})]


def _steps_were_long(n: PretrainingReading, settings: BertPretraining) -> bool:
    return len(n.word_losses) > 0 and not majority(n.update < SMALLEST_UPDATE)


def _how_long(n: PretrainingReading) -> str:
    longest = f"a single step of {share_of(median(n.longest_update))} the weights' spread"
    words = [f"update-to-data ratio {times(median(n.update))}"] if majority(n.update > LARGEST_UPDATE) else []
    words += [longest] if majority(n.overwrote) else []
    return ", ".join([*words, *(["the loss rises"] if majority(n.rising) else [])]) or "over the line"


def _calmer(case: Case) -> list[Candidate]:
    """A longer warm-up helped 1 of 5 seeds that go on from a model, and a third of the rate none."""
    clip: Candidate = ("Clip the gradient at 1.", {"clip": IfZero(1.0)})
    slower: Candidate = ("Take a third of the learning rate.", {"learning_rate": Scaled(1 / 3)})
    return [clip, LONG_WARM_UP, slower] if case.settings.start == "random" else [clip]


def _what_long_steps_do(case: Case) -> str:
    n = case.reading
    if majority(n.update > LARGEST_UPDATE):
        return "Each of your steps overwrites a good part of the weights."
    if majority(n.overwrote):
        return "One of the steps that were looked at replaced the weights that it found."
    return "The loss ends above its start, though no step that was looked at was long by itself."


def _at_any_look(rule: Rule) -> Rule:
    """The rule on steps that are too long, for single ones as well."""
    overwrote = where("overwrote", "a ratio of {at} or more at any look", at=LONGEST_UPDATE)
    return replace(rule, severity="bad", number=_how_long, line=rule.line_for(None) | overwrote)


UNSOUND = (
    training_diverged(
        number="a recorded value that is no finite number",
        advice=[
            (
                "Take a tenth of the learning rate, and cap the gradient's norm.",
                {"learning_rate": Scaled(0.1), "clip": IfZero(1.0)},
            ),
            ("Warm up for a tenth of the steps.", {"warm_up": RaisedTo(0.1)}),
        ],
    ),
    Rule(
        "exploding",
        "bad",
        "The gradient explodes",
        line=above("largest_norm", 1000, "a norm above {at} at any step"),
        of_training=True,
        number="a gradient of norm {largest_norm:times}",
        explanation="Nothing caps it here.",
        advice=[CLIP, SLOWER],
        only=lambda n, settings: not settings.clip,
    ),
    _at_any_look(
        steps_too_long(
            title="The learning rate of pre-training is too large",
            explanation=_what_long_steps_do,
            advice=[
                down_to_usual,
                SLOWER,
                ("Warm up for at least a tenth of the steps, and clip the gradient.", WARM_AND_CLIPPED),
            ],
            only=_steps_were_long,
        )
    ),
    Rule(
        "vanishing",
        "bad",
        "The gradient vanishes on its way to the first block",
        line=above("fading", 100, "{at} times, median over the steps"),
        of_training=True,
        number="{fading:times} times shorter than in the last block",
        explanation="It loses {fading_a_block:times} times in every block (document 001, section 4.1.2).",
        advice=[down_to_usual, LONG_WARM_UP, fewer_blocks],
        silenced_by=("exploding", "learning_rate_too_large"),
    ),
)

UNEVEN = (
    Rule(
        "loss_spike",
        "warning",
        "The loss jumped on the way",
        line=above("spike", 1.3, "{at} times, each a mean of {window} steps"),
        of_training=True,
        number="{spike:.2f} times the lowest before it",
        advice=_calmer,
        silenced_by=("learning_rate_too_large",),
    ),
    replace(
        steps_too_short(
            title="The learning rate of pre-training is too small",
            advice=[FASTER, adamw],
            silenced_by=("learning_rate_too_large", "loss_spike", "exploding"),
        ),
        only=lambda n, settings: has_read(n, settings) and not n.rising.any(),
    ),
)

# Adam divides by the gradient's usual size, and hardly minds.
CLIPPED = clipped_at_every_step(
    "the steps on masked words",
    title="{clipped:Every} step is clipped",
    explanation="All gradients then have one length, and the clip value works as your learning rate.",
    advice=[adamw, ("Clip at ten times the norm.", {"clip": Times(10)})],
    only=lambda n, settings: settings.optimiser == "sgd",
)
