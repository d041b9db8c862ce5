"""The figures of the *Forecast lab*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.gold_forecast.settings.GoldForecast` declares it. The argument ``epoch`` is
the scrubber's epoch; forecasts are shown as of the last look before it. A run that has just begun, or lacks a
variable, gets a figure that says so.
"""

from __future__ import annotations

from goldviz.figures.limits import Limits
from goldviz.figures.spec import FigureSpec
from goldviz.labs.gold_forecast.figures.distribution import calibration, fan
from goldviz.labs.gold_forecast.figures.hits import hits
from goldviz.labs.gold_forecast.figures.memory import gradient_by_lag, hidden, listening
from goldviz.labs.gold_forecast.figures.picture import skill_svg as picture
from goldviz.labs.gold_forecast.figures.quantities import shared_limits
from goldviz.labs.gold_forecast.figures.scoreboard import scoreboard
from goldviz.labs.gold_forecast.figures.skill import skill
from goldviz.labs.gold_forecast.figures.training import gradient_by_layer, loss, update_to_data
from goldviz.labs.gold_forecast.figures.volatility import volatility

__all__ = [
    "FIGURES",
    "Limits",
    "calibration",
    "fan",
    "gradient_by_lag",
    "gradient_by_layer",
    "hidden",
    "hits",
    "listening",
    "loss",
    "picture",
    "scoreboard",
    "shared_limits",
    "skill",
    "update_to_data",
    "volatility",
]

FIGURES: dict[str, FigureSpec] = {
    "skill": FigureSpec(
        skill,
        "Is the forecast better than the simplest one, and when?",
        "What the network and every baseline gained over the simplest forecast, added up over time.",
        "A curve that ended well may have done so by chance or in one episode, and who tries often enough finds one.",
    ),
    "scoreboard": FigureSpec(
        scoreboard,
        "Who forecasts best?",
        "The score of the network and of every baseline against the simplest forecast, with 95 % intervals.",
        "Intervals hold for one network tried once: choosing the best of many makes them too narrow. No costs of "
        "trading are in them.",
    ),
    "fan": FigureSpec(
        fan,
        "How sure is the forecast?",
        "The last forecasts as bands of 50, 80 and 95 %, and what came.",
        "These few months say little of other times; a fan that holds its points can still be needlessly wide.",
    ),
    "calibration": FigureSpec(
        calibration,
        "Do its intervals keep their word?",
        "Where in its forecast distribution each value fell, and how many values the intervals held.",
        "Right on average is not right on each day: a constant width can pass here, and fail in calm and in stormy "
        "times.",
    ),
    "volatility": FigureSpec(
        volatility,
        "How large will the next move be?",
        "The forecast standard deviation beside EWMA's and GARCH's, over the largest moves.",
        "Volatility itself is never observed: one day's move is a very noisy reading of it.",
    ),
    "hits": FigureSpec(
        hits,
        "How often is the sign right?",
        "The share of right signs by year, with 95 % intervals, beside always saying up.",
        "It counts a small move like a large one: a forecaster can be right often and still lose.",
    ),
    "loss": FigureSpec(
        loss,
        "Does it learn, or learn by heart?",
        "Training and validation loss of every refit, and the epochs whose weights make the forecasts.",
        "The best epoch is chosen on validation data, so the loss there is a little too good to be true.",
    ),
    "listening": FigureSpec(
        listening,
        "What does the forecast listen to?",
        "How much the forecast moves with each input, by channel and by rows back.",
        "A large derivative says what is used, not what is of use; and inputs that move together share their credit "
        "by chance.",
    ),
    "gradient_by_lag": FigureSpec(
        gradient_by_lag,
        "How far back does the network learn from?",
        "How long dL/dh is at each row before the forecast.",
        "Where returns have no memory there is nothing to reach back for: a short reach need not be a fault.",
    ),
    "hidden": FigureSpec(
        hidden,
        "What does the network keep in mind?",
        "The hidden states behind the last forecasts, slow units at the top.",
        "What a unit means cannot be read off it: another seed finds other units for the same forecast.",
    ),
    "gradient_by_layer": FigureSpec(
        gradient_by_layer,
        "Does every layer get a gradient?",
        "The gradient's norm by layer over the epochs, in the last refit.",
        "Healthy gradients of the parameters do not prove that the signal survives through time.",
    ),
    "update_to_data": FigureSpec(
        update_to_data,
        "Are the steps the right size?",
        "How large the steps are beside the weights that they change, by layer, in the last refit.",
        "The line at 10⁻³ is a rule of thumb: a good ratio does not prove that the steps go the right way.",
    ),
}
