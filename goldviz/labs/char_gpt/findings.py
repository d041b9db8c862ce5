"""What a run of *Character GPT* says, in order and without contradiction.

A network that diverged or that sees what it should guess gets no other verdict; one whose steps are too long is not
told that they are too short.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Case, Conclusions, LoweredTo, RaisedTo, Rule, Times, median
from goldviz.diagnostics.findings.advice import FASTER, SLOWER, Candidate, Check
from goldviz.diagnostics.findings.line import above, below
from goldviz.diagnostics.findings.training import (
    steps_too_long,
    steps_too_short,
    training_diverged,
    what_long_steps_do,
)
from goldviz.labs.char_gpt.readings import Reading

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.char_gpt.settings import CharGpt

BETTER = 0.05
AHEAD = 0.5
BY_HEART = 0.3
EVEN = 0.985

MASKED = Check("Hide later tokens from every place.", {"masked": True})
LONGER: Candidate = ("Train three times as long.", {"steps": Times(3)})
WARMER: Candidate = ("Warm up over a tenth of the steps.", {"warm_up": RaisedTo(0.1)})
RESIDUAL: Candidate = ("Add each branch to its input.", {"residual": True})
NORMS: Candidate = ("Put layer norms before the branches.", {"layer_norm": True})
DROPPED: Candidate = ("Drop a fifth of every branch's output.", {"dropout": RaisedTo(0.2)})
SHORTER_STEPS: Candidate = ("Take a tenth of the steps.", {"steps": Times(0.1)})
NARROWER: Candidate = ("Take a network of half the width.", {"width": Times(0.5)})
CLIPPING: Candidate = ("Clip gradients at a norm of 1.", {"clip": LoweredTo(1.0)})


def _why_long(case: Case) -> str:
    return f"{what_long_steps_do(case, 'the weights')} About a thousandth is the usual advice (document 002, 1.3.3)."


def _why_by_heart(case: Case) -> str:
    climbed = median(case.readings[0].lost)
    words = f" The dev loss has climbed by {climbed:.2f} nat from its lowest." if climbed > 0.02 else ""
    return f"The network knows the text that it learned from better than the rest.{words}"


RULES = (
    training_diverged(
        where_it_did="in {subject}",
        explanation="A step that is too long makes the next gradient larger still.",
        advice=[SLOWER, WARMER, CLIPPING],
    ),
    Rule(
        kind="sees_ahead",
        severity="bad",
        title="{Subject} see{s|} the token that it should guess",
        line=above("ahead", AHEAD, "a last place {at:.1f} nat above the others"),
        number="{ahead:.2f} nat above the others",
        explanation="The last place in the block has no later token to look at, and guesses much worse than those that "
        "have. Whoever writes has none either, so the low loss is of no use (document 002, 3.3).",
        advice=[MASKED],
        silenced_by=("diverged",),
    ),
    Rule(
        kind="by_heart",
        severity="bad",
        title="{Subject} learn{s|} the text by heart",
        line=above("gap", BY_HEART, "a dev loss {at:.1f} nat above the training loss"),
        number="{gap:.2f} nat above the training loss",
        explanation=_why_by_heart,
        advice=[DROPPED, SHORTER_STEPS, NARROWER],
        silenced_by=("diverged", "sees_ahead"),
    ),
    steps_too_long(
        title="The learning rate is too large for {subject}",
        explanation=_why_long,
        advice=[SLOWER, WARMER],
        silenced_by=("diverged", "by_heart"),
    ),
    Rule(
        kind="even_attention",
        severity="warning",
        title="{Subject} look{s|} everywhere alike",
        line=above("evenness", EVEN, "attention with {at:.1%} of the entropy of an even one"),
        number="{evenness:.1%} of the entropy of an even one",
        explanation="The heads have not found anything to look at, so a place knows of earlier ones only their mean.",
        advice=[RESIDUAL, NORMS, FASTER, LONGER],
        silenced_by=("diverged",),
        at_end=True,
    ),
    steps_too_short(
        title="The learning rate is too small for {subject}",
        explanation="Your steps change the weights so little that training would take many thousands of them.",
        advice=[FASTER],
        silenced_by=("diverged", "by_heart", "learning_rate_too_large"),
    ),
    Rule(
        kind="no_better_than_pairs",
        severity="warning",
        title="{Subject} guess{es|} no better than counted pairs",
        line=below("over_pairs", BETTER, "a dev loss {at:.2f} nat below that of counted pairs"),
        number=lambda n: f"{median(n.dev):.3f} nat against {median(n.pairs):.3f}",
        explanation="Counting which token follows which needs no training at all (document 002, 1.1). A network that "
        "sees more should guess better.",
        advice=[LONGER, SLOWER, FASTER, RESIDUAL, NORMS],
        silenced_by=("diverged", "by_heart"),
        at_end=True,
    ),
    Rule(
        kind="beats_pairs",
        severity="good",
        title="{Subject} guess{es|} better than counted pairs",
        line=above("over_pairs", BETTER, "a dev loss {at:.2f} nat below that of counted pairs"),
        number=lambda n: f"{median(n.dev):.3f} nat against {median(n.pairs):.3f}",
        explanation="What stands before the last token helps, and attention has found it (document 002, 3.3).",
        silenced_by=("diverged", "by_heart", "sees_ahead"),
    ),
    Rule(
        kind="beats_gzip",
        severity="good",
        title="{Subject} need{s|} fewer bits than gzip",
        line=below("excess_bits", 0.0, "fewer bits a byte than gzip"),
        number=lambda n: f"{median(n.bits):.2f} bits a byte against {median(n.gzip):.2f}",
        explanation="Gzip repeats what it saw in the last 32,768 bytes. A network that beats it has learned more than "
        "repeats.",
        silenced_by=("diverged", "by_heart", "sees_ahead"),
    ),
)
"""In the order in which they are judged."""


def readings(settings: CharGpt, dataset: xr.Dataset) -> list[Reading]:
    """The network of a run, as rules read it."""
    names = dataset["network"].values if "network" in dataset.coords else ()
    return [Reading.of(dataset, str(name)) for name in names]


findings_of = Conclusions(RULES, readings)
