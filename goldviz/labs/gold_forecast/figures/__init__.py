"""The figures of the *Forecast lab*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.gold_forecast.settings.GoldForecast` declares it. The argument ``epoch`` is
the scrubber's epoch; forecasts are shown as of the last look before it. A run that has just begun, or lacks a
variable, gets a figure that says so.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import fits, layers
from goldviz.figures.chart import offered
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import picture_svg, revealed
from goldviz.labs.gold_forecast.figures import distribution, memory, skill
from goldviz.labs.gold_forecast.figures.days import AT_FIRST_EPOCH, missing
from goldviz.labs.gold_forecast.scoring.series import Series
from goldviz.labs.gold_forecast.settings import GoldForecast

__all__ = ["FIGURES", "picture", "shared_limits"]


FIGURES, shared_limits = offered(
    GoldForecast,
    *skill.FIGURES,
    *distribution.FIGURES,
    partial(
        fits.loss_by_fit.of,
        name="loss",
        needs=(),
        instead=missing("loss", waiting=AT_FIRST_EPOCH),
        shows="Training and validation loss of every refit, and the epochs that forecast.",
    ),
    *memory.FIGURES,
    partial(
        layers.gradient_by_layer.of,
        needs=(),
        instead=missing("gradient_norm", waiting=AT_FIRST_EPOCH),
        shows="The gradient's length by layer before clipping, in the last refit.",
    ),
    partial(
        layers.update_to_data.of,
        needs=(),
        instead=missing("update_to_data", waiting=AT_FIRST_EPOCH),
        shows="How large the steps are beside the weights, in the last refit.",
    ),
    # It is called loss here.
    without=("loss_by_fit",),
)


def picture(ds: Run) -> str:
    """The home page's picture: how much better than the simplest forecast each one is, with its interval."""
    label = "How much less each forecast errs than the simplest one does, with 95 % intervals; the line is no better."
    series = Series.of(ds)
    if "score" not in ds or not ds["score"].size or series.look is None:
        return picture_svg([], label=label)
    models = [series.network if model == "network" else str(model) for model in ds["model"].values]
    ends = np.stack([ds[name].sel(metric="r2").values for name in ("score_low", "score", "score_high")], axis=1)
    rows = [(model, row) for model, row in zip(models, ends, strict=True) if np.isfinite(row).all() and np.ptp(row)]
    if not rows:
        return picture_svg([], label=label)
    reach = min(0.0, *(row[0] for _, row in rows)), max(0.0, *(row[2] for _, row in rows))
    parts = [f'<path d="M{_across(0.0, *reach)} 8V152" stroke="currentColor" stroke-dasharray="2 3" fill="none"/>']
    for place, (model, row) in enumerate(rows):
        style, y = style_of(model), round(28 + place * 112 / max(len(rows) - 1, 1))
        first, middle, last = (_across(float(end), *reach) for end in row)
        name, look = style.label.split()[0], f'stroke="{style.colour}" stroke-width="3" stroke-linecap="round"'
        parts += [
            f'<text x="92" y="{y + 5}" font-size="13" text-anchor="end" fill="currentColor">{name}</text>',
            revealed([f'<path d="M{first} {y}H{last}" {look}/>']),
            f'<circle cx="{middle}" cy="{y}" r="5" fill="{style.colour}"/>',
        ]
    return picture_svg(parts, label=label, axes=(f"better than {style_of(series.reference).label}", ""))


def _across(share: float, low: float, high: float) -> str:
    """Where a score stands on the picture."""
    return f"{104 + 200 * (share - low) / (high - low):.1f}"
