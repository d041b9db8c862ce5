"""The problem of *Price tokens*: a market's returns as they became known, their blocks, and the planted regimes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Int

from goldviz.data.markets.alignment import NextValues, Panel, aligned, next_values
from goldviz.data.markets.kept_markets import load_market
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.markets.simulated import GOLD_SD, REGIMES, planted_transitions, simulated_regimes
from goldviz.data.markets.walk_forward import Fold, folds
from goldviz.diagnostics.forecasts.moves import Moves

if TYPE_CHECKING:
    from goldviz.labs.price_tokens.settings import PriceTokens

EMBARGO = 0
"""Rows between parts: the next return is one step ahead, so no answers overlap."""
VALIDATION_SHARE = 0.15
REGIME_STREAM, SHUFFLING_STREAM = 3, 4
"""Beside the market's seed."""
LONG_GAP_DAYS = 14.0


@dataclass(frozen=True)
class TokenProblem:
    """Returns (day,) in the order in which they became known, with the price and the date of each.

    The return of day i is forecast when that of day i - 1 is known. ``regimes`` are the planted ones, None where the
    market is not simulated, or its days were dealt out.
    """

    market: Market
    answers: NextValues
    dates: list[str]
    prices: Float[np.ndarray, " day"]
    regimes: Int[np.ndarray, " day"] | None
    folds: list[Fold]

    @property
    def returns(self) -> Float[np.ndarray, " day"]:
        """What tokens are made of."""
        return self.answers.values

    @property
    def moves(self) -> Moves:
        """What the returns are called: log returns, or changes in the market's unit."""
        return Moves.of(self.market.target.transformation, self.market.target.unit)

    @property
    def starts(self) -> list[int]:
        """The first day of each block that is forecast."""
        return [int(fold.test[0]) for fold in self.folds]

    @cached_property
    def tested(self) -> Int[np.ndarray, " time"]:
        """The days that are forecast."""
        return np.asarray(np.concatenate([fold.test for fold in self.folds]))

    @property
    def notes(self) -> list[str]:
        """Sentences on what should be known of the data."""
        own = self.market.notes.get(self.market.target.name, "")
        longest = float(self.answers.days.max())
        gap = self.dates[int(self.answers.days.argmax())]
        far = f"The longest gap is {longest:.0f} days, before {gap}; the move over it counts as one day's."
        return [note for note in (own, far if longest > LONG_GAP_DAYS else "") if note]

    @property
    def planted(self) -> Float[np.ndarray, "regime regime"]:
        """The planted chain from one day of these to the next: over a weekend it takes three steps."""
        daily = planted_transitions()
        gaps, counts = np.unique(self.answers.days.astype(int), return_counts=True)
        steps = [np.linalg.matrix_power(daily, int(gap)) * count for gap, count in zip(gaps, counts, strict=True)]
        return np.asarray(np.sum(steps, axis=0) / counts.sum())


def token_problem(settings: PriceTokens) -> TokenProblem:
    """The problem that the settings describe; raises :class:`MarketError` where there is none."""
    market = load_market(settings.data, settings.market_seed)
    market = market.only([market.target.name])
    panel = aligned(market)
    answers = next_values(panel, "return")
    moments = panel.dates[answers.known]
    regimes = None
    if market.simulated:
        regimes = simulated_regimes(settings.market_seed).reindex(moments).to_numpy()
        if settings.returns == "regimes":
            answers = replace(answers, values=_of_regimes(regimes, settings.market_seed))
    if settings.shuffle_days:
        order = np.random.default_rng([settings.market_seed, SHUFFLING_STREAM]).permutation(len(answers.values))
        answers, regimes = replace(answers, values=answers.values[order]), None
    problem = TokenProblem(
        market,
        answers,
        [str(day) for day in moments.strftime("%Y-%m-%d")],
        _prices(panel, answers),
        regimes,
        folds(
            panel.dates,
            answers.known,
            answers.rows,
            scheme="expanding",
            train_years=settings.train_years,
            test_years=settings.test_years,
            refits=settings.refits,
            embargo=EMBARGO,
            validation_share=VALIDATION_SHARE,
        ),
    )
    _check_moves(problem)
    return problem


def _of_regimes(regimes: Int[np.ndarray, " day"], seed: int) -> Float[np.ndarray, " day"]:
    """Returns that know the regime and nothing else: normal, with its mean and its variance."""
    spread = np.exp(np.array([regime.log_variance for regime in REGIMES]) / 2)
    shares = np.array([regime.share for regime in REGIMES])
    spread *= GOLD_SD / np.sqrt(shares @ np.square(spread))
    drift = np.array([regime.drift for regime in REGIMES])
    noise = np.random.default_rng([seed, REGIME_STREAM]).standard_normal(len(regimes))
    return np.asarray(drift[regimes] + spread[regimes] * noise)


def _prices(panel: Panel, answers: NextValues) -> Float[np.ndarray, " day"]:
    """The price after each return, put together from the returns as they are."""
    first = float(panel.price[answers.rows[0]]) if len(answers.rows) else np.nan
    sums = np.cumsum(answers.values)
    return np.asarray(first * np.exp(sums) if panel.transformation == "log_return" else first + sums)


def _check_moves(problem: TokenProblem) -> None:
    for fold in problem.folds:
        past = problem.returns[: fold.test[0]]
        if np.ptp(past) == 0:
            raise MarketError(
                f"{problem.market.target.words} does not move from {problem.dates[0]} to "
                f"{problem.dates[int(fold.test[0]) - 1]}, the past of refit {fold.number + 1}: there is nothing to "
                "make tokens of. Choose other data.",
                "constant",
            )
