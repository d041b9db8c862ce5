"""What one objective of pre-training alone has to show: whether B follows A, and who sees whom in a drawn order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array
from goldviz.diagnostics.findings import percent
from goldviz.figures.draft import Figure, Heatmap
from goldviz.figures.frames import AtStep
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.bert_pretraining.figures.curves import mark_phases
from goldviz.labs.bert_pretraining.figures.quantities import UNSEEN, figure, probe_pieces

CHANCE = 0.5
ROW = 20


@figure(
    "Does B follow A?",
    needs=("unseen_next_sentence_accuracy",),
    shows="How often the next-sentence head tells rightly whether B follows A.",
)
def next_sentence(plot: Plot) -> Figure:
    """The share of unseen pairs told rightly, over training; half of all pairs have a random B (Devlin et al. 2019)."""
    right = finite(plot.ds["unseen_next_sentence_accuracy"])
    plot.curve(right, UNSEEN.label, style=UNSEEN, hover="%{y:.1%}")
    plot.step_grid()
    plot.figure.update_yaxes(title_text="Share right", range=(0.37, 1.03), tickformat=".0%")
    plot.reference(CHANCE, "chance: 50 %")
    mark_phases(plot)
    answer = plot.say(_told, finite(plot.now["unseen_next_sentence_accuracy"]).median("seed"))
    return plot.finish(answer, plot.drawn(), legend=False)


def _told(now: Array) -> str:
    value = float(now)
    return f"Step {int(now['look'])}: {percent(value)} of unseen pairs told rightly." if np.isfinite(value) else ""


@figure(
    "Who may see whom?",
    needs=("factorisation_order",),
    shows="A drawn order of guessing, and what each piece sees.",
)
def order(plot: Plot) -> Figure:
    """A factorisation order, another one at each look (Yang et al. 2019, section 2.2).

    A row is the piece that is guessed, its own cell has its place in the order. Filled cells are earlier in the order,
    wherever they stand in the sentence. A left-to-right model would fill the lower triangle.
    """
    places = plot.now["factorisation_order"].transpose("look", "key")
    pieces = _pieces(plot)
    sight = AtStep("look", [_sight(row) for row in places.values])
    heat = Heatmap(
        z=sight,
        text=AtStep("look", [_numbers(row) for row in places.values]),
        texttemplate="%{text}",
        textfont={"size": 12, "color": "#1e1e1c"},
        xgap=1,
        ygap=1,
        zmin=0,
        zmax=2,
        colorscale=[[0, plot.ink.grid], [0.5, "#9a9fa6"], [1, UNSEEN.colour]],
        showscale=False,
        hovertemplate="“%{y}” looks at “%{x}”: %{customdata}<extra></extra>",
        customdata=AtStep("look", [_words(one) for one in sight.values]),
    )
    plot.add(heat)
    labels = [as_label(piece) for piece in pieces]
    end = len(labels) - 0.5
    ticks: dict[str, Any] = {
        "tickvals": np.arange(len(labels)),
        "ticktext": labels,
        "ticks": "",
        "tickfont_size": 12,
    }
    plot.figure.update_xaxes(tickangle=-90, range=[-0.5, end], showgrid=False, **ticks)
    plot.figure.update_yaxes(range=[end, -0.5], showgrid=False, **ticks)
    key = "Blue: seen. Number: its place in the order, 0 is only read. Empty: later, so out of sight."
    answer = plot.say(lambda now: _ends(now, pieces), places)
    return plot.finish(answer, key, height=230 + ROW * len(labels), legend=False, hover="closest")


def _pieces(plot: Plot) -> list[str]:
    """The probe's pieces with the hidden one in its place: this objective masks nothing."""
    pieces, place = probe_pieces(plot.ds), int(plot.ds.attrs.get("probe_place", -1))
    return [str(plot.ds.attrs["probe_answer"]) if number == place else one for number, one in enumerate(pieces)]


def _sight(row: NDArray[Any]) -> NDArray[Any]:
    """2 where the query stream sees a key, 1 where the content stream alone does, 0 where neither may."""
    earlier, not_later = row[None, :] < row[:, None], row[None, :] <= row[:, None]
    return earlier.astype(np.float64) + not_later


def _numbers(row: NDArray[Any]) -> list[list[str]]:
    numbers = [["" for _ in row] for _ in row]
    for place, value in enumerate(row):
        numbers[place][place] = f"{int(value)}"
    return numbers


def _words(sight: NDArray[Any]) -> list[list[str]]:
    words = ("later in the order, not seen", "seen by the content stream alone", "earlier in the order, seen")
    return [[words[int(cell)] for cell in row] for row in sight]


def _ends(now: Array, pieces: list[str]) -> str:
    places = now.values
    first, last = (pieces[int(np.flatnonzero(places == place)[0])] for place in (1, places.max()))
    return f"Step {int(now['look'])}: “{first}” comes first, from its position; “{last}” last, from all others."
