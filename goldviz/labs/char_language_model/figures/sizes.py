"""How many numbers a table of counts and Bengio's network need, by the context and by the vocabulary."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading, legend_above_headings, log_axis
from goldviz.figures.plot import Plot
from goldviz.figures.theme import style_of
from goldviz.labs.char_language_model import sizes
from goldviz.labs.char_language_model.figures.quantities import figure
from goldviz.labs.char_language_model.settings import BENGIOS, CharLanguageModel
from goldviz.models.style import NetworkStyle

CONTEXTS = np.arange(1.0, 17)
VOCABULARIES = np.unique(np.geomspace(10, 100_000, 41).round())
WORDS = 17_000
"""The words of the document's vocabulary (002, 1.3)."""
ABOVE = 1e4
"""So many times the largest network stands the top of the axis: a table leaves it soon."""
TABLE = NetworkStyle("table of counts", style_of("bigram").colour, "dash", "circle")


def _settings(ds: Run) -> CharLanguageModel:
    return CharLanguageModel.checked_json(str(ds.attrs.get("settings", "")))


def _without_formula(ds: Run) -> str:
    if str(ds["network"].values[0]) not in BENGIOS:
        return "The formula is of Bengio's network: set Model to it."
    return "" if ds.sizes.get("symbol") else "The vocabulary is not known yet."


@figure(
    "How fast do table and network grow?",
    needs=("parameter_count",),
    instead=_without_formula,
    shows="Numbers to learn by characters read and by vocabulary (Bengio et al. 2003, section 2); ring: this run.",
)
def parameters(plot: Plot) -> Figure:
    """V^(n + 1) cells of a table against V (1 + m + h) + h (1 + n m) parameters, and n m V with direct connections.

    A table grows by a power of the vocabulary V and exponentially with the context n, the network by a line in both
    (document 002, 1.3.1).
    """
    settings, symbols = _settings(plot.ds), float(plot.ds.sizes["symbol"])
    bengios = {name: partial(_count, settings, name == "direct_mlp") for name in BENGIOS}
    panels = (
        (CONTEXTS, CONTEXTS, np.full_like(CONTEXTS, symbols), float(settings.context)),
        (VOCABULARIES, np.full_like(VOCABULARIES, settings.context), VOCABULARIES, symbols),
    )
    # Each panel has an axis of its own, with its title between the two.
    plot.figure = make_subplots(rows=2, cols=1, vertical_spacing=0.24)
    largest = 0.0
    for row, (x, context, vocabulary, own) in enumerate(panels, start=1):
        _add(plot, TABLE, x, sizes.cells(context, vocabulary), row)
        for name, count in bengios.items():
            values = count(context, vocabulary)
            largest = max(largest, float(values.max()))
            _add(plot, plot.look_of(name), x, values, row)
        _add_own(plot, own, row)
    plot.figure.update_yaxes(title_text="Cells, or parameters", **log_axis((2.0, float(np.log10(ABOVE * largest)))))
    plot.figure.update_xaxes(title_text="Characters read", range=(0.5, 16.5), tickvals=[1, 4, 8, 12, 16], row=1)
    ticks: dict[str, Any] = {
        "tickvals": [10, 100, 1000, WORDS, 100_000],
        "ticktext": ["10", "100", "1k", "17k", "100k"],
    }
    plot.figure.update_xaxes(title_text="Vocabulary", type="log", range=(1.0, 5.0), **ticks, row=2)
    for panel, words in enumerate((f"{symbols:.0f} symbols", f"{settings.context} characters read"), start=1):
        add_heading(plot.figure, panel, f"<b>{words}</b>", font={"size": 14})
    return legend_above_headings(plot.finish(height=560, hover="closest"))


def _count(settings: CharLanguageModel, direct: bool, context: Any, symbols: Any) -> Any:
    return sizes.parameters(context, symbols, settings.embedding, settings.hidden, direct=direct)


def _add(plot: Plot, style: NetworkStyle, x: Any, values: Any, row: int) -> None:
    plot.figure.scatter(
        x=x,
        y=values,
        mode="lines",
        name=style.label,
        legendgroup=style.label,
        showlegend=row == 1,
        line={"color": style.colour, "dash": style.dash, "width": 2.5},
        hovertemplate=f"%{{x:,}}: %{{y:,.3s}}<extra>{style.label}</extra>",
        row=row,
    )


def _add_own(plot: Plot, x: float, row: int) -> None:
    """A ring at what the run's network has."""
    count = int(plot.ds["parameter_count"].values[0])
    plot.figure.scatter(
        x=[x],
        y=[count],
        mode="markers",
        name="this run",
        showlegend=False,
        marker={"symbol": "circle-open", "size": 13, "color": plot.ink.text, "line": {"width": 2}},
        hovertemplate=f"this run: {count:,}<extra></extra>",
        row=row,
    )
