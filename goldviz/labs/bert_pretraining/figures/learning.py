"""What is learned in the two phases: masked words beside word frequencies, tone beside counted words."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import percent
from goldviz.figures import theme as look
from goldviz.figures.elements import number_ticks, panels, reference_line, whole, worded
from goldviz.figures.limits import Limits
from goldviz.figures.reading import (
    Band,
    absence,
    averaged,
    finite,
    marks,
    recorded,
    run_label,
    seeds_in_words,
    sentences,
)
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.bert_pretraining.figures.curves import add_line, legend_at_foot
from goldviz.labs.bert_pretraining.figures.quantities import (
    BASELINES,
    TONE,
    TONE_SETS,
    TRAINING,
    UNSEEN,
    WORDS,
    limit_of,
    steps_of,
    tone_began,
    tone_looks,
)

_NAT = "%{y:.3f} nat"
STYLES = {"new draws": UNSEEN, "new patterns": TONE_SETS["new patterns"]}
"""Texts of known patterns are what the upper panel calls unseen, and look the same in both."""
HEADINGS = ("Loss on masked pieces", "Tone judged rightly")


def learning(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Loss on masked pieces over the whole run (above), and the share of tones judged rightly in fine-tuning (below).

    A loss below the line of word frequencies means that the context is used; what the loss on unseen texts does
    after the dash-dotted line, where the tone begins, is what fine-tuning makes the encoder forget. Tones judged
    better than by the dotted bag of words on the same texts need word order, or words that the network knows from
    pre-training (document 001, section 4.2.2): the bag has read the labelled texts alone.
    """
    title = "What does the network learn?"
    if words := absence(ds, "loss", "phase"):
        return worded(words, title=title, theme=theme)
    figure = panels(HEADINGS, theme)
    averaging = _masked_words(figure, ds)
    _tone(figure, ds)
    _axes(figure, ds, limits, theme)
    _mark(figure, ds, epoch, theme)
    dotted = "Dotted: bag of words on the same texts." if not absence(ds, "baseline_tone_accuracy") else ""
    notes = [
        run_label(ds),
        _loss_in_words(ds, epoch),
        tone_in_words(ds, epoch),
        sentences(dotted, averaging),
        seeds_in_words(ds),
    ]
    look.apply(figure, theme, title=title, notes=notes, height=590)
    return legend_at_foot(figure, rows=2)


def _masked_words(figure: go.Figure, ds: xr.Dataset) -> str:
    first = steps_of(ds, WORDS)
    words = ""
    if first.size:
        losses, words = averaged(ds["loss"].sel(step=first), "step")
        add_line(figure, TRAINING, losses["step"].values, Band.of(losses), hover=_NAT, row=1, width=1.5)
    if not absence(ds, "unseen_masked_loss"):
        losses = finite(ds["unseen_masked_loss"])
        add_line(figure, UNSEEN, losses["look"].values, Band.of(losses), hover=_NAT, row=1)
    return words


def _tone(figure: go.Figure, ds: xr.Dataset) -> None:
    """The lower panel, whose axis counts the steps of fine-tuning alone, so that lanes can be compared."""
    steps, began = steps_of(ds, TONE), tone_began(ds)
    if not steps.size:
        return
    if not absence(ds, "tone_accuracy"):
        shares, _ = averaged(ds["tone_accuracy"].sel(step=steps), "step", most=60)
        add_line(
            figure, TRAINING, shares["step"].values - began, Band.of(shares), hover="%{y:.1%}", row=2, legend=False,
            width=1.5,
        )  # fmt: skip
    if absence(ds, "unseen_tone_accuracy") or not tone_looks(ds).any():
        return
    shares = finite(ds["unseen_tone_accuracy"].isel(look=np.flatnonzero(tone_looks(ds))))
    for name, style in STYLES.items():
        if name not in shares["tone_set"].values:
            continue
        one, named = shares.sel(tone_set=name), style is not UNSEEN
        add_line(figure, style, one["look"].values - began, Band.of(one), hover="%{y:.1%}", row=2, legend=named)
        _bag_of_words(figure, ds, name, int(steps[-1]) - began)


def _bag_of_words(figure: go.Figure, ds: xr.Dataset, tone_set: str, last: int) -> None:
    if absence(ds, "baseline_tone_accuracy"):
        return
    share = float(ds["baseline_tone_accuracy"].sel(baseline="bag of words", tone_set=tone_set))
    style = STYLES[tone_set]
    figure.add_trace(
        go.Scatter(
            x=[0, last], y=[share, share], name=f"bag of words, {style.label}", legendgroup=style.label,
            showlegend=False, mode="lines", line={"color": style.colour, "dash": "dot", "width": 1.5},
            hovertemplate="%{y:.1%}",
        ),
        row=2, col=1,
    )  # fmt: skip


def _axes(figure: go.Figure, ds: xr.Dataset, limits: Limits | None, theme: Theme) -> None:
    figure.update_xaxes(matches=None, showticklabels=True, title_font_size=13)
    figure.layout.yaxis.domain, figure.layout.yaxis2.domain = (0.58, 1.0), (0.0, 0.38)
    for row, name, title in ((1, "step", "Step"), (2, "tone_step", "Step of fine-tuning")):
        ends = limit_of(name, ds, limits)
        ticks = number_ticks(*whole(ends), {1: "1"})
        figure.update_xaxes(range=ends, title_text=title, unifiedhovertitle_text="step %{x}", row=row, **ticks)
    figure.update_yaxes(title_text="Loss (nat)", range=limit_of("masked_loss", ds, limits), row=1)
    figure.update_yaxes(title_text="Share right", range=(-0.03, 1.03), tickformat=".0%", row=2)
    for name, words in (("uniform_loss", "uniform, ln V"), ("unigram_loss", "word frequencies")):
        if not absence(ds, name):
            line = float(ds[name])
            reference_line(figure, line, f"{words}: {line:.2f}", theme, every_panel=False)
    if not absence(ds, "baseline_tone_accuracy"):
        _most_frequent(figure, ds, theme)
    if not steps_of(ds, TONE).size:
        figure.add_annotation(
            text="No step on the tone so far.", x=0.5, y=0.5, xref="x2 domain", yref="y2 domain", showarrow=False,
            font={"size": 14, "color": INKS[theme].muted},
        )  # fmt: skip


def _most_frequent(figure: go.Figure, ds: xr.Dataset, theme: Theme) -> None:
    """The line of always naming the most frequent tone: the lower panel's chance level."""
    share = float(finite(ds["baseline_tone_accuracy"].sel(baseline="majority")).max())
    accent = INKS[theme].accent
    line = {"color": accent, "width": 1.5, "dash": "dot"}
    figure.add_shape(type="line", x0=0, x1=1, xref="x2 domain", y0=share, y1=share, yref="y2", line=line)
    figure.add_annotation(
        text=f"{BASELINES['majority'].label}: {percent(share)}", x=1, y=share, xref="x2 domain", yref="y2",
        xanchor="right", yanchor="top", showarrow=False, font={"size": 13, "color": accent},
    )  # fmt: skip


def _mark(figure: go.Figure, ds: xr.Dataset, epoch: int | None, theme: Theme) -> None:
    """The change of phase, the scrubber and changed settings, each panel by its own count of steps."""
    ink, began, tone = INKS[theme], tone_began(ds), steps_of(ds, TONE).size > 0
    if tone and began:
        line = {"color": ink.muted, "width": 1.5, "dash": "dashdot"}
        figure.add_vline(x=began + 0.5, line=line, row=1, col=1)
    places = [(1, 0), *([(2, began)] if tone else [])]
    for row, offset in places:
        for step, _ in marks(ds):
            if step > offset:
                line = {"color": ink.text, "width": 1, "dash": "dash"}
                figure.add_vline(x=step - offset, line=line, row=row, col=1)
        if epoch is not None and epoch > offset:
            under = {"color": ink.background, "width": 5}
            figure.add_vline(x=epoch - offset, line=under, opacity=0.7, row=row, col=1)
            line = {"color": ink.accent, "width": 2}
            figure.add_vline(x=epoch - offset, line=line, row=row, col=1)
    for step, text in marks(ds):
        figure.add_annotation(
            x=step, y=1, xref="x", yref="y domain", text=look.wrapped(text, 20), textangle=90, showarrow=False,
            xanchor="left", yanchor="top", font_size=12, bgcolor=look.with_alpha(ink.background, 0.75),
        )  # fmt: skip


def _loss_in_words(ds: xr.Dataset, epoch: int | None) -> str:
    """The answer of the upper panel: how many pieces the network is still torn between."""
    if absence(ds, "unseen_masked_loss"):
        return ""
    at = recorded(ds, epoch, "look")
    value = float(finite(ds["unseen_masked_loss"].sel(look=at)).median("seed"))
    if not np.isfinite(value):
        return ""
    return f"Step {at}: {value:.2f} nat, as torn between {np.exp(min(value, 50)):,.0f} pieces."


def tone_in_words(ds: xr.Dataset, epoch: int | None) -> str:
    """The answer of the lower panel: shares right on unseen texts, with the bag of words' in brackets."""
    if absence(ds, "unseen_tone_accuracy"):
        return ""
    at = recorded(ds, epoch, "look")
    now = finite(ds["unseen_tone_accuracy"].sel(look=at)).median("seed")
    parts = []
    for name in TONE_SETS:
        if name not in now["tone_set"].values or not np.isfinite(float(now.sel(tone_set=name))):
            continue
        words = f"{name} {percent(float(now.sel(tone_set=name)))}"
        if not absence(ds, "baseline_tone_accuracy"):
            bag = float(ds["baseline_tone_accuracy"].sel(baseline="bag of words", tone_set=name))
            words += f" (bag of words {percent(bag)})"
        parts.append(words)
    return f"Tone: {', '.join(parts)}." if parts else ""
