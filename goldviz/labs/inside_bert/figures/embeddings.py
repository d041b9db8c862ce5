"""Figures and tables of a text's pieces and their embeddings (document 001, section 4.2.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import axis, bars, colours, figure, heat
from goldviz.figures.maps import symmetric
from goldviz.figures.marks import Heat
from goldviz.figures.plot import Plot
from goldviz.labs.inside_bert.figures.pieces import NUMBERED, Column, in_rows, of_pieces, piece_label, short_piece

PARTS = {"token": "#0e7ac0", "position": "#009e73", "segment": "#838383", "sum": "#d55e00"}
ADDED = {
    "token": "word",
    "position": "+ position",
    "segment": "+ segment",
    "sum": "= sum",
    "normalised": "after LayerNorm",
}
"""What is added up, from top to bottom, as its rows are called."""


def _lengths(ds: Run) -> Sequence[Column]:
    norms = {part: ds["embedding_norm"].sel(part=part).values for part in PARTS}
    longest = 1.08 * max(float(values.max()) for values in norms.values())
    return [Column(values, part.capitalize(), PARTS[part], ".3f", longest) for part, values in norms.items()]


def _number_by_number(plot: Plot) -> Sequence[Heat]:
    """e_tok + e_pos + e_seg; a LayerNorm makes numbers of size 1 of what is a tenth of that, so its row has a scale."""
    values = plot.ds["embedding"].sel(part=list(ADDED))
    sizes = [symmetric(values.values[:-1])[1]] * (len(ADDED) - 1) + [symmetric(values.values[-1:])[1]]
    names = [*(ADDED | {"segment": f"+ segment {plot.ds.attrs['sentence']}"}).values()]
    scaled = values.copy(data=values.values / np.array(sizes)[:, None]).assign_coords(part=names)
    numbers = {"customdata": values.values.astype(np.float32), "ygap": 3}
    return [heat(lambda plot: scaled, "unit", "part", hover="number %{x}: %{customdata:.3f}", more=numbers)]


embeddings = of_pieces(
    "embeddings",
    "How long is what is added up?",
    _lengths,
    shows="Lengths of token, position and segment embedding, and of their sum.",
)
composition = figure(
    "composition",
    "What is added up?",
    _number_by_number,
    title=lambda plot: f"What is added up for “{short_piece(str(plot.ds.attrs['piece_of']))}”?",
    shows="One piece's three embeddings number by number, their sum, and that normalised.",
    y=axis("", autorange="reversed", ticks="", ticklabeloverflow="allow"),
    colour=colours("Value, as a share of the largest", ends=(-1, 1), scale="signed"),
    lead="The last row has a colour scale of its own.",
    height=330,
)
neighbours = in_rows(
    "neighbours",
    "Which pieces lie near?",
    bars(
        "cosine",
        rows="neighbour",
        colour="#0e7ac0",
        hover="%{y}: %{x:.3f}",
        more=NUMBERED | {"texttemplate": "%{x:.2f}"},
    ),
    lambda ds: [piece_label(str(piece)) for piece in ds["nearby"].values],
    title=lambda plot: f"What lies near “{short_piece(str(plot.ds.attrs['neighbours_of']))}”?",
    shows="Cosines of token embeddings, before any context.",
    x=axis(
        "Cosine of the token embeddings",
        told=lambda plot: {"nticks": 5, "range": [0, max(1.15 * float(plot.ds["cosine"].max()), 0.1)]},
    ),
)


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
