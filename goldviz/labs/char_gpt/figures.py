"""The figures of the laboratory *Character GPT*, in the order in which a page shows them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightArray
from goldviz.figures import along_sequence, training_steps
from goldviz.figures import theme as look
from goldviz.figures.chart import axis, colours, curves, figure, heat, lines, offered, thin, where_recorded
from goldviz.figures.diagram import Colour, Node, Part, Wire, chain, colour_quantities, diagram, of_layers
from goldviz.figures.draft import Figure
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.frames import Words
from goldviz.figures.language_model import OF_SAMPLES, Sampled, loss_beside_guesses, picture, same_draws
from goldviz.figures.limits import Values
from goldviz.figures.marks import Lines
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme, style_of
from goldviz.labs.char_gpt.settings import CharGpt

__all__ = ["FIGURES", "candidates", "lens", "looked", "picture", "shared_limits"]

KINDS = CharGpt.variables_by_kind
SIMPLE = {name: KINDS.labels[name] for name in KINDS.every("baseline_loss")}
"""Losses of guesses that need no network."""
DASHES = ("dot", "dash", "longdash", "dashdot", "longdashdot")
"""Of lines for what needs no network, from the lowest up."""
CHARACTERS_IN_A_ROW = 24
PIECES_IN_A_ROW = (12, 8)
LONG_PIECES = 2.2
MOST_LONG = 0.1
"""Share of the tokens that may have more than one character where tokens are characters: those that nobody sees."""
COLOURS = (
    *of_layers("gradient_norm", "update_to_data", "gradient_to_data"),
    Colour("residual_variance", "Variance of the states"),
    *of_layers("activation_std"),
    Colour("attention_entropy", "Entropy of attention, share of an even one's", "share"),
    Colour("attention_peak", "Largest attention weight", "share"),
    *of_layers("dead_units"),
)
"""What may colour the network's diagram."""


def _with_bits(plot: Plot) -> Callable[[float], str] | None:
    """What says a loss in nats a token and in bits a byte."""
    bits = np.nan if plot.lacks("tokens_per_byte") else float(plot.ds["tokens_per_byte"]) / math.log(2)
    return (lambda nats: f"{nats:.3f} nat = {nats * bits:.2f} bits a byte") if bits > 0 else None


def _samples(plot: Plot) -> tuple[Any, NDArray[Any]]:
    """Text drawn at a close look from the same chances each time, so it changes only as the network learns."""
    tokens, probabilities = (
        plot.now[name].transpose("close_look", "sample", "place").values
        for name in ("sample_token", "sample_probability")
    )
    signs = np.array([as_label(str(sign)) for sign in plot.ds["token"].values], dtype=object)
    words, width = signs[np.nan_to_num(tokens, nan=0).astype(int)], _width(plot.ds)
    text, shares = (_in_rows(values, width) for values in (words, probabilities.astype(np.float64)))
    return text.tolist(), shares


def _width(ds: Run) -> int:
    """Tokens in a row: fewer where they are pieces, and fewer still where the text's pieces are long, in the mean."""
    lengths = np.array([len(str(sign)) for sign in ds["token"].values])
    if (lengths > 1).mean() < MOST_LONG:
        return CHARACTERS_IN_A_ROW
    counts = ds["token_count"].values if "token_count" in ds else np.ones(len(lengths))
    short, long = PIECES_IN_A_ROW
    return short if np.average(lengths, weights=counts) < LONG_PIECES else long


def _in_rows(values: NDArray[Any], width: int) -> NDArray[Any]:
    """Samples (look, sample, place) as rows of so many tokens, an empty row between two samples."""
    looks, samples, places = values.shape
    rows = values.reshape(looks, samples, places // width, width)
    gap = "" if values.dtype == object else np.nan
    apart = np.pad(rows, ((0, 0), (0, 0), (0, 1), (0, 0)), constant_values=gap)
    return apart.reshape(looks, samples * (places // width + 1), width)[:, :-1]


def _in_bits(ds: Run, name: str) -> Array:
    """A loss in nats a token as bits a byte: times tokens a byte, over ln 2."""
    return finite(ds[name]) * (float(ds["tokens_per_byte"]) / math.log(2))


def _simple_bits(ds: Run) -> dict[str, float]:
    """Bits a byte by guesses that need no network, and by gzip; the lowest first."""
    told = {words: float(_in_bits(ds, name)) for name, words in SIMPLE.items() if name in ds}
    told |= {"gzip": float(ds["gzip_dev_bits"])} if "gzip_dev_bits" in ds else {}
    return dict(sorted(told.items(), key=lambda one: one[1]))


def _every_bits(ds: Run) -> Values:
    if "tokens_per_byte" not in ds:
        return np.array([])
    learned = _in_bits(ds, "dev_loss").values.ravel() if "dev_loss" in ds else np.array([])
    return np.append(learned, list(_simple_bits(ds).values()))


def _across(plot: Plot, value: float) -> Array:
    return LightArray([value, value], ["step"], {"step": np.array(plot.limit("step"))})


def _without_network(plot: Plot) -> list[Lines]:
    """Lines across; named in the legend, because a name beside one would cover the curve where lanes are narrow."""
    how: dict[str, Any] = {"over": "step", "colour": "muted", "width": 1.5, "more": {"hoverinfo": "skip"}}
    return [
        lines(partial(_across, value=value), name=f"{words}: {value:.2f}", dash=dash, **how)
        for (words, value), dash in zip(_simple_bits(plot.ds).items(), DASHES, strict=False)
    ]


def _said_of(name: str, answer: Callable[[Array], str]) -> Callable[[Plot], Words]:
    """What a variable of the step in view comes to, in words."""
    return lambda plot: plot.say(answer, finite(plot.now[name]).median([*{"network", "seed"} & {*plot.ds[name].dims}]))


def _of_ends(now: Array) -> str:
    quarter = max(1, now.sizes["position"] // 4)
    first, last = (float(part.mean()) for part in (now[:quarter], now[-quarter:]))
    return f"First quarter {first:.2f}, last {last:.2f} nat." if np.isfinite(first + last) else ""


def _growth(now: Array) -> str:
    factor = float(now[-1] / now[0])
    return f"It grows {factor:.3g} times." if np.isfinite(factor) else ""


def _neighbours(cosines: Array) -> str:
    """How alike neighbours are, and places half a block apart."""
    half = len(cosines) // 2
    near, far = (float(np.diagonal(cosines.values.astype(np.float64), offset).mean()) for offset in (1, half))
    return f"Neighbours: {near:.2f}; {half} apart: {far:.2f}." if np.isfinite(near + far) else ""


def _sureness(plot: Plot) -> Words:
    sure = finite(plot.now["dev_loss"] - plot.now["logit_entropy"]).median("seed")
    return plot.each(sure, lambda nats: f"{nats:+.3f} nat", within="Loss minus entropy, {}.")


def _parts_of(ds: Run) -> list[Part]:
    """Tables, blocks and read-out of the run's network."""
    name, layers = str(ds["network"].values[0]), [str(layer) for layer in ds["layer"].values]
    blocks = [place for place, layer in enumerate(layers) if layer.startswith("block")]
    nodes = []
    for place, layer in enumerate(layers):
        depth = {"depth": place} if place in (0, *blocks) else {}
        number = {"block_number": place} if place in blocks else {}
        nodes.append(Node(str(place) if number else layer, layer, place, at={"layer": layer, **number, **depth}))
    if blocks[-1] == len(layers) - 1:
        nodes.append(Node("out", "read-out, tied to the token table", len(layers), kind="end"))
    wires = [*chain(nodes), *(Wire(place - 1, place, "skip") for place in blocks)]
    return [Part(style_of(name).label, nodes, wires, name, style_of(name).colour)]


FIGURES, shared_limits = offered(
    CharGpt,
    loss_beside_guesses("nat a token", _with_bits, digits=2),
    figure(
        "samples",
        "What does it write?",
        Sampled(_samples, size=16, gap=3),
        needs=("sample_token", "sample_probability", "token"),
        shows="Four samples. The fuller a cell, the likelier its token was held.",
        x=axis(scale="free", showgrid=False, showticklabels=False, ticks=""),
        y=axis(scale="free", autorange="reversed", showgrid=False, showticklabels=False, ticks=""),
        notes=(same_draws, "␣ blank, ⏎ line end."),
        height=470,
        **OF_SAMPLES,
    ),
    # What a byte of text that was not learned would take to be sent.
    figure(
        "bits",
        "How many bits does a byte cost?",
        curves(lambda plot: _in_bits(plot.ds, "dev_loss"), over="close_look", hover="%{y:.3f} bits"),
        _without_network,
        needs=("dev_loss", "tokens_per_byte"),
        over="close_look",
        cannot_show="Other compressors.",
        y=axis("Bits a byte", read=_every_bits),
    ),
    partial(along_sequence.attention.of, shows="The attention of every head in a stretch of dev text."),
    # A last place far above the others means that those see what they should guess.
    figure(
        "position_loss",
        "Does what came before help?",
        where_recorded(curves("bigram_position_loss", style=style_of("bigram"), width=1.5)),
        curves("position_loss"),
        also="Dotted: counted pairs.",
        y=axis("Loss (nat a token)", "position_loss", "bigram_position_loss"),
        notes=(_said_of("position_loss", _of_ends),),
    ),
    # Learned positions begin unrelated; training makes neighbours alike, so distance is learned, not given.
    figure(
        "positions",
        "Which places are alike?",
        heat("position_similarity", "other_position", "position", hover="places %{y} and %{x}: %{z:.2f}"),
        shows="How alike two places' learned vectors are: red alike, blue opposite.",
        y=axis("Place", told=lambda plot: {"range": plot.limit("position")[::-1]}),
        colour=colours("Cosine", ends=(-1, 1), scale="signed", tickvals=[-1, -0.5, 0, 0.5, 1]),
        notes=(_said_of("position_similarity", _neighbours),),
        height=470,
    ),
    # Document 002, 3.6: branches over √(2n) keep the variance from growing with n.
    figure(
        "stream",
        "Does the signal grow block by block?",
        curves("residual_variance"),
        notes=(_said_of("residual_variance", _growth),),
    ),
    partial(
        training_steps.generalisation.of,
        question="Does it learn rules, or the text by heart?",
        title="Rules, or the text by heart?",
        shows="Loss on text that is learned (dotted) and on dev text.",
    ),
    # Where the softmax' entropy equals the loss, the network is as sure as it may be; below, too sure.
    figure(
        "certainty",
        "How unsure is its guess?",
        curves("logit_entropy", hover="entropy %{y:.3f} nat"),
        thin("dev_loss", "dev loss", hover="dev %{y:.3f} nat"),
        shows="How unsure the guesses on dev text are, and how wrong (dotted).",
        y=axis("Nat a token", "logit_entropy", "dev_loss", "uniform_loss"),
        notes=(_sureness, "Dotted: dev loss."),
    ),
    partial(training_steps.gradient_norm.of, name="gradient", shows="The gradient's length before and after clipping."),
    lambda make, _: diagram(
        make,
        _parts_of,
        COLOURS,
        noun="block",
        question="Where in the network?",
        shows="The network block by block. Choose one: other figures mark it.",
    ),
    # It goes under another name here.
    without=("gradient_norm",),
    more=colour_quantities(COLOURS),
)


# What stands under the text box, of one completion.


def _rows(figure: Figure, theme: Theme, question: str, height: int) -> Figure:
    """A row for each category, the first on top."""
    look.apply(figure, theme, title=question, legend=False, height=height, hover="closest")
    return figure.update_yaxes(autorange="reversed", showgrid=False, type="category")


@drawn("What else could have come?", shows="The likeliest tokens here; gold: the one that was drawn, if among them.")
def candidates(signs: Sequence[str], shares: NDArray[np.floating], choice: str, *, theme: Theme = "light") -> Figure:
    """Bars of the probabilities from which a token was drawn, the likeliest at the top."""
    ink, labels = INKS[theme], [as_label(sign) for sign in signs]
    figure = Figure().bar(
        x=np.asarray(shares, dtype=np.float64),
        # Different tokens may look alike: bars need names that differ.
        y=[label + "\u200b" * labels[:place].count(label) for place, label in enumerate(labels)],
        orientation="h",
        hovertemplate="%{y}: %{x:.1%}<extra></extra>",
        marker={"color": [ink.accent if sign == choice else ink.muted for sign in signs]},
        text=[f"{share:.0%}" for share in shares],
        textposition="outside",
        cliponaxis=False,
    )
    _rows(figure, theme, "What else could have come?", 330)
    return figure.update_xaxes(range=[0, 1.12], tickformat=".0%", title_text="Probability")


@drawn("What would each block have said?", shows="The likeliest tokens if the network ended after so many blocks.")
def lens(signs: Sequence[Sequence[str]], shares: NDArray[np.floating], *, theme: Theme = "light") -> Figure:
    """The logit lens: final norm and read-out of the last place's state at every depth."""
    depths = ["tables", *(f"block {number}" for number in range(1, len(signs)))]
    figure = Figure().heatmap(
        z=np.asarray(shares, dtype=np.float32),
        y=depths,
        x=[f"{place}." for place in range(1, shares.shape[1] + 1)],
        text=[[as_label(sign) for sign in row] for row in signs],
        texttemplate="%{text}",
        textfont={"size": 13},
        coloraxis="coloraxis",
        xgap=1,
        ygap=2,
        hovertemplate="after %{y}: %{text} %{z:.1%}<extra></extra>",
    )
    _rows(figure, theme, "What would each block have said?", 190 + 42 * len(depths))
    figure.update_xaxes(showgrid=False, type="category", title_text="Likeliest")
    return colour_bar_below(figure, (0.0, 1.0), look.share_scale(theme), "Probability", tickformat=".0%", nticks=6)


@drawn(
    "Where did it look?",
    shows="How much each head's last place looks at each token so far, its own among them.",
    cannot_show="What it took from there.",
)
def looked(signs: Sequence[str], weights: NDArray[np.floating], *, theme: Theme = "light") -> Figure:
    """The last row of every head's attention: a row for each head, a column for each token."""
    blocks, heads, places = weights.shape
    rows = [f"block {block}, head {head}" for block in range(1, blocks + 1) for head in range(1, heads + 1)]
    z, x = weights.reshape(blocks * heads, places).astype(np.float32), list(range(places))
    figure = Figure().heatmap(
        z=z, x=x, y=rows, coloraxis="coloraxis", hovertemplate="%{y} at %{x}: %{z:.1%}<extra></extra>"
    )
    _rows(figure, theme, "Where did it look?", 200 + 18 * len(rows)).update_yaxes(tickfont_size=13)
    labels = [as_label(sign) for sign in signs]
    ticks: dict[str, Any] = {"tickmode": "array", "tickvals": x, "ticktext": labels, "tickangle": 0}
    figure.update_xaxes(showgrid=False, tickfont_size=13, title_text="Token", **ticks)
    return colour_bar_below(figure, (0.0, float(weights.max())), look.share_scale(theme), "Attention weight", nticks=6)
