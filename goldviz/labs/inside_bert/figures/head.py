"""How a head gets from a piece's query to its output (document 001, section 4.1.2), and what stands beside weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading, worded
from goldviz.figures.maps import SIGNED, cells, colour_bar, symmetric
from goldviz.figures.spec import drawn
from goldviz.figures.theme import Theme
from goldviz.labs.inside_bert import measures
from goldviz.labs.inside_bert.figures import pieces

MOST_KEYS = 12
"""Keys whose numbers are drawn one by one: those with the largest weights."""
WEIGHT_COLOUR = "#0e7ac0"
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


@drawn(
    "Whom does the query find?",
    shows="q k by dimension; the sums are scores, their softmax the weights.",
)
def scores(ds: Run, *, theme: Theme = "light") -> Figure:
    """The query, its products with the keys dimension by dimension, and the weights that come of their sums."""
    keys = largest_keys(ds)
    query_vector, products = ds["query_vector"].values, ds["query_vector"].values * ds["key_vector"].values[keys]
    figure = _strip_over_rows(
        ds, query_vector, products / np.sqrt(len(query_vector)), keys, strip="q", below=False, theme=theme
    )
    _bars(figure, ds["weight"].values[keys], "Weight", WEIGHT_COLOUR, 2, "%{x:.2%}")
    query = pieces.short_piece(str(ds["token"].values[int(ds.attrs["query_piece"]) - 1]))
    title = "Whom does the query find?"
    notes = [
        f"Query of “{query}”: each row is q·k/√d_k by dimension; its sum is the score. q has "
        "a colour scale of its own.",
        drawn_sentence(ds, keys),
    ]
    return _finish(
        figure, ds, keys, title, notes, "q_c k_jc / √d_k", symmetric(products / np.sqrt(len(query_vector))), theme
    )


@drawn(
    "What does the head bring back?",
    shows="Each value times its weight, and their sum z.",
)
def mixing(ds: Run, *, theme: Theme = "light") -> Figure:
    """The values, each times its weight, and their sum: the head's output."""
    keys = largest_keys(ds)
    contributions = ds["weight"].values[:, None] * ds["value_vector"].values
    figure = _strip_over_rows(ds, ds["output"].values, contributions[keys], keys, strip="z", below=True, theme=theme)
    _bars(figure, ds["weighted_norm"].values[keys], "Length", "#009e73", 1, "%{x:.3~g}")
    title = "What does the head bring back?"
    notes = [
        "Each row is a weight times its value, a v; z below, on a scale of its own, is the sum over all pieces.",
        drawn_sentence(ds, keys),
    ]
    return _finish(figure, ds, keys, title, notes, "a_j v_jc", symmetric(contributions[keys]), theme)


def _strip_over_rows(
    ds: Run,
    strip_values: NDArray[np.float64],
    rows: NDArray[np.float64],
    keys: NDArray[np.intp],
    *,
    strip: str,
    below: bool,
    theme: Theme,
) -> Figure:
    """A heat map of the keys' rows with the bars' place to its right, and one strip of a single vector."""
    share = 1.6 / (len(keys) + 1.6)
    heights = [1 - share, share] if below else [share, 1 - share]
    figure = make_subplots(
        rows=2,
        cols=2,
        row_heights=heights,
        column_widths=[0.72, 0.28],
        shared_xaxes="columns",
        vertical_spacing=0.035,
        horizontal_spacing=0.04,
        specs=[[{}, {}], [{}, None]] if below else [[{}, None], [{}, {}]],
    )
    labels, dimensions = pieces.piece_labels(ds), ds["dimension"].values
    main, other = (1, 2) if below else (2, 1)
    hover = [[labels[key]] * len(dimensions) for key in keys]
    figure.add_trace(
        cells(
            rows,
            x=dimensions,
            y=np.arange(len(keys)),
            hover="%{customdata}, dimension %{x}: %{z:.3f}",
            customdata=hover,
        ),
        row=main,
        col=1,
    )
    figure.add_trace(
        cells(
            strip_values[None] * np.abs(rows).max() / max(np.abs(strip_values).max(), 1e-300),
            x=dimensions,
            y=[0],
            hover=f"{strip}, dimension %{{x}}: %{{customdata:.3f}}",
            customdata=strip_values[None],
        ),
        row=other,
        col=1,
    )
    pieces.rows_down(figure, [labels[key] for key in keys], row=main)
    figure.update_yaxes(showticklabels=False, row=main, col=2)
    figure.update_yaxes(
        tickmode="array", tickvals=[0], ticktext=[f"<b>{strip}</b>"], ticks="", showgrid=False, row=other, col=1
    )
    figure.update_xaxes(showgrid=False, showticklabels=False, ticks="", row=1, col=1)
    return figure.update_xaxes(title_text="Dimension of the head", row=2, col=1)


def _bars(figure: Figure, values: NDArray[np.float64], words: str, colour: str, row: int, template: str) -> None:
    """Bars with their numbers, which are a trace of their own: Plotly measures each text of a bar in the page."""
    places = np.arange(len(values))
    figure.bar(
        x=values,
        y=places,
        orientation="h",
        marker={"color": colour, "line_width": 0},
        hovertemplate=f"{words} {template}<extra></extra>",
        row=row,
        col=2,
    )
    figure.scatter(
        x=values,
        y=places,
        mode="text",
        texttemplate=f"\u00a0{template}",
        textposition="middle right",
        textfont_size=12,
        cliponaxis=False,
        hoverinfo="skip",
        row=row,
        col=2,
    )
    figure.update_xaxes(
        range=[0, float(values.max(initial=0.0)) * 1.55 or 1.0],
        showticklabels=False,
        ticks="",
        showgrid=False,
        row=row,
        col=2,
    )
    add_heading(figure, row + 1, f"<b>{words}</b>", font_size=13)


def _finish(
    figure: Figure,
    ds: Run,
    keys: NDArray[np.intp],
    title: str,
    notes: list[str],
    scale: str,
    limits: tuple[float, float],
    theme: Theme,
) -> Figure:
    height = 210 + pieces.ROW_HEIGHT * (len(keys) + 2)
    look.apply(figure, theme, title=title, notes=notes, height=height, legend=False, hover="closest")
    colour_bar(figure, limits, SIGNED, scale)
    return figure.update_layout(bargap=0.25, margin_t=figure.layout.margin.t + 14)


@drawn(
    "Do the other measures agree?",
    shows="Raw weights, weighted values (Kobayashi et al. 2020), rollout and flow (Abnar and Zuidema 2020).",
    cannot_show="The feed-forward networks.",
)
def shares(ds: Run, *, theme: Theme = "light") -> Figure:
    """The query shared out over the pieces by five measures, each of which sums to 1."""
    title = "Do the other measures agree?"
    if not ds.sizes["piece"]:
        return worded("The text has special pieces alone, and they are hidden.", title=title, theme=theme)
    headings = {name: words for name, (words, _) in SHARES.items()}
    if not _is_flow(ds):
        headings["flow"] = WIDEST_PATH
    columns = [
        pieces.Column(ds["share"].sel(measure=name).values, headings[name], colour)
        for name, (_, colour) in SHARES.items()
    ]
    return pieces.beside_pieces(
        ds, columns, title=title, theme=theme, notes=shares_notes(ds), choice=ds.attrs["query_piece"]
    )


def shares_pair(ds: Run, *, other: Run, heading: str, theme: Theme = "light") -> Figure:
    """Three measures of one query of two that are compared, with the axes that the other one's need too."""
    columns, limits = [], {}
    for name in COMPARED:
        words, colour = SHARES[name]
        short = words.split(",")[0]
        columns.append(pieces.Column(ds["share"].sel(measure=name).values, short, colour))
        most = max(float(dataset["share"].sel(measure=name).max()) for dataset in (ds, other))
        limits[short] = (0.0, 1.08 * most or 1.0)
    place = int(ds.attrs["query_piece"])
    title = f"{heading}: from whom does “{pieces.short_piece(str(ds['token'].values[place - 1]))}” take?"
    return pieces.beside_pieces(ds, columns, title=title, theme=theme, choice=place, limits=limits)


def _is_flow(ds: Run) -> bool:
    return bool(ds.attrs["flow_method"] == "maximum flow")


def shares_notes(ds: Run) -> list[str]:
    """What was hidden, and what stands in for the flow."""
    notes = []
    if "hidden" in ds:
        left = float(ds["hidden"].sel(measure="attention"))
        notes.append(f"Special pieces are hidden and the rest scaled to 1; they held {left:.0%} of the raw weights.")
    if not _is_flow(ds):
        notes.append("Shares of the widest single path, in place of the flow, which takes too long for this text.")
    return notes


@drawn(
    "Where does this head look?",
    name="map",
    shows="A row for each query, a column for each key; a row sums to 1.",
)
def attention_map(ds: Run, *, theme: Theme = "light") -> Figure:
    """One head's weights, queries as rows; for reports, where nothing can be fetched."""
    labels = [pieces.piece_label(str(token)) for token in ds["key_token"].values]
    count = len(labels)
    every = max(1, -(-count // 40))
    ticks: dict[str, Any] = {"tickmode": "array", "tickvals": list(range(0, count, every)), "ticktext": labels[::every]}
    figure = Figure(
        cells(ds["attention"].values, x=np.arange(count), y=np.arange(count), hover="row %{y}, column %{x}: %{z:.3f}")
    )
    title = f"Where does head {ds.attrs['layer']}.{ds.attrs['head']} look?"
    look.apply(figure, theme, title=title, legend=False, height=640, hover="closest")
    figure.update_xaxes(showgrid=False, title_text="Key", tickangle=90, **ticks)
    figure.update_yaxes(showgrid=False, title_text="Query", range=[count - 0.5, -0.5], **ticks)
    colour_bar(figure, (0, 1), look.SEQUENTIAL, "Attention weight; every row sums to 1", tickformat=".0%")
    return figure.update_layout(margin_b=190, annotations=[{**a, "yshift": -112} for a in figure.layout.annotations])
