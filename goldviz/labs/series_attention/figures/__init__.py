"""The figures of the laboratory *Transformer for series*, in the order in which a page shows them."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.series_attention.figures.forecasts import fan, horizon, longer, training
from goldviz.labs.series_attention.figures.inside import by_lag, kernels, similarity
from goldviz.labs.series_attention.figures.positions import heard, positions, scores
from goldviz.labs.series_attention.figures.quantities import KINDS, figure, shared_limits

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure, KINDS, horizon, fan, "attention", by_lag, similarity, kernels, heard, scores, positions, longer, training
)


def picture(ds: Run) -> str:
    """The home page's picture: a series and what the first network forecasts of it."""
    values, context = ds["probe"].values.astype(np.float64), int(ds.attrs["context"])
    style = style_of(str(ds["network"].values[0]))
    forecast = np.full(len(values), np.nan)
    forecast[context:] = ds["forecast"].isel(look=-1, network=0).values
    return polyline_svg(
        [Curve("series", values, "#76808c", "dot"), Curve(style.label, forecast, style.colour)],
        label="A series of three sines, and the forecast of the last one by a Transformer.",
        axes=("time", "value"),
    )
