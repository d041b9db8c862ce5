"""What recorded numbers say about a network, as findings that name their number and their threshold.

Works on labelled arrays alone, so a page can ask for findings without loading torch. A laboratory reads its networks
off the dataset, writes its rules (:mod:`~goldviz.diagnostics.findings.rule` is the guide) and concludes.
"""

from goldviz.diagnostics.findings.advice import (
    CLIPPED,
    FASTER,
    SLOWER,
    SLOWER_AND_CLIPPED,
    Candidate,
    DividedBy,
    IfZero,
    LoweredTo,
    RaisedTo,
    Scaled,
    Times,
    remedy,
)
from goldviz.diagnostics.findings.conclude import conclude
from goldviz.diagnostics.findings.finding import (
    Finding,
    Floats,
    Severity,
    Verdict,
    Verdicts,
    agreement,
    any_seed,
    majority,
    number,
    sentence_subject,
    subject,
)
from goldviz.diagnostics.findings.line import Line, above, at_least, at_most, below, where
from goldviz.diagnostics.findings.measures import (
    RISING,
    diverged,
    largest,
    mean,
    median,
    ratio,
    rising,
    typical_update,
    typical_updates,
)
from goldviz.diagnostics.findings.recorded import Recorded
from goldviz.diagnostics.findings.rule import Case, Rule
from goldviz.diagnostics.findings.training import (
    LARGEST_UPDATE,
    SATURATED,
    SMALLEST_UPDATE,
    USELESS,
    steps_too_long,
    steps_too_short,
    training_diverged,
)
from goldviz.diagnostics.findings.words import part, percent, power, times

__all__ = [
    "CLIPPED", "FASTER", "LARGEST_UPDATE", "RISING", "SATURATED", "SLOWER", "SLOWER_AND_CLIPPED",
    "SMALLEST_UPDATE", "USELESS", "Candidate", "Case", "DividedBy", "Finding", "Floats", "IfZero", "Line",
    "LoweredTo", "RaisedTo", "Recorded", "Rule", "Scaled", "Severity", "Times", "Verdict", "Verdicts", "above",
    "agreement", "any_seed", "at_least", "at_most", "below", "conclude", "diverged", "largest", "majority",
    "mean", "median", "number", "part", "percent", "power", "ratio", "remedy", "rising", "sentence_subject",
    "steps_too_long", "steps_too_short", "subject", "times", "training_diverged", "typical_update",
    "typical_updates", "where",
]  # fmt: skip
