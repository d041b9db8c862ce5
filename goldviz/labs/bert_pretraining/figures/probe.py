"""What is guessed at the probe sentence's masked place, look by look."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.diagnostics.findings import percent, times
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Heatmap
from goldviz.figures.elements import colour_bar_below, power, power_ticks
from goldviz.figures.limits import log10
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import positive, seeds_in_words, single
from goldviz.labs.bert_pretraining.figures.curves import mark_phases
from goldviz.labs.bert_pretraining.figures.quantities import UNSEEN, answer_of, figure, probe_pieces

WIDEST_NAME = 14


@figure(
    "What would fill the gap?",
    needs=("probe_probability",),
    shows="How likely some words are at the mask, and the hidden word's rank.",
)
def masked_place(plot: Plot) -> Figure:
    """Probability of some words at the probe's mask over training, as log10 colour; below, the hidden word's rank.

    The words are sorted by their probability at the last look. At first all have the same small one; then frequent
    words light up wherever the mask stands; last come those that fit the context. Fine-tuning reads no masks: what
    happens after it begins is forgetting.
    """
    ds = plot.ds
    chances = log10(plot.thinned("probe_probability", most=200)).transpose("candidate", "look")
    if not bool(chances.notnull().any()):
        return plot.instead("Every probability recorded so far is exactly 0.")
    order = np.argsort(np.nan_to_num(chances.isel(look=-1).values, nan=-np.inf), kind="stable")
    chances = chances.isel(candidate=order)
    answer = answer_of(ds)
    plot.panels(["Probability of a word", "Rank of the hidden word"])
    plot.figure.layout.yaxis.domain, plot.figure.layout.yaxis2.domain = (0.4, 1.0), (0.0, 0.26)
    names = [_name(str(word), answer) for word in chances["candidate"].values]
    heat = Heatmap(
        x=chances["look"].values,
        y=np.arange(len(names)),
        z=single(chances.values),
        coloraxis="coloraxis",
        customdata=single(10.0**chances.values),
        hoverongaps=False,
        hovertemplate="step %{x}, %{y}<br>probability %{customdata:.3g}<extra></extra>",
    )
    plot.add(heat, row=1)
    plot.figure.update_yaxes(tickvals=np.arange(len(names)), ticktext=names, showgrid=False, tickfont_size=12, row=1)
    if not plot.lacks("probe_rank"):
        ranks = positive(plot.thinned("probe_rank", most=200))
        plot.curve(ranks, UNSEEN.label, style=UNSEEN, hover="rank %{y:.0f}", row=2)
    plot.log_axis("probe_rank", "Rank", row=2)
    plot.step_axis()
    mark_phases(plot)
    sentence = f"“{' '.join(probe_pieces(ds))}”" if "key" in ds.coords else ""
    surest = plot.say(lambda now: _surest(now, answer), plot.now["probe_probability"])
    plot.finish(surest, sentence, plot.thinning, seeds_in_words(ds), height=640, legend=False, hover="closest")
    low, high = plot.limit("probe_probability")
    words = f"Probability, from {power(low)} to {power(high)}"
    colour_bar_below(plot.figure, (low, high), look.SEQUENTIAL, words, **power_ticks(low, high))
    plot.figure.update_layout(margin_t=plot.figure.layout.margin.t + 4)
    return plot.figure.update_layout(plot_bgcolor=plot.ink.gap if bool(chances.isnull().any()) else None)


def _name(word: str, answer: str) -> str:
    """A candidate as a tick: shortened, escaped, the hidden word in bold with a mark of its own."""
    short = as_label(word if len(word) <= WIDEST_NAME else f"{word[: WIDEST_NAME - 1]}…")
    return f"<b>▸ {short}</b>" if word == answer else short


def _surest(now: Array, answer: str) -> str:
    """The answer: the likeliest of these words now, and where the hidden one stands."""
    if not np.isfinite(now.values).any():
        return ""
    best = str(now["candidate"].values[int(np.nanargmax(now.values))])
    words = f"Step {int(now['look'])}: “{best}” {_chance(float(now.max()))}"
    if answer and answer != best:
        words += f", hidden: “{answer}” {_chance(float(now.sel(candidate=answer)))}"
    elif answer:
        words += ", the hidden word"
    return f"{words}."


def _chance(probability: float) -> str:
    return percent(probability) if probability >= 0.01 else times(probability)
