"""A laboratory for small neural networks: train one and look inside it while it learns.

>>> import goldviz
>>> "depth-gradients" in goldviz.experiments()
True
"""

from goldviz import runs
from goldviz.api import (
    claims,
    compute,
    doubts,
    examine,
    experiments,
    figure,
    findings,
    load,
    market,
    measures,
    report,
    run,
    text_model,
    trial,
    watch,
)

__all__ = [
    "claims",
    "compute",
    "doubts",
    "examine",
    "experiments",
    "figure",
    "findings",
    "load",
    "market",
    "measures",
    "report",
    "run",
    "runs",
    "text_model",
    "trial",
    "watch",
]
