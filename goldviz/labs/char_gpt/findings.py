"""What a run of *Character GPT* says, in order and without contradiction.

A network that diverged or that sees what it should guess gets no other verdict; one whose steps are too long is not
told to take longer ones.
"""

from __future__ import annotations

from goldviz.diagnostics.findings import Case, Conclusions, LoweredTo, RaisedTo, Rule, Times
from goldviz.diagnostics.findings.advice import FASTER, LONGER, SLOWER, Candidate, Mend
from goldviz.diagnostics.findings.language_model import (
    PAST_PAIRS,
    beats_pairs,
    guesses_overshoot,
    guesses_too_slowly,
    learned_by_heart,
    no_better_than_pairs,
)
from goldviz.diagnostics.findings.line import above, below
from goldviz.diagnostics.findings.training import training_diverged
from goldviz.labs.char_gpt.measures import Reading

AHEAD = 0.5
EVEN = 0.985

MASKED = Mend("Hide later tokens from every place.", {"masked": True})
WARMER: Candidate = ("Warm up over a tenth of the steps.", {"warm_up": RaisedTo(0.1)})
RESIDUAL: Candidate = ("Add each branch to its input.", {"residual": True})
NORMS: Candidate = ("Put layer norms before the branches.", {"layer_norm": True})
DROPPED: Candidate = ("Drop a fifth of every branch's output.", {"dropout": RaisedTo(0.2)})
SHORTER_STEPS: Candidate = ("Take a tenth of the steps.", {"steps": Times(0.1)})
NARROWER: Candidate = ("Take a network of half the width.", {"width": Times(0.5)})
CLIPPING: Candidate = ("Clip gradients at a norm of 1.", {"clip": LoweredTo(1.0)})


def _to_beat_pairs(case: Case) -> list[Candidate]:
    """More steps help nearly every network that has a way round its branches, and one in nine that has none."""
    faster = [] if case.also("learning_rate_too_large") else [FASTER]
    longer = [LONGER] if case.settings.residual or case.settings.layers == 1 else []
    return [*longer, SLOWER, *faster, RESIDUAL, NORMS]


RULES = (
    training_diverged(where_it_did="in {subject}", advice=[SLOWER, WARMER, CLIPPING]),
    Rule(
        "sees_ahead",
        "bad",
        "{Subject} see{s|} the token that it should guess",
        line=above("ahead", AHEAD, "a last place {at:.1f} nat above the others"),
        number="{ahead:.2f} nat above the others",
        explanation="The last place has no later token to see (document 002, 3.3).",
        advice=[MASKED],
        only=lambda n, settings: not settings.masked,
        alone=True,
    ),
    learned_by_heart(
        "the text",
        [DROPPED, SHORTER_STEPS, NARROWER],
    ),
    guesses_overshoot([SLOWER, WARMER]),
    Rule(
        "even_attention",
        "warning",
        "{Subject} attend{s|} to everything alike",
        line=above("evenness", EVEN, "attention with {at:.1%} of the largest possible entropy"),
        of_training=True,
        number="{evenness:.1%} of the largest possible entropy",
        explanation=lambda case: (
            f"Each token gets about the average of {'the earlier ones' if case.settings.masked else 'all'}."
        ),
        advice=[RESIDUAL, NORMS, FASTER, LONGER],
        silenced_by=("learning_rate_too_large",),
        at_end=True,
    ),
    guesses_too_slowly([FASTER]),
    no_better_than_pairs(
        "Counting which token follows which needs no training at all (document 002, 1.1).",
        advice=_to_beat_pairs,
    ),
    beats_pairs(
        explanation="Counted pairs see one token (document 002, 3.3).",
        silenced_by=("by_heart",),
    ),
    Rule(
        "beats_gzip",
        "good",
        "{Subject} need{s|} fewer bits than gzip",
        line=below("excess_bits", 0.0, "fewer bits a byte than gzip"),
        number="{bits:.2f} bits a byte against {gzip:.2f}",
        explanation="Gzip mostly copies what it saw in the last 32,768 bytes.",
        silenced_by=("by_heart",),
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, Reading.of_all, learned=PAST_PAIRS)
