"""The tone in detail: which kinds of text are judged rightly, and which tones are mixed up."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.frames import AtStep, Words, line
from goldviz.figures.market import legend_under
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, single
from goldviz.labs.bert_pretraining.figures.learning import tone_in_words
from goldviz.labs.bert_pretraining.figures.reading import BASELINES, TONE_SETS, UNSEEN, wait
from goldviz.labs.bert_pretraining.phases import LEAST_TEXTS
from goldviz.models.style import NetworkStyle

NOT_YET = "The tone is judged in the second phase: no look there so far."
NETWORK = NetworkStyle("this network", UNSEEN.colour, UNSEEN.dash, UNSEEN.symbol)


def by_kind(plot: Plot) -> Figure:
    """Share of tones judged rightly for each kind of unseen text at one look, beside the two baselines.

    Sorted by the bag of words, the easiest kind for counted words on top. Where the network stands far to its right, it
    uses word order (which word a "not" belongs to, which of two statements comes after a "but"), or words that it knows
    from pre-training: the bag has read the labelled texts alone.
    """
    ds = plot.ds
    if words := plot.lacks("kind_tone_accuracy"):
        return plot.instead(_later(ds, "kind_tone_accuracy", words))
    now = finite(plot.now["kind_tone_accuracy"]).transpose("look", "kind", "seed")
    middle = now.median("seed")
    order, has_baselines = np.arange(now.sizes["kind"]), not plot.lacks("baseline_kind_accuracy")
    if has_baselines:
        easy = ds["baseline_kind_accuracy"].sel(baseline="bag of words").values
        order = np.argsort(np.nan_to_num(easy, nan=-1.0), kind="stable")
    places = np.arange(len(order))
    for baseline, style in BASELINES.items() if has_baselines else ():
        values = ds["baseline_kind_accuracy"].sel(baseline=baseline).values[order]
        _add_points(plot, style, values, places)
    _add_points(plot, NETWORK, AtStep("look", middle.values[:, order]), places, _bars(now.isel(kind=order)))
    names = [_kind(ds, int(row)) for row in order]
    plot.figure.update_yaxes(tickvals=places, ticktext=names, range=(-0.6, len(places) - 0.4))
    plot.figure.update_xaxes(title_text="Share right", range=(-0.03, 1.03), tickformat=".0%")
    seeds = f"Median of {now.sizes['seed']} seeds; bar: lowest to highest." if now.sizes["seed"] > 1 else ""
    key = "Brackets: number of texts." if "kind_count" in ds else ""
    notes = [_widest_gain(plot, middle), line(plot.step_in_words("look"), key, seeds)]
    height = 150 + 34 * max(len(places), 4)
    legend_under(plot.finish(*notes, height=height, hover="closest"), lines=2, axis=50)
    return wait(plot, plot.at_step(middle.notnull().any("kind"), bool), NOT_YET)


def _later(ds: Run, name: str, words: str) -> str:
    """Why nothing is drawn: where only NaN was recorded, it is the first phase's."""
    return NOT_YET if name in ds and ds[name].size else words


def _add_points(
    plot: Plot, style: NetworkStyle, x: np.ndarray | AtStep, places: np.ndarray, bars: dict[str, Any] | None = None
) -> None:
    network = style is NETWORK
    plot.figure.scatter(
        x=x,
        y=places,
        name=style.label,
        mode="markers",
        error_x=bars,
        marker={
            "symbol": style.symbol,
            "size": 12 if network else 11,
            "color": style.colour,
            "line": {"width": 2.5, "color": style.colour},
        },
        hovertemplate=f"{style.label}, %{{y}}: %{{x:.1%}}<extra></extra>",
    )


def _bars(right: Array) -> dict[str, Any] | None:
    """Bars from the lowest to the highest seed of (look, kind, seed); none for a single seed."""
    if right.sizes["seed"] == 1:
        return None
    middle = right.median("seed")
    above, below = (np.nan_to_num(side.values) for side in (right.max("seed") - middle, middle - right.min("seed")))
    return {"array": AtStep("look", above), "arrayminus": AtStep("look", below), "thickness": 1.5}


def _kind(ds: Run, row: int) -> str:
    name = as_label(str(ds["kind"].values[row]).replace("_", " "))
    return f"{name} ({int(ds['kind_count'].values[row])})" if "kind_count" in ds else name


def _widest_gain(plot: Plot, right: Array) -> Words:
    """The answer: the kind on which the network gains most over counted words, of those with enough texts."""
    if plot.lacks("baseline_kind_accuracy", "kind_count"):
        return ""
    bag = plot.ds["baseline_kind_accuracy"].sel(baseline="bag of words")
    difference = (right - bag).where(plot.ds["kind_count"] >= LEAST_TEXTS)

    def said(gains: Array, own: Array) -> str:
        if not bool(gains.notnull().any()):
            return f"No kind has the {LEAST_TEXTS} texts that a comparison with counted words takes."
        if float(gains.max()) <= 0:
            return f"Counted words do as well or better on every kind with {LEAST_TEXTS} texts or more."
        row = int(np.nanargmax(gains.values))
        kind = str(own["kind"].values[row]).replace("_", " ")
        return f"Most beyond counted words: {kind}, {percent(float(own[row]))} to {percent(float(bag[row]))}."

    return plot.say(said, difference, right)


def confusion(plot: Plot) -> Figure:
    """How the unseen texts of each tone are judged at one look: a row is a tone, its shares sum to 1.

    A bright diagonal is what is wanted. A bright column means that one judgement is given whatever the text says.
    """
    ds = plot.ds
    if words := plot.lacks("confusion"):
        return plot.instead(_later(ds, "confusion", words))
    now = finite(plot.now["confusion"]).mean("seed").transpose("look", "tone_set", "tone", "judged")
    has_numbers, gaps = now.notnull().any(now.dims[1:]), now.isnull().any(now.dims[1:])
    sets = [str(name) for name in now["tone_set"].values]
    headings = [TONE_SETS[name].heading if name in TONE_SETS else name for name in sets]
    plot.panels([heading.replace(" network", "") for heading in headings])
    for row, name in enumerate(sets, start=1):
        plot.figure.heatmap(
            x=[str(tone) for tone in now["judged"].values],
            y=[str(tone) for tone in now["tone"].values],
            z=AtStep("look", single(now.sel(tone_set=name).values)),
            coloraxis="coloraxis",
            texttemplate="%{z:.0%}",
            textfont_size=14,
            xgap=2,
            ygap=2,
            hovertemplate="%{y}, judged %{x}: %{z:.1%}<extra></extra>",
            row=row,
        )
    plot.figure.update_yaxes(title_text="Tone", autorange="reversed", showgrid=False)
    plot.figure.update_xaxes(showgrid=False)
    plot.figure.update_xaxes(title_text="Judged as", row=len(sets))
    mean = f"Mean of {ds.sizes['seed']} seeds." if ds.sizes.get("seed", 1) > 1 else ""
    notes = [tone_in_words(plot), line(plot.step_in_words("look"), mean)]
    plot.finish(*notes, height=560, legend=False, hover="closest")
    words = "Share of the tone's texts"
    colour_bar_below(plot.figure, (0.0, 1.0), look.SEQUENTIAL, words, tickformat=".0%")
    papers = plot.at_step(has_numbers & gaps, lambda gap: plot.ink.gap if gap else "rgba(0,0,0,0)")
    plot.figure.update_layout(plot_bgcolor=papers)
    return wait(plot, plot.at_step(has_numbers, bool), NOT_YET)
