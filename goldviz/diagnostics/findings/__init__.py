"""What recorded numbers say about a network, as findings that name their number and their threshold.

Works on labelled arrays alone, so a page can ask for findings without loading torch. A laboratory reads its networks
off the dataset, writes its rules (:mod:`~goldviz.diagnostics.findings.rule` is the guide) and concludes.
"""

from goldviz.diagnostics.findings.advice import (
    Candidate,
    Check,
    DividedBy,
    IfZero,
    LoweredTo,
    Mend,
    RaisedTo,
    Remedy,
    Scaled,
    Times,
    remedies,
)
from goldviz.diagnostics.findings.conclude import Conclusions, conclude
from goldviz.diagnostics.findings.finding import Finding, Floats, Verdicts, any_seed, majority
from goldviz.diagnostics.findings.line import Line, above, at_least, at_most, below, where
from goldviz.diagnostics.findings.measures import diverged, median, ratio, rising, typical_updates
from goldviz.diagnostics.findings.recorded import NetworkReading, networks
from goldviz.diagnostics.findings.rule import Case, Rule
from goldviz.diagnostics.findings.training import SATURATED, steps_too_long, steps_too_short, training_diverged
from goldviz.diagnostics.findings.words import part, percent, times

__all__ = [
    "SATURATED",
    "Candidate",
    "Case",
    "Check",
    "Conclusions",
    "DividedBy",
    "Finding",
    "Floats",
    "IfZero",
    "Line",
    "LoweredTo",
    "Mend",
    "NetworkReading",
    "RaisedTo",
    "Remedy",
    "Rule",
    "Scaled",
    "Times",
    "Verdicts",
    "above",
    "any_seed",
    "at_least",
    "at_most",
    "below",
    "conclude",
    "diverged",
    "majority",
    "median",
    "networks",
    "part",
    "percent",
    "ratio",
    "remedies",
    "rising",
    "steps_too_long",
    "steps_too_short",
    "times",
    "training_diverged",
    "typical_updates",
    "where",
]
