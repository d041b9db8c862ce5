"""What is learned in the two phases: masked words beside word frequencies, tone beside counted words, and by kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightArray
from goldviz.diagnostics.findings import percent
from goldviz.figures.chart import (
    Axis,
    Panel,
    at,
    axis,
    changed,
    colours,
    curves,
    dots,
    figure,
    heat,
    lines,
    mean,
    median,
    panel,
    rule,
    words,
)
from goldviz.figures.elements import interval_bars, number_ticks, whole
from goldviz.figures.frames import AtStep, Words, filled
from goldviz.figures.limits import Quantity, Values, values_of
from goldviz.figures.marks import Canvas, ChannelLike, Mark
from goldviz.figures.notes import as_label, wrapped
from goldviz.figures.plot import Plot
from goldviz.figures.reading import averaged, finite, marks, sentences
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
from goldviz.labs.bert_pretraining.measures import LEAST_TEXTS, TONE, WORDS, torn_between
from goldviz.labs.bert_pretraining.settings import NEW_PATTERNS, OWN
from goldviz.models.style import NetworkStyle

STYLES = {"new draws": UNSEEN, OWN: UNSEEN, "new patterns": TONE_SETS["new patterns"]}
"""Texts of known patterns are what the upper panel calls unseen, and look the same in both."""
NOT_YET = "The tone is judged in the second phase: no look there so far."
NETWORK = replace(UNSEEN, label="this network")
CELLS: dict[str, Any] = {"texttemplate": "%{z:.0%}", "textfont_size": 13, "xgap": 2, "ygap": 2}


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
            how: dict[str, Any] = {"textangle": 90, "showarrow": False, "font_size": 13, "bgcolor": ground}
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

# Rows sum to 1. A strong column means that one judgement is given whatever the text says.
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
