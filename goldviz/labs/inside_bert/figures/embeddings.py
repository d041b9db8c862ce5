"""Figures and tables of a text's pieces and their embeddings (document 001, section 4.2.1)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.maps import SIGNED, cells, colour_bar, symmetric
from goldviz.figures.spec import drawn
from goldviz.figures.theme import Theme
from goldviz.labs.inside_bert.figures.pieces import ROW_HEIGHT, Column, beside_pieces, piece_label, rows_down

PARTS = {"token": "#0e7ac0", "position": "#009e73", "segment": "#838383", "sum": "#d55e00"}


@drawn(
    "How long is what is added up?",
    shows="Lengths of token, position and segment embedding, and of their sum.",
)
def embeddings(ds: Run, *, theme: Theme = "light", choice: int | None = None) -> Figure:
    """The length of the three embeddings of every piece, and of their sum."""
    columns = [
        Column(ds["embedding_norm"].sel(part=part).values, part.capitalize(), colour, ".3f")
        for part, colour in PARTS.items()
    ]
    longest = 1.08 * float(ds["embedding_norm"].sel(part=list(PARTS)).max())
    limits = {part.capitalize(): (0.0, longest) for part in PARTS}
    title = "How long is what is added up?"
    return beside_pieces(ds, columns, title=title, theme=theme, choice=choice, limits=limits)


ADDED = {
    "token": "word",
    "position": "+ position",
    "segment": "+ segment",
    "sum": "= sum",
    "normalised": "after LayerNorm",
}
"""What is added up, from top to bottom, as its rows are called."""


@drawn(
    "What is added up?",
    shows="One piece's three embeddings number by number, their sum, and that normalised.",
)
def composition(ds: Run, *, theme: Theme = "light") -> Figure:
    """e_tok + e_pos + e_seg of one piece, number by number (document 001, section 4.2.1)."""
    rows = {part: words if part != "segment" else f"+ segment {ds.attrs['sentence']}" for part, words in ADDED.items()}
    values = ds["embedding"].sel(part=list(rows)).values
    # A LayerNorm makes numbers of size 1 of what is a tenth of that: each row has the scale of its own kind.
    scaled = np.concatenate([values[:-1] / symmetric(values[:-1])[1], values[-1:] / symmetric(values[-1:])[1]])
    figure = Figure(
        cells(
            scaled,
            x=ds["unit"].values,
            y=np.arange(len(rows)),
            customdata=values.astype(np.float32),
            ygap=3,
            hover="number %{x}: %{customdata:.3f}",
        )
    )
    name = piece_label(str(ds.attrs["piece_of"]))
    note = "The last row has a colour scale of its own."
    look.apply(
        figure, theme, title=f"What is added up for “{name}”?", notes=[note], legend=False, height=330, hover="closest"
    )
    figure.update_xaxes(title_text="Number of the vector", nticks=6)
    rows_down(figure, list(rows.values()))
    return colour_bar(figure, (-1, 1), SIGNED, "Value, as a share of the largest")


@drawn(
    "Which pieces lie near?",
    shows="Cosines of token embeddings, before any context.",
)
def neighbours(ds: Run, *, theme: Theme = "light") -> Figure:
    """The vocabulary's pieces nearest to one piece, before any context."""
    labels = [piece_label(str(piece)) for piece in ds["nearby"].values]
    figure = Figure().bar(
        x=ds["cosine"].values,
        y=np.arange(len(labels)),
        orientation="h",
        customdata=labels,
        cliponaxis=False,
        texttemplate="%{x:.2f}",
        textposition="outside",
        marker={"color": "#0e7ac0", "line_width": 0},
        hovertemplate="%{customdata}: %{x:.3f}<extra></extra>",
    )
    title = f"What lies near “{piece_label(str(ds.attrs['neighbours_of']))}”?"
    height = 110 + (ROW_HEIGHT + 4) * len(labels)
    look.apply(figure, theme, title="", legend=False, height=height, hover="closest")
    figure.update_layout(title_text=title, bargap=0.25)
    most = float(ds["cosine"].max())
    figure.update_xaxes(title_text="Cosine of the token embeddings", nticks=5, range=[0, max(1.15 * most, 0.1)])
    return rows_down(figure, labels)


def pieces_table(ds: Run, text: str) -> pd.DataFrame:
    """One row a piece: its place, its characters, its word, and the lengths of its embeddings; text is not escaped."""
    starts, stops = ds["start"].values, ds["stop"].values
    table = pd.DataFrame({"j": ds["piece"].values, "Piece": [str(token) for token in ds["token"].values]})
    table["In the text"] = [text[start:stop] for start, stop in zip(starts, stops, strict=True)]
    word = ds["word"].values
    table["Word"] = pd.array(np.where(word < 0, 0, word + 1), dtype="Int64")
    table.loc[word < 0, "Word"] = pd.NA
    table["Characters"] = [
        "" if start == stop else f"{start + 1}–{stop}" for start, stop in zip(starts, stops, strict=True)
    ]
    for part, heading in (
        ("token", "‖e tok‖"),
        ("segment", "‖e seg‖"),
        ("position", "‖e pos‖"),
        ("sum", "‖sum‖"),
        ("normalised", "‖after LayerNorm‖"),
    ):
        table[heading] = ds["embedding_norm"].sel(part=part).values
    return table


def steps_table(ds: Run) -> pd.DataFrame:
    """The numbers of a head's steps for one query, the largest weight first; text is not escaped."""
    rows = ds.isel(piece=np.argsort(ds["weight"].values, kind="stable")[::-1])
    table = pd.DataFrame({"j": rows["piece"].values, "Key piece": [str(token) for token in rows["token"].values]})
    columns = {
        "product": "q·k",
        "score": "q·k / √d_k",
        "weight": "softmax a",
        "value_norm": "‖v‖",
        "weighted_norm": "‖a v‖",
    }
    for name, heading in columns.items():
        table[heading] = rows[name].values
    return table
