"""What a run of *Transformer for series* says, in order and without contradiction.

No card gives advice: every remedy would have to be tried on five seeds of every preset, which takes hours here.
"""

from __future__ import annotations

from goldviz.diagnostics.findings import Conclusions, Rule, percent, training
from goldviz.diagnostics.findings.line import above, below, where
from goldviz.diagnostics.forecasts.columns_ahead import COLUMN_AHEAD
from goldviz.labs.series_attention.measures import CLEARLY, HIGHER, Reading

AHEAD_OF_SIMPLE = below("over_simple", CLEARLY, "{at:percent} of the best one's error")

RULES = (
    training.training_diverged(where_it_did="in {subject}"),
    training.units_dead(
        title="{dead:Quantity} units are dead in {subject}",
        of=", mean over the blocks at the last look",
    ),
    COLUMN_AHEAD,
    Rule(
        "worse_than_simple",
        "warning",
        "{Subject} err{s|} more than the best simple rule",
        line=above("over_simple", HIGHER, "{at:percent} of that rule's error"),
        number="{over_simple:.2f} times its error",
        explanation="That rule takes no training by gradients.",
        at_end=True,
    ),
    Rule(
        "beats_simple",
        "good",
        "{Subject} err{s|} clearly less than every simple rule",
        line=AHEAD_OF_SIMPLE,
        number="{over_simple:percent} of the best one's error",
        explanation="Repeating, a season, a linear map and AR forecast the same rows.",
        silenced_by=("column_ahead",),
        at_end=True,
    ),
    Rule(
        "about_as_simple",
        "warning",
        "{Subject} err{s|} about as much as the best simple rule",
        line=where("about_as_simple", f"{{at:percent}} to {percent(HIGHER)} of its error", at=CLEARLY),
        number="{over_simple:percent} of its error",
        at_end=True,
    ),
    Rule(
        "flow_ahead",
        "good",
        "{Subject} err{s|} clearly less than the Transformer",
        line=below("beside_transformer", CLEARLY, "{at:percent} of its error"),
        number="{beside_transformer:percent} of its error",
        silenced_by=("column_ahead",),
        at_end=True,
    ),
    Rule(
        "flow_behind",
        "warning",
        "{Subject} err{s|} more than the Transformer",
        line=above("beside_transformer", HIGHER, "{at:percent} of its error"),
        number="{beside_transformer:.2f} times its error",
        at_end=True,
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, Reading.of_all, learned=AHEAD_OF_SIMPLE)
