"""What is guessed at the probe sentence's masked place, look by look."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import percent, times
from goldviz.figures import theme as look
from goldviz.figures.elements import (
    colour_bar_below,
    epoch_axis,
    log_axis,
    mark_epochs,
    panels,
    power,
    power_ticks,
    worded,
)
from goldviz.figures.limits import Limits, log10
from goldviz.figures.reading import Band, absence, positive, recorded, run_label, seeds_in_words, single, thinned
from goldviz.figures.theme import INKS, Theme, as_label
from goldviz.labs.bert_pretraining.figures.curves import add_line, mark_phases
from goldviz.labs.bert_pretraining.figures.quantities import UNSEEN, answer_of, limit_of, probe_pieces

WIDEST_NAME = 14


def masked_place(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Probability of some words at the probe's mask over training, as log10 colour; below, the hidden word's rank.

    The words are sorted by their probability at the last look. At first all have the same small one; then frequent
    words light up wherever the mask stands; last come those that fit the context. Fine-tuning reads no masks: what
    happens after it begins is forgetting.
    """
    title = "What would fill the gap?"
    if words := absence(ds, "probe_probability"):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["look"], most=200, noun="look")
    chances = log10(ds["probe_probability"].isel(look=kept)).transpose("candidate", "look")
    if not bool(chances.notnull().any()):
        return worded("Every probability recorded so far is exactly 0.", title=title, theme=theme)
    order = np.argsort(np.nan_to_num(chances.isel(look=-1).values, nan=-np.inf), kind="stable")
    chances = chances.isel(candidate=order)
    answer = answer_of(ds)
    figure = panels(["Probability of a word", "Rank of the hidden word"], theme)
    figure.layout.yaxis.domain, figure.layout.yaxis2.domain = (0.4, 1.0), (0.0, 0.26)
    names = [_name(str(word), answer) for word in chances["candidate"].values]
    heat = go.Heatmap(
        x=chances["look"].values, y=np.arange(len(names)), z=single(chances.values), coloraxis="coloraxis",
        customdata=single(10.0**chances.values), hoverongaps=False,
        hovertemplate="step %{x}, %{y}<br>probability %{customdata:.3g}<extra></extra>",
    )  # fmt: skip
    figure.add_trace(heat, row=1, col=1)
    figure.update_yaxes(tickvals=np.arange(len(names)), ticktext=names, showgrid=False, tickfont_size=12, row=1)
    if not absence(ds, "probe_rank"):
        ranks = positive(ds["probe_rank"].isel(look=kept)).transpose("look", "seed")
        add_line(figure, UNSEEN, ranks["look"].values, Band.of(ranks), hover="rank %{y:.0f}", row=2, legend=False)
    figure.update_yaxes(title_text="Rank", **log_axis(limit_of("probe_rank", ds, limits)), row=2)
    epoch_axis(figure, limit_of("step", ds, limits), "Step")
    mark_phases(figure, ds, theme)
    mark_epochs(figure, ds, epoch, theme)
    sentence = f"“{' '.join(probe_pieces(ds))}”" if "key" in ds.coords else ""
    notes = [run_label(ds), _surest(ds, epoch), sentence, thinning, seeds_in_words(ds)]
    look.apply(figure, theme, title=title, notes=notes, height=640, legend=False, hover="closest")
    low, high = limit_of("probe_probability", ds, limits)
    words = f"Probability, from {power(low)} to {power(high)}"
    colour_bar_below(figure, (low, high), look.SEQUENTIAL, words, **power_ticks(low, high))
    figure.update_layout(margin_t=figure.layout.margin.t + 4)
    return figure.update_layout(plot_bgcolor=INKS[theme].gap if bool(chances.isnull().any()) else None)


def _name(word: str, answer: str) -> str:
    """A candidate as a tick: shortened, escaped, the hidden word in bold with a mark of its own."""
    short = as_label(word if len(word) <= WIDEST_NAME else f"{word[: WIDEST_NAME - 1]}…")
    return f"<b>▸ {short}</b>" if word == answer else short


def _surest(ds: xr.Dataset, epoch: int | None) -> str:
    """The answer: the likeliest of these words now, and where the hidden one stands."""
    at = recorded(ds, epoch, "look")
    now = ds["probe_probability"].sel(look=at)
    if not np.isfinite(now.values).any():
        return ""
    best = str(now["candidate"].values[int(np.nanargmax(now.values))])
    words = f"Step {at}: “{best}” {_chance(float(now.max()))}"
    answer = answer_of(ds)
    if answer and answer != best:
        words += f", hidden: “{answer}” {_chance(float(now.sel(candidate=answer)))}"
    elif answer:
        words += ", which is the hidden word"
    return f"{words}."


def _chance(probability: float) -> str:
    return percent(probability) if probability >= 0.01 else times(probability)
