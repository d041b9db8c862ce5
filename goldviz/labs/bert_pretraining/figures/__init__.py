"""The figures of the laboratory *Pre-training and fine-tuning*, in the order in which a page shows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent
from goldviz.figures.chart import Panel, at, axis, curves, figure, lines, offered, panel, rule, thinned
from goldviz.figures.diagram import Part, colour_quantities, diagram, of_layers
from goldviz.figures.elements import MARKERS_UP_TO
from goldviz.figures.encoder_diagram import HEADS, encoder, read_outs
from goldviz.figures.frames import Words
from goldviz.figures.limits import Quantity, Values, log_of, padded, values_of
from goldviz.figures.marks import Curves
from goldviz.figures.plot import Plot, unless_zero
from goldviz.figures.reading import absence, finite, growing, positive, sentences
from goldviz.figures.theme import depth_colours
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.bert_pretraining.figures.learning import learning
from goldviz.labs.bert_pretraining.figures.probe import attention, masked_place, order
from goldviz.labs.bert_pretraining.figures.reading import (
    TONE,
    TRAINING,
    UNSEEN,
    WORDS,
    ToneBegins,
    averaged_by_phase,
    of_masked_loss,
    of_tone_steps,
    part_style,
    steps_of,
)
from goldviz.labs.bert_pretraining.figures.tone import by_kind, confusion
from goldviz.labs.bert_pretraining.settings import BertPretraining

__all__ = ["FIGURES", "picture", "shared_limits"]

COLOURS = (*HEADS, *of_layers("update_to_data", "gradient_to_data"))
"""What may colour the encoder's diagram."""
READ_OUTS = {
    "masked-word head": "words",
    "next-sentence head": "next",
    "query stream": "query",
    "tone head": "tone",
}
"""What an encoder's parts beyond its layers are called in their boxes."""
PHASES = {WORDS: "masked words", TONE: "tone"}
MEASURES = ("head_entropy", "head_distance", "head_special")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
NORM_WINDOWS = 100
"""Windows over a run for norms, which jump too much from step to step to compare parts by."""
ENTROPY = axis("Entropy", "head_entropy", scale="zero")
DISTANCE = axis("Distance", "head_distance", scale="zero")
NORM = axis("Norm", "gradient_norm", scale="log")
PICTURE_POINTS = 160


def _told(now: Array) -> str:
    value = float(now)
    return f"Step {int(now['look'])}: {percent(value)} of unseen pairs told rightly." if np.isfinite(value) else ""


def _pairs_told(plot: Plot) -> Words:
    return plot.say(_told, finite(plot.now["unseen_next_sentence_accuracy"]).median("seed"))


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
    parts = [str(part) for part in values["part"].values]

    def of(part: str) -> Curves:
        style = part_style(part, parts, plot.theme)
        return curves(lambda plot: values.sel(part=part), over=over, style=style, hover="%{y:.2e}", width=2)

    over = str(growing(values))
    return [of(part) for part in parts]


def _averaged(plot: Plot, name: str) -> Array:
    norms, plot.thinning = averaged_by_phase(plot.ds, name, NORM_WINDOWS)
    return positive(norms)


def _rows(plot: Plot) -> int:
    """Rows of a legend of all parts on a phone, where two stand in a row."""
    return -(-plot.ds.sizes["part"] // 2)


def _at_zero(plot: Plot) -> str:
    """Which parts have no gradient at all in a phase: a log axis has no place for that."""
    norms, parts = plot.ds["part_gradient_norm"], []
    for phase, words in PHASES.items():
        steps = steps_of(plot.ds, phase)
        if not steps.size:
            continue
        silent = (norms.sel(step=steps) == 0).all(["step", "seed"])
        names = [str(part) for part in norms["part"].values[silent.values]]
        parts += [f"{', '.join(names)} ({words})"] if names else []
    return f"Exactly 0, not drawn: {'; '.join(parts)}." if parts else ""


def _ratios(ds: Run) -> Values:
    """The usual advice stands among them."""
    return np.append(log_of("update_to_data")(ds), -3.0)


def _norms(plot: Plot) -> list[Panel]:
    whole = curves(lambda plot: _averaged(plot, "gradient_norm"), over="step", style=TRAINING, width=2)
    there = [] if plot.lacks("gradient_norm") else [whole]
    return [panel(*there, heading="Norm of the whole gradient", y=NORM)]


def _clipped(plot: Plot) -> str:
    if plot.lacks("clipped"):
        return ""
    steps = {words: found for phase, words in PHASES.items() if (found := steps_of(plot.ds, phase)).size}
    parts = [f"{words} {percent(float(plot.ds['clipped'].sel(step=own).mean()))}" for words, own in steps.items()]
    return f"Steps clipped: {', '.join(parts)}." if parts else ""


def _parts_of(ds: Run) -> list[Part]:
    """The encoder of a run with its heads of output."""
    layers, heads = int(ds["layer"].max()), int(ds["head"].max())
    ends = [(READ_OUTS[part], part) for part in map(str, ds["part"].values) if part in READ_OUTS]
    return [encoder(layers, heads, read_outs(layers, heads, ends))]


def _with_room_above(low: float, high: float) -> tuple[float, float]:
    """Linear limits with room for the words of the highest line."""
    span = high - low or 1.0
    return (max(0.0, low - 0.1 * span), high + 0.16 * span)


def _at_most_one(_low: float, high: float) -> tuple[float, float]:
    return (0.0, min(1.0, high) if high > 0 else 1.0)


def _up_to_one(low: float, _high: float) -> tuple[float, float]:
    """Whole decades up to 1, the logarithm's 0."""
    return (min(float(np.floor(low)), -1.0), 0.0)


def _most_sure(ds: Run) -> Values:
    return np.append(log_of("probe_probability")(ds), 0.0) if "probe_probability" in ds else np.array([])


FIGURES, shared_limits = offered(
    BertPretraining,
    figure(
        "learning",
        "What does the network learn?",
        draw=learning,  # two counts of steps, one below the other
        needs=("loss", "phase"),
        limits={"tone_step": Quantity(of_tone_steps), "masked_loss": Quantity(of_masked_loss, _with_room_above)},
        shows="The loss on masked pieces beside word frequencies, then the tone beside counted words.",
        cannot_show="Texts of another kind than those that it learned.",
    ),
    figure(
        "attention",
        "Where do the heads look?",
        draw=attention,  # a mosaic
        needs=("attention",),
        limits={"attention": Quantity(values_of("attention"), _at_most_one)},
        shows="The attention of every head in one unseen sentence.",
        cannot_show="What the network concludes from it.",
    ),
    # Half of all pairs have a random B (Devlin et al. 2019).
    figure(
        "next_sentence",
        "Does B follow A?",
        curves("unseen_next_sentence_accuracy", style=UNSEEN),
        ToneBegins(),
        rule(y=0.5, words="chance: 50 %"),
        shows="How often the next-sentence head tells rightly whether B follows A.",
        y=axis("Share right", scale="free", range=(0.37, 1.03), tickformat=".0%"),
        notes=(_pairs_told,),
        legend="none",
    ),
    figure(
        "order",
        "Who may see whom?",
        draw=order,  # numbers in cells
        needs=("factorisation_order",),
        shows="A drawn order of guessing, and what each piece sees.",
    ),
    figure(
        "by_kind",
        "Which kinds of text does it judge?",
        draw=by_kind,  # in the order of how easy they are, from the second phase on
        needs=(),
        shows="Tones judged rightly by kind of text, beside simple answers.",
    ),
    figure(
        "masked_place",
        "What would fill the gap?",
        draw=masked_place,  # colours over a curve, in the order of the last look
        needs=("probe_probability",),
        limits={
            "probe_probability": Quantity(_most_sure, _up_to_one),
            "probe_rank": Quantity(lambda ds: np.append(log_of("probe_rank")(ds), [0.0, 1.0]), padded),
        },
        shows="How likely some words are at the mask, and the hidden word's rank.",
    ),
    # All heads begin alike: even attention has the highest entropy. A head whose entropy falls has found something to
    # look at; a high share on [CLS] and [SEP] means that it mostly looks at nothing.
    figure(
        "heads",
        "When do the heads part?",
        _heads,
        ToneBegins(),
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
        lambda plot: _of_parts(plot, _averaged(plot, "part_gradient_norm")),
        ToneBegins(),
        needs=("part_gradient_norm",),
        instead=unless_zero("part_gradient_norm", "Every gradient recorded so far is exactly 0."),
        shows="Gradient lengths of the embeddings, of every block and head.",
        y=axis("Norm of the gradient", "part_gradient_norm", scale="log"),
        notes=(_at_zero,),
        legend="under",
        legend_lines=_rows,
    ),
    # The curves follow the learning rate: they rise in warm-up and fall with the cosine (document 002, 3.7).
    figure(
        "update_to_data",
        "Are the steps the right size?",
        lambda plot: _of_parts(plot, positive(plot.thinned("update_to_data"))),
        ToneBegins(),
        rule(y=1e-3, words="10⁻³: usual advice"),
        needs=("update_to_data",),
        instead=unless_zero("update_to_data", "No part has moved at any look so far."),
        shows="How large the steps are beside the weights, part by part.",
        y=axis("Update-to-data ratio", read=_ratios, scale="log"),
        legend="under",
        legend_lines=_rows,
    ),
    "gradient_to_data",
    # A gradient that is long while the rate still rises is why there is a warm-up: Adam's averages know little in the
    # first steps (document 002, 3.7).
    figure(
        "schedule",
        "How large may the steps be?",
        panel(
            curves(thinned("learning_rate"), over="step", style=UNSEEN, hover="%{y:.2e}", legend=False),
            heading="Learning rate",
            y=axis("Rate", scale="zero"),
        ),
        _norms,
        ToneBegins(over=True),
        axes=(NORM,),
        needs=("learning_rate",),
        shows="The learning rate with its warm-up, and the gradient's length.",
        notes=(_clipped,),
        height=540,
        legend="none",
    ),
    figure(
        "confusion",
        "Which tones are mixed up?",
        draw=confusion,  # shares in cells, from the second phase on
        needs=(),
        shows="How unseen texts of each tone are judged.",
    ),
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
