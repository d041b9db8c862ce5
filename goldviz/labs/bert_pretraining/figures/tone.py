"""The tone in detail: which kinds of text are judged rightly, and which tones are mixed up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent
from goldviz.figures.chart import Panel, at, axis, changed, colours, dots, figure, heat, mean, median, panel
from goldviz.figures.elements import interval_bars
from goldviz.figures.frames import AtStep, Words, filled
from goldviz.figures.marks import ChannelLike, Mark
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, sentences
from goldviz.labs.bert_pretraining.figures.reading import BASELINES, TONE_SETS, UNSEEN
from goldviz.labs.bert_pretraining.phases import LEAST_TEXTS
from goldviz.models.style import NetworkStyle

NOT_YET = "The tone is judged in the second phase: no look there so far."
NETWORK = replace(UNSEEN, label="this network")
CELLS: dict[str, Any] = {"texttemplate": "%{z:.0%}", "textfont_size": 14, "xgap": 2, "ygap": 2}


def _unless_judged(name: str) -> Callable[[Run], str]:
    return lambda ds: "" if np.isfinite(ds[name].values).any() else NOT_YET


def _wait(plot: Plot, name: str) -> dict[str, Any]:
    """What was drawn hidden at steps where nothing is judged yet, with words in its place."""
    figure, layout, waiting = plot.figure, plot.figure.layout, plot.instead(NOT_YET).layout
    values = finite(plot.now[name])
    judged = plot.at_step(values.notnull().any([dim for dim in values.dims if dim != "look"]), bool)

    def either(picture: Any, instead: Any) -> AtStep:
        return judged.map(lambda yes: picture if yes else instead)

    notes = [filled(layout.meta["notes"], {"look": i}) if yes else [] for i, yes in enumerate(judged.values)]
    for part in [*figure.data, *layout.get("annotations", []), *figure.select_xaxes(), *figure.select_yaxes()]:
        part.visible = judged
    figure.add_annotation(**waiting.annotations[0], visible=either(False, True))
    return {
        "meta": {"notes": AtStep("look", notes)},
        "height": either(layout.height, waiting.height),
        "margin": {side: either(layout.margin[side], waiting.margin[side]) for side in "tb"},
    }


def _easiest_last(plot: Plot) -> Any:
    """The kinds' places by the share that counted words judge rightly."""
    if plot.lacks("baseline_kind_accuracy"):
        return np.arange(plot.ds.sizes["kind"])
    easy = plot.ds["baseline_kind_accuracy"].sel(baseline="bag of words").values
    return np.argsort(np.nan_to_num(easy, nan=-1.0), kind="stable")


def _kinds(plot: Plot) -> Sequence[Mark]:
    """Two simple answers and this network, in a row for each kind: the easiest for counted words on top."""
    order = _easiest_last(plot)
    right = finite(plot.now["kind_tone_accuracy"]).isel(kind=order)
    rows = plot.ds["kind_tone_accuracy"].isel(look=0, seed=0).copy(data=np.arange(len(order)))

    def shares(of: ChannelLike, style: NetworkStyle, **how: Any) -> Mark:
        return dots(
            lambda plot: rows,
            x=changed(of, lambda values: values.isel(kind=order)),
            name=style.label,
            colour=style.colour,
            symbol=style.symbol,
            marker={"line": {"width": 2.5, "color": style.colour}},
            hover=f"{style.label}, %{{y}}: %{{x:.1%}}<extra></extra>",
            **how,
        )

    middle = right.median("seed")
    above, below = plot.at_step(right.max("seed") - middle), plot.at_step(middle - right.min("seed"))
    bars = {"error_x": interval_bars(above, below, NETWORK.colour, width=4)} if right.sizes["seed"] > 1 else {}
    simple = {} if plot.lacks("baseline_kind_accuracy") else BASELINES
    return [
        *(shares(at("baseline_kind_accuracy", baseline=name), style) for name, style in simple.items()),
        shares(median("kind_tone_accuracy"), NETWORK, size=12, more=bars),
    ]


def _names(plot: Plot) -> dict[str, Any]:
    """The kinds' names at their rows, with the number of their texts."""
    ds, order = plot.ds, _easiest_last(plot)
    names = [as_label(str(ds["kind"].values[place]).replace("_", " ")) for place in order]
    if "kind_count" in ds:
        names = [f"{name} ({int(ds['kind_count'].values[place])})" for name, place in zip(names, order, strict=True)]
    return {"tickvals": np.arange(len(order)), "ticktext": names, "range": (-0.6, len(order) - 0.4)}


def _how_read(plot: Plot) -> str:
    seeds = plot.ds.sizes["seed"]
    several = f"Median of {seeds} seeds; bar: lowest to highest." if seeds > 1 else ""
    return sentences("Brackets: number of texts." if "kind_count" in plot.ds else "", several)


def _widest_gain(plot: Plot) -> Words:
    """The kind on which the network gains most over counted words, of those with enough texts."""
    if plot.lacks("baseline_kind_accuracy", "kind_count"):
        return ""
    right = finite(plot.now["kind_tone_accuracy"]).median("seed")
    bag = plot.ds["baseline_kind_accuracy"].sel(baseline="bag of words")

    def said(gains: Array, own: Array) -> str:
        if not bool(gains.notnull().any()):
            return f"No kind has the {LEAST_TEXTS} texts that a comparison with counted words takes."
        if float(gains.max()) <= 0:
            return f"Counted words do as well or better on every kind with {LEAST_TEXTS} texts or more."
        row = int(np.nanargmax(gains.values))
        kind = str(own["kind"].values[row]).replace("_", " ")
        return f"Most beyond counted words: {kind}, {percent(float(own[row]))} to {percent(float(bag[row]))}."

    return plot.say(said, (right - bag).where(plot.ds["kind_count"] >= LEAST_TEXTS), right)


def tone_in_words(plot: Plot) -> Words:
    """Shares right on unseen texts, with the bag of words' in brackets."""
    if plot.lacks("unseen_tone_accuracy"):
        return ""
    brackets = dict.fromkeys(TONE_SETS, "")
    if not plot.lacks("baseline_tone_accuracy"):
        bags = plot.ds["baseline_tone_accuracy"].sel(baseline="bag of words")
        shares = zip(bags["tone_set"].values, bags.values, strict=True)
        brackets |= {str(name): f" (bag of words {percent(float(share))})" for name, share in shares}

    def said(now: Array) -> str:
        shares = dict(zip(now["tone_set"].values, now.values, strict=True))
        sets = [name for name in TONE_SETS if np.isfinite(shares.get(name, np.nan))]
        parts = [f"{name} {percent(float(shares[name]))}{brackets[name]}" for name in sets]
        return f"Tone: {', '.join(parts)}." if parts else ""

    return plot.say(said, finite(plot.now["unseen_tone_accuracy"]).median("seed"))


def _judged(plot: Plot) -> Sequence[Panel]:
    return [
        panel(
            heat(
                at(mean("confusion"), tone_set=name),
                "judged",
                "tone",
                hover="%{y}, judged %{x}: %{z:.1%}",
                more=CELLS,
            ),
            heading=TONE_SETS[name].heading.replace(" network", "") if name in TONE_SETS else name,
            y=axis(autorange="reversed"),
        )
        for name in map(str, plot.ds["tone_set"].values)
    ]


def _with_gaps(plot: Plot) -> dict[str, Any]:
    """A tone without texts is in the colour of gaps, where others are judged."""
    missing = finite(plot.now["confusion"]).mean("seed").isnull()
    gaps = missing.any(dims := ["tone_set", "tone", "judged"]) & ~missing.all(dims)
    papers = plot.at_step(gaps, lambda gap: plot.ink.gap if gap else "rgba(0,0,0,0)")
    return {"plot_bgcolor": papers, **_wait(plot, "confusion")}


# Where the network stands far to the right of the bag of words, it uses word order (which word a "not" belongs to,
# which of two statements comes after a "but"), or words known from pre-training: the bag has read the labels alone.
by_kind = figure(
    "by_kind",
    "Which kinds of text does it judge?",
    _kinds,
    needs=("kind_tone_accuracy",),
    shows="Tones judged rightly by kind of text, beside simple answers.",
    instead=_unless_judged("kind_tone_accuracy"),
    x=axis("Share right", scale="free", range=(-0.03, 1.03), tickformat=".0%"),
    y=axis(scale="free", told=_names),
    notes=(_widest_gain,),
    lead=_how_read,
    seeds=False,
    legend="under",
    legend_lines=2,
    hover="closest",
    height=lambda plot: 150 + 34 * max(plot.ds.sizes["kind"], 4),
    layout=lambda plot: _wait(plot, "kind_tone_accuracy"),
)

# Rows sum to 1. A bright column means that one judgement is given whatever the text says.
confusion = figure(
    "confusion",
    "Which tones are mixed up?",
    _judged,
    needs=("confusion",),
    instead=_unless_judged("confusion"),
    shows="How unseen texts of each tone are judged.",
    colour=colours("Share of the tone's texts", ends=(0.0, 1.0), tickformat=".0%", below=True),
    notes=(tone_in_words,),
    lead=lambda plot: f"Mean of {seeds} seeds." if (seeds := plot.ds.sizes["seed"]) > 1 else "",
    seeds=False,
    height=560,
    layout=_with_gaps,
)
