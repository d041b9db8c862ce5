"""A laboratory for small neural networks: train one and look inside it while it learns.

>>> import goldviz
>>> "depth-gradients" in goldviz.experiments()
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goldviz import experiments, figures, runs
    from goldviz.api import (
        claims,
        compute,
        documents,
        doubts,
        examine,
        figure,
        findings,
        labelled_texts,
        load,
        market,
        measures,
        report,
        run,
        text_model,
        trial,
        watch,
    )
    from goldviz.diagnostics.noise import difference
    from goldviz.sweeps.figure import phase_diagram
    from goldviz.sweeps.sweep import cell, sweep

__all__ = [
    "cell",
    "claims",
    "compute",
    "difference",
    "documents",
    "doubts",
    "examine",
    "experiments",
    "figure",
    "figures",
    "findings",
    "labelled_texts",
    "load",
    "market",
    "measures",
    "phase_diagram",
    "report",
    "run",
    "runs",
    "sweep",
    "text_model",
    "trial",
    "watch",
]
_MODULES = ("experiments", "figures", "runs")
_ELSEWHERE = {
    "cell": "sweeps.sweep",
    "difference": "diagnostics.noise",
    "phase_diagram": "sweeps.figure",
    "sweep": "sweeps.sweep",
}
"""Public names that do not stand in the module ``api``."""


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first asked for: a shell's ``--help`` waits for none of them."""
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in __all__:
        value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_ELSEWHERE.get(name, 'api')}"), name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
