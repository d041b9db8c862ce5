"""Sentences on forecasts: against simple rules, tokens of prices, tables of scores, and documents."""

import json

import numpy as np

from tests.truth.predicates.told import Told
from tests.truth.predicates.training import at_end, diverged
from tests.truth.recorded_cards.significance import p_of_difference, wilson


def error(told, network=None):
    return (
        told.last("horizon_error")
        if network is None
        else Told(told.run, told.settings, network, told.kinds).last("horizon_error")
    )


def over_simple(told):
    return error(told).mean("ahead", skipna=False) / told.of("simple_error").mean("ahead").min("simple")


def over_transformer(told):
    return error(told).mean("ahead", skipna=False) / error(told, "transformer").mean("ahead", skipna=False)


def tells_ahead(told):
    return bool(json.loads(told.run.attrs["columns_ahead"]))


SERIES_ATTENTION = {
    "diverged": diverged,
    "dead_units": at_end("dead_units", 0.2),
    "column_ahead": tells_ahead,
    "worse_than_simple": lambda told: over_simple(told) > 1.01,
    "beats_simple": lambda told: over_simple(told) < 0.8,
    "about_as_simple": lambda told: (over_simple(told) >= 0.8) & (over_simple(told) <= 1.05),
    "flow_ahead": lambda told: over_transformer(told) < 0.8,
    "flow_behind": lambda told: over_transformer(told) > 1.01,
}


def table(told, name, trap=None):
    values = told.run[name].isel(epoch=-1).astype(np.float64)
    return values if trap is None else values.sel(trap=trap)


def leader(told):
    told_scores = table(told, "told")
    return str(
        told_scores.forecaster.values[int(np.nanargmin(np.where(np.isfinite(told_scores), told_scores, np.nan)))]
    )


def level(told):
    """For every other row whether the interval of its difference from the leader holds zero."""
    first = leader(told)
    low, high = (
        table(told, f"difference_{end}").sel(rival=first).drop_sel(forecaster=first) for end in ("low", "high")
    )
    return (low <= 0) & (high >= 0)


def known(trap):
    return lambda told: bool(np.isfinite(table(told, "trap_score", trap)).any())


def follows(told):
    moves = table(told, "move_r2").drop_sel(forecaster="repeat")
    return float(table(told, "level_r2").sel(forecaster="repeat")) > 0.9 and bool((moves <= 0).all())


TRAPS = ("dropped_batch", "longer_look_back", "whole_scaling", "best_seed", "test_stopping")
LEADERBOARD = {
    **{
        trap: known(trap)
        for trap in ("dropped_batch", "longer_look_back", "whole_scaling", "best_seed", "test_stopping")
    },
    "undecided": lambda told: bool(level(told).any()),
    "ahead": lambda told: not level(told).any(),
    "follows": follows,
}


def interval(run, model="network", metric="gain", table=""):
    """A score's value, its ends, and the test's p."""
    rows = run.sel({f"{table}model": model})
    names = (f"{table}score{end}" for end in ("", "_low", "_high"))
    value, low, high = (float(rows[name].sel({f"{table}metric": metric})) for name in names)
    return value, low, high, float(rows[f"{table}score"].sel({f"{table}metric": "dm_p"}))


def better(score):
    _, low, _, p = score
    return low > 0 and not p >= 0.05


def worse(score):
    _, _, high, p = score
    return high < 0 and not p >= 0.05


def gain(told, model="network", metric="gain"):
    return interval(told.run, model, metric)


def part(told, metric):
    value, low, high, _ = gain(told, "network", metric)
    return value, low, high, 0.0


def nats_beside_garch(told):
    own = told.run.nats.isel(look=-1).mean("seed").values.astype(np.float64)
    return own, told.run.baseline_nats.sel(baseline="garch").values.astype(np.float64)


def behind(own, other):
    return own.mean() > other.mean() and p_of_difference(own, other) < 0.05


def climbed(told):
    losses = told.run.validation_loss.astype(np.float64)
    return float((losses.isel(epoch=-1) - losses.min("epoch", skipna=False)).median())


PRICE_TOKENS = {
    "diverged": lambda told: told.run.attrs.get("status") == "diverged" or not np.isfinite(told.run.loss).all(),
    "knows_future": lambda told: float(told.run.changed_by_future) > 0,
    "labels_switch": lambda told: float(told.run.same_meaning.mean() - told.run.same_label.mean()) > 0.1,
    "shuffled_skill": lambda told: better(gain(told)) and told.settings.shuffle_days,
    "shuffled_check_passed": lambda told: not better(gain(told)) and told.settings.shuffle_days,
    "sign_skill": lambda told: part(told, "sign_gain")[1] > 0,
    "codes_unused": lambda told: float(told.run.code_perplexity.mean()) < 0.3 * told.run.sizes["token_name"],
    "not_regimes": lambda told: float(told.run.rand_index) < 0.2,
    "by_heart": lambda told: climbed(told) > 0,
    "worse": lambda told: worse(gain(told)),
    "worse_than_garch": lambda told: behind(*nats_beside_garch(told)),
    "no_skill": lambda told: not better(gain(told)) and not worse(gain(told)),
    "size_skill": lambda told: better(gain(told)) and part(told, "size_gain")[1] > 0,
}


def own(told):
    """The network's score against the simplest forecast."""
    by_width = "volatility_" if told.settings.target == "volatility" else ""
    network = str(told.run[f"{by_width}model"].values[0])
    return interval(told.run, network, "qlike_gain" if by_width else "r2", by_width)


def came(told):
    return told.run.target.values.astype(np.float64)


def forecast(told):
    name = "scale" if told.settings.target == "volatility" else "mean"
    return told.run[name].isel(look=-1).mean("seed").values.astype(np.float64)


def moves_within_refits(told):
    """The spread of forecasts around the mean of their refit, over the answers' spread or the forecasts' mean."""
    said, block = forecast(told), told.run.block.values
    around = np.concatenate([said[block == one] - said[block == one].mean() for one in np.unique(block)])
    usual = said.mean() if told.settings.target == "volatility" else came(told).std()
    return np.sqrt((around**2).mean()) / usual


def qlike(told, scale):
    return np.log(scale**2) + came(told) ** 2 / scale**2


def garch_ahead(told):
    garch = told.run.baseline_scale.sel(volatility_baseline="garch").values.astype(np.float64)
    return behind(qlike(told, forecast(told)), qlike(told, garch))


def planted(told):
    return getattr(told.settings, "tone_response", 0.0) > 0


def held(told):
    low, high = (told.run["quantile"].sel(level=level, method="nearest").values for level in (0.05, 0.95))
    return int(((low <= came(told)) & (came(told) <= high)).sum()), came(told).size


def miscalibrated(told):
    count, days = held(told)
    low, high = wilson(count, days)
    return not low <= 0.9 <= high and abs(count / days - 0.9) > 0.02


def gains(told):
    """What each forecast gained on the simplest one."""
    if told.settings.target == "volatility":
        constant = told.run.baseline_scale.sel(volatility_baseline="constant").values.astype(np.float64)
        return qlike(told, constant) - qlike(told, forecast(told))
    simplest = told.run.baseline_mean.sel(baseline="zero").values.astype(np.float64)
    return (came(told) - simplest) ** 2 - (came(told) - forecast(told)) ** 2


def one_episode(told):
    """Whether some fiftieth of the days on end brought half of the gain."""
    days = max(5, came(told).size // 50)
    return np.convolve(gains(told), np.ones(days), "valid").max() > 0.5 * gains(told).sum()


def skilled_refits(told):
    block = told.run.block.values
    return np.mean([gains(told)[block == one].sum() > 0 for one in np.unique(block)])


def validation(told):
    """The validation losses (epoch, fit) of fits whose losses are all numbers."""
    names = ("loss", "validation_loss")
    losses = [told.run[name].transpose("epoch", ...).values.reshape(told.run.sizes["epoch"], -1) for name in names]
    return losses[1][:, np.isfinite(losses).all(axis=(0, 1))].astype(np.float64)


def reach(told):
    norms = told.last("state_gradient_norm")
    strong = norms >= 0.01 * norms.where(np.isfinite(norms)).max("lag")
    return norms.lag.where(strong).max("lag") / float(norms.lag[-1])


def too_good(told):
    """Whether any model of the mean saves more than a twentieth of the squared errors, and not by chance.

    Of sizes: whether the network gains more than twice what the best of the others does, and a twentieth more.
    """
    if told.settings.target == "volatility":
        gained = told.run.volatility_score.sel(volatility_metric="qlike_gain").values
        best = np.nanmax(np.append(gained[1:], 0.0))
        return bool(gained[0] > max(2 * best, best + 0.05)) and better(own(told))
    scores = [interval(told.run, model, "r2") for model in told.run.model.values]
    return any(value > 0.05 and not low <= 0 for value, low, _, _ in scores)


GOLD_FORECAST = {
    "diverged": lambda told: told.run.attrs.get("status") == "diverged" or not np.isfinite(told.run.loss).all(),
    "planted_found": lambda told: planted(told) and better(own(told)),
    "planted_missed": lambda told: planted(told) and not better(own(told)),
    "dealt_out_skill": lambda told: told.settings.documents == "shuffled" and better(own(told)),
    "dealt_out_passed": lambda told: told.settings.documents == "shuffled" and not better(own(told)),
    "channel_unobserved": lambda told: bool((told.run.observed == 0).any()),
    "known_leak": lambda told: told.settings.alignment == "date" and told.run.sizes["channel"] > 1,
    "leak_suspected": too_good,
    "column_ahead": tells_ahead,
    "shuffled_skill": lambda told: told.settings.shuffle_targets and better(own(told)),
    "shuffled_check_passed": lambda told: told.settings.shuffle_targets and not better(own(told)),
    "worthless_level_score": lambda told: told.settings.target == "level" and not better(own(told)),
    "no_volatility_skill": lambda told: told.settings.target == "volatility" and not better(own(told)),
    "no_skill": lambda told: not better(own(told)) and not worse(own(told)),
    "worse_than_simplest": lambda told: worse(own(told)),
    "volatility_skill": lambda told: better(own(told)) and moves_within_refits(told) >= 0.02,
    "better_constant": lambda told: better(own(told)) and moves_within_refits(told) < 0.02,
    "skill": lambda told: better(own(told)),
    "worse_than_garch": garch_ahead,
    "one_episode": one_episode,
    "refits_disagree": lambda told: skilled_refits(told) <= 0.5,
    "few_forecasts": lambda told: (
        came(told).size < 250
        or (own(told)[2] - own(told)[1]) / 2 > (0.1 if told.settings.target == "volatility" else 0.02)
    ),
    "constant_forecast": lambda told: moves_within_refits(told) < 0.02,
    "over_fitting": lambda told: validation(told)[-1] > validation(told).min(axis=0),
    "under_trained": lambda told: validation(told).argmin(axis=0) == told.run.sizes["epoch"] - 1,
    "badly_calibrated": miscalibrated,
    "short_reach": lambda told: reach(told) < 0.5,
    "simulated_market": lambda told: bool(told.run.attrs["simulated"]),
}
