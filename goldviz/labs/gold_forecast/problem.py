"""The forecasting problem of the *Forecast lab*: what is known when, what comes next, and who may learn from what."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from goldviz.data.markets.alignment import NextValues, Panel, aligned, next_values
from goldviz.data.markets.kept_markets import SIMULATED, load_market
from goldviz.data.markets.market import Channel, Market, MarketError
from goldviz.data.markets.masking import masked
from goldviz.data.markets.standard_scores import ChannelMoments
from goldviz.data.markets.statements import answering_market, dealt_out, statement_tones, with_statements
from goldviz.data.markets.text_channels import is_text_channel
from goldviz.data.markets.walk_forward import Fold, folds
from goldviz.diagnostics.forecasts.lookahead import NextMoveLink, covariates_ahead
from goldviz.diagnostics.forecasts.moves import Moves
from goldviz.labs.gold_forecast.settings import AGE, GoldForecast

MASKING_STREAM, SHUFFLING_STREAM = 1, 2
"""Beside the market's seed, so that what is hidden has nothing to do with how a simulated market was drawn."""


@dataclass(frozen=True)
class ForecastProblem:
    """A market as it may be seen, its answers, and their division into folds.

    ``panel`` is what was ``observed``, with the last values of some channels carried on, and their ages. Positions, in
    folds too, count the answers.
    """

    market: Market
    observed: Panel
    panel: Panel
    answers: NextValues
    folds: list[Fold]
    target: str

    @cached_property
    def inputs(self) -> Float[np.ndarray, "rows channels"]:
        """What networks read. Where a level is forecast they read the target's level, not its changes."""
        values = self.panel.values.copy()
        if self.target == "level":
            values[:, 0] = self.panel.price
        return values

    def observed_shares(self, window: int) -> Float[np.ndarray, "fold channel"]:
        """For each fold the share of the rows learnt from on which a network is told something new of a channel.

        0 for a channel without two different values there: it counts as not observed, anywhere.
        """
        return np.stack([self._observed_share(rows_learnt(self.answers.rows, fold, window)) for fold in self.folds])

    def _observed_share(self, train_rows: slice) -> Float[np.ndarray, " channel"]:
        present = np.isfinite(self.observed.values[train_rows])
        ages = np.isfinite(self.panel.values[train_rows, present.shape[1] :])
        varies = np.isfinite(ChannelMoments.of(self.panel.values[train_rows]).mean)
        return np.asarray(np.where(varies, np.concatenate([present, ages], axis=1).mean(axis=0), 0.0))

    @property
    def moves(self) -> Moves:
        """What the answers are called."""
        target = self.market.target
        return Moves.levels(target.unit) if self.target == "level" else Moves.of(target.transformation, target.unit)

    @cached_property
    def days(self) -> Float[np.ndarray, " rows"]:
        """The day of each row, counted from 1970."""
        return np.asarray(self.panel.dates.as_unit("s").asi8 / 86_400)

    @cached_property
    def unchanged(self) -> Float[np.ndarray, " n"]:
        """The answers if nothing changed: the last price where levels are forecast, else 0."""
        prices = self.panel.price[self.answers.rows]
        return prices if self.target == "level" else np.zeros_like(prices)

    @cached_property
    def changes(self) -> NextValues:
        """The answers as changes: what forecasts of volatility are about."""
        return replace(self.answers, values=self.answers.values - self.unchanged)

    @cached_property
    def columns_ahead(self) -> tuple[NextMoveLink, ...]:
        """The covariates that go with the moves that come, or their sizes, by more than honest ones do.

        On what the last refit learns from, its validation part included.
        """
        return covariates_ahead(self.market, self.observed, self.changes, end=int(self.watched.test[0]))

    @property
    def watched(self) -> Fold:
        """The last fold: its networks have the most to learn from."""
        return self.folds[-1]

    @cached_property
    def tested(self) -> np.ndarray:
        """The positions that are forecast, ascending."""
        return np.asarray(np.concatenate([fold.test for fold in self.folds]))

    def dates_of(self, positions: np.ndarray) -> list[str]:
        """The dates of these forecasts, as 2024-12-31."""
        dates: pd.Index = self.panel.dates[self.answers.rows[positions]].strftime("%Y-%m-%d")
        return [str(date) for date in dates]


def forecast_problem(settings: GoldForecast) -> ForecastProblem:
    """The problem that the settings describe; raises :class:`MarketError` where there is none."""
    market = market_with_statements(settings)
    if settings.inputs == "own":
        market = market.only([market.target.name])
    visible_panel = masked(
        aligned(market, by=settings.alignment),
        settings.missing,
        settings.missing_share,
        np.random.default_rng([settings.market_seed, MASKING_STREAM]),
    )
    carry = CARRIED[settings.carry]
    panel = carried(visible_panel, {channel.name for channel in market.channels[1:] if carry(channel)})
    answers = _with_a_past(panel, next_values(panel, "level" if settings.target == "level" else "return"))
    walk = folds(
        panel.dates,
        answers.known,
        answers.rows,
        scheme=settings.scheme,
        train_years=settings.train_years,
        test_years=settings.test_years,
        refits=settings.refits,
        embargo=settings.embargo,
        validation_share=settings.validation_share,
    )
    problem = ForecastProblem(market, visible_panel, panel, answers, walk, settings.target)
    for fold in walk:
        _check_varies(problem, fold)
    return _shuffled(problem, settings.market_seed) if settings.shuffle_targets else problem


def rows_learnt(rows: Int[np.ndarray, " n"], fold: Fold, window: int) -> slice:
    """The rows of a panel that a refit learns from, whose moments standardise all values: its training windows.

    ``rows`` are those of the forecasts.
    """
    first, last = rows[fold.train[[0, -1]]]
    return slice(max(0, first - window + 1), last + 1)


CARRIED: dict[str, Callable[[Channel], bool]] = {
    "nothing": lambda channel: False,
    "documents": lambda channel: is_text_channel(channel.name),
    "levels": lambda channel: channel.transformation == "level",
}
"""Whose last value rows carry on, by the setting's name. Changes are not: a day's return is not tomorrow's, too."""


def _with_a_past(panel: Panel, answers: NextValues) -> NextValues:
    """The answers without those before whose forecasts the target never moved: there is nothing to make them of."""
    first_moved = int(np.argmax(np.isfinite(panel.values[:, 0])))
    usable = answers.rows >= first_moved
    return NextValues(answers.rows[usable], answers.known[usable], answers.values[usable], answers.days[usable])


def _shuffled(problem: ForecastProblem, seed: int) -> ForecastProblem:
    """The changes dealt out at random.

    Levels are put together from them again. Dealt out themselves they would pull towards their mean, and a network that
    says so would look skilled beside the last price.
    """
    generator = np.random.default_rng([seed, SHUFFLING_STREAM])
    changes = generator.permutation(problem.changes.values)
    return replace(problem, answers=replace(problem.answers, values=problem.unchanged + changes))


def _check_varies(problem: ForecastProblem, fold: Fold) -> None:
    if np.ptp(problem.changes.values[fold.train]) == 0:
        first, last = problem.dates_of(fold.train[[0, -1]])
        raise MarketError(
            f"{problem.market.target.words} does not move from {first} to {last}, the training window of refit "
            f"{fold.number + 1}: there is nothing to learn. Choose another scheme, more train years or other data.",
            "constant",
        )


def carried(panel: Panel, names: Collection[str]) -> Panel:
    """The panel with the last value of these channels on each row, and after all channels the ages of these values.

    An age is in days, 0 on the row on which a value became known; value and age are NaN before the first one. Nothing
    comes from later rows, so a later observation changes no earlier row. Document
    001, section 4.2.3, has texts beside prices, and section 5 observations that come at times of their own.

    >>> import pandas as pd
    >>> days = pd.DatetimeIndex(["2024-07-01", "2024-07-02", "2024-07-05"])
    >>> panel = Panel(days, days, ("gold", "tone"), np.array([[1, np.nan], [2, 0.5], [3, np.nan]]), np.ones(3))
    >>> carried(panel, ["tone"]).channels, carried(panel, ["tone"]).values.tolist()
    (('gold', 'tone', 'tone age'), [[1.0, nan, nan], [2.0, 0.5, 0.0], [3.0, 0.5, 3.0]])
    """
    columns = [column for column, name in enumerate(panel.channels) if name in names]
    present = np.isfinite(panel.values[:, columns])
    latest = np.maximum.accumulate(np.where(present, np.arange(len(present))[:, None], -1), axis=0)
    values = panel.values.copy()
    values[:, columns] = _where_known(latest, np.take_along_axis(panel.values[:, columns], latest.clip(0), axis=0))
    days = np.asarray(panel.dates.as_unit("s").asi8 / 86_400)
    ages = _where_known(latest, days[:, None] - days[latest.clip(0)])
    age_names = tuple(f"{panel.channels[column]}{AGE}" for column in columns)
    return replace(panel, channels=(*panel.channels, *age_names), values=np.concatenate([values, ages], axis=1))


def _where_known(latest: np.ndarray, values: Float[np.ndarray, "rows channels"]) -> Float[np.ndarray, "rows channels"]:
    return np.asarray(np.where(latest >= 0, values, np.nan))


ORIGINS = {"generated": "Generated statements", "shuffled": "Generated statements, dealt out at random"}


def market_with_statements(settings: GoldForecast) -> Market:
    """The settings' market, which answers to statements where that is planted, with their tone after its channels.

    Statements whose answer is planted are a positive control (document 001, section 4.2.3). Raises
    :class:`MarketError` for statements beside real data, whose days they know nothing of.
    """
    if settings.documents == "none" and not settings.tone_response:
        return load_market(settings.data, settings.market_seed)
    if settings.data != SIMULATED:
        raise MarketError(
            "Generated statements belong to the simulated market: choose it, or set documents to none and tone "
            "response to 0. Your own documents become channels of your market on the page Policy documents.",
            "simulated",
        )
    tones = statement_tones()
    market = answering_market(settings.market_seed, tones, settings.tone_response)
    if settings.documents == "none":
        return market
    tones_in_place = tones if settings.documents == "generated" else dealt_out(tones, settings.market_seed)
    return with_statements(market, tones_in_place, ORIGINS[settings.documents])
