"""Who may hear whom, which rows attend, and what positions tell."""

from __future__ import annotations

import numpy as np

from goldviz.figures import theme as look
from goldviz.figures.draft import Bar, Figure, Heatmap, Scatter
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.frames import AtStep
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, single
from goldviz.labs.series_attention.figures.quantities import figure


@figure(
    "Who hears whom?",
    needs=("heard",),
    shows="Which rows back a row hears of, after so many blocks.",
    instead=lambda ds: (
        "With ProbSparse attention the series decide which rows look back."
        if "loss" in ds and "heard" not in ds
        else ""
    ),
)
def heard(plot: Plot) -> Figure:
    """The reach of attention block by block: a LogSparse row hears all after log2 L blocks, and not before."""
    values = plot.ds["heard"].values
    plot.add(
        Heatmap(
            z=single(values),
            x=plot.ds["lag"].values,
            y=plot.ds["depth"].values,
            coloraxis="coloraxis",
            xgap=1,
            ygap=2,
            hovertemplate="%{x} rows back after %{y} blocks: %{z}<extra></extra>",
        )
    )
    plot.number_axis("lag", "Rows back", "%{x} rows back", {0: "0"})
    plot.figure.update_yaxes(title_text="Blocks", range=plot.limit("depth"), showgrid=False, dtick=1)
    whole = np.flatnonzero(values.all(1))
    depth = int(plot.ds["depth"].values[whole[0]]) if whole.size else 0
    words = f"All heard after {depth} block{'s' * (depth > 1)}." if whole.size else ""
    plot.finish(words, height=380, legend=False, hover="closest")
    return colour_bar_below(
        plot.figure, (0.0, 1.0), look.SEQUENTIAL, "Heard", tickmode="array", tickvals=[0, 1], ticktext=["no", "yes"]
    )


@figure(
    "Which rows attend?",
    needs=("score", "active", "probe"),
    shows="The rows' scores, and the series. Gold: rows that attend.",
    instead=lambda ds: (
        "Every row attends: choose ProbSparse attention to see a choice." if "loss" in ds and "score" not in ds else ""
    ),
)
def scores(plot: Plot) -> Figure:
    """ProbSparse scores sorted, and where the active rows stand on the series."""
    plot.panels(["Score, highest first", "Value"])
    now, active = (plot.now[name].isel(layer_number=0, head=0) for name in ("score", "active"))
    order = np.argsort(-now.values, axis=-1)
    colours = [
        [plot.ink.accent if on else plot.ink.muted for on in row]
        for row in np.take_along_axis(active.values, order, -1)
    ]
    plot.add(
        Bar(
            x=plot.ds["place"].values,
            y=AtStep("look", single(np.take_along_axis(now.values, order, -1))),
            marker={"color": AtStep("look", colours)},
            customdata=AtStep("look", plot.ds["place"].values[order]),
            hovertemplate="row %{customdata}: %{y:.3f}<extra></extra>",
            showlegend=False,
        ),
        row=1,
    )
    places, values = plot.ds["place"].values, plot.ds["probe"].values.astype(np.float64)
    course = Scatter(
        x=places, y=values, mode="lines", line={"color": plot.ink.text, "width": 1.5}, showlegend=False, name="value"
    )
    plot.add(course, row=2)
    attending = Scatter(
        x=places,
        y=AtStep("look", np.where(active.values > 0, values, np.nan)),
        mode="markers",
        marker={"color": plot.ink.accent, "size": 8},
        name="attends",
        showlegend=False,
        hovertemplate="%{y:.3f}",
    )
    plot.add(attending, row=2)
    plot.number_axis("place", "Row", "row %{x}")
    plot.linear_axis("score", "Score", row=1)
    plot.linear_axis("value", "Value", row=2)
    return plot.finish(plot.step_in_words("look", one_seed=True), height=560, legend=False, hover="closest")


@figure(
    "How alike are two positions?",
    needs=("position_product",),
    shows="How alike two rows' positions are, by how far apart they are.",
    instead=lambda ds: "Rows carry no position." if "loss" in ds and "position_product" not in ds else "",
)
def positions(plot: Plot) -> Figure:
    """Sinusoids: sum of cosines, which depends on the distance alone, and hardly falls. Learned: what training made."""
    product = finite(plot.now["position_product"])
    plot.add(
        Scatter(
            x=plot.ds["lag"].values,
            y=plot.at_step(product),
            mode="lines+markers",
            line={"color": plot.ink.text, "width": 2},
            marker={"size": 5},
            name="product",
            showlegend=False,
            hovertemplate="%{y:.3f}",
        )
    )
    plot.number_axis("lag", "Rows apart", "%{x} rows apart", {0: "0"})
    plot.linear_axis("position_product", "Product")
    return plot.finish(plot.step_in_words("look", one_seed=True), legend=False)
