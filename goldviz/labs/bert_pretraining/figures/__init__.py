"""The figures of the laboratory *Pre-training and fine-tuning*, in the order in which a page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent
from goldviz.figures.along_sequence import tokens_of
from goldviz.figures.attention_mosaic import Mosaic, mosaic_axes
from goldviz.figures.chart import Channel, Panel, at, axis, curves, figure, lines, offered, panel, rule, thinned
from goldviz.figures.diagram import Part, colour_quantities, diagram, of_layers
from goldviz.figures.elements import MARKERS_UP_TO
from goldviz.figures.encoder_diagram import HEADS, encoder, read_outs
from goldviz.figures.frames import Words
from goldviz.figures.limits import Quantity, log_of, values_of
from goldviz.figures.marks import Curves
from goldviz.figures.plot import Plot, unless_zero
from goldviz.figures.reading import absence, finite, growing, positive, sentences
from goldviz.figures.theme import depth_colours
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.bert_pretraining.figures.learning import by_kind, confusion, learning
from goldviz.labs.bert_pretraining.figures.probe import ATTENTION, guesses, masked_place, order, sentence, surest
from goldviz.labs.bert_pretraining.figures.reading import (
    TONE_BEGINS,
    TRAINING,
    UNSEEN,
    averaged_by_phase,
    part_styles,
    steps_of,
    tone_begins,
)
from goldviz.labs.bert_pretraining.measures import TONE, WORDS
from goldviz.labs.bert_pretraining.settings import BertPretraining

__all__ = ["FIGURES", "picture", "shared_limits"]

COLOURS = (*HEADS, *of_layers("update_to_data", "gradient_to_data"))
"""What may colour the encoder's diagram."""
READ_OUTS = {"masked-word head": "words", "next-sentence head": "next", "query stream": "query", "tone head": "tone"}
"""What an encoder's parts beyond its layers are called in their boxes."""
PHASES = {WORDS: "masked words", TONE: "tone"}
MEASURES = ("head_entropy", "head_distance", "head_special")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
NORM_WINDOWS = 100
"""Windows over a run for norms, which jump too much from step to step to compare parts by."""
ENTROPY = axis("Entropy", "head_entropy", scale="zero")
DISTANCE = axis("Distance", "head_distance", scale="zero")
ADVICE = -3
"""log10 of the update-to-data ratio that is usually advised."""
PICTURE_POINTS = 160


def _pairs_told(plot: Plot) -> Words:
    def told(now: Array) -> str:
        right = float(now)
        return f"Step {int(now['look'])}: {percent(right)} of unseen pairs told rightly." if np.isfinite(right) else ""

    return plot.say(told, finite(plot.now["unseen_next_sentence_accuracy"]).median("seed"))


def _heads(plot: Plot) -> Sequence[Panel]:
    """A colour for each layer, a dash for each head; one name a layer stands in the legend."""
    inks, looks = depth_colours(plot.ds.sizes["layer"], plot.theme), plot.ds.sizes["look"]
    return [
        panel(
            *(
                lines(
                    at(thinned(name, most=200), layer=layer, head=head),
                    over="look",
                    name=f"layer {layer}",
                    colour=ink,
                    dash=DASHES[(head - 1) % len(DASHES)],
                    mode="lines+markers" if looks <= MARKERS_UP_TO else "lines",
                    hover=f"layer {layer}, head {head}<br>step %{{x}}: {hover}<extra></extra>",
                    legend=name == MEASURES[0] and head == 1,
                    more={"legendgroup": f"layer {layer}", "marker": {"size": 5}},
                )
                for layer, ink in enumerate(inks, start=1)
                for head in range(1, plot.ds.sizes["head"] + 1)
            ),
            y=along,
        )
        for name, along, hover in (
            ("head_entropy", ENTROPY, "%{y:.2f} bit"),
            ("head_distance", DISTANCE, "%{y:.2f} pieces"),
            ("head_special", axis("Share"), "%{y:.0%}"),
        )
    ]


def _colours_and_dashes(plot: Plot) -> str:
    dashes, thinning = "Colour: layer; dash: head." if plot.ds.sizes["head"] > 1 else "", plot.thinning
    plot.thinning = ""
    return sentences(dashes, thinning)


def _of_parts(plot: Plot, values: Array) -> list[Curves]:
    """A curve for each part of the network, in its look."""
    curve = partial(curves, over=str(growing(values)), hover="%{y:.2e}", width=2)
    styles = part_styles([str(part) for part in values["part"].values], plot.theme)
    return [curve(at(lambda plot: values, part=part), style=style) for part, style in styles.items()]


def _by_phase(name: str) -> Channel:
    """Means of norms over windows, none of them of two phases."""

    def averaged(plot: Plot) -> Array:
        norms, plot.thinning = averaged_by_phase(plot.ds, name, NORM_WINDOWS)
        return positive(norms)

    return Channel(name, averaged, averaged)


def _phases(plot: Plot) -> dict[str, Any]:
    """The steps of every phase that has some, by its words."""
    return {words: steps for phase, words in PHASES.items() if (steps := steps_of(plot.ds, phase)).size}


def _at_zero(plot: Plot) -> str:
    """Which parts have no gradient at all in a phase: a log axis has no place for that."""
    silent = {
        words: (plot.ds["part_gradient_norm"].sel(step=steps) == 0).all(["step", "seed"]).values
        for words, steps in _phases(plot).items()
    }
    names = np.asarray(plot.ds["part"].values, dtype=str)
    parts = [f"{', '.join(names[there])} ({words})" for words, there in silent.items() if there.any()]
    return f"Exactly 0, not drawn: {'; '.join(parts)}." if parts else ""


def _clipped(plot: Plot) -> str:
    if plot.lacks("clipped"):
        return ""
    shares = {words: float(plot.ds["clipped"].sel(step=steps).mean()) for words, steps in _phases(plot).items()}
    return f"Steps clipped: {', '.join(f'{words} {percent(share)}' for words, share in shares.items())}."


def _parts_of(ds: Run) -> list[Part]:
    """The encoder of a run with its heads of output."""
    layers, heads = int(ds["layer"].max()), int(ds["head"].max())
    ends = [(READ_OUTS[part], part) for part in map(str, ds["part"].values) if part in READ_OUTS]
    return [encoder(layers, heads, read_outs(layers, heads, ends))]


FIGURES, shared_limits = offered(
    BertPretraining,
    guesses,
    learning,
    figure(
        "attention",
        "Where do the heads look?",
        Mosaic(ATTENTION, tokens_of),
        needs=("attention",),
        limits={"attention": Quantity(values_of("attention"), lambda _, high: (0.0, min(1.0, high or 1.0)))},
        notes=(surest,),
        lead=sentence,
        shows="The attention of every head in one unseen sentence.",
        cannot_show="What the network concludes from it.",
        **mosaic_axes("attention"),
    ),
    # Half of all pairs have a random B (Devlin et al. 2019).
    figure(
        "next_sentence",
        "Does B follow A?",
        curves("unseen_next_sentence_accuracy", style=UNSEEN),
        TONE_BEGINS,
        rule(y=0.5, words="chance: 50 %"),
        y=axis("Share right", scale="free", range=(0.37, 1.03), tickformat=".0%"),
        notes=(_pairs_told,),
        legend="none",
    ),
    order,
    by_kind,
    masked_place,
    # All heads begin alike: even attention has the highest entropy. A head whose entropy falls has found something to
    # look at; a high share on [CLS] and [SEP] means that it mostly looks at nothing.
    figure(
        "heads",
        "When do the heads part?",
        _heads,
        TONE_BEGINS,
        axes=(ENTROPY, DISTANCE),
        needs=MEASURES,
        shows="How spread, how far and how much on special pieces each head looks.",
        notes=(_colours_and_dashes,),
        height=700,
        hover="closest",
    ),
    # A block whose curve lies decades below the others hardly learns; residual paths and layer norms are there to
    # prevent that (document 001, 3 and 4.1.2).
    figure(
        "gradients",
        "Does the gradient reach every part?",
        lambda plot: _of_parts(plot, _by_phase("part_gradient_norm").read(plot)),
        TONE_BEGINS,
        needs=("part_gradient_norm",),
        over="step",
        instead=unless_zero("part_gradient_norm", "Every gradient recorded so far is exactly 0."),
        y=axis("Norm of a part's gradient", "part_gradient_norm", scale="log"),
        notes=(_at_zero,),
        legend="under",
        legend_lines=lambda plot: -(-plot.ds.sizes["part"] // 2),  # two in a row of a phone
    ),
    # The curves follow the learning rate: they rise in warm-up and fall with the cosine (document 002, 3.7).
    figure(
        "update_to_data",
        "Are the steps the right size?",
        lambda plot: _of_parts(plot, positive(plot.thinned("update_to_data"))),
        TONE_BEGINS,
        rule(y=10.0**ADVICE, words="10⁻³: usual advice"),
        needs=("update_to_data",),
        instead=unless_zero("update_to_data", "No part has moved at any look so far."),
        shows="How large the steps are beside the weights, part by part.",
        y=axis("Update-to-data ratio", read=lambda ds: np.append(log_of("update_to_data")(ds), ADVICE), scale="log"),
        legend="under",
        legend_lines=lambda plot: -(-plot.ds.sizes["part"] // 2),  # two in a row of a phone
    ),
    "gradient_to_data",
    # A gradient that is long while the rate still rises is why there is a warm-up: Adam's averages know little in the
    # first steps (document 002, 3.7).
    figure(
        "schedule",
        "How large may the steps be?",
        panel(curves(thinned("learning_rate"), over="step", style=UNSEEN, legend=False), y=axis("Rate")),
        panel(curves(_by_phase("gradient_norm"), over="step", style=TRAINING, width=2), y=axis("Norm")),
        replace(TONE_BEGINS, foot=""),
        notes=(_clipped,),
        lead=tone_begins,
        height=540,
        legend="none",
    ),
    confusion,
    lambda make, _: diagram(
        make,
        _parts_of,
        COLOURS,
        noun="head or layer",
        question="Where in the encoder?",
        shows="Every layer's heads over its feed-forward network. Choose one: others mark it.",
    ),
    # Its own figures of these part the two phases, whose losses and norms do not compare.
    without=("loss", "clipping", "learning_rate", "gradient_by_layer"),
    more=colour_quantities(COLOURS),
)


def picture(ds: Run) -> str:
    """The home page's picture: the loss on masked pieces falls below what word frequencies can do."""
    label = "The loss on masked words over training: it falls below the line of word frequencies."
    steps = steps_of(ds, WORDS)
    if not steps.size or absence(ds, "unseen_masked_loss"):
        return polyline_svg([], label=label)
    losses = finite(ds["unseen_masked_loss"]).median("seed")
    inside = losses.isel(look=np.flatnonzero(losses["look"].values <= steps[-1]))
    if not inside.size:
        return polyline_svg([], label=label)
    places = np.linspace(inside["look"].values[0], inside["look"].values[-1], PICTURE_POINTS)
    curves = [Curve("BERT", np.interp(places, inside["look"].values, inside.values), UNSEEN.colour)]
    if not absence(ds, "unigram_loss"):
        curves.insert(0, Curve("words", np.full(PICTURE_POINTS, float(ds["unigram_loss"])), "#76808c", "dot"))
    return polyline_svg(curves, label=label, axes=("training step", "loss"))
