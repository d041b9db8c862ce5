"""What is claimed under figures of series, markets and forecasts."""

import numpy as np
import xarray as xr

from goldviz.figures.theme import INKS
from tests.truth.predicates.drawing import (
    Drawing,
    absent,
    now,
    numeric,
    over,
    shown,
    thin,
)


def fan(drawing: Drawing) -> bool:
    """The ends of two bands of a network's draws, every forecast, the series, and what followed."""
    bands = drawing.view.last("fan").isel(share=[0, 1, 3, 4])
    some = any(shown(drawing, bands.sel(network=name)) for name in bands.network.values)
    return (
        some and now("forecast")(drawing) and bool(drawing.named("^past$").data and drawing.named("^what came$").data)
    )


def errors(drawing: Drawing) -> bool:
    """A bar for each network and each simple rule as long as its error, those of the rules in grey."""
    [bars] = drawing.typed("bar").data
    own = drawing.view.last("weighted_error").median("seed").values
    simple = drawing.view.of("simple_weighted").median("seed").values
    grey = [colour in {ink.muted for ink in INKS.values()} for colour in bars["marker"]["color"]]
    due = [False] * len(own) + [True] * len(simple)
    return np.allclose(numeric(bars["x"]), [*own, *simple], rtol=1e-5) and grey == due


def marked_rows(drawing: Drawing) -> bool:
    """Some head's scores as bars, and the series below them."""
    scores = drawing.view.last("score")
    heads = [
        xr.DataArray(np.sort(scores.isel(layer_number=layer, head=head))[::-1], dims="place")
        for layer in range(scores.sizes["layer_number"])
        for head in range(scores.sizes["head"])
    ]
    return any(shown(drawing.typed("bar"), one) for one in heads) and over("probe")(drawing)


def query_by_keys(drawing: Drawing) -> bool:
    """Every network's products of one row, and above them the values that it may read."""
    values = numeric(drawing.named("^value$").data[0]["y"])
    probe = drawing.view.of("probe").values
    return now("similarity")(drawing) and bool(np.isin(np.round(values, 4), np.round(probe, 4)).all())


OF_LABORATORIES = {
    "series-attention": {
        "Absolute errors of the whole forecast, as a share of the values.": errors,
        "Grey: simple rules.": errors,
        "Thin: simple rules.": thin(over("simple_error")),
        "What other sizes or more steps would give.": absent("size", "more steps"),
        "One series, what followed, and what is expected.": fan,
        "Shaded: half and nine tenths of the draws.": fan,
        "What is made of it.": absent("made", "explain"),
        "One row's query times the key of every row before.": query_by_keys,
        "Above: the values read.": query_by_keys,
        "The rows' scores, and the series.": marked_rows,
        "Gold: rows that attend.": marked_rows,
    },
}
