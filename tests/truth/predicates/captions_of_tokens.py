"""What is claimed under figures of days that are written as tokens."""

from typing import Any

import numpy as np

from goldviz.labs.price_tokens.measures import pair_of
from tests.truth.predicates.captions_of_forecasts import at_its_days, every_fit, recent
from tests.truth.predicates.captions_of_tables import with_ends
from tests.truth.predicates.drawing import Claim, Drawing, absent, held, numeric, same, shown


def in_nats(drawing: Drawing) -> dict[str, np.ndarray]:
    """Curves that are due, by the end of their names: of the run, of its twin, and of GARCH."""
    run, pair = drawing.run, pair_of(drawing.run)
    honest = pair.honest if pair else run
    zero = frequency(honest)
    own = added(zero, drawing.view.last("nats").mean("seed").values)
    if pair is None:
        return {"": own}
    ahead = pair.ahead is run
    other = (pair.honest if ahead else pair.ahead)["nats"].values
    dims = list((pair.honest if ahead else pair.ahead)["nats"].dims)
    last = np.take(other, -1, axis=dims.index("look")).astype(float)
    dims.remove("look")
    twin = added(zero, last.mean(axis=dims.index("seed")))
    return {", looking ahead": own, ", honest": twin} if ahead else {", honest": own, ", looking ahead": twin}


def frequency(run: Any) -> np.ndarray:
    return run["baseline_nats"].sel(baseline="frequency").values.astype(float)


def added(zero: np.ndarray, nats: np.ndarray) -> np.ndarray:
    return np.cumsum(zero - nats) / zero.size


def nats_gained(drawing: Drawing) -> bool:
    """The run's curve, its twin's and GARCH's: each ends in the mean gain of a day."""
    pair = pair_of(drawing.run)
    zero = frequency(pair.honest if pair else drawing.run)
    garch = added(zero, drawing.view.of("baseline_nats").sel(baseline="garch").values)
    days = drawing.run["time"]
    return all(
        any(at_its_days(trace, due, days) for trace in drawing.data) for due in (*in_nats(drawing).values(), garch)
    )


def twins(drawing: Drawing) -> bool:
    """Solid with honest tokens, dashed with others; neither word where no twin is recorded."""
    named = drawing.named(", (honest|looking ahead)$").data
    due = {end: row for end, row in in_nats(drawing).items() if end}
    dashes = {", honest": "solid", ", looking ahead": "dash"}
    return len(named) == len(due) and all(
        any(at_its_days(trace, row, drawing.run["time"]) for trace in drawing.named(f"{end}$").dashed(dashes[end]).data)
        for end, row in due.items()
    )


def nats_a_day(drawing: Drawing) -> bool:
    """Every model but token frequency, and the one that the network itself is."""
    parts = [drawing.view.of(f"score{end}").sel(metric="gain") for end in ("", "_low", "_high")]
    names = [str(name) for name in parts[0].model.values]
    names = [name for name in names if name not in ("frequency", drawing.view.settings.network)]
    return all(with_ends(drawing, "x", *(part.sel(model=name) for part in parts)) for name in names)


def seeds_below(drawing: Drawing) -> bool:
    """Strokes stand a little below a row, where there are several seeds; all else stands in a row."""
    between = [trace for trace in drawing.data if not np.allclose(numeric(trace["y"]) % 1, 0)]
    if drawing.run.sizes["seed"] == 1:
        return not between
    return len(between) == 1 and same(numeric(between[0]["x"]), drawing.view.of("seed_gain").values)


def price_and_tokens(drawing: Drawing) -> bool:
    """Tokens count from 1."""
    written = drawing.view.of("token") + 1
    strips = [numeric(trace["z"])[0] for trace in drawing.typed("heatmap").data]
    return shown(drawing, drawing.view.of("price")) and np.array_equal(strips[0], written)


def next_move(drawing: Drawing) -> bool:
    """Four ends of two bands."""
    levels = drawing.view.of("quantile").sel(level=[0.05, 0.25, 0.75, 0.95], method="nearest")
    came = held(drawing.named("^what came$"), recent(drawing, drawing.view.of("came").values))
    return came and all(
        held(drawing.typed("scatter"), end.drop_vars("recent")) for end in levels.transpose("level", ...)
    )


def last_fit(name: str, kind: str) -> Claim:
    return lambda drawing: shown(drawing.typed(kind), drawing.view.of(name).isel(fold=-1))


def shares_written(drawing: Drawing) -> bool:
    return last_fit("occupancy", "bar")(drawing) and np.isclose(drawing.view.of("occupancy").isel(fold=-1).sum(), 1)


def follows(drawing: Drawing) -> bool:
    """Shares of what follows, over all days and not the forecast ones alone: a row sums to 1, or to 0 where unseen."""
    shares = drawing.view.of("transition")
    sums = shares.sum("next_token").values
    whole = np.isclose(sums, 1, atol=1e-4) | np.isclose(sums, 0)
    return bool(whole.all()) and same(numeric(drawing.typed("heatmap").data[0]["z"]), shares.values)


def planted(drawing: Drawing) -> bool:
    """A second map of them; real prices have none."""
    maps = drawing.typed("heatmap")
    if "planted_transition" not in drawing.run:
        return len(maps.data) == 1
    return len(maps.data) == 2 and same(numeric(maps.data[1]["z"]), drawing.view.of("planted_transition").values)


OF_LABORATORIES = {
    "price-tokens": {
        "Nats gained over token frequency, added up.": nats_gained,
        "Of recorded twins: honest tokens, and such as look ahead.": twins,
        "Why a curve ends well.": absent("why", "because"),
        "Nats a day gained over token frequency, with 95 % intervals.": nats_a_day,
        "Strokes below: each of several seeds.": seeds_below,
        "Runs with other tokens.": absent("other"),
        "The price, and under it each day's token.": price_and_tokens,
        "The middle 50 % and 90 % of the last forecasts, and what came.": next_move,
        "The mean move of each token's days.": last_fit("token_mean", "scatter"),
        "Below: how often it was written.": shares_written,
        "How often one token follows another.": follows,
        "Below: the same of planted regimes, where there are some.": planted,
        "Whether a shape comes again.": absent("shape", "again"),
        "Training and validation loss, and the epochs that forecast.": every_fit,
    },
}
