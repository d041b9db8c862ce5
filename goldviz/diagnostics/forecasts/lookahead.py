"""Columns that know tomorrow: what each channel, as it is known at a forecast, tells of the moves that come.

An honest market's next moves hardly go with anything that is known before them. How large they are can be known in
part, for sizes last; how much larger one day is than the days before and after it, is chance. A channel that knows more
than that, over any span of moves ahead, is likely known later than it is dated, or computed from what comes. What it
says of the same day's move, and of its own past, counts for nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import signal, special, stats

from goldviz.data.markets.alignment import NextValues, Panel
from goldviz.data.markets.market import Market, Transformation

FALSE_ALARMS = 0.01
"""How often honest columns, all of a file together, are to pass the bound of chance."""
HONEST_LINK = 0.08
"""A correlation that an honest channel may have with the next move: 0.6 % of its variance. More is named."""
HONEST_LINK_OF_SIZES = 0.3
"""The same with the size of the next move: one that knows the volatility itself reaches it, and no more."""
MOST_HONEST = 0.6
"""The same over many moves, whose sizes are less a matter of chance than one."""
HONEST_LINK_AGAINST = 0.2
"""The same for a channel that is high after large moves and tells small ones, or the other way round: sizes last."""
RISING = 0.25
"""The power of a span's length by which these rise."""
SPANS = (1, 2, 5, 10, 21, 63)
"""How many moves ahead are added up: of a day, a week, a month and a quarter."""
BACK = (5, 21, 63)
"""How far back a channel's own past begins, beside the value before: what is drawn from a month is new for a month."""
TIMES_OVER = 20
"""How many spans, and such pasts, must fit into the forecasts: of fewer that overlap nothing can be told."""
PAST = (1, 2, 5, 10, 22, 66)
"""Over how many moves the past's mean size, and its sum, count as known."""
AFTER = (1, 5, 22)
"""Over how many moves behind a span the sizes are taken off."""
CLEAR = 0.1
"""A correlation with past sizes from which on its sign counts."""
NOTHING_NEW = 1e-6
"""Spread of a column's scores, without what its own past tells, that rounding gives."""
LEAST_PAIRS = 30
"""Pairs below which nothing is said of a channel."""
OWN_LAGS = 5
LAGS = 2
"""The next moves of which a column's news are to tell nothing by half of :data:`FALSE_ALARMS`."""
SPARSE = 1 / 3
"""Share of the forecasts below which a channel with news is set beside what comes at its news alone."""
DECAY = 0.94
"""Of the variance's moving average (RiskMetrics 1996)."""
HALF_A_YEAR = 126

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class NextMoveLink(NamedTuple):
    """How one channel goes with the moves ``first`` to ``last`` ahead, or with their size where ``of_size`` is true.

    ``correlation`` is that of normal scores, NaN for too few pairs. ``honest`` is the bound within which an honest
    channel's stays, and ``chance`` the one within which it stays in 99 of 100 files of unrelated channels, all of them
    together; where the correlation is within the other bound, overlap of what is compared is left out of it.
    """

    channel: str
    correlation: float
    chance: float
    of_size: bool = False
    first: int = 1
    last: int = 1
    honest: float = HONEST_LINK

    @property
    def suspicious(self) -> bool:
        """Whether neither chance nor an honest market explains it."""
        return bool(abs(self.correlation) > self.limit)

    @property
    def limit(self) -> float:
        """What chance and an honest market explain."""
        return max(self.chance, self.honest)

    @property
    def beyond(self) -> float:
        """How many times it is above what explains it; 0 for too few pairs."""
        return float(np.nan_to_num(abs(self.correlation) / self.limit))

    @property
    def ahead(self) -> str:
        """What it goes with, in words."""
        size = "the size of " if self.of_size else ""
        if self.first == self.last:
            return f"{size}the next move" if self.last == 1 else f"{size}the move {self.last} steps ahead"
        return f"{size}the next {self.last} moves"


class _Ahead(NamedTuple):
    """What comes after each of the forecasts, and what was known of it before.

    ``known`` (forecasts, known) holds the past's sizes and moves. ``moves`` and ``sizes`` (forecasts, spans) are scores
    of the sums over :data:`SPANS`, ``after`` the sizes that come behind each span, ``surprises`` (forecasts, 2) the
    next move and its size without what was known; NaN where there is none. ``volatility`` is that of the last week.
    """

    known: Floats
    moves: Floats
    sizes: Floats
    after: tuple[Floats, ...]
    surprises: Floats
    last_move: Floats
    volatility: Floats


class _Reading(NamedTuple):
    """A column's scores at some rows, and what its own past tells of them."""

    scores: Floats
    own_past: tuple[Floats, ...] = ()
    of_moves: bool = True
    innovation: bool = True


def since_last_forecast(panel: Panel, answers: NextValues, transformations: Sequence[Transformation]) -> Floats:
    """What became known of each channel since the forecast before: (forecasts, channels), NaN where nothing did.

    Rows on which the target has no value make no forecast, and what they bring counts at the next one: increments
    are added up, of levels the last is kept.

    >>> import pandas as pd
    >>> days = pd.DatetimeIndex(["2024-07-05", "2024-07-06", "2024-07-07", "2024-07-08"])
    >>> coin = np.array([[0.0, 1.0], [np.nan, 2.0], [np.nan, 4.0], [0.0, np.nan]])
    >>> panel = Panel(days, days, ("gold", "coin"), coin, np.array([9.0, np.nan, 9.0, 9.0]), "log_return")
    >>> answers = NextValues(np.array([0, 2]), np.array([2, 3]), np.zeros(2), np.array([2.0, 1.0]))
    >>> since_last_forecast(panel, answers, ("log_return", "log_return"))[:, 1].tolist()
    [1.0, 6.0]
    """
    ends = answers.rows + 1
    starts = np.concatenate([[0], ends[:-1]])
    values = panel.values[: ends[-1]]
    there = np.isfinite(values)
    row = np.where(there, np.arange(len(values))[:, None], -1)
    latest = np.maximum.reduceat(row, starts, axis=0)
    sums = np.add.reduceat(np.where(there, values, 0.0), starts, axis=0)
    for column, transformation in enumerate(transformations):
        if transformation == "level":
            sums[:, column] = values[latest[:, column], column]
    return np.where(latest >= 0, sums, np.nan)


def next_move_links(
    names: Sequence[str], news: Floats, moves: Floats, *, levels: Floats | None = None
) -> tuple[NextMoveLink, ...]:
    """The strongest links of each covariate in ``news`` (forecasts, covariates) with what comes: one with the ``moves``
    (forecasts,) ahead, and one with their sizes.

    Of a column count what is new since its value before, and since 5, 21 and 63 values before, of its ``levels`` where
    news are increments. It is set beside the sums of the next 1, 2, 5, 10, 21 and 63 moves and of their squares, and
    beside each of 63 moves alone. The partial correlation is given: what the past's moves and sizes tell is taken off
    both by a line, and of sizes what the days behind the span tell, too. So what an honest column knows of lasting
    volatility counts little, and how much larger these days are than those around them counts.

    Values are normal scores (van der Waerden), moves are divided by the volatility known at their forecast. Of series
    that do not go together a correlation has the variance sum_k rho_x(k) rho_y(k) / n (Bartlett 1946), and the bound
    is Bonferroni's over all that is compared, of which the next two moves have one half. A column with little news is
    read at its news alone.

    >>> generator = np.random.default_rng(0)
    >>> moves = generator.standard_t(4, 1500)
    >>> news = np.stack([moves + generator.standard_t(4, 1500), generator.standard_t(4, 1500)], axis=1)
    >>> [(link.channel, link.ahead) for link in suspicious(next_move_links(("tomorrow", "honest"), news, moves))]
    [('tomorrow', 'the next move')]
    """
    ahead = _what_comes(moves)
    levels = news if levels is None else levels
    return tuple(
        link
        for name, column, level in zip(names, news.T, levels.T, strict=True)
        for link in _links_of(name, column, level, ahead, news.shape[1])
    )


def columns_ahead(
    panel: Panel, transformations: Sequence[Transformation], changes: NextValues, *, end: int | None = None
) -> tuple[NextMoveLink, ...]:
    """The covariates of a panel whose link with the next of these changes is suspicious, the strongest first.

    With an ``end``, only the changes count that were known when the forecast of that position was made.
    """
    news = since_last_forecast(panel, changes, transformations)[:end, 1:]
    usable = changes.known[:end] < (changes.rows[end] if end is not None else len(panel.dates))
    news = news[usable]
    summed = np.array([transformation != "level" for transformation in transformations[1:]], dtype=bool)
    levels = np.where(summed, np.cumsum(np.nan_to_num(news), axis=0), news)
    return suspicious(next_move_links(panel.channels[1:], news, changes.values[:end][usable], levels=levels))


def covariates_ahead(market: Market, panel: Panel, changes: NextValues, *, end: int) -> tuple[NextMoveLink, ...]:
    """Those of a market's covariates, each called by its words."""
    words = {channel.name: channel.words for channel in market.channels}
    links = columns_ahead(panel, [channel.transformation for channel in market.channels], changes, end=end)
    return tuple(link._replace(channel=words[link.channel]) for link in links)


def suspicious(links: Iterable[NextMoveLink]) -> tuple[NextMoveLink, ...]:
    """Those that neither chance nor an honest market explains, one for each channel, the strongest first.

    >>> links = [NextMoveLink("plan", 0.2, 0.1), NextMoveLink("plan", 0.9, 0.1, True, 1, 5, 0.4)]
    >>> [(link.ahead, link.beyond) for link in suspicious([*links, NextMoveLink("tone", 0.07, 0.1)])]
    [('the size of the next 5 moves', 2.25)]
    """
    strongest: dict[str, NextMoveLink] = {}
    for link in sorted((link for link in links if link.suspicious), key=lambda link: -link.beyond):
        strongest.setdefault(link.channel, link)
    return tuple(strongest.values())


def lookahead_warning(link: NextMoveLink) -> str:
    """What to say of a suspicious channel, called by its words, before anything is trained on it.

    >>> lookahead_warning(NextMoveLink("Model High", 0.74, 0.1))
    'Model High tells the next move: correlation +0.74, of honest columns at most 0.10. Is it known later than its \
date says, or computed from what comes? Set its release time, or leave it out.'
    """
    correlation = f"{link.correlation:+.2f}".replace("-", "−")
    return (
        f"{link.channel} tells {link.ahead}: correlation {correlation}, of honest columns at most {link.limit:.2f}. Is "
        "it known later than its date says, or computed from what comes? Set its release time, or leave it out."
    )


def _what_comes(moves: Floats) -> _Ahead:
    calm, squares = _in_calm_units(moves), np.square(moves)
    least = np.quantile(squares[squares > 0], 0.05) if squares.any() else 1.0
    before = _before(calm, first=0.0)
    squares_before = _before(squares, first=float(squares.mean()) if len(squares) else 0.0)
    known = [
        *(_scores(np.log(_running_mean(squares_before, length) + least)) for length in PAST),
        *(_running_mean(before, length) * np.sqrt(length) for length in PAST),
        np.abs(before),
        _scores(np.cumsum(_before(moves, first=0.0))),
        *(_before(before, lag, 0.0) for lag in (1, 2)),
    ]
    sizes = {length: _log_mean_ahead(squares, length, least) for length in {*SPANS, *AFTER}}
    surprises = [_left_over(_scores(one), known) for one in (calm, sizes[1])]
    return _Ahead(
        np.column_stack([np.ones(len(moves)), *known]),
        np.column_stack([_scores(_mean_ahead(calm, span)) for span in SPANS]),
        np.column_stack([_scores(sizes[span]) for span in SPANS]),
        tuple(np.column_stack([_scores(_earlier(sizes[length], span)) for length in AFTER]) for span in SPANS),
        np.column_stack([_scores(one) for one in surprises]),
        _before(calm),
        known[2],
    )


def _links_of(name: str, column: Floats, level: Floats, ahead: _Ahead, columns: int) -> list[NextMoveLink]:
    """The strongest link of a column with the moves that come, and the strongest with their sizes."""
    rows = np.flatnonzero(np.isfinite(column))
    changes = rows[np.append(True, np.diff(level[rows]) != 0)[: len(rows)]]
    few = FALSE_ALARMS / 2 / (LAGS * columns)
    many = FALSE_ALARMS / 2 / (columns * (len(SPANS) * 2 * (1 + len(BACK)) + 2 * SPANS[-1]))
    links = [
        link
        # What stands still for long, as a month's number on all its days, brings its news where it changes.
        for places in ((rows, changes) if len(changes) < SPARSE * len(rows) else (rows,))
        for reading in _readings(column[places], level[places], ahead.last_move[places], len(column))
        for link in (
            *_with_spans(name, reading, places, ahead, many),
            *(_with_single_moves(name, reading, places, ahead, few, many) if reading.innovation else ()),
        )
    ]
    return [
        max(
            (link for link in links if link.of_size == of_size),
            key=lambda link: link.beyond,
            default=NextMoveLink(name, np.nan, np.nan, of_size),
        )
        for of_size in (False, True)
    ]


def _readings(news: Floats, level: Floats, last_move: Floats, forecasts: int) -> Iterable[_Reading]:
    """What is new in a column since its last value, its size, and what is new since a week, a month and a quarter."""
    own_past = [_before(news, lag) for lag in range(1, 1 + min(OWN_LAGS, len(news) // 20))]
    left = _scores(_in_calm_units(_left_over(news, [*own_past, last_move])))
    yield _Reading(left)
    yield _Reading(_scores(np.abs(left)), of_moves=False)
    if len(news) >= SPARSE * forecasts:
        scores = _scores(level)
        for back in (back for back in BACK if TIMES_OVER * back <= forecasts):
            yield _Reading(scores, (_before(scores, back), _before(scores, back + 1)), innovation=False)


def _with_spans(name: str, reading: _Reading, rows: Places, ahead: _Ahead, alarms: float) -> Iterable[NextMoveLink]:
    """The links of a reading at these rows with the moves and the sizes of each span."""
    design = np.column_stack([ahead.known[rows], *reading.own_past])
    usable = np.isfinite(design).all(axis=1) & np.isfinite(reading.scores)
    if usable.sum() < max(LEAST_PAIRS, 3 * design.shape[1]):
        return
    x, rows, design = reading.scores[usable], rows[usable], design[usable]
    basis = np.linalg.qr(design / np.maximum(np.abs(design).max(axis=0), 1e-12))[0]
    left = _beside(basis, x)
    if left.std() < NOTHING_NEW:
        return
    past = _correlation(x, ahead.volatility[rows])
    for place, span in enumerate(span for span in SPANS if TIMES_OVER * span <= len(ahead.known)):
        there = np.isfinite(ahead.moves[rows, place])
        if reading.of_moves:
            y = _beside(basis, np.nan_to_num(ahead.moves[rows, place]))
            yield _link(name, left, y, there, design.shape[1], alarms, 0.0, (1, span), of_size=False)
        after, sizes = ahead.after[place][rows], ahead.sizes[rows, place]
        there = np.isfinite(sizes) & np.isfinite(after).all(axis=1)
        if there.sum() < LEAST_PAIRS:
            continue
        behind = np.linalg.qr(_beside(basis, np.nan_to_num(after)) * there[:, None])[0]
        y = _beside(basis, np.nan_to_num(sizes))
        x, y = (_beside(behind, one * there) for one in (left, y))
        yield _link(name, x, y, there, design.shape[1] + len(AFTER), alarms, past, (1, span), of_size=True)


def _with_single_moves(
    name: str, reading: _Reading, rows: Places, ahead: _Ahead, few: float, many: float
) -> Iterable[NextMoveLink]:
    """The links of an innovation with the surprise in each single move ahead, and in its size."""
    news = np.zeros(len(ahead.surprises))
    news[rows] = np.nan_to_num(reading.scores)
    count = int(np.isfinite(reading.scores).sum())
    past = _correlation(reading.scores, ahead.volatility[rows])
    leads = np.arange(1, min(SPANS[-1], count - LEAST_PAIRS + 1) + 1)
    for of_size, surprise in enumerate(ahead.surprises.T):
        there = np.nan_to_num(surprise)
        size = np.sqrt(np.square(news).sum() * np.square(there).mean() * count)
        if not (size > 0 and len(leads) and (of_size or reading.of_moves)):
            continue
        products = signal.correlate(there, news, "full", "fft")[len(news) - 1 :][: len(leads)]
        correlations = np.clip(products / size, -1, 1)
        chances = _bound(np.where((leads <= LAGS) & (of_size == 0), few, many), count - leads + 1)
        against = (correlations * past < 0) & (abs(past) > CLEAR)
        honest = np.where(against, _honest_link(bool(of_size), True, 1), _honest_link(bool(of_size), False, 1))
        place = int((np.abs(correlations) / np.maximum(chances, honest)).argmax())
        lead = int(leads[place])
        correlation, chance, limit = (float(values[place]) for values in (correlations, chances, honest))
        yield NextMoveLink(name, correlation, chance, bool(of_size), lead, lead, limit)


def _link(
    name: str,
    x: Floats,
    y: Floats,
    there: NDArray[np.bool_],
    known: int,
    alarms: float,
    past: float,
    span: tuple[int, int],
    *,
    of_size: bool,
) -> NextMoveLink:
    """One link of two series (n,) without what is known of them, where there is such a pair."""
    x, y = x * there, y * there
    size = np.sqrt((x @ x) * (y @ y))
    if not size > 0:
        return NextMoveLink(name, np.nan, np.nan, of_size, *span)
    correlation = float(np.clip(x @ y / size, -1, 1))
    honest, longer = _honest_link(of_size, correlation * past < 0 and abs(past) > CLEAR, span[1]), 1.0
    if abs(correlation) > honest:  # Below it chance decides nothing, and this takes the most time.
        reach = min(3 * span[1] + LEAST_PAIRS, len(x) // 3)
        weights = 2 * (1 - np.arange(1, reach + 1) / (reach + 1))
        longer = max(longer, 1 + float(weights @ (_autocorrelation(x, reach) * _autocorrelation(y, reach))))
    chance = float(_bound(np.array(alarms), np.array((there.sum() - known) / longer)))
    return NextMoveLink(name, correlation, chance, of_size, *span, honest)


def _honest_link(of_size: bool, against: bool, length: int) -> float:
    if not of_size:
        return HONEST_LINK * float(length**RISING)
    if against:
        return min(HONEST_LINK_AGAINST * float(length**RISING), MOST_HONEST / 2)
    return min(HONEST_LINK_OF_SIZES * float(length**RISING), MOST_HONEST)


def _bound(alarms: Floats, pairs: NDArray[np.floating | np.integer]) -> Floats:
    """The correlation that so many independent pairs pass by chance with the probability ``alarms`` (Fisher 1921)."""
    return np.asarray(np.tanh(-special.ndtri(alarms / 2) / np.sqrt(np.maximum(pairs - 3, 1.0))))


def _beside(basis: Floats, y: Floats) -> Floats:
    """What least squares on orthonormal columns leaves of y."""
    return np.asarray(y - basis @ (basis.T @ y))


def _correlation(x: Floats, y: Floats) -> float:
    both = np.isfinite(x) & np.isfinite(y)
    if both.sum() < LEAST_PAIRS or np.ptp(x[both]) == 0 or np.ptp(y[both]) == 0:
        return 0.0
    return float(np.corrcoef(x[both], y[both])[0, 1])


def _autocorrelation(x: Floats, reach: int) -> Floats:
    """The autocorrelations 1 to ``reach`` of a series of mean 0."""
    length = 1 << (len(x) + reach).bit_length()
    powers = np.square(np.abs(np.fft.rfft(x, length)))
    products = np.fft.irfft(powers, length)
    return np.asarray(products[1 : reach + 1] / products[0])


def _before(x: Floats, lag: int = 1, first: float = np.nan) -> Floats:
    """At each place the value so many places earlier, and ``first`` where there is none."""
    return np.concatenate([np.full(min(lag, len(x)), first), x[: max(len(x) - lag, 0)]])


def _mean_ahead(x: Floats, length: int) -> Floats:
    """The mean of so many values from each one on, NaN where there are fewer."""
    if len(x) < length:
        return np.full(len(x), np.nan)
    sums = np.cumsum(np.concatenate([np.zeros(1), x]))
    return np.append((sums[length:] - sums[:-length]) / length, np.full(length - 1, np.nan))


def _log_mean_ahead(squares: Floats, length: int, least: float) -> Floats:
    """The same of squares, as a logarithm; NaN where nothing moves, which the calendar may know."""
    means = _mean_ahead(squares, length)
    return np.where(means > least * 1e-9, np.log(np.maximum(means, 0.0) + least), np.nan)


def _earlier(x: Floats, lag: int) -> Floats:
    """At each place the value so many places later."""
    return np.append(x[lag:], np.full(min(lag, len(x)), np.nan))


def _running_mean(x: Floats, length: int) -> Floats:
    """The mean of the last values up to each one, of fewer at the start."""
    sums = np.cumsum(np.concatenate([np.zeros(1), x]))
    ends = np.arange(1, len(x) + 1)
    starts = np.maximum(ends - length, 0)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))


def _left_over(y: Floats, regressors: Sequence[Floats]) -> Floats:
    """What least squares on the regressors leaves of y; NaN where one of them is not there."""
    design = np.column_stack([np.ones(len(y)), *regressors])
    usable = np.isfinite(design).all(axis=1) & np.isfinite(y)
    left = np.full(len(y), np.nan)
    if usable.sum() > 2 * design.shape[1]:
        spread = np.abs(design[usable]).max(axis=0)
        scaled = design[usable] / np.where(spread > 0, spread, 1.0)
        left[usable] = y[usable] - scaled @ np.linalg.lstsq(scaled, y[usable], rcond=None)[0]
    return left


def _in_calm_units(x: Floats) -> Floats:
    """Each value divided by the root of the exponentially weighted mean of the squares before it."""
    usable = np.isfinite(x)
    squares = np.square(x[usable])
    if not squares.any():
        return x
    start = squares[:HALF_A_YEAR].mean() or squares.mean()
    before = np.concatenate([[start], squares[:-1]])
    variance = signal.lfilter([1 - DECAY], [1, -DECAY], before, zi=[DECAY * start])[0]
    scaled = np.full(len(x), np.nan)
    # A price that stood still for long is no reason to count its first move a hundredfold.
    scaled[usable] = x[usable] / np.sqrt(np.maximum(variance, 0.01 * squares.mean()))
    return scaled


def _scores(x: Floats) -> Floats:
    """Normal scores of the ranks, NaN where there is no value."""
    usable = np.isfinite(x)
    scores = np.full(len(x), np.nan)
    scores[usable] = special.ndtri((stats.rankdata(x[usable]) - 0.5) / max(int(usable.sum()), 1))
    return scores
