"""A window's forecasts, errors by step ahead, the linear map's weights, and what comes a step late."""

from __future__ import annotations

from goldviz.arrays.labelled import Array
from goldviz.figures.draft import Figure, Heatmap
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.market import legend_under
from goldviz.figures.plot import Plot
from goldviz.figures.reading import single
from goldviz.figures.theme import DIVERGING
from goldviz.labs.leaderboard.figures.quantities import figure, rows_of
from goldviz.models.series.forecasters.table import FORECASTERS


def _lines(plot: Plot, variable: str, along: str, hover: str) -> None:
    """A line of each row over one dimension."""
    values = plot.now[variable]
    for name in rows_of(plot):
        style = plot.look_of(name)
        plot.figure.scatter(
            x=values[along].values,
            y=plot.at_step(values.sel(forecaster=name)),
            name=style.label,
            mode="lines" if plot.ds.sizes[along] > 1 else "markers",
            line={"color": style.colour, "dash": style.dash, "width": 2},
            marker={"symbol": style.symbol, "size": 9, "color": style.colour},
            hovertemplate=hover,
        )


@figure(
    "What does each row say of one window?",
    title="What does each row say?",
    needs=("forecast", "truth", "past"),
    shows="The first seed's forecasts of one window, and what came.",
)
def forecast(plot: Plot) -> Figure:
    """What the window looks back on, what came, and each row's forecast."""
    for name, along, dash in (("past", "back", "solid"), ("truth", "ahead", "solid")):
        plot.figure.scatter(
            x=plot.ds[along].values,
            y=plot.ds[name].values,
            name="what came",
            legendgroup="what came",
            showlegend=name == "truth",
            mode="lines" if plot.ds.sizes[along] > 1 else "markers",
            line={"color": plot.ink.text, "dash": dash, "width": 3},
            hovertemplate="%{y:.3f}",
        )
    _lines(plot, "forecast", "ahead", "%{y:.3f}")
    plot.figure.add_vline(x=0.5, line={"color": plot.ink.muted, "width": 1.5, "dash": "dot"})
    plot.figure.update_xaxes(title_text="Steps ahead")
    plot.linear_axis("window", "Standardised value")
    channel, row = plot.ds.attrs.get("shown_channel", ""), plot.ds.attrs.get("shown_row", 0)
    chart = plot.finish(f"{channel}, forecast from row {row:,}.", height=470)
    legend_under(chart, lines=3, axis=50)
    return chart


@figure(
    "How does the error grow with the step ahead?",
    title="How does the error grow?",
    needs=("step_error",),
    shows="The mean squared error of each step ahead.",
)
def by_step(plot: Plot) -> Figure:
    """Errors by step ahead."""
    _lines(plot, "step_error", "ahead", "%{y:.4f}")
    plot.figure.update_xaxes(title_text="Steps ahead")
    plot.linear_axis("step_error", "Mean squared error")
    chart = plot.finish(height=450)
    legend_under(chart, lines=3, axis=50)
    return chart


@figure(
    "Does the forecast only follow?",
    needs=("shift_error", "level_r2", "move_r2"),
    shows="How far one-step forecasts are from what came, and from what was known.",
)
def follows(plot: Plot) -> Figure:
    """One-step forecasts against values moved back by some steps: lowest at one, the forecast is the last value."""
    _lines(plot, "shift_error", "shift", "%{y:.4f}")
    shifts = [int(shift) for shift in plot.ds["shift"].values]
    plot.figure.update_xaxes(title_text="Steps before the one that is forecast", tickvals=shifts)
    plot.linear_axis("shift_error", "Mean squared distance")
    r2 = plot.now["level_r2"].sel(forecaster="repeat"), plot.now["move_r2"].sel(forecaster="least_squares")
    chart = plot.finish(plot.say(_explained, *r2), height=450)
    legend_under(chart, lines=3, axis=50)
    return chart


def _explained(levels: Array, moves: Array) -> str:
    words = f"R²: repeating {float(levels):.3f} of levels, least squares {float(moves):.3f} over repeating."
    return words.replace("-", "−")


@figure(
    "What does a linear map read?",
    needs=("weight",),
    shows="The weight of each lag in each step's forecast.",
)
def weights(plot: Plot) -> Figure:
    """Weights of the linear maps, a panel each; some lags and steps are left out of large ones."""
    names = [str(name) for name in plot.ds["linear_map"].values]
    plot.panels([FORECASTERS[name].label for name in names])
    for panel, name in enumerate(names, start=1):
        plot.add(
            Heatmap(
                x=plot.ds["lag"].values,
                y=plot.ds["step_ahead"].values,
                z=single(plot.ds["weight"].sel(linear_map=name).values.T),
                coloraxis="coloraxis",
                hovertemplate="lag %{x}, step %{y}: %{z:.3f}<extra></extra>",
            ),
            row=panel,
        )
    plot.figure.update_xaxes(showgrid=False)
    plot.figure.update_yaxes(title_text="Step ahead", showgrid=False)
    plot.figure.update_layout(
        {f"xaxis{len(names) if len(names) > 1 else ''}": {"title": {"text": "Lag (0: last value)"}}}
    )
    chart = plot.finish(height=300 + 200 * len(names), legend=False, hover="closest")
    return colour_bar_below(chart, plot.limit("weight"), DIVERGING, "Weight")


@figure(
    "Which epoch would the test part choose?",
    title="Which epoch would it choose?",
    needs=("test_error",),
    shows="The test error after each epoch, which nobody may choose by.",
)
def stopping(plot: Plot) -> Figure:
    """Test errors by epoch."""
    plot.curves(plot.ds["test_error"], hover="%{y:.4f}")
    plot.step_grid()
    plot.linear_axis("test_error", "Mean squared error")
    return plot.finish(plot.drawn())
