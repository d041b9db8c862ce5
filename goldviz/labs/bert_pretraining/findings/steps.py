"""Rules on the steps of pre-training, and on the gradient's way down through the blocks.

Document 001, section 3; document 002, section 3.7.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from goldviz.diagnostics.findings import Rule, above, majority, steps_too_long, steps_too_short, training_diverged
from goldviz.diagnostics.findings.advice import CLIPPED as CLIP
from goldviz.diagnostics.findings.advice import DividedBy, IfZero, RaisedTo, Scaled, Times
from goldviz.labs.bert_pretraining.readings import PretrainingReading

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining

STILL_FALLING = 0.8
"""An unseen loss below this share of word frequencies' loss needs no larger steps."""

ADAMW = ("Let AdamW set the size of each step.", {"optimiser": "adamw"})
SLOWER = ("Take a tenth of the learning rate.", {"learning_rate": Scaled(0.1)})
PRETRAIN_LONGER = ("Pre-train three times as long.", {"pretraining_steps": Times(3)})
LONG_WARM_UP = ("Warm up for a fifth of the steps.", {"warm_up": RaisedTo(0.2)})


def has_read(n: PretrainingReading, settings: BertPretraining) -> bool:
    """Whether there is a phase 1, and it has ended."""
    return n.last >= settings.pretraining_steps > 0


def usual(name: str, settings: BertPretraining) -> Any:
    """A setting as it is by default."""
    return type(settings).model_fields[name].default


# fmt: off
UNSOUND = (
    replace(
        training_diverged(
            explanation="One step was so long that the next loss was no number any more. Warm-up keeps the first steps "
            "short, and clipping caps the longest gradient (document 002, section 3.7).",
            advice=[
                ("Take a tenth of the learning rate, and cap the gradient's norm.",
                    {"learning_rate": Scaled(0.1), "clip": IfZero(1.0)}),
                ("Warm up for a tenth of the steps.", {"warm_up": RaisedTo(0.1)}),
            ]),
        number="a recorded value that is no finite number", alone=True),
    Rule("exploding", "bad", "The gradient explodes",
        line=above("largest_norm", 1000, "a norm above {at} at any step"),
        number="a gradient of norm {largest_norm:times}",
        explanation="One such step undoes hundreds of others. Clipping keeps its direction and cuts its length "
        "(document 002, section 3.7).",
        advice=[CLIP, SLOWER]),
    replace(
        steps_too_long(
            title="The learning rate of pre-training is too large",
            explanation="Each of your steps overwrites a good part of the weights. Attention suffers first: long "
            "queries and keys make the softmax pick one piece for good, and its gradient dies (document 001, section "
            "4.1.2).",
            advice=[SLOWER, ("Warm up for a tenth of the steps, and clip at 1.", {"warm_up": 0.1, "clip": 1.0})],
            only=lambda n, settings: len(n.word_losses) > 0),
        severity="bad"),
    Rule("vanishing", "bad", "The gradient vanishes on its way to the first block",
        line=above("fading", 100, "{at} times, median over the steps"),
        number="{fading:times} times shorter than in the last block",
        explanation="Each block adds to what it was given, so that the gradient has a path past it; the layer norm "
        "after the sum shrinks that path a little in every block (document 001, section 4.1.2).",
        advice=[("Take half as many blocks.", {"layers": DividedBy(2)}), LONG_WARM_UP]),
)

UNEVEN = (
    Rule("loss_spike", "warning", "The loss jumped on the way",
        line=above("spike", 1.3, "{at} times, each a mean of {window} steps"),
        number="{spike:times} times the lowest before it",
        explanation="A few long steps threw the weights back. Clipping shortens the gradient of such a step, and a "
        "longer warm-up keeps the rate small while Adam's averages know little (document 002, section 3.7).",
        advice=[
            ("Clip the gradient at 1.", {"clip": IfZero(1.0)}),
            LONG_WARM_UP,
            ("Take a third of the learning rate.", {"learning_rate": Scaled(1 / 3)}),
        ],
        silenced_by=("learning_rate_too_large",)),
    replace(
        steps_too_short(
            title="The learning rate of pre-training is too small",
            explanation="Your steps change the weights so little that training would take many thousands of them.",
            advice=[("Take ten times the learning rate.", {"learning_rate": Scaled(10)}), ADAMW],
            silenced_by=("learning_rate_too_large",)),
        only=lambda n, settings: has_read(n, settings) and not majority(n.worth < STILL_FALLING)),
)

# Adam divides by the gradient's usual size, and hardly minds.
CLIPPED = Rule("clipping_every_step", "warning", "Nearly every step is clipped",
    line=above("clipped", 0.9, "{at:percent} of the steps"),
    number="{clipped:percent} of the steps on masked words",
    explanation="Clipping is a belt for rare long gradients. Cut at every step, all gradients have one length, and "
    "with SGD the clip value works as your learning rate.",
    advice=[ADAMW, ("Clip at ten times the norm.", {"clip": Times(10)})],
    only=lambda n, settings: settings.optimiser == "sgd")
# fmt: on
