"""Whether the target moves with what documents said."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import market
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import worded
from goldviz.figures.notes import as_label
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.gold_market import measures

WITHOUT_TONE = (
    "No document's tone is in this market: add one on the page Policy documents, or plant a response to the generated "
    "statements."
)


@drawn(
    "Does the target move with what documents say?",
    shows="The mean move from the second working day after a document until that of the next, by tone.",
)
def answer(ds: Run, *, theme: Theme = "light") -> Figure:
    """One point a document: its tone, and the mean move until the next; with the line fitted to all moves."""
    title = f"Does {market.shortened(str(ds['channel'].values[0]))} move with what documents say?"
    if not ds.sizes["document"]:
        return worded(WITHOUT_TONE, title=title, theme=theme)
    unit = market.unit_of_changes(ds)
    tone, moves = ds["tone"].values, unit.factor * ds["answer"].values
    figure = Figure().scatter(
        x=tone,
        y=moves,
        mode="markers",
        name="a document",
        customdata=market.days(ds["document"]),
        marker={"size": 8, "color": look.with_alpha(market.BESIDE, 0.6)},
        hovertemplate="%{customdata}<br>tone %{x:+.2f} sd, then %{y:+.3f} a day<extra></extra>",
    )
    slope = measures.answer(ds)
    if np.isfinite(slope):
        ends = np.array([np.nanmin(tone), np.nanmax(tone)])
        line = unit.factor * (slope * measures.spread_of_moves(ds) * ends + measures.mean_move(ds))
        figure.scatter(
            x=ends,
            y=line,
            mode="lines",
            name="fitted to all moves",
            hoverinfo="skip",
            line={"color": INKS[theme].accent, "width": 2.5},
        )
    notes = [answer_sentence(ds), market.source_sentence(ds)]
    look.apply(figure, theme, title=title, notes=notes, height=400, hover="closest")
    market.legend_under(figure, lines=1, axis=52)
    figure.update_xaxes(title_text="Tone, standard deviations from its mean")
    return figure.update_yaxes(
        title_text=as_label(unit.called(f"Mean {unit.noun}")), zeroline=True, zerolinecolor=INKS[theme].muted
    )


def answer_sentence(ds: Run) -> str:
    """What a standard deviation of the tone goes with, how sure that is, and what was planted."""
    slope, unsure, truth = measures.answer(ds), measures.answer_unsure(ds), float(ds.attrs["planted"])
    if not np.isfinite(slope):
        return "There are too few documents for a line."
    sure = "more than chance" if abs(slope) > unsure else "no more than chance"
    beside = f"; planted: {truth:g}" if truth else ""
    return (
        (f"One sd of the tone goes with {slope:+.2f} ± {unsure:.2f} sd of a move (95 %): {sure}{beside}.")
        .replace("+-", "−")
        .replace(" -", " −")
    )
