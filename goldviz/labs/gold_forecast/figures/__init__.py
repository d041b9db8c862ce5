"""The figures of the *Forecast lab*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.gold_forecast.settings.GoldForecast` declares it. The argument ``epoch`` is
the scrubber's epoch; forecasts are shown as of the last look before it. A run that has just begun, or lacks a
variable, gets a figure that says so.
"""

from __future__ import annotations

from goldviz.figures.by_kind import offered
from goldviz.labs.gold_forecast.figures.distribution import calibration, fan
from goldviz.labs.gold_forecast.figures.hits import hits
from goldviz.labs.gold_forecast.figures.memory import gradient_by_lag, hidden, listening
from goldviz.labs.gold_forecast.figures.picture import skill_svg as picture
from goldviz.labs.gold_forecast.figures.quantities import KINDS, figure, shared_limits
from goldviz.labs.gold_forecast.figures.scoreboard import scoreboard
from goldviz.labs.gold_forecast.figures.skill import skill
from goldviz.labs.gold_forecast.figures.training import gradient_by_layer, loss, update_to_data
from goldviz.labs.gold_forecast.figures.volatility import volatility

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure,
    KINDS,
    skill,
    scoreboard,
    fan,
    calibration,
    volatility,
    hits,
    loss,
    listening,
    gradient_by_lag,
    hidden,
    gradient_by_layer,
    update_to_data,
    # It is called loss here.
    without=("loss_by_fit",),
)
