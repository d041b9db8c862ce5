"""The figures of *What does attention cost?*"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import link, log_axis
from goldviz.figures.maps import cells, colour_bar, legend_below
from goldviz.figures.spec import by_name, drawn
from goldviz.figures.theme import INKS, SEQUENTIAL, Theme
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.attention_cost import measures
from goldviz.models.series.attention import ATTENTIONS
from goldviz.models.style import NetworkStyle

STYLES = {name: kind.style for name, kind in ATTENTIONS.items()} | {
    "full_map": NetworkStyle("Full, written out", "#8a7f6a", "dot", "x")
}
TIMED = STYLES | {"full": replace(STYLES["full"], label="Full, fused")}
SCORE, CHANCE = STYLES["prob_sparse"], NetworkStyle("as many random rows", "#8a7f6a", "dot", "x")
REST = "#a9a79f"


def _over_length(
    figure: Figure, lengths: Array, lines: Iterable[tuple[NetworkStyle, np.ndarray]], hover: str, title: str
) -> Figure:
    """Lines over the length of the series, both axes logarithmic."""
    values = []
    for style, line in lines:
        figure.scatter(
            x=lengths.values,
            y=np.where(np.isfinite(line), line, np.nan),
            name=style.label,
            mode="lines+markers",
            line={"color": style.colour, "dash": style.dash, "width": 2.5},
            marker={"symbol": style.symbol, "size": 8},
            hovertemplate=hover,
        )
        values.append(line[np.isfinite(line)])
    legend_below(figure)
    figure.update_layout(margin_b=150, legend_y=-0.22)
    ticks = [int(length) for length in lengths.values]
    figure.update_xaxes(
        title_text="Length t of the series (rows)",
        type="log",
        showgrid=False,
        tickvals=ticks,
        ticktext=[f"{tick:,}" if (len(ticks) - place) % 2 else "" for place, tick in enumerate(ticks)],
    )
    link(figure, "x", "series_length")
    return figure.update_yaxes(title_text=title, **log_axis(_reach_of(np.concatenate(values))))


def _reach_of(values: np.ndarray) -> tuple[float, float]:
    low, high = np.log10(values.min()), np.log10(values.max())
    room = 0.05 * (high - low)
    return float(low - room), float(high + room)


def _by_formula(ds: Run, name: str, theme: Theme, question: str, note: str, hover: str, title: str) -> Figure:
    figure = look.apply(Figure(), theme, title=question, notes=[note], height=460)
    lines = [(STYLES[str(kind)], ds[name].sel(kind=kind).values) for kind in ds["kind"].values]
    return _over_length(figure, ds["series_length"], lines, hover, title)


@drawn(
    "How many multiplications?",
    needs=("multiplications",),
    shows="Multiplications of one head by formula; both axes are logarithmic.",
)
def multiplications(ds: Run, *, theme: Theme = "light") -> Figure:
    """Multiplications by length, kind by kind."""
    return _by_formula(
        ds, "multiplications", theme, "How many multiplications?", savings(ds), "%{y:.3s}", "Multiplications"
    )


def savings(ds: Run) -> str:
    """What the sparse kinds need of full attention's multiplications, at the longest series."""
    log_sparse, exact, sampled = (measures.SHARES[name](ds) for name in measures.SHARES)
    crossing = measures.CROSSINGS["prob_sparse"](ds)
    return (
        f"At 8,192 rows LogSparse needs {log_sparse:.1%} of full attention's, ProbSparse {exact:.0%} or, sampled, "
        f"{sampled:.1%}. With the exact score it needs fewer from {crossing:,.0f} rows on."
    ).replace("%", " %")


@drawn(
    "How much memory do weights take?",
    name="bytes",
    needs=("bytes",),
    shows="Bytes of one head's attention weights in float32, by formula.",
    cannot_show="What a kernel really holds.",
)
def weight_bytes(ds: Run, *, theme: Theme = "light") -> Figure:
    """Bytes of the weights by length, kind by kind."""
    note = (
        f"Counted, not by formula: with the map kept bytes grow as t to the power {measures.map_held_growth(ds):.2f}, "
        f"with PyTorch's kernel {measures.kernel_held_growth(ds):.2f}."
    )
    return _by_formula(ds, "bytes", theme, "How much memory do weights take?", note, "%{y:.3s}B", "Bytes of weights")


@drawn(
    "How much of the output is lost?",
    needs=("error",),
    shows="ProbSparse's distance from full attention, by the number u of active rows.",
    cannot_show="What a network that is trained with it learns to do without.",
)
def error(ds: Run, *, theme: Theme = "light") -> Figure:
    """The relative error over u, with the rows that the score chooses and with as many random ones."""
    figure = Figure()
    for style, chosen_by in ((SCORE, "score"), (CHANCE, "chance")):
        name = "rows that the score chooses" if chosen_by == "score" else style.label
        figure.scatter(
            x=ds["asked"].values,
            y=100 * ds["error"].sel(chosen_by=chosen_by).values,
            name=name,
            mode="lines+markers",
            line={"color": style.colour, "dash": style.dash, "width": 2.5},
            marker={"symbol": style.symbol, "size": 8},
            hovertemplate="%{y:.1f} %",
        )
    figure.add_vline(x=ds.attrs["active"], line={"color": INKS[theme].accent, "width": 2})
    look.apply(figure, theme, title="How much of the output is lost?", notes=[lost(ds)], height=460)
    legend_below(figure)
    figure.update_layout(margin_b=150, legend_y=-0.22)
    figure.update_xaxes(title_text="Active rows u", showgrid=False)
    link(figure, "x", "asked")
    return figure.update_yaxes(title_text="Error (% of the output's norm)", rangemode="tozero")


def lost(ds: Run) -> str:
    """What is lost at u, in a sentence."""
    return (
        f"u = {ds.attrs['active']}, gold: {measures.rows_that_attend(ds):.0f} of {measures.rows(ds):.0f} rows attend. "
        f"Lost: {measures.lost_by_score(ds):.0%}; by chance {measures.lost_by_chance(ds):.0%}."
    ).replace("%", " %")


@drawn(
    "Which rows attend?",
    needs=("ranked_by", "attends"),
    shows="Each row's score in order, the rows that attend in colour.",
)
def scores(ds: Run, *, theme: Theme = "light") -> Figure:
    """The scores as sorted bars, those of active rows in colour."""
    order = np.argsort(-ds["ranked_by"].values, kind="stable")
    values, active, rows = (ds[name].values[order] for name in ("ranked_by", "attends", "row"))
    figure, places = Figure(), np.arange(1, len(order) + 1)
    for name, colour, its in (("attends", SCORE.colour, active > 0), ("takes the mean", REST, active == 0)):
        figure.bar(
            x=places[its],
            y=values[its],
            name=name,
            marker={"color": colour},
            customdata=rows[its],
            hovertemplate="row %{customdata}: %{y:.2f} nat",
        )
    notes = [
        f"{measures.rows_that_attend(ds):.0f} of {measures.rows(ds):.0f} rows attend. Gold: u = {ds.attrs['active']}."
    ]
    figure.add_vline(x=ds.attrs["active"] + 0.5, line={"color": INKS[theme].accent, "width": 2})
    look.apply(figure, theme, title="Which rows attend?", notes=notes, height=430, hover="closest")
    figure.update_layout(bargap=0)
    figure.update_xaxes(title_text="Rows, the highest score first", showgrid=False)
    return figure.update_yaxes(title_text="Score (nat)")


def _against(ds: Run, name: str, theme: Theme, question: str, note: str, title: str) -> Figure:
    """A row's number against its exact score, active rows in colour."""
    figure = Figure()
    attends = ds["attends"].values > 0
    for label, colour, symbol, its in (
        ("attends", SCORE.colour, "square", attends),
        ("takes the mean", REST, "circle-open", ~attends),
    ):
        figure.scatter(
            x=ds["unevenness"].values[its],
            y=ds[name].values[its],
            name=label,
            mode="markers",
            marker={"color": colour, "symbol": symbol, "size": 8},
            customdata=ds["row"].values[its],
            hovertemplate="row %{customdata}: score %{x:.2f}, %{y:.2f}",
        )
    look.apply(figure, theme, title=question, notes=[note], height=430, hover="closest")
    figure.update_xaxes(title_text="s − ln i of row i (nat)", showgrid=False)
    return figure.update_yaxes(title_text=title, rangemode="tozero")


@drawn(
    "May max minus mean stand in for s?",
    needs=("unevenness", "max_mean"),
    shows="The printed approximation against the exact score of every row.",
)
def max_mean(ds: Run, *, theme: Theme = "light") -> Figure:
    """Max minus mean over s - ln i."""
    note = f"It chooses {measures.rows_that_agree(ds):.0%} of the {ds.attrs['active']} rows that s chooses."
    question = "May max minus mean stand in for s?"
    return _against(ds, "max_mean", theme, question, note.replace("%", " %"), "Max − mean (nat)")


@drawn(
    "Does a high score mean few keys?",
    needs=("unevenness", "top_weight"),
    shows="The largest attention weight of every row against its exact score.",
)
def top_weight(ds: Run, *, theme: Theme = "light") -> Figure:
    """A row's largest weight over s - ln i."""
    note = f"Rank correlation over the later half of the rows: {measures.order_by_top_weight(ds):.2f}."
    return _against(ds, "top_weight", theme, "Does a high score mean few keys?", note, "Largest weight")


@drawn(
    "Who hears whom?",
    needs=("layers_to_hear",),
    shows="After how many LogSparse layers a row hears an earlier cell.",
)
def reach(ds: Run, *, theme: Theme = "light") -> Figure:
    """The pattern of keys and its reach layer by layer."""
    hears = ds["layers_to_hear"].values
    figure = Figure(
        cells(
            hears,
            x=ds["cell"].values,
            y=ds["row"].values,
            hover="row %{y} hears row %{x} after %{z} layers",
        )
    )
    depth = measures.layers_to_hear_all(ds)
    notes = [f"One layer takes {measures.cells_seen(ds):.0%} of all pairs; {depth:.0f} layers reach the whole past."]
    look.apply(
        figure,
        theme,
        title="Who hears whom?",
        notes=[note.replace("%", " %") for note in notes],
        legend=False,
        height=470,
        hover="closest",
    )
    figure.update_xaxes(title_text="Row that is heard", showgrid=False)
    figure.update_yaxes(title_text="Row that hears", showgrid=False, autorange="reversed")
    return colour_bar(figure, (0, max(depth, 1)), SEQUENTIAL, "Layers", dtick=1)


@drawn(
    "What moves when one row changes?",
    needs=("moves",),
    shows="How far the output moves at each row when the row of the column is changed.",
)
def moves(ds: Run, *, theme: Theme = "light") -> Figure:
    """Which rows move when a row is changed: nothing may stand above the diagonal."""
    size = ds["moves"].sel(probed="prob_sparse").values.T
    logs = np.log10(np.where(size > measures.MOVED, size, np.nan))
    changes = ds["changed"].values
    figure = Figure(
        cells(logs, x=changes, y=ds["row"].values, hover="row %{x} changes: row %{y} moves by 10<sup>%{z:.1f}</sup>")
    )
    figure.scatter(
        x=changes,
        y=changes,
        mode="lines",
        line={"color": INKS[theme].accent, "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )
    look.apply(
        figure,
        theme,
        title="What moves when one row changes?",
        notes=[leaks(ds)],
        legend=False,
        height=470,
        hover="closest",
    )
    figure.update_xaxes(title_text="Row that changes", showgrid=False)
    figure.update_yaxes(title_text="Row that moves", showgrid=False, autorange="reversed")
    finite = logs[np.isfinite(logs)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (-1.0, 0.0)
    return colour_bar(figure, (math.floor(low), math.ceil(high)), SEQUENTIAL, "Largest change of the output, log10")


def leaks(ds: Run) -> str:
    """How many of the rows before a change move, in a sentence."""
    share = measures.prob_sparse_earlier_moved(ds)
    if not share:
        return "Above the gold diagonal nothing moves: no row sees the future."
    return f"Above the gold diagonal is the past: {share:.0%} of it moves, so rows see the future.".replace("%", " %")


@drawn(
    "How long does it take here?",
    name="time",
    needs=("seconds",),
    shows="Seconds on one thread, the quickest of three.",
)
def measured_time(ds: Run, *, theme: Theme = "light") -> Figure:
    """Seconds by length, kind by kind."""
    notes = [quicker(ds), fused(ds)]
    return _measured(ds, "seconds", theme, "How long does it take here?", notes, "%{y:.3s}s", "Seconds")


@drawn(
    "How much memory does it take here?",
    name="memory",
    needs=("peak_bytes",),
    shows="Bytes that the tensors of four heads hold at once, counted.",
)
def measured_memory(ds: Run, *, theme: Theme = "light") -> Figure:
    """Bytes by length, kind by kind."""
    notes = ["The fused kernel keeps no map. Written out, full attention keeps it, and ends at 2,048 rows."]
    return _measured(ds, "peak_bytes", theme, "How much memory does it take here?", notes, "%{y:.3s}B", "Bytes")


def quicker(ds: Run) -> str:
    """From which length on sparse kinds are quicker than full attention, in a sentence."""
    parts = []
    for name, kind in ATTENTIONS.items():
        if name != "full":
            length = measures.quicker_from(ds, name)
            parts.append(f"{kind.label} {f'from {length:,.0f} rows' if math.isfinite(length) else 'never'}")
    return f"Quicker than full attention: {', '.join(parts)}."


def fused(ds: Run) -> str:
    """What PyTorch's fused kernel took beside full attention that is written out, in a sentence."""
    length, share = measures.fused_share(ds)
    if math.isnan(share):
        return ""
    return f"PyTorch's fused kernel took {share:.2f} of the time of the written-out one at {length:,.0f} rows."


def _measured(ds: Run, name: str, theme: Theme, question: str, notes: list[str], hover: str, title: str) -> Figure:
    figure = look.apply(Figure(), theme, title=question, notes=notes, height=460)
    lines = [(TIMED[str(kind)], ds[name].sel(timed=kind).values) for kind in ds["timed"].values]
    return _over_length(figure, ds["series_length"], lines, hover, title)


def picture(ds: Run) -> str:
    """The home page's picture: multiplications over the length, both on log scales."""
    names = {"full": "full", "prob_sparse_sampled": "ProbSparse", "log_sparse": "LogSparse"}
    curves = [
        Curve(words, np.log10(ds["multiplications"].sel(kind=kind).values), STYLES[kind].colour, STYLES[kind].dash)
        for kind, words in names.items()
    ]
    return polyline_svg(
        curves,
        label="Multiplications of three kinds of attention over the length, on log scales.",
        axes=("length, log scale", "multiplications, log scale"),
    )


FIGURES = by_name(
    multiplications,
    error,
    weight_bytes,
    scores,
    max_mean,
    top_weight,
    reach,
    moves,
    measured_time,
    measured_memory,
)
