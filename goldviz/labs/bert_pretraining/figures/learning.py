"""What is learned in the two phases: masked words beside word frequencies, tone beside counted words."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.diagnostics.findings import percent
from goldviz.figures import theme as look
from goldviz.figures.chart import HEADING
from goldviz.figures.draft import Figure
from goldviz.figures.elements import number_ticks, whole
from goldviz.figures.frames import AtStep, Words
from goldviz.figures.market import legend_under
from goldviz.figures.notes import wrapped
from goldviz.figures.plot import Plot
from goldviz.figures.reading import averaged, finite, marks, sentences
from goldviz.labs.bert_pretraining.figures.reading import (
    BASELINES,
    START,
    TONE,
    TONE_SETS,
    TRAINING,
    UNSEEN,
    WORDS,
    steps_of,
    tone_began,
    tone_looks,
)
from goldviz.labs.bert_pretraining.phases import NEW_PATTERNS, OWN
from goldviz.labs.bert_pretraining.words import torn_between

_NAT = "%{y:.3f} nat"
STYLES = {"new draws": UNSEEN, OWN: UNSEEN, "new patterns": TONE_SETS["new patterns"]}
"""Texts of known patterns are what the upper panel calls unseen, and look the same in both."""
HEADINGS = ("Loss on masked pieces", "Tone judged rightly")


def learning(plot: Plot) -> Figure:
    """Loss on masked pieces over the whole run (above), and the share of tones judged rightly in fine-tuning (below).

    A loss below the line of word frequencies means that the context is used; what the loss on unseen texts does
    after the dash-dotted line, where the tone begins, is what fine-tuning makes the encoder forget. Tones judged
    better than by the dotted bag of words on the same texts need word order, or words that the network knows from
    pre-training (document 001, section 4.2.2): the bag has read the labelled texts alone.
    """
    plot.panels(HEADINGS)
    averaging = _masked_words(plot)
    _tone(plot)
    _axes(plot)
    _mark(plot)
    bag_words = "Dotted: bag of words." if not plot.lacks("baseline_tone_accuracy") else ""
    notes = [_loss_in_words(plot), sentences(bag_words, averaging), plot.drawn()]
    legend_under(plot.finish(*notes, height=610), lines=2, axis=50)
    return plot.figure.update_layout(margin_t=plot.figure.layout.margin.t + HEADING)


def _masked_words(plot: Plot) -> str:
    ds = plot.ds
    first = steps_of(ds, WORDS)
    words = ""
    if first.size:
        losses, words = averaged(ds["loss"].sel(step=first), "step")
        plot.curve(losses, TRAINING.label, style=TRAINING, hover=_NAT, row=1, width=1.5)
    if not plot.lacks("unseen_masked_loss"):
        plot.curve(finite(ds["unseen_masked_loss"]), UNSEEN.label, style=UNSEEN, hover=_NAT, row=1)
    return words


def _tone(plot: Plot) -> None:
    """The lower panel, whose axis counts the steps of fine-tuning alone, so that lanes can be compared."""
    ds = plot.ds
    steps, began = steps_of(ds, TONE), tone_began(ds)
    if not steps.size:
        return
    if not plot.lacks("tone_accuracy"):
        shares, _ = averaged(ds["tone_accuracy"].sel(step=steps), "step", most=60)
        shares = shares.assign_coords(step=shares["step"].values - began)
        plot.curve(shares, TRAINING.label, style=TRAINING, hover="%{y:.1%}", row=2, width=1.5)
    if plot.lacks("unseen_tone_accuracy") or not tone_looks(ds).any():
        return
    shares = finite(ds["unseen_tone_accuracy"].isel(look=np.flatnonzero(tone_looks(ds))))
    shares = shares.assign_coords(look=shares["look"].values - began)
    for name, style in STYLES.items():
        if name not in shares["tone_set"].values:
            continue
        one, has_name = shares.sel(tone_set=name), style is not UNSEEN
        plot.curve(one, style.label, style=style, hover="%{y:.1%}", row=2, legend=has_name)
        _bag_of_words(plot, name, int(steps[-1]) - began)
    if "start_tone_accuracy" in ds:
        hardest = str(ds["tone_set"].values[-1])
        alone = finite(ds["start_tone_accuracy"].isel(look=np.flatnonzero(tone_looks(ds))).sel(tone_set=hardest))
        label = START.label if hardest == NEW_PATTERNS else "start alone"
        plot.curve(alone.assign_coords(look=alone["look"].values - began), label, style=START, hover="%{y:.1%}", row=2)


def _bag_of_words(plot: Plot, tone_set: str, last: int) -> None:
    if plot.lacks("baseline_tone_accuracy"):
        return
    share = float(plot.ds["baseline_tone_accuracy"].sel(baseline="bag of words", tone_set=tone_set))
    style = STYLES[tone_set]
    plot.figure.scatter(
        x=[0, last],
        y=[share, share],
        name=f"bag of words, {style.label}",
        legendgroup=style.label,
        showlegend=False,
        mode="lines",
        line={"color": style.colour, "dash": "dot", "width": 1.5},
        hovertemplate="%{y:.1%}",
        row=2,
    )


def _axes(plot: Plot) -> None:
    plot.figure.update_xaxes(matches=None, showticklabels=True, title_font_size=13)
    plot.figure.layout.yaxis.domain, plot.figure.layout.yaxis2.domain = (0.58, 1.0), (0.0, 0.38)
    for row, name, title in ((1, "step", "Step"), (2, "tone_step", "Step of fine-tuning")):
        ends = plot.limit(name)
        ticks = number_ticks(*whole(ends), {1: "1"})
        plot.figure.update_xaxes(range=ends, title_text=title, unifiedhovertitle_text="step %{x}", row=row, **ticks)
    plot.link("x", "step", panel=1)
    plot.linear_axis("masked_loss", "Loss (nat)", row=1)
    plot.figure.update_yaxes(title_text="Share right", range=(-0.03, 1.03), tickformat=".0%", row=2)
    for name, words in (("uniform_loss", "uniform, ln V"), ("unigram_loss", "word frequencies")):
        if not plot.lacks(name):
            line = float(plot.ds[name])
            plot.reference(line, f"{words}: {line:.2f}", every_panel=False)
    if not plot.lacks("baseline_tone_accuracy"):
        _most_frequent(plot)
    if not steps_of(plot.ds, TONE).size:
        plot.figure.add_annotation(
            text="No step on the tone so far.",
            x=0.5,
            y=0.5,
            xref="x2 domain",
            yref="y2 domain",
            showarrow=False,
            font={"size": 14, "color": plot.ink.muted},
        )


def _most_frequent(plot: Plot) -> None:
    """The line of always naming the most frequent tone, of the texts where that is right more often: chance, below."""
    share = float(finite(plot.ds["baseline_tone_accuracy"].sel(baseline="majority")).max())
    words = f"{BASELINES['majority'].label}: at most {percent(share)}"
    plot.reference(share, words, every_panel=False, panel=2, yanchor="top")


def _mark(plot: Plot) -> None:
    """The change of phase, the scrubber and changed settings, each panel by its own count of steps."""
    ds, scrubber = plot.ds, plot.scrubber
    ink, began, tone = plot.ink, tone_began(ds), steps_of(ds, TONE).size > 0
    if tone and began:
        line = {"color": ink.muted, "width": 1.5, "dash": "dashdot"}
        plot.figure.add_vline(x=began + 0.5, line=line, row=1)
    places = [(1, 0), *([(2, began)] if tone else [])]
    for row, offset in places:
        for step, _ in marks(ds):
            if step > offset:
                line = {"color": ink.text, "width": 1, "dash": "dash"}
                plot.figure.add_vline(x=step - offset, line=line, row=row)
        if scrubber is not None:
            steps = np.asarray(scrubber.values if isinstance(scrubber, AtStep) else [scrubber]) - offset
            x, inside = AtStep("step", steps), AtStep("step", (steps > 0).tolist()) if offset else None
            for colour, width, opacity in ((ink.background, 5, 0.7), (ink.accent, 2, None)):
                line = {"color": colour, "width": width}
                plot.figure.add_vline(x=x, line=line, opacity=opacity, visible=inside, row=row)
    for step, text in marks(ds):
        plot.figure.add_annotation(
            x=step,
            y=1,
            xref="x",
            yref="y domain",
            text=wrapped(text, 20),
            textangle=90,
            showarrow=False,
            xanchor="left",
            yanchor="top",
            font_size=12,
            bgcolor=look.with_alpha(ink.background, 0.75),
        )


def _loss_in_words(plot: Plot) -> Words:
    """The answer of the upper panel: how many pieces the network is still torn between."""
    if plot.lacks("unseen_masked_loss"):
        return ""

    uniform = float("inf") if plot.lacks("uniform_loss") else float(plot.ds["uniform_loss"])

    def said(now: Array) -> str:
        value = float(now)
        if not np.isfinite(value):
            return ""
        return f"{value:.2f} nat, {torn_between(value, uniform)}."

    return plot.say(said, finite(plot.now["unseen_masked_loss"]).median("seed"))


def tone_in_words(plot: Plot) -> Words:
    """The answer of the lower panel: shares right on unseen texts, with the bag of words' in brackets."""
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
