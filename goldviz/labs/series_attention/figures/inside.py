"""Where attention looks: weights by lag, what a query is alike to, and the kernels that both are made of."""

from __future__ import annotations

import numpy as np

from goldviz.figures.draft import Bar, Figure, Scatter
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.figures.theme import depth_colours
from goldviz.labs.series_attention.figures.quantities import figure, legend_below

DASHES = ("solid", "dot", "dash", "dashdot", "longdash", "longdashdot", "solid", "dot")
"""Of heads; blocks differ in colour."""


@figure(
    "How far back does attention look?",
    needs=("attention_by_lag",),
    shows="The mean weight that rows give to the row so many rows back.",
    cannot_show="What is made of it.",
)
def by_lag(plot: Plot) -> Figure:
    """Attention by lag: a peak at the period means that the head copies from one period ago."""
    weights, blocks = finite(plot.now["attention_by_lag"]), plot.ds["layer_number"].values
    colours = depth_colours(len(blocks), plot.theme)
    for block, colour in zip(blocks, colours, strict=True):
        for head in plot.ds["head"].values:
            plot.add(
                Scatter(
                    x=plot.ds["lag"].values,
                    y=plot.at_step(weights.sel(layer_number=block, head=head)),
                    name=f"block {block}, head {head}",
                    mode="lines",
                    line={"color": colour, "width": 2, "dash": DASHES[(int(head) - 1) % len(DASHES)]},
                    hovertemplate="%{y:.3f}",
                )
            )
    plot.number_axis("lag", "Rows back", "%{x} rows back", {0: "0"})
    plot.linear_axis("attention_by_lag", "Mean weight")
    figure = plot.finish(plot.step_in_words("look", one_seed=True), height=450)
    return legend_below(figure, 2 + len(blocks) // 2)


@figure(
    "Which rows are like this one?",
    needs=("similarity", "probe"),
    shows="One row's query times the key of every row before. Above: the values read.",
    instead=lambda ds: (
        "A GRU has no queries and keys." if "loss" in ds and not np.isfinite(ds["similarity"].values).any() else ""
    ),
)
def similarity(plot: Plot) -> Figure:
    """q k / sqrt(d): with k = 1 rows that read equal values score alike, whatever stands around them."""
    plot.panels(["Value that the row reads", "Query times key"])
    values = plot.ds["probe"].values.astype(np.float64)
    read = Scatter(
        x=plot.ds["place"].values[1:],
        y=values[:-1],
        mode="lines+markers",
        line={"color": plot.ink.text, "width": 1.5},
        marker={"size": 5},
        showlegend=False,
        name="value",
        hovertemplate="%{y:.3f}",
    )
    plot.add(read, row=1)
    for network in plot.networks:
        own = finite(plot.now["similarity"].sel(network=network))
        if not np.isfinite(own.values).any():
            continue
        style = plot.look_of(network)
        plot.add(
            Scatter(
                x=plot.ds["place"].values,
                y=plot.at_step(own),
                name=style.label,
                mode="lines+markers",
                line={"color": style.colour, "dash": style.dash, "width": 2},
                marker={"size": 5, "symbol": style.symbol},
                hovertemplate="%{y:.3f}",
            ),
            row=2,
        )
    plot.number_axis("place", "Row", "row %{x}")
    plot.linear_axis("value", "Value", row=1)
    plot.linear_axis("similarity", "q k / √d", row=2)
    figure = plot.finish(plot.step_in_words("look", one_seed=True), height=560)
    return legend_below(figure, 1, below_headings=True)


@figure(
    "What are queries and keys made of?",
    needs=("kernel_norm",),
    shows="How long the kernels' matrices are, by rows back.",
)
def kernels(plot: Plot) -> Figure:
    """Norms of F[i] by lag i, for queries and keys: with k = 1 there is the present row alone."""
    norms = finite(plot.now["kernel_norm"]).mean(["layer_number", "head"])
    for side, colour, pattern in (("query", plot.ink.accent, ""), ("key", plot.ink.muted, "/")):
        plot.add(
            Bar(
                x=plot.ds["kernel_lag"].values,
                y=plot.at_step(norms.sel(side=side)),
                name=side,
                marker={"color": colour, "pattern": {"shape": pattern}},
                hovertemplate="%{y:.3f}",
            )
        )
    plot.number_axis("kernel_lag", "Rows back", "%{x} rows back", {0: "0"})
    plot.linear_axis("kernel_norm", "Norm")
    return plot.finish(plot.step_in_words("look", one_seed=True), height=400)
