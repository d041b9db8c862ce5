"""The numbers under the titles of figures of forecasts, once more off the daily forecasts and what came."""

import numpy as np
from scipy.stats import norm

from goldviz.labs.price_tokens.measures import pair_of
from tests.truth.predicates import series
from tests.truth.predicates.numbers import interval
from tests.truth.predicates.view import Note, step_of, whole
from tests.truth.recorded_cards.printed import numbers_in

SHOWN_LAST, WINDOWS, SLOW = 120, 300, 0.8
PROMISED = (0.5, 0.8, 0.9, 0.95)


def last_day(view, said):
    return [int(part) for part in view.run.attrs["data_last"][:10].split("-")]


def at_end(view):
    return step_of(view, "look") == int(view.run.look.values[-1])


def skill(view, said):
    """At the end with its interval, and with its test where that disputes it; before that by the days alone."""
    if at_end(view):
        value, *rest = interval(series.own(view.told), test=False)
        return [value, 0.95, *rest]
    gains = series.gains(view.told)
    usable = np.isfinite(gains)
    if view.settings.target == "volatility":
        return [float(gains[usable].mean())]
    simplest = view.told.run.baseline_mean.sel(baseline="zero").values.astype(np.float64)
    return [float(gains[usable].sum() / ((series.came(view.told) - simplest)[usable] ** 2).sum())]


def edges(view, share, deviations=None):
    """The ends of intervals that should hold a share: quantiles at the end, before that of a normal distribution."""
    if at_end(view):
        levels = ((1 - share) / 2, (1 + share) / 2)
        return [view.of("quantile").sel(level=level, method="nearest").values for level in levels]
    mean, scale = (view.last(name).mean("seed").values for name in ("mean", "scale"))
    width = norm.ppf((1 + share) / 2) if deviations is None else deviations
    return [mean - width * scale, mean + width * scale]


def outside(view, said):
    low, high = (edge[-SHOWN_LAST:] for edge in edges(view, 0.95, deviations=2))
    came = series.came(view.told)[-SHOWN_LAST:]
    return [int(((came < low) | (came > high)).sum()), came.size, round(0.05 * came.size)]


def held(view, said):
    """What the intervals promise, the last with its sign, and what they held."""
    came = series.came(view.told)
    shares = [float(np.mean((low <= came) & (came <= high))) for low, high in (edges(view, one) for one in PROMISED)]
    first = [100 * one for one in (*PROMISED[:-1], *shares[:-1])]
    return [*first[:3], PROMISED[-1], *first[3:], shares[-1]]


def moves_of_tokens(view, said):
    return [int(one.value) for name in view.run.motif.values[:8] for one in numbers_in(str(name).split(": ")[1])]


def slow_units(view, said):
    """Units whose value is that of the day before, but for little: their autocorrelation at lag 1."""
    states = view.of("hidden").transpose("unit", "recent").values
    around = states - states.mean(1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return [int(((around[:, 1:] * around[:, :-1]).sum(1) / (around**2).sum(1) > SLOW).sum()), len(states), SLOW]


def rows_back(view, said):
    reach = series.reach(view.told) * int(view.run.lag.values[-1])
    return [0.01, int(np.nanmedian(reach)), int(view.run.lag.values[-1])]


GOLD_FORECAST = (
    Note(r"Simulated market, until ", last_day),
    Note(r"(?!Best|Grey|Bars|Band)[^:]*: [+−\d]", skill),
    Note(r"\d+ of \d+ forecasts outside the widest band", outside),
    whole(r"Band: mean ± 2 ", lambda view: 2),
    Note(r"Intervals of ", held),
    whole(
        r"Epoch \d+, [\d,]+ forecasts",
        lambda view: step_of(view, "look"),
        lambda view: int(np.isfinite(series.came(view.told)).sum()),
    ),
    whole(r"Root mean squares of ", lambda view: -(-view.run.sizes["time"] // WINDOWS)),
    Note(r"\d+ of \d+ units slow", slow_units),
    Note(r"Above 1/100 up to ", rows_back),
    whole(r"(Grey, b|B)ars: 95 %", lambda view: 0.95),
)


def looking_ahead(view, said):
    """The honest run's recorded nats a day less those of the run that looks ahead."""
    honest, ahead = (float(run["score"].sel(model="network", metric="nats")) for run in pair_of(view.run))
    return [honest - ahead]


def inside(view, said):
    bands = view.of("quantile").transpose("level", "recent").values
    came = view.of("came").values[-bands.shape[1] :]
    shares = (float(np.mean((bands[low] <= came) & (came <= high))) for low, high in ((1, bands[3]), (0, bands[4])))
    return [*shares, came.size]


def stays(*names):
    """How often a token follows itself: of up to four each, of more the ends."""

    def of(view, said):
        diagonals = [np.diag(view.of(name).values).tolist() for name in names if name in view.run]
        return [
            one
            for values in diagonals
            for one in (values if len(values) <= 4 else (float(min(values)), float(max(values))))
        ]

    return of


PRICE_TOKENS = (
    Note(r"Simulated market, until ", last_day),
    Note(r"Shaded: looking ahead gains ", looking_ahead),
    Note(r".*nats a day \[", lambda view, said: interval(series.gain(view.told), test=False)),
    whole(
        r"Of it: size ",
        lambda view: series.part(view.told, "size_gain")[0],
        lambda view: series.part(view.told, "sign_gain")[0],
    ),
    whole(r"Agreement with planted regimes: ", lambda view: float(view.run.rand_index), lambda _: 0),
    Note(r"Inside the bands: ", inside),
    whole(r"Later days change ", lambda view: float(view.of("changed_by_future").mean())),
    Note(
        r"A new fit names ",
        lambda view, said: [float(view.of(name).mean()) for name in ("same_label", "same_meaning")[: len(said)]],
    ),
    whole(
        r"Perplexity",
        lambda view: float(view.of("code_perplexity").values.ravel()[-1]),
        lambda view: view.run.sizes["token_name"],
    ),
    whole(
        r"While they were learned",
        lambda view: float(view.of("codes_in_use").values[0]),
        lambda view: float(view.of("codes_in_use").values[-1]),
    ),
    Note(r"Stays: ", stays("transition", "planted_transition")),
    Note(r"The fit itself: ", stays("fitted_transition")),
    Note(r"First merges: ", moves_of_tokens),
    whole(
        r"All \d+ alike",
        lambda view: view.run.sizes["token_name"],
        lambda view: float(np.log(view.run.sizes["token_name"])),
    ),
)
LEADERBOARD = (
    whole(
        r"R²: repeating ",
        lambda view: float(series.table(view.told, "level_r2").sel(forecaster="repeat")),
        lambda view: float(series.table(view.told, "move_r2").sel(forecaster="least_squares")),
    ),
    Note(
        r".*, forecast from row ",
        lambda view, said: [
            *(one.value for one in numbers_in(view.run.attrs["shown_channel"])),
            int(view.run.attrs["shown_row"]),
        ],
    ),
    whole(r"[\d,]+ test windows", lambda view: int(view.run.attrs["windows"])),
)
