"""The figures of *Translation with a Transformer*, in the order in which a page shows them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightArray
from goldviz.arrays.word_labels import words_of
from goldviz.figures import theme as look
from goldviz.figures.answers import longer_than_learned
from goldviz.figures.chart import axis, bars, colours, curves, dots, figure, offered, series, thin
from goldviz.figures.draft import Bar, Figure, make_subplots
from goldviz.figures.elements import add_heading, colour_bar_below
from goldviz.figures.frames import AtStep
from goldviz.figures.limits import Values
from goldviz.figures.marks import Dots
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, single
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme, with_alpha
from goldviz.figures.thumbnail import picture_svg, squares
from goldviz.figures.word_map import add_word_map, word_map
from goldviz.labs.translation_transformer.measures import steps_by_rate
from goldviz.labs.translation_transformer.settings import STYLES, TranslationTransformer

STAGES = (("muted", "circle-open"), ("text", "circle"), ("", "diamond"))
"""Colour and symbol of a word on its way through a norm; the last has its network's colour."""
STRENGTHS = ((0.1, 1.5, 0.3), (0.25, 3, 0.5), (0.5, 5, 0.75), (0.75, 7, 1.0))
"""Of a line between two words: from which weight on, its width, and how opaque it is."""
LETTER, UPRIGHT = 3, 6
"""Characters of a word that has room below a column, and pixels of each below it where it stands upright."""
WEIGHT = "Attention weight"
DOT = {"size": 7, "color": STYLES["layer"].colour}


def _last_block(plot: Plot, name: str) -> Array:
    """Means over the heads of the last block."""
    return finite(plot.now[name]).isel(block_number=-1).mean("head")


def pair(plot: Plot) -> Figure:
    """The words read and those written in two columns, and a line between any two that has weight.

    Each line says of which word written it is: the others step back where a person points at one.
    """
    weights = _last_block(plot, "cross_attention").values
    read, written = (words_of(plot.ds, dim) for dim in ("read", "written"))
    across, down = np.tile([0.0, 1.0, np.nan], len(read)), np.tile([[0.0, 0.0, np.nan]], (len(read), 1))
    down[:, 0] = np.arange(len(read))
    for place in range(len(written)):
        down[:, 1] = place
        own = weights[:, place, :, None]
        for (least, width, alpha), (most, *_) in pairwise((*STRENGTHS, (np.inf,))):
            lines = np.where((own >= least) & (own < most), down, np.nan).reshape(len(own), -1)
            plot.figure.scatter(
                x=across,
                y=AtStep("look", single(lines.astype(np.float32))),
                mode="lines",
                line={"color": with_alpha(STYLES["layer"].colour, alpha), "width": width},
                meta={"written": place},
                hoverinfo="skip",
            )
    rows = max(len(read), len(written))
    for x, heading, words in ((0, "Read", read), (1, "Written", written)):
        side: dict[str, Any] = {"xanchor": ("right", "left")[x], "xshift": 14 * (2 * x - 1), "showarrow": False, "x": x}
        plot.figure.scatter(x=[x] * len(words), y=[*range(len(words))], mode="markers", marker=DOT, hoverinfo="skip")
        plot.figure.add_annotation(text=heading, y=-1, font={"size": 13, "color": plot.ink.muted}, **side)
        for place, word in enumerate(words):
            plot.figure.add_annotation(text=as_label(word), y=place, font={"size": 16}, **side)
    said = AtStep("look", [[_looked_at(row, read) for row in now] for now in weights])
    plot.figure.data[-1].update(customdata=said, hovertemplate="%{customdata}<extra></extra>", hoverinfo=None)
    plot.figure.update_xaxes(range=[-0.8, 1.8], visible=False, fixedrange=True)
    plot.figure.update_yaxes(range=[rows - 0.5, -1.5], visible=False, fixedrange=True)
    plot.link("y", "written")
    plot.finish(_answer(plot), plot.step_in_words("look"), height=120 + 44 * rows, legend=False, hover="closest")
    return plot.figure.update_layout(hoverdistance=-1)


def _looked_at(weights: NDArray[Any], words: Sequence[str]) -> str:
    """The words that one word looks at, the most first, each with a bar as long as its weight."""
    most = [place for place in np.argsort(-weights, kind="stable") if weights[place] >= STRENGTHS[0][0]]
    return "<br>".join(f"{'█' * round(10 * weights[at])} {as_label(words[at])} {weights[at]:.0%}" for at in most)


def own_side(plot: Plot) -> Figure:
    """Self-attention of the encoder and causal self-attention of the decoder, for the same pair."""
    plot.figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.16)
    sides = (("Encoder", "encoder_attention", "read"), ("Decoder", "decoder_attention", "told"))
    words = [words_of(plot.ds, dim) for _, _, dim in sides]
    for panel, ((heading, name, _), own) in enumerate(zip(sides, words, strict=True), start=1):
        z = AtStep("look", single(_last_block(plot, name).values.astype(np.float32)))
        add_word_map(plot.figure, z, own, own, row=1, col=panel)
        add_heading(plot.figure, panel, f"<b>{heading}</b>")
    height = 250 + 30 * max(map(len, words))
    plot.finish(plot.step_in_words("look"), height=height, legend=False, hover="closest")
    plot.figure.update_layout(margin_t=plot.figure.layout.margin.t + 16)
    colour_bar_below(plot.figure, (0.0, 1.0), look.share_scale(plot.theme), WEIGHT)
    return plot.figure.update_layout(_with_every_word(plot.figure, *words))


def _with_every_word(figure: Figure, *words: Sequence[str]) -> dict[str, Any]:
    """The layout of maps whose columns each have their word: upright where some are long, with room below for them."""
    longest = max(len(word) for own in words for word in own)
    if longest <= LETTER:
        return {}
    room = UPRIGHT * longest
    figure.update_xaxes(tickangle=-90)
    figure.update_annotations({"text": WEIGHT}, yshift=-56 - room)
    return {"height": figure.layout.height + room, "margin": {"b": figure.layout.margin.b + room}}


def _answer(plot: Plot) -> AtStep:
    """What the network writes for the probe, in words, at each look."""
    words = json.loads(plot.ds.attrs["words"])

    def said(now: Any) -> str:
        answer = " ".join(words[int(number)] for number in now.values if number >= 0)
        return f"It writes: {answer or 'nothing'}."

    return plot.say(said, plot.now["answer"])


def _spread(ds: Run) -> Values:
    """What the bars of a word's mean and deviation reach to."""
    if "norm_mean" not in ds:
        return np.array([0.0, 1.0])
    means, deviations = ds["norm_mean"].values, ds["norm_deviation"].values
    return np.concatenate([(means - deviations).ravel(), (means + deviations).ravel()])


def _stages(plot: Plot) -> Sequence[Dots]:
    names = [str(name) for name in plot.ds["stage"].values]
    looks = [
        series(name, name, colour or plot.networks[0], symbol=symbol)
        for name, (colour, symbol) in zip(names, STAGES, strict=True)
    ]
    return [
        dots(
            "norm_mean",
            by="stage",
            looks=tuple(looks),
            ends=(
                lambda plot: plot.now["norm_mean"] - plot.now["norm_deviation"],
                lambda plot: plot.now["norm_mean"] + plot.now["norm_deviation"],
            ),
            dodge=0.66,
            size=8,
            hover="mean %{y:.2f}",
        )
    ]


def _words_read(plot: Plot) -> dict[str, Any]:
    words = [as_label(word) for word in words_of(plot.ds, "read")]
    return {"tickmode": "array", "tickvals": [*range(len(words))], "ticktext": words}


def _steps_to_right(plot: Plot) -> Array:
    """Steps to 99 %, (network, chosen rate), the lowest rate first, with gaps where a run does not get there."""
    rates = plot.ds["rate"].values if "rate" in plot.ds.coords else np.zeros(1)
    rising = np.argsort(rates)
    names = [f"{rate:.2g}" for rate in rates[rising]] if "rate" in plot.ds.coords else ["the one that is set"]
    steps = steps_by_rate(plot.ds)
    values = np.stack([np.where(np.isfinite(one), one, np.nan)[rising] for one in steps.values()])
    return LightArray(values, ("network", "chosen"), {"network": np.array([*steps]), "chosen": np.array(names)})


def _nowhere(ds: Run) -> str:
    steps = steps_by_rate(ds).values()
    return "" if any(np.isfinite(own).any() for own in steps) else "Nobody has 99 % of the sequences right so far."


def _not_everywhere(plot: Plot) -> str:
    steps = _steps_to_right(plot)
    never = [plot.look_of(name).label for name in plot.networks if np.isnan(steps.sel(network=name).values).any()]
    return f"Not everywhere: {', '.join(never)}." if never else ""


learned, beyond = longer_than_learned(lambda plot: int(plot.ds["length"].values[-1]))

FIGURES, shared_limits = offered(
    TranslationTransformer,
    figure(
        "pair",
        "Whom does a written word look at?",
        draw=pair,
        needs=("cross_attention", "answer", "read", "written"),
        shows="Thicker: more weight. Below a tenth: no line. Point at a written word: the others step back.",
    ),
    # Two maps of different words side by side.
    figure(
        "own_side",
        "Who looks at whom on its own side?",
        draw=own_side,
        needs=("encoder_attention", "decoder_attention", "read", "told"),
        shows="Rows look at columns. Left: words read. Right: a word written looks back alone.",
    ),
    # With the right words told: the mean over the heads of the last block.
    figure(
        "alignment",
        "Where does the decoder look back?",
        word_map(partial(_last_block, name="cross_attention"), rings="aligned"),
        needs=("cross_attention", "answer", "aligned", "read", "written"),
        also="Rings: the word that it stands for.",
        x=axis("Word read", scale="free"),
        y=axis("Word written", scale="free"),
        colour=colours(WEIGHT, ends=(0.0, 1.0), below=True),
        notes=(_answer,),
        height=lambda plot: 250 + 30 * plot.ds.sizes["written"],
        layout=lambda plot: {
            "meta": {"linked": {"x": "read", "y": "written"}},
            **_with_every_word(plot.figure, words_of(plot.ds, "read")),
        },
    ),
    # Document 004, section 4.2: layer norm shortens training.
    figure(
        "steps_to_right",
        "Who learns first?",
        bars(_steps_to_right, by="network", hover="%{y:.0f} steps"),
        needs=("sequence_accuracy",),
        instead=_nowhere,
        also="No bar: not in this run.",
        x=axis("Learning rate", scale="free", type="category"),
        y=axis("Steps to 99 %", "look", scale="zero"),
        notes=(_not_everywhere,),
        seeds=True,
    ),
    # Teacher forcing against free running: one wrong word may draw others after it.
    figure(
        "alone",
        "Does it write as well alone?",
        curves("told_right", hover="%{y:.1%} told"),
        thin("free_right", "on its own", hover="%{y:.1%} on its own", look={"width": 2.5}),
    ),
    # The encoder's first norm: layer norm gives every word mean 0 and deviation 1, batch norm does not.
    figure(
        "norm_at_work",
        "What does a norm do to a word?",
        _stages,
        needs=("norm_mean", "norm_deviation", "read", "network"),
        shows="Each word's mean and spread: as it comes, standardised, and with gain and shift.",
        over="read",
        x=axis(told=_words_read),
        y=axis("Numbers of a word's state", read=_spread),
        lead=lambda plot: plot.when(f"{plot.look_of(plot.networks[0]).label}, step {{}}.", "look"),
        says_step=False,
        hover="closest",
    ),
    # The code of a place that was never trained means nothing to the network.
    figure(
        "by_length",
        "Does it know longer sequences?",
        curves("length_accuracy"),
        learned,
        notes=(beyond,),
    ),
    "attention",
    "loss",
    look_of=STYLES.__getitem__,
)


@drawn(
    "What does this step see?",
    name="one_step",
    shows="Above: how much it looks at each word read. Below: at words written so far.",
)
def one_step(
    source: Sequence[str],
    decoder_inputs: Sequence[str],
    own: NDArray[np.floating],
    cross: NDArray[np.floating],
    *,
    step: int,
    theme: Theme = "light",
) -> Figure:
    """Weights of one step, counted from 0: ``own`` (step, step), ``cross`` (step, source place)."""
    figure = make_subplots(rows=2, cols=1, vertical_spacing=0.3)
    sides = (("Words read", source, cross[step], len(source)), ("Words written", decoder_inputs, own[step], step + 1))
    for row, (heading, words, weights, visible) in enumerate(sides, start=1):
        places = [*range(len(words))]
        seen = Bar(
            x=places,
            y=np.asarray(weights, dtype=np.float64)[:visible],
            marker={"color": STYLES["layer"].colour},
            hovertemplate="%{y:.3f}<extra></extra>",
            showlegend=False,
            name="Attention weight",
        )
        figure.add_trace(seen, row=row, col=1)
        labels = [as_label(word) if place < visible else "·" for place, word in enumerate(words)]
        ends = [-0.6, len(words) - 0.4]
        figure.update_xaxes(tickmode="array", tickvals=places, ticktext=labels, range=ends, row=row, col=1)
        figure.update_yaxes(range=[0, 1.05], tickvals=[0, 0.5, 1], row=row, col=1)
        if visible < len(words):
            figure.add_annotation(
                text="not yet seen",
                x=(visible + len(words) - 1) / 2,
                y=0.5,
                xref=f"x{row}",
                yref=f"y{row}",
                showarrow=False,
                font={"color": INKS[theme].muted, "size": 13},
            )
        add_heading(figure, row, f"<b>{heading}</b>")
    look.apply(figure, theme, title="What does this step see?", legend=False, height=430, hover="closest")
    return figure.update_layout(margin_t=figure.layout.margin.t + 16)


def picture(ds: Run) -> str:
    """The home page's picture: the decoder's look back in the middle of its two sides."""
    parts = [
        square
        for left, name in ((12, "encoder_attention"), (114, "cross_attention"), (216, "decoder_attention"))
        for square in squares(ds[name].isel(look=-1, block_number=-1).mean("head").values, left, 34, 92, 92)
    ]
    return picture_svg(
        parts,
        label="Three maps of attention: in the encoder, between the two, and in the decoder.",
        axes=("read", "written"),
    )
