"""What is learned in the two phases: masked words beside word frequencies, tone beside counted words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightArray
from goldviz.diagnostics.findings import percent
from goldviz.figures.chart import Axis, Panel, axis, curves, figure, lines, panel, rule, words
from goldviz.figures.elements import number_ticks, whole
from goldviz.figures.frames import AtStep, Words
from goldviz.figures.limits import Quantity, Values, values_of
from goldviz.figures.marks import Canvas, Mark
from goldviz.figures.notes import wrapped
from goldviz.figures.plot import Plot
from goldviz.figures.reading import averaged, finite, marks
from goldviz.figures.theme import with_alpha
from goldviz.labs.bert_pretraining.figures.reading import (
    BASELINES,
    START,
    TONE_SETS,
    TRAINING,
    UNSEEN,
    steps_of,
    tone_began,
)
from goldviz.labs.bert_pretraining.phases import NEW_PATTERNS, OWN, TONE, WORDS
from goldviz.labs.bert_pretraining.words import torn_between
from goldviz.models.style import NetworkStyle

STYLES = {"new draws": UNSEEN, OWN: UNSEEN, "new patterns": TONE_SETS["new patterns"]}
"""Texts of known patterns are what the upper panel calls unseen, and look the same in both."""


def of_masked_loss(ds: Run) -> Values:
    """Losses of masked words, learned or not, and those of simple guesses."""
    first = steps_of(ds, WORDS)
    own = ds["loss"].sel(step=first).values.ravel() if "loss" in ds and first.size else np.array([])
    rest = values_of("unseen_masked_loss", "uniform_loss", "unigram_loss")(ds)
    return np.concatenate([own[np.isfinite(own)], rest])


def of_tone_steps(ds: Run) -> Values:
    """The ends of the axis of steps on the tone."""
    count = steps_of(ds, TONE).size
    return np.array([-0.5, count + 0.5]) if count else np.array([])


def _with_room_above(low: float, high: float) -> tuple[float, float]:
    """Linear limits with room for the words of the highest line."""
    span = high - low or 1.0
    return (max(0.0, low - 0.1 * span), high + 0.16 * span)


def _steps(title: str, name: str) -> Axis:
    def told(plot: Plot) -> dict[str, Any]:
        ends = plot.limit(name)
        return {"range": ends, "unifiedhovertitle_text": "step %{x}", **number_ticks(*whole(ends), {1: "1"})}

    return axis(title, told=told)


def _masked_words(plot: Plot) -> list[Mark]:
    """The loss in training and on unseen texts, beside those of simple guesses."""
    first, drawn = steps_of(plot.ds, WORDS), partial(curves, hover="%{y:.3f} nat")

    def training(plot: Plot) -> Array:
        losses, plot.thinning = averaged(plot.ds["loss"].sel(step=first), "step")
        return losses

    guesses = {"uniform_loss": "uniform, ln V", "unigram_loss": "word frequencies"}
    known = {name: float(plot.ds[name]) for name in guesses if not plot.lacks(name)}
    return [
        *([drawn(training, over="step", style=TRAINING, width=1.5)] if first.size else []),
        *([] if plot.lacks("unseen_masked_loss") else [drawn("unseen_masked_loss", over="look", style=UNSEEN)]),
        *(rule(y=loss, words=f"{guesses[name]}: {loss:.2f}") for name, loss in known.items()),
    ]


def _tone(plot: Plot) -> list[Mark]:
    """Shares right by steps of fine-tuning alone, so that lanes can be compared, beside counted words and chance."""
    ds, steps, began = plot.ds, steps_of(plot.ds, TONE), tone_began(plot.ds)
    drawn: list[Mark] = []
    if has_baselines := not plot.lacks("baseline_tone_accuracy"):
        # Of the texts where that is right more often.
        share = float(finite(ds["baseline_tone_accuracy"].sel(baseline="majority")).max())
        chance = f"{BASELINES['majority'].label}: at most {percent(share)}"
        drawn.append(rule(y=share, words=chance, more={"yanchor": "top"}))
    if not steps.size:
        return [*drawn, words("No step on the tone so far.")]

    def shares(of: Array, style: NetworkStyle, **how: Any) -> Mark:
        dim = "step" if "step" in of.dims else "look"
        counted = finite(of.assign_coords(**{dim: of[dim].values - began}))
        return curves(lambda plot: counted, over=dim, style=style, hover="%{y:.1%}", **how)

    def bag_of_words(name: str, style: NetworkStyle) -> Mark:
        share = float(ds["baseline_tone_accuracy"].sel(baseline="bag of words", tone_set=name))
        level = LightArray([share, share], ["step"], {"step": np.array([0, int(steps[-1]) - began])})
        return lines(
            lambda plot: level,
            over="step",
            name=f"bag of words, {style.label}",
            colour=style.colour,
            dash="dot",
            width=1.5,
            hover="%{y:.1%}",
            legend=False,
            more={"legendgroup": style.label},
        )

    if not plot.lacks("tone_accuracy"):
        means, _ = averaged(ds["tone_accuracy"].sel(step=steps), "step", most=60)
        drawn.append(shares(means, TRAINING, legend=False, width=1.5))
    looked: Any = [] if plot.lacks("unseen_tone_accuracy") else ds["look"].values > began
    if np.any(looked):
        looks, sets = np.flatnonzero(looked), [str(name) for name in ds["tone_set"].values]
        for name, style in ((name, style) for name, style in STYLES.items() if name in sets):
            own = ds["unseen_tone_accuracy"].isel(look=looks).sel(tone_set=name)
            drawn.append(shares(own, style, legend=style is not UNSEEN))
            drawn += [bag_of_words(name, style)] if has_baselines else []
        if "start_tone_accuracy" in ds:
            style = START if sets[-1] == NEW_PATTERNS else replace(START, label="start alone")
            drawn.append(shares(ds["start_tone_accuracy"].isel(look=looks).sel(tone_set=sets[-1]), style, legend=False))
    return drawn


@dataclass(frozen=True)
class CountedSteps:
    """The change of phase, the scrubber and changed settings, in each panel by its own count of steps."""

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot, figure = canvas.plot, canvas.plot.figure
        ds, ink, began = plot.ds, plot.ink, tone_began(plot.ds)
        tone = steps_of(ds, TONE).size > 0
        plot.link("x", "step", panel=1)
        if tone and began:
            figure.add_vline(x=began + 0.5, line={"color": ink.muted, "width": 1.5, "dash": "dashdot"}, row=1)
        for row, offset in ((1, 0), (2, began))[: 1 + tone]:
            for step, _ in marks(ds):
                if step > offset:
                    figure.add_vline(x=step - offset, line={"color": ink.text, "width": 1, "dash": "dash"}, row=row)
            if plot.scrubber is not None:
                places = plot.scrubber.values if isinstance(plot.scrubber, AtStep) else [plot.scrubber]
                steps = np.asarray(places) - offset
                x, inside = AtStep("step", steps), AtStep("step", (steps > 0).tolist()) if offset else None
                for colour, width, opacity in ((ink.background, 5, 0.7), (ink.accent, 2, None)):
                    line = {"color": colour, "width": width}
                    figure.add_vline(x=x, line=line, opacity=opacity, visible=inside, row=row)
        where: dict[str, Any] = {"y": 1, "xref": "x", "yref": "y domain", "xanchor": "left", "yanchor": "top"}
        ground = with_alpha(ink.background, 0.75)
        for step, text in marks(ds):
            how: dict[str, Any] = {"textangle": 90, "showarrow": False, "font_size": 12, "bgcolor": ground}
            figure.add_annotation(x=step, text=wrapped(text, 20), **where, **how)


def _loss_in_words(plot: Plot) -> Words:
    """How many pieces the network is still torn between."""
    if plot.lacks("unseen_masked_loss"):
        return ""
    uniform = float("inf") if plot.lacks("uniform_loss") else float(plot.ds["uniform_loss"])

    def said(now: Array) -> str:
        value = float(now)
        return f"{value:.2f} nat, {torn_between(value, uniform)}." if np.isfinite(value) else ""

    return plot.say(said, finite(plot.now["unseen_masked_loss"]).median("seed"))


def _panels(plot: Plot) -> Sequence[Panel]:
    losses = axis("Loss (nat)", scale="free", told=lambda plot: {"range": plot.limit("masked_loss")})
    shares = axis("Share right", scale="free", range=(-0.03, 1.03), tickformat=".0%")
    return [
        panel(*_masked_words(plot), heading="Loss on masked pieces", x=_steps("Step", "step"), y=losses),
        panel(*_tone(plot), heading="Tone judged rightly", x=_steps("Step of fine-tuning", "tone_step"), y=shares),
    ]


# A loss below the line of word frequencies uses the context; what it rises by after the tone begins is forgotten. Tones
# judged better than by counted words need word order, or words known from pre-training (document 001, 4.2.2).
learning = figure(
    "learning",
    "What does the network learn?",
    _panels,
    CountedSteps(),
    needs=("loss", "phase"),
    limits={"tone_step": Quantity(of_tone_steps), "masked_loss": Quantity(of_masked_loss, _with_room_above)},
    shows="The loss on masked pieces beside word frequencies, then the tone beside counted words.",
    cannot_show="Texts of another kind than those that it learned.",
    x=axis(scale="free", matches=None, showticklabels=True, title_font_size=13),
    lead=lambda plot: "" if plot.lacks("baseline_tone_accuracy") else "Dotted: bag of words.",
    notes=(_loss_in_words,),
    seeds=True,
    legend="under",
    legend_lines=2,
    height=610,
    layout={"yaxis_domain": (0.58, 1.0), "yaxis2_domain": (0.0, 0.38)},
)
