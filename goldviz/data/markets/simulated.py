"""A market that is made up: gold and seven covariates with the habits of real ones, drawn from a seed.

What is found in it holds for the simulation alone. Nothing in it forecasts the sign of gold's next return, and the
size of that return can be forecast; so a network that finds skill in the mean here has found a leak. A response to
documents can be planted: then there is something to find, and what finds nothing is broken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from goldviz.data.markets.market import Channel, Market, MarketError
from goldviz.data.markets.symbols import described

LAST_SIMULATED_DAY = pd.Timestamp("2024-12-31")
MOST_SIMULATED_YEARS = 60
GOLD_SD = 0.011
"""Of gold's daily log returns."""
RESPONSE_WAIT = 2
"""Working days from a document's release to the first return that answers: a forecast made on the day between can know
the document."""


@dataclass(frozen=True)
class Regime:
    """A state of the market: its share of all days, what it adds to the log variance, gold's mean log return in it."""

    share: float
    log_variance: float
    drift: float


REGIMES = (Regime(0.45, -0.45, 5e-4), Regime(0.40, 0.0, 3e-4), Regime(0.15, 0.9, -6e-4))
REGIME_CHANGE = 1 / 60
"""Chance a day that the regime is drawn anew by the shares; it may come out the same."""

VARIANCE_PERSISTENCE = 0.98
LOG_VARIANCE_SD = 0.85
"""Around its regime the log variance is AR(1) (Taylor 1986), with this stationary standard deviation."""

JUMP_CHANCE = 0.008
JUMP_SIZE = 3.0
"""Chance of a jump a day, and its standard deviation, 1 being an ordinary day's in the middle regime (Merton 1976)."""

MEAN_VARIANCE = (
    sum(regime.share * np.exp(regime.log_variance) for regime in REGIMES) * np.exp(LOG_VARIANCE_SD**2 / 2)
    + JUMP_CHANCE * JUMP_SIZE**2
)
"""Of the shocks before they are scaled to variance one: within a regime the variance is lognormal."""

HOLIDAYS: dict[str, tuple[int, range, int | None]] = {
    "new year": (1, range(1, 2), None),
    "king": (1, range(15, 22), 0),
    "presidents": (2, range(15, 22), 0),
    "memorial": (5, range(25, 32), 0),
    "independence": (7, range(4, 5), None),
    "labour": (9, range(1, 8), 0),
    "columbus": (10, range(8, 15), 0),
    "veterans": (11, range(11, 12), None),
    "thanksgiving": (11, range(22, 29), 3),
    "christmas": (12, range(25, 26), None),
}
"""Month, days of the month, and the weekday (Monday 0) where it is the n-th such day: the third Monday is in 15-21."""

CURRENCIES_CLOSED = ("new year", "christmas")
METALS_CLOSED = (*CURRENCIES_CLOSED, "memorial", "independence", "labour", "thanksgiving")
STOCKS_CLOSED = (*METALS_CLOSED, "king", "presidents")
BONDS_CLOSED = (*STOCKS_CLOSED, "columbus", "veterans")


@dataclass(frozen=True)
class Shocks:
    """What moves the market: one row a calendar day."""

    days: pd.DatetimeIndex
    moves: Float[np.ndarray, "days channels"]
    """Mean zero, variance one, fat tails; correlated within a day, not between days; 0 where there is no trade."""
    log_variance: Float[np.ndarray, " days"]
    drift: Float[np.ndarray, " days"]
    """Gold's mean log return."""

    def since(self, first: pd.Timestamp) -> Shocks:
        """The days from ``first`` on."""
        rows = np.asarray(self.days >= first)
        return Shocks(self.days[rows], self.moves[rows], self.log_variance[rows], self.drift[rows])


@dataclass(frozen=True)
class ToneResponse:
    """How gold answers to documents: its mean return follows the tone of the last one, until the next.

    A positive control: whoever carries documents into a forecast the right way must find it. ``released`` (document,)
    are the days of release, ascending, and ``tones`` (document,) the tones that readers find. ``size`` is what one
    standard deviation of the tones adds to gold's mean return, in the return's: one who knows the tones can explain
    size^2 / (1 + size^2) of the variance.
    """

    released: pd.DatetimeIndex
    tones: Float[np.ndarray, " document"]
    size: float

    def drift(self, days: pd.DatetimeIndex) -> Float[np.ndarray, " days"]:
        """What is added to gold's mean log return on each day; 0 before the first document, and on weekends."""
        first_days = np.busday_offset(self.released.to_numpy().astype("datetime64[D]"), RESPONSE_WAIT, roll="forward")
        last = np.searchsorted(first_days, days.to_numpy().astype("datetime64[D]"), side="right") - 1
        spread = self.tones.std()
        standard = (self.tones - self.tones.mean()) / (spread if spread > 0 else 1.0)
        open_days = (last >= 0) & (days.day_of_week.to_numpy() < 5)
        return np.asarray(np.where(open_days, GOLD_SD * self.size * standard[last], 0.0))


SimulatedPath = Callable[[Shocks, Float[np.ndarray, " days"]], Float[np.ndarray, " days"]]
"""A channel's value on each day, from what moves the market and the channel's own column of it."""


def _gold_path(market: Shocks, moves: Float[np.ndarray, " days"]) -> Float[np.ndarray, " days"]:
    return np.asarray(430 * np.exp(np.cumsum(GOLD_SD * moves + market.drift)))


def _price_path(start: float, sd: float, drift: float) -> SimulatedPath:
    def path(market: Shocks, moves: Float[np.ndarray, " days"]) -> Float[np.ndarray, " days"]:
        return np.asarray(start * np.exp(np.cumsum(sd * moves + drift)))

    return path


def _yield_path(market: Shocks, moves: Float[np.ndarray, " days"]) -> Float[np.ndarray, " days"]:
    return 3.5 + _first_order(0.9985, 0.055 * moves)


def _vix_path(market: Shocks, moves: Float[np.ndarray, " days"]) -> Float[np.ndarray, " days"]:
    moves = np.clip(moves, -5, 5)  # A shock of twenty standard deviations would multiply it by three.
    return np.asarray(18 * np.exp(0.22 * market.log_variance + _first_order(0.97, 0.055 * moves)))


def _first_order(keep: float, steps: Float[np.ndarray, " days"]) -> Float[np.ndarray, " days"]:
    """x_t = keep x_(t-1) + steps_t, from x_(-1) = 0."""
    values, last = np.empty(len(steps)), 0.0
    for day, step in enumerate(steps.tolist()):
        values[day] = last = keep * last + step
    return values


@dataclass(frozen=True)
class SimulatedChannel:
    """How a channel is made; it is transformed and released as the real symbol ``like``."""

    name: str
    words: str
    like: str
    path: SimulatedPath
    decimals: int
    closed: tuple[str, ...] = ()
    absent: float = 0.0
    """Share of open days that are missing, at random."""
    weekdays: tuple[int, ...] = (0, 1, 2, 3, 4)
    lists_closed_days: bool = False
    """Whether days without a value stand in the source all the same, as in FRED's."""
    begins: pd.Timestamp | None = None
    note: str = ""


SIMULATED_CHANNELS = (
    SimulatedChannel("gold", "Gold (simulated)", "GC=F", _gold_path, 1, METALS_CLOSED, 0.005),
    SimulatedChannel("silver", "Silver (simulated)", "SI=F", _price_path(7, 0.020, 1e-4), 3, METALS_CLOSED, 0.01),
    SimulatedChannel(
        "dollar", "US dollar index (simulated)", "DX-Y.NYB", _price_path(90, 0.0045, 0), 3, CURRENCIES_CLOSED, 0.02
    ),
    SimulatedChannel(
        "yield",
        "US 10-year yield (simulated)",
        "DGS10",
        _yield_path,
        2,
        BONDS_CLOSED,
        lists_closed_days=True,
        note="A value is out on the business day after its own.",
    ),
    SimulatedChannel("vix", "VIX (simulated)", "^VIX", _vix_path, 2, STOCKS_CLOSED, 0.005),
    SimulatedChannel("stocks", "US stocks (simulated)", "^GSPC", _price_path(1200, 0.0115, 2e-4), 2, STOCKS_CLOSED),
    SimulatedChannel(
        "bitcoin",
        "Bitcoin (simulated)",
        "BTC-USD",
        _price_path(400, 0.036, 1e-3),
        2,
        weekdays=(0, 1, 2, 3, 4, 5, 6),
        begins=pd.Timestamp("2014-09-17"),
        note="Begins late, and trades seven days a week.",
    ),
    SimulatedChannel(
        "balance",
        "Central bank's balance sheet (simulated)",
        "WALCL",
        _price_path(800_000, 0.0012, 3e-4),
        0,
        weekdays=(2,),
        note="Weekly; a value is out on the business day after its own.",
    ),
)
"""The target first."""

SHOCK_CORRELATIONS = np.array(
    [
        [1.00, 0.78, -0.40, -0.25, 0.00, 0.05, 0.10, 0.00],
        [0.78, 1.00, -0.40, -0.14, -0.10, 0.15, 0.12, 0.00],
        [-0.40, -0.40, 1.00, 0.05, 0.12, -0.20, -0.08, 0.00],
        [-0.25, -0.14, 0.05, 1.00, -0.25, 0.28, 0.02, 0.00],
        [0.00, -0.10, 0.12, -0.25, 1.00, -0.75, -0.20, 0.00],
        [0.05, 0.15, -0.20, 0.28, -0.75, 1.00, 0.25, 0.00],
        [0.10, 0.12, -0.08, 0.02, -0.20, 0.25, 1.00, 0.00],
        [0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 1.00],
    ]
)
"""Within a day, in the order of the channels. All the others together explain 64 % of gold's variance of that day."""


def simulated_market(seed: int = 0, years: int = 20, response: ToneResponse | None = None) -> Market:
    """Draw a market of ``years`` years, up to the last day of 2024: gold first, then seven covariates.

    Day t has the shocks e_t = (sqrt(h_t) L z_t + j_t L z'_t) / c, with z, z' standard normal, L the Cholesky factor
    of ``SHOCK_CORRELATIONS``, j_t the size of a jump on jump days and otherwise 0, and c such that the variance is
    one. The variance h_t is that of the regime, a Markov chain of three states, times the exponential of an AR(1).

    Built in, after what was measured on daily files of 2000-2026: the standard deviation of gold's returns (1.1 %)
    and their excess kurtosis (over twenty years mostly from 3.5 to 10; real gold's is 6.8), volatility that lasts for
    months and is common to all channels, correlations within a day, a calendar and a release time for each channel,
    and missing days. The regime moves gold's mean return by a few hundredths of a percent: one who knew it would
    explain 0.2 % of the variance.

    With a ``response`` gold's mean return also follows documents; all draws stay the same, and so do other channels.

    Not built in: any other way to forecast a return; one channel leading another; volatility that rises when prices
    fall, but in the VIX; trading hours (a day's shocks belong together, whatever the hour at which a value is out);
    rolls of the future; correlations that change.

    Values are rounded as they are quoted, so machines that differ in the last bit give the same market. Raises
    :class:`goldviz.data.markets.market.MarketError` for a seed below 0 or years outside of 1 to 60.

    >>> market = simulated_market(seed=0, years=20)
    >>> market.target.words, market.last.isoformat()
    ('Gold (simulated)', '2024-12-31T00:00:00')
    """
    if seed < 0:
        raise MarketError(f"The simulated market's seed is {seed}; allowed is a whole number from 0.", "not_allowed")
    if not 1 <= years <= MOST_SIMULATED_YEARS:
        raise MarketError(
            f"The simulated market's length is {years} years; allowed is a whole number from 1 to "
            f"{MOST_SIMULATED_YEARS}.",
            "not_allowed",
        )
    moving, missing = _streams(seed)
    shocks = _drawn_shocks(_calendar(years), moving)
    if response is not None:
        shocks = replace(shocks, drift=shocks.drift + response.drift(shocks.days))
    channels = tuple(_observed(channel, shocks, column, missing) for column, channel in enumerate(SIMULATED_CHANNELS))
    made_up = f"These numbers are simulated (seed {seed}); what they show holds for the simulation alone."
    notes = {channels[0].name: made_up} | {channel.name: channel.note for channel in SIMULATED_CHANNELS if channel.note}
    origin = f"simulated by goldviz, seed {seed}, {years} years"
    if response is not None:
        response_note = f"Planted: a document's tone moves gold's mean return by {response.size:g} standard deviations."
        notes[channels[0].name] = f"{made_up} {response_note}"
        origin = f"{origin}, with a planted response of {response.size:g} to documents"
    return Market(channels, "simulated", origin, LAST_SIMULATED_DAY.tz_localize("UTC"), notes)


def simulated_regimes(seed: int = 0, years: int = 20) -> pd.Series:
    """The regime of each calendar day of the market with this seed, as its number in ``REGIMES``.

    It is what a regime that was found in the prices may be compared with; no price tells it.

    >>> simulated_regimes(0).loc["2024-12-30":].tolist()
    [0, 0]
    """
    days = _calendar(years)
    return pd.Series(_drawn_regimes(len(days), _streams(seed)[0]), index=days)


def planted_transitions() -> Float[np.ndarray, "regime regime"]:
    """The planted chain from one calendar day to the next: (1 - q) I + q 1 pi', with q the chance of a new draw."""
    shares = np.array([regime.share for regime in REGIMES])
    return np.asarray((1 - REGIME_CHANGE) * np.eye(len(REGIMES)) + REGIME_CHANGE * shares)


def _streams(seed: int) -> tuple[np.random.Generator, np.random.Generator]:
    """What moves the market, and what is missing of it."""
    # PCG64 by name: numpy may choose another generator as its default one day.
    moving, missing = (np.random.Generator(np.random.PCG64(stream)) for stream in np.random.SeedSequence(seed).spawn(2))
    return moving, missing


def _calendar(years: int) -> pd.DatetimeIndex:
    first = LAST_SIMULATED_DAY - pd.DateOffset(years=years) + pd.Timedelta(days=1)
    return pd.date_range(first, LAST_SIMULATED_DAY)


def _drawn_shocks(days: pd.DatetimeIndex, generator: np.random.Generator) -> Shocks:
    state = _drawn_regimes(len(days), generator)
    steps = np.sqrt(1 - VARIANCE_PERSISTENCE**2) * generator.standard_normal(len(days))
    steps[0] = generator.standard_normal()
    log_variance = np.array([regime.log_variance for regime in REGIMES])[state]
    log_variance = log_variance + _first_order(VARIANCE_PERSISTENCE, LOG_VARIANCE_SD * steps)
    jump = JUMP_SIZE * (generator.random(len(days)) < JUMP_CHANCE)
    shape = (len(days), len(SIMULATED_CHANNELS))
    independent = np.exp(log_variance / 2)[:, None] * generator.standard_normal(shape)
    independent += jump[:, None] * generator.standard_normal(shape)
    moves = independent @ np.linalg.cholesky(SHOCK_CORRELATIONS).T / np.sqrt(MEAN_VARIANCE)
    weekend = days.day_of_week.to_numpy() >= 5
    moves[np.ix_(weekend, np.array([5 not in channel.weekdays for channel in SIMULATED_CHANNELS]))] = 0
    drift = np.where(weekend, 0, np.array([regime.drift for regime in REGIMES])[state])
    return Shocks(days, moves, log_variance, drift)


def _drawn_regimes(days: int, generator: np.random.Generator) -> Int[np.ndarray, " days"]:
    """The Markov chain (1 - q) I + q 1 pi' from its stationary distribution pi, the shares."""
    borders = np.cumsum([regime.share for regime in REGIMES])[:-1]
    indices = np.searchsorted(borders, generator.random(days), side="right")
    changes = generator.random(days) < REGIME_CHANGE
    return np.asarray(indices[np.maximum.accumulate(np.where(changes, np.arange(days), 0))])


def _observed(channel: SimulatedChannel, market: Shocks, column: int, missing: np.random.Generator) -> Channel:
    if channel.begins is not None:
        market = market.since(channel.begins)
    days = market.days
    values = np.round(channel.path(market, market.moves[:, column]), channel.decimals)
    trading_days = np.isin(days.day_of_week, channel.weekdays)
    without = _closed_days(days, channel.closed) | (missing.random(len(days)) < channel.absent)
    if channel.lists_closed_days:
        values[without] = np.nan
    else:
        trading_days &= ~without
    symbol = described(channel.like)
    series = pd.Series(values[trading_days], index=days[trading_days], name=channel.name)
    return Channel(channel.name, channel.words, series, symbol.transformation, symbol.release, symbol.unit)


def _closed_days(days: pd.DatetimeIndex, holidays: tuple[str, ...]) -> Bool[np.ndarray, " days"]:
    mask = np.zeros(len(days), bool)
    for name in holidays:
        month, of_month, weekday = HOLIDAYS[name]
        here = (days.month == month) & (days.day >= of_month.start) & (days.day < of_month.stop)
        mask |= here if weekday is None else here & (days.day_of_week == weekday)
    return mask
