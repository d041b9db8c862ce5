"""The figures of the laboratory *Character language models*, in the order in which a page shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.data.texts.pair_counts import probabilities
from goldviz.figures import training_steps
from goldviz.figures.chart import (
    Panel,
    axis,
    changed,
    colours,
    curves,
    figure,
    heat,
    limits_over,
    lines,
    offered,
    panel,
    thin,
    where_recorded,
)
from goldviz.figures.diagram import Colour, Node, Part, Wire, chain, colour_quantities, diagram, of_layers
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading, legend_above_headings, log_axis
from goldviz.figures.frames import Words
from goldviz.figures.language_model import OF_SAMPLES, Sampled, loss_beside_guesses, picture, same_draws
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot, unless
from goldviz.figures.reading import positive, single
from goldviz.figures.theme import style_of
from goldviz.labs.char_language_model import measures
from goldviz.labs.char_language_model.settings import BENGIOS, CharLanguageModel
from goldviz.models.style import NetworkStyle

__all__ = ["FIGURES", "in_all_units", "picture", "shared_limits"]

IMPOSSIBLE = 1e-4
"""Probabilities below are drawn as this one."""
VOWELS = frozenset("aeiouy")
CONTEXTS = np.arange(1.0, 17)
VOCABULARIES = np.unique(np.geomspace(10, 100_000, 41).round())
TICKS: dict[str, Any] = {"tickvals": [10, 100, 1000, 17_000, 100_000], "ticktext": ["10", "100", "1k", "17k", "100k"]}
"""Of vocabularies; 17,000 words are in the document's (002, 1.3)."""
ABOVE = 1e4
"""So many times the largest network stands the top of the axis: a table leaves it soon."""
TABLE = NetworkStyle("table of counts", style_of("bigram").colour, "dash", "circle")
COLOURS = (
    *of_layers("gradient_norm"),
    Colour("hidden_gradient_norm", "Gradient norm of the layer's output"),
    *of_layers("activation_std", "update_to_data", "gradient_to_data", "saturation", "dead_units"),
)
"""What may colour the network's diagram."""
SPREADS = axis("Spread of the output", "activation_std", "expected_std", scale="zero")


def in_all_units(loss: float) -> str:
    """A loss in nats, in bits a character and as a perplexity.

    >>> in_all_units(math.log(27))
    '3.296 nat = 4.75 bits = perplexity 27'
    """
    return f"{loss:.3f} nat = {loss / math.log(2):.2f} bits = perplexity {math.exp(min(loss, 700)):.3g}"


def _signs_of(plot: Plot) -> list[str]:
    """The symbols' signs, ready for a label; a blank is drawn as an open box."""
    return ["␣" if sign == " " else as_label(sign) for sign in map(str, plot.ds["symbol"].values)]


def _samples(plot: Plot) -> tuple[Any, NDArray[Any]]:
    """Names drawn from the model at a close look, from the same numbers each time, so they change as it learns."""
    symbols, shares = (
        plot.now[name].transpose("close_look", "network", ...).values[:, 0]
        for name in ("sample_symbol", "sample_probability")
    )
    # The last is of places after a name's end, which are -1.
    signs = np.array([*_signs_of(plot), ""], dtype=object)
    return signs[np.nan_to_num(symbols, nan=-1).astype(int)].tolist(), shares


def _tables(plot: Plot) -> Sequence[Panel]:
    """The table of pairs, counted in the training text, and below it the model's own where it has one."""
    signs = _signs_of(plot)

    def logarithms(shares: Array) -> Array:
        """Those of what is nearly 0 are of the smallest that is drawn."""
        held = np.clip(np.nan_to_num(shares.values, nan=0.0, posinf=1.0), IMPOSSIBLE, 1.0)
        return shares.copy(data=np.log10(held)).assign_coords(symbol=signs, next_symbol=signs)

    counted = changed("count", lambda counts: logarithms(counts.copy(data=probabilities(counts.values, 0.0))))
    tables = {"Counted": counted}
    if not plot.lacks("table"):
        label = plot.look_of(plot.networks[0]).label
        tables[label[0].upper() + label[1:]] = changed("table", lambda table: logarithms(table.isel(network=0)))
    hover = "%{y} then %{x}<br>probability 10<sup>%{z:.2f}</sup>, counted %{customdata:,.0f} times"
    more = {"customdata": plot.ds["count"].values.astype(np.float32)}
    return [
        panel(heat(one, "next_symbol", "symbol", hover=hover, more=more), heading=words)
        for words, one in tables.items()
    ]


def _directions(plot: Plot) -> Array:
    """The embedding's two main directions (principal components) at each close look, in place of its dimensions."""
    table = plot.now["embedding_table"].isel(network=0).transpose("close_look", "symbol", "dimension")
    both = table.isel(dimension=slice(0, 2))
    return both.copy(data=single(np.reshape([_main_directions(one) for one in table.values], both.shape)))


def _shown(plot: Plot) -> Words:
    table = plot.now["embedding_table"].isel(network=0).astype(np.float64)
    spread, shown = ((one**2).sum(["symbol", "dimension"]) for one in (table - table.mean("symbol"), _directions(plot)))
    return plot.say(
        lambda share: f"The map shows {float(share):.0%} of the differences.", shown / spread.where(spread > 0)
    )


def _signs(plot: Plot) -> dict[str, Any]:
    """The symbols' signs in the places' marks: squares are vowels."""
    signs = _signs_of(plot)
    vowels = [sign in VOWELS for sign in signs]
    marker = {
        "size": 24,
        "color": ["#c46a9c" if vowel else plot.ink.grid for vowel in vowels],
        "symbol": ["square" if vowel else "circle" for vowel in vowels],
    }
    return {"marker": marker, "text": signs, "textfont": {"size": 13, "color": plot.ink.text}}


def _main_directions(numbers: NDArray[Any]) -> NDArray[Any]:
    """Places of the rows along the two directions in which they differ most.

    A direction points to where the row of the largest size along it is, so that the map does not flip by chance.
    """
    if not np.isfinite(numbers).all():
        return np.full((len(numbers), 2), np.nan)
    left, sizes, _ = np.linalg.svd((numbers - numbers.mean(axis=0)).astype(np.float64), full_matrices=False)
    places = left[:, :2] * sizes[:2]
    return np.asarray(places * np.sign(places[np.abs(places).argmax(axis=0), range(places.shape[1])]))


def _kept(plot: Plot) -> str:
    """How many running means each layer keeps: one for each channel, or for each place by mistake."""
    if "running_values" not in plot.ds:
        return ""
    return f"Running means by layer: {', '.join(f'{count:,}' for count in measures.running_means(plot.ds))}."


def _without_formula(ds: Run) -> str:
    if str(ds["network"].values[0]) not in BENGIOS:
        return "The formula is of Bengio's network: set Model to it."
    return "" if ds.sizes.get("symbol") else "The vocabulary is not known yet."


def parameters(plot: Plot) -> Figure:
    """V^(n + 1) cells of a table against V (1 + m + h) + h (1 + n m) parameters, and n m V with direct connections.

    A table grows by a power of the vocabulary V and exponentially with the context n, the network by a line in both
    (document 002, 1.3.1).
    """
    settings = CharLanguageModel.checked_json(str(plot.ds.attrs.get("settings", "")))
    symbols, context, own = float(plot.ds.sizes["symbol"]), settings.context, int(plot.ds["parameter_count"].values[0])
    # Each panel has an axis of its own, with its title between the two.
    plot.figure = make_subplots(rows=2, cols=1, vertical_spacing=0.24)
    ring = {"symbol": "circle-open", "size": 13, "color": plot.ink.text, "line": {"width": 2}}
    largest = 0.0
    panels = (
        (CONTEXTS, CONTEXTS, np.full_like(CONTEXTS, symbols), float(context)),
        (VOCABULARIES, np.full_like(VOCABULARIES, context), VOCABULARIES, symbols),
    )
    for row, (x, read, known, here) in enumerate(panels, start=1):
        networks = {
            name: measures.parameters(read, known, settings.embedding, settings.hidden, direct=name == "direct_mlp")
            for name in BENGIOS
        }
        largest = max(largest, *(float(count.max()) for count in networks.values()))
        counts = [(plot.look_of(name), count) for name, count in networks.items()]
        for style, values in [(TABLE, measures.cells(read, known)), *counts]:
            plot.figure.scatter(
                x=x,
                y=values,
                mode="lines",
                name=style.label,
                legendgroup=style.label,
                showlegend=row == 1,
                line={"color": style.colour, "dash": style.dash, "width": 2.5},
                hovertemplate=f"%{{x:,}}: %{{y:,.3s}}<extra>{style.label}</extra>",
                row=row,
            )
        hover = f"this run: {own:,}<extra></extra>"
        points: dict[str, Any] = {"x": [here], "y": [own], "mode": "markers", "marker": ring, "hovertemplate": hover}
        plot.figure.scatter(row, name="this run", showlegend=False, **points)
    plot.figure.update_yaxes(title_text="Cells, or parameters", **log_axis((2.0, float(np.log10(ABOVE * largest)))))
    plot.figure.update_xaxes(title_text="Characters read", range=(0.5, 16.5), tickvals=[1, 4, 8, 12, 16], row=1)
    plot.figure.update_xaxes(title_text="Vocabulary", type="log", range=(1.0, 5.0), row=2, **TICKS)
    for number, words in enumerate((f"{symbols:.0f} symbols", f"{context} characters read"), start=1):
        add_heading(plot.figure, number, f"<b>{words}</b>", font={"size": 13})
    return legend_above_headings(plot.finish(height=560, hover="closest"))


def _parts_of(ds: Run) -> list[Part]:
    """The matrices of the run's model in their order."""
    name, style = str(ds["network"].values[0]), style_of(str(ds["network"].values[0]))
    nodes = [_node(str(layer), column) for column, layer in enumerate(ds["layer"].values)]
    return [Part(f"{style.label[0].upper()}{style.label[1:]}", nodes, _wires(nodes), name, style.colour)]


def _wires(nodes: list[Node]) -> list[Wire]:
    """From each layer to the next; direct connections lead from the embedding past the hidden layer to the output."""
    place = next((place for place, node in enumerate(nodes) if node.label == "direct"), None)
    if place is None:
        return chain(nodes)
    return [Wire(0, 1), Wire(1, len(nodes) - 1), Wire(0, place), Wire(place, len(nodes) - 1)]


def _node(layer: str, column: int) -> Node:
    kind, _, number = layer.partition(" ")
    if kind == "hidden" and number.isdigit():
        return Node(number, f"hidden layer {number}", column, at={"layer": layer, "hidden": int(number)})
    if layer == "direct":
        return Node(layer, "direct connections", 1, row=1, at={"layer": layer})
    # The state that a recurrent network hands on is its one hidden layer.
    state = {"hidden": 1} if layer == "recurrent" else {}
    return Node(layer, layer, column, at={"layer": layer, **state})


FIGURES, shared_limits = offered(
    CharLanguageModel,
    # A start above the uniform line means that the network is sure of what it does not know.
    loss_beside_guesses("nat", lambda plot: in_all_units, digits=3),
    figure(
        "samples",
        "What names does it make up?",
        Sampled(_samples, size=16, gap=4, along=("sample", "place")),
        needs=("sample_symbol", "sample_probability", "symbol"),
        shows="Eight names, letter by letter; fuller cells were held likelier.",
        x=axis("Character", scale="free", showgrid=False),
        y=axis(scale="free", autorange="reversed", showgrid=False, showticklabels=False),
        notes=(same_draws,),
        **OF_SAMPLES,
    ),
    partial(
        training_steps.generalisation.of,
        question="Does it learn rules, or names by heart?",
        title="Rules, or names by heart?",
        shows="Loss on text that is learned (dotted) and on dev text.",
    ),
    "gradient_by_layer",
    "activations",
    "activation_distribution",
    "hidden_gradient_distribution",
    "weight_gradient_distribution",
    "update_to_data",
    "gradient_to_data",
    # For the start q' = E tanh²(gain sqrt(q) x) (document 002, 1.3.1): with 5/3 it settles at 0.651 and not at 1, which
    # tanh cannot reach; with 1 it fades layer by layer.
    figure(
        "spread_by_depth",
        "Does the signal keep its width through the layers?",
        curves("activation_std", hover="measured %{y:.3f}"),
        where_recorded(
            lines(
                changed("expected_std", lambda values: values.isel(network=0)),
                name="expected at the start",
                colour="muted",
                dash="dot",
                width=1.8,
                hover="expected %{y:.3f}",
            )
        ),
        title="Does the signal keep its width?",
        y=SPREADS,
    ),
    figure(
        "embedding",
        "Which characters does it treat alike?",
        lines(
            changed(_directions, lambda places: places.isel(dimension=1)),
            x=changed(_directions, lambda places: places.isel(dimension=0)),
            mode="markers+text",
            hover="%{text}: %{x:.2f}, %{y:.2f}<extra></extra>",
            more=_signs,
        ),
        title="Which characters are alike to it?",
        needs=("embedding_table",),
        shows="The embedding's two widest directions. Squares: vowels.",
        cannot_show="Other directions.",
        x=axis("First direction", scale="free"),
        y=axis("Second direction"),
        lead=_shown,
        legend="none",
        hover="closest",
        height=470,
    ),
    figure(
        "table",
        "Which character follows which?",
        _tables,
        needs=("count",),
        shows="How likely each character (column) is after each other (row).",
        y=axis("After", type="category", autorange="reversed", tickfont_size=13),
        x=axis(type="category", tickfont_size=13, tickangle=0),
        colour=colours(
            "Probability, 1/10,000 or less to 1",
            ends=(math.log10(IMPOSSIBLE), 0.0),
            tickvals=[-4, -3, -2, -1, 0],
            ticktext=["≤10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"],
        ),
        lead=lambda plot: f"{plot.ds['symbol'].values[0]} begins and ends a name.",
        height=lambda plot: 600 if plot.lacks("table") else 1010,
    ),
    # KL divergence of softmax(W) from the counted table, in nats: what the loss is above the lowest there is. It does
    # not get to 0: a pair that never occurs would need a weight of minus infinity.
    figure(
        "divergence",
        "How far is the network's table from counting?",
        curves("divergence", hover="%{y:.2e} nat"),
        title="How far from the counted table?",
        needs=(),
        instead=unless("This model is no table of pairs. Choose one of the two bigrams.", "divergence"),
    ),
    # r becomes (1 - momentum) r + momentum times the batch's statistic at every step (document 002, 1.3.2).
    figure(
        "running_statistics",
        "Do running statistics say what batches say?",
        panel(
            curves("dev_loss", hover="running %{y:.4f} nat"),
            thin("batch_statistics_loss", "the text's own statistics", hover="own %{y:.4f} nat"),
            heading="Dev loss",
            y=axis("Loss (nat)", scale="loss"),
        ),
        panel(
            curves(
                changed("running_gap", lambda gaps: positive(gaps).max("hidden")),
                over="close_look",
                hover="%{y:.2e} spreads",
            ),
            heading="Running means: distance from those of the text",
            y=axis("Spreads"),
        ),
        title="Are running statistics up to date?",
        needs=(),
        instead=unless(
            "This run has no batch norm. Set Normalisation to batch norm.", "running_gap", "batch_statistics_loss"
        ),
        notes=(_kept, "Dotted: by the dev text's own statistics. Below: the layer that is farthest."),
        height=560,
    ),
    figure(
        "parameters",
        "How fast do table and network grow?",
        draw=parameters,  # of formulas, on two axes
        needs=("parameter_count",),
        instead=_without_formula,
        shows="Numbers to learn by characters read and by vocabulary (Bengio et al. 2003, section 2); ring: this run.",
    ),
    lambda make, _: diagram(
        make,
        _parts_of,
        COLOURS,
        needs=("gradient_norm",),
        question="Where in the network?",
        shows="The model layer by layer. Choose one: other figures mark it.",
    ),
    more={"dev_loss": limits_over(("train_loss", "dev_loss", "bigram_dev_loss")), **colour_quantities(COLOURS)},
)
