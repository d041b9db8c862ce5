"""The figures of the laboratory *How a leaderboard fools*, in the order in which a page shows them."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.reading import absence
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.leaderboard.figures.forecasts import by_step, follows, forecast, stopping, weights
from goldviz.labs.leaderboard.figures.published import published
from goldviz.labs.leaderboard.figures.quantities import FIRST_CURVES, KINDS, figure, shared_limits
from goldviz.labs.leaderboard.figures.scores import by_horizon, same_forecast, table, told_apart, traps
from goldviz.models.series.forecasters.table import FORECASTERS

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure,
    KINDS,
    same_forecast,
    table,
    traps,
    published,
    told_apart,
    by_horizon,
    forecast,
    by_step,
    follows,
    weights,
    stopping,
)


def picture(ds: Run) -> str:
    """The home page's picture: the score of one forecast by the size of the test batch."""
    label = "The score of one and the same forecast, by the size of the test loader's batch."
    if absence(ds, "batch_score"):
        return polyline_svg([], label=label)
    scores = ds["batch_score"].isel(epoch=-1)
    styles = {name: FORECASTERS[name].style for name in FIRST_CURVES}
    return polyline_svg(
        [Curve(one.label, scores.sel(forecaster=name).values, one.colour, one.dash) for name, one in styles.items()],
        label=label,
        axes=("test batch", "score"),
    )
