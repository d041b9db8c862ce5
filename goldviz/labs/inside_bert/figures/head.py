"""How a head gets from a piece's query to its output (document 001, section 4.1.2), and what stands beside weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import chart
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading
from goldviz.figures.maps import SIGNED, cells, colour_bar, symmetric
from goldviz.figures.plot import Plot
from goldviz.labs.inside_bert import measures
from goldviz.labs.inside_bert.figures import pieces

MOST_KEYS = 12
"""Keys whose numbers are drawn one by one: those with the largest weights."""
WEIGHT_COLOUR = "#0e7ac0"
Numbers: TypeAlias = "NDArray[np.float64]"
SHARES = {
    "attention": ("Raw weights", WEIGHT_COLOUR),
    "head_norm": ("Norms, head", "#009e73"),
    "layer_norm": ("Norms, layer", "#3590c8"),
    "rollout": ("Rollout", "#d55e00"),
    "flow": ("Flow", "#c46a9c"),
}
COMPARED = ("attention", "head_norm", "rollout")
"""Measures of two texts or models beside each other."""

WIDEST_PATH = "Widest path"
"""The heading where the widest single path stands in for the flow."""


def largest_keys(ds: Run) -> NDArray[np.intp]:
    """Places of the keys with the largest weights, the largest first."""
    return np.argsort(-ds["weight"].values, kind="stable")[:MOST_KEYS]


def drawn_sentence(ds: Run, keys: NDArray[np.intp]) -> str:
    """How much of the attention the drawn keys hold."""
    count = ds.sizes["piece"]
    if len(keys) == count:
        return ""
    return f"The {len(keys)} of {count} keys with the largest weights: {measures.weight_of(ds, keys):.1%} of it all."


@dataclass(frozen=True)
class Products:
    """Rows of numbers by dimension, a strip of one vector over or below them, and bars at their right."""

    rows: Numbers
    strip: str
    vector: Numbers
    bars: Numbers
    words: str
    colour: str
    written: str
    below: bool = False


def _products(plot: Plot, keys: NDArray[np.intp], drawn: Products, scale: str, words: str) -> Figure:
    """Two by two panels, one of them empty."""
    share = 1.6 / (len(keys) + 1.6)
    main, other = (1, 2) if drawn.below else (2, 1)
    plot.figure = figure = make_subplots(
        rows=2,
        cols=2,
        row_heights=[1 - share, share] if drawn.below else [share, 1 - share],
        column_widths=[0.72, 0.28],
        shared_xaxes="columns",
        vertical_spacing=0.035,
        horizontal_spacing=0.04,
        specs=[[{}, {}], [{}, None]] if drawn.below else [[{}, None], [{}, {}]],
    )
    labels, dimensions, places = pieces.piece_labels(plot.ds), plot.ds["dimension"].values, np.arange(len(keys))
    names = [[labels[key]] * len(dimensions) for key in keys]
    vector, most = drawn.vector[None], np.abs(drawn.rows).max()
    scaled = vector * most / max(np.abs(vector).max(), 1e-300)
    hover = "%{customdata}, dimension %{x}: %{z:.3f}"
    figure.add_trace(cells(drawn.rows, x=dimensions, y=places, hover=hover, customdata=names), row=main, col=1)
    hover = f"{drawn.strip}, dimension %{{x}}: %{{customdata:.3f}}"
    figure.add_trace(cells(scaled, x=dimensions, y=[0], hover=hover, customdata=vector), row=other, col=1)
    pieces.rows_down(figure, [labels[key] for key in keys], row=main)
    figure.update_yaxes(showticklabels=False, row=main, col=2)
    named = {"tickmode": "array", "tickvals": [0], "ticktext": [f"<b>{drawn.strip}</b>"]}
    figure.update_yaxes(**named, ticks="", showgrid=False, row=other, col=1)
    figure.update_xaxes(showgrid=False, showticklabels=False, ticks="", row=1, col=1)
    figure.update_xaxes(title_text="Dimension of the head", row=2, col=1)
    _bars(figure, drawn, main)
    note = drawn_sentence(plot.ds, keys)
    plot.finish(words, note, height=210 + pieces.ROW_HEIGHT * (len(keys) + 2), legend=False, hover="closest")
    colour_bar(figure, symmetric(drawn.rows), SIGNED, scale)
    return figure.update_layout(bargap=0.25, margin_t=figure.layout.margin.t + 14)


def _bars(figure: Figure, drawn: Products, row: int) -> None:
    """Bars with their numbers, which are a trace of their own: Plotly measures each text of a bar in the page."""
    there: dict[str, Any] = {"x": drawn.bars, "y": np.arange(len(drawn.bars)), "row": row, "col": 2}
    marker = {"color": drawn.colour, "line_width": 0}
    figure.bar(orientation="h", marker=marker, hovertemplate=f"{drawn.words} {drawn.written}<extra></extra>", **there)
    figure.scatter(
        mode="text",
        texttemplate=f"\u00a0{drawn.written}",
        textposition="middle right",
        textfont_size=12,
        cliponaxis=False,
        hoverinfo="skip",
        **there,
    )
    ends = [0, float(drawn.bars.max(initial=0.0)) * 1.55 or 1.0]
    figure.update_xaxes(range=ends, showticklabels=False, ticks="", showgrid=False, row=row, col=2)
    add_heading(figure, row + 1, f"<b>{drawn.words}</b>", font_size=13)


def _scores(plot: Plot) -> Figure:
    ds, keys = plot.ds, largest_keys(plot.ds)
    query = ds["query_vector"].values
    rows = query * ds["key_vector"].values[keys] / np.sqrt(len(query))
    name = pieces.short_piece(str(ds["token"].values[int(ds.attrs["query_piece"]) - 1]))
    words = (
        f"Query of “{name}”: each row is q·k/√d_k by dimension; its sum is the score. q has a colour scale of its own."
    )
    drawn = Products(rows, "q", query, ds["weight"].values[keys], "Weight", WEIGHT_COLOUR, "%{x:.2%}")
    return _products(plot, keys, drawn, "q_c k_jc / √d_k", words)


def _mixing(plot: Plot) -> Figure:
    ds, keys = plot.ds, largest_keys(plot.ds)
    rows = ds["weight"].values[keys, None] * ds["value_vector"].values[keys]
    words = "Each row is a weight times its value, a v; z below, on a scale of its own, is the sum over all pieces."
    lengths = ds["weighted_norm"].values[keys]
    drawn = Products(rows, "z", ds["output"].values, lengths, "Length", "#009e73", "%{x:.3~g}", below=True)
    return _products(plot, keys, drawn, "a_j v_jc", words)


# Both are tables of numbers with margins of two kinds, which no panels are.
scores = chart.figure(
    "scores",
    "Whom does the query find?",
    draw=_scores,
    shows="q k by dimension; the sums are scores, their softmax the weights.",
)
mixing = chart.figure(
    "mixing",
    "What does the head bring back?",
    draw=_mixing,
    shows="Each value times its weight, and their sum z.",
)


def _is_flow(ds: Run) -> bool:
    return bool(ds.attrs["flow_method"] == "maximum flow")


def _shares(ds: Run) -> Sequence[pieces.Column]:
    headings = {name: words for name, (words, _) in SHARES.items()}
    if not _is_flow(ds):
        headings["flow"] = WIDEST_PATH
    return [
        pieces.Column(ds["share"].sel(measure=name).values, headings[name], colour)
        for name, (_, colour) in SHARES.items()
    ]


def _compared(ds: Run, other: Run | None = None, heading: str = "") -> Sequence[pieces.Column]:
    """Three measures, with axes that end where the other text's need it."""
    columns = []
    for name in COMPARED:
        words, colour = SHARES[name]
        most = max(float(one["share"].sel(measure=name).max()) for one in (ds, other) if one is not None)
        columns.append(
            pieces.Column(ds["share"].sel(measure=name).values, words.split(",")[0], colour, most=1.08 * most or 1.0)
        )
    return columns


def _whom(plot: Plot, other: Run, heading: str) -> str:
    piece = plot.ds["token"].values[int(plot.ds.attrs["query_piece"]) - 1]
    return f"{heading}: from whom does “{pieces.short_piece(str(piece))}” take?"


def _left_out(ds: Run) -> str:
    """What was hidden."""
    if "hidden" not in ds:
        return ""
    left = float(ds["hidden"].sel(measure="attention"))
    return f"Special pieces are hidden and the rest scaled to 1; they held {left:.0%} of the raw weights."


def _in_place_of_flow(ds: Run) -> str:
    """What stands in for the flow."""
    if _is_flow(ds):
        return ""
    return "Shares of the widest single path, in place of the flow, which takes too long for this text."


shares = pieces.of_pieces(
    "shares",
    "Do the other measures agree?",
    _shares,
    notes=(_left_out, _in_place_of_flow),
    followed=True,
    instead=lambda ds: "" if ds.sizes["piece"] else "The text has special pieces alone, and they are hidden.",
    shows="Raw weights, weighted values (Kobayashi et al. 2020), rollout and flow (Abnar and Zuidema 2020).",
    cannot_show="The feed-forward networks.",
)
shares_pair = pieces.of_pieces(
    "shares_pair",
    "From whom does the piece take?",
    _compared,
    title=_whom,
    followed=True,
    shows="The query shared out over the pieces.",
    looks_at={"other": None, "heading": ""},
)


def _keys(plot: Plot) -> dict[str, Any]:
    labels = [pieces.piece_label(str(token)) for token in plot.ds["key_token"].values]
    every = max(1, -(-len(labels) // 40))
    return {"tickmode": "array", "tickvals": plot.ds["key"].values[::every], "ticktext": labels[::every]}


def _further_down(plot: Plot) -> dict[str, Any]:
    """The words of the keys stand upright, so that the colour scale is further below than any other's."""
    return {"margin_b": 190, "annotations": [{**one, "yshift": -112} for one in plot.figure.layout.annotations]}


attention_map = chart.figure(
    "map",
    "Where does this head look?",
    chart.heat("attention", "key", "query", hover="row %{y}, column %{x}: %{z:.3f}"),
    title=lambda plot: f"Where does head {plot.ds.attrs['layer']}.{plot.ds.attrs['head']} look?",
    shows="A row for each query, a column for each key; a row sums to 1.",
    x=chart.axis(told=lambda plot: {"tickangle": 90, **_keys(plot)}),
    y=chart.axis(told=lambda plot: {"autorange": "reversed", "range": None, **_keys(plot)}),
    colour=chart.colours("Attention weight; every row sums to 1", ends=(0, 1), tickformat=".0%"),
    height=640,
    layout=_further_down,
)
