"""One of two texts or models that are compared: its query shared out, on axes that both have."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.draft import Figure
from goldviz.figures.theme import Theme
from goldviz.labs.inside_bert.figures.head import SHARES
from goldviz.labs.inside_bert.figures.pieces import Column, beside_pieces, short_piece

COMPARED = ("attention", "head_norm", "rollout")


def shares_pair(ds: Run, *, other: Run, heading: str, theme: Theme = "light") -> Figure:
    """Three measures of the query's shares, with the axes that the other one's need too."""
    columns, limits = [], {}
    for name in COMPARED:
        words, colour = SHARES[name]
        short = words.split(",")[0]
        columns.append(Column(ds["share"].sel(measure=name).values, short, colour))
        most = max(float(dataset["share"].sel(measure=name).max()) for dataset in (ds, other))
        limits[short] = (0.0, 1.08 * most or 1.0)
    place = int(ds.attrs["query_piece"])
    title = f"{heading}: from whom does “{short_piece(str(ds['token'].values[place - 1]))}” take?"
    return beside_pieces(ds, columns, title=title, theme=theme, choice=place, limits=limits)
