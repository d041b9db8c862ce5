"""What is claimed under figures of forecasts of prices."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import norm

from goldviz.figures.theme import style_of
from tests.truth.predicates.captions_of_tables import with_ends
from tests.truth.predicates.drawing import (
    Drawing,
    absent,
    both,
    by_layer,
    held,
    line_at,
    now,
    numeric,
    same,
    scales,
    shown,
)

FEWEST = 8
"""Forecasts of a year from which its signs are counted."""


def days_of(marks: Any, days: xr.DataArray) -> list[int]:
    """At which of a run's days marks stand; none where one stands at another day."""
    found = {str(day)[:10]: place for place, day in enumerate(days.values)}
    names = [str(mark)[:10] for mark in marks]
    return [found[name] for name in names] if found.keys() >= set(names) else []


def at_its_days(trace: Mapping[str, Any], due: np.ndarray, days: xr.DataArray) -> bool:
    drawn = numeric(trace.get("y"))
    places = days_of(trace["x"], days)
    if drawn is None or len(drawn) != len(places):
        return False
    return np.allclose(drawn, due[places], rtol=1e-3, atol=1e-7, equal_nan=True)


def of_network(drawing: Drawing) -> xr.DataArray:
    """What is forecast at the step in view: the mean over seeds, or the standard deviation."""
    name = "scale" if drawing.view.settings.target == "volatility" else "mean"
    return drawing.view.last(name).mean("seed").values


def label_of_network(drawing: Drawing) -> str:
    return style_of(drawing.view.settings.network).label


def forecasts(drawing: Drawing) -> dict[str, np.ndarray]:
    """Every forecast by its name in a legend; the simplest has none."""
    spread = drawing.view.settings.target == "volatility"
    others = drawing.view.of("baseline_scale" if spread else "baseline_mean")
    dim = "volatility_baseline" if spread else "baseline"
    rows = {str(name): others.sel({dim: name}).values for name in others[dim].values}
    simplest = rows.pop("constant" if spread else "zero")
    by_label = {style_of(name).label: row for name, row in rows.items()}
    return {label_of_network(drawing): of_network(drawing), **by_label, "": simplest}


def losses(drawing: Drawing, forecast: np.ndarray) -> np.ndarray:
    """Squared errors; of variances QLIKE, log s² + r²/s² (Patton 2011)."""
    came = drawing.view.of("target").values
    with np.errstate(all="ignore"):
        if drawing.view.settings.target == "volatility":
            return np.where(forecast > 0, np.log(forecast**2) + (came / forecast) ** 2, np.nan)
        return (came - forecast) ** 2


def gains(drawing: Drawing) -> dict[str, np.ndarray]:
    """Each forecast's gains in such units that their sum is its score."""
    every = {label: losses(drawing, forecast) for label, forecast in forecasts(drawing).items()}
    simplest = every.pop("")
    spread = drawing.view.settings.target == "volatility"

    def scaled(own: np.ndarray) -> np.ndarray:
        saved = simplest - own
        counted = np.isfinite(saved)
        return saved / counted.sum() if spread else 100 * saved / simplest[counted].sum()

    return {label: scaled(own) for label, own in every.items()}


def added_up(drawing: Drawing) -> bool:
    """A curve of each; what is much worse than all others is named instead."""
    for label, saved in gains(drawing).items():
        due = np.where(np.isfinite(saved), np.cumsum(np.nan_to_num(saved)), np.nan)
        traces = [trace for trace in drawing.data if trace.get("name") == label]
        if not traces:
            there = label in drawing.notes and label != label_of_network(drawing)
        else:
            there = any(at_its_days(trace, due, drawing.run["time"]) for trace in traces)
        if not there:
            return False
    return True


def at_the_end(drawing: Drawing) -> bool:
    return int(drawing.view.until().run["look"].values[-1]) == int(drawing.run["look"].values[-1])


def scores(drawing: Drawing) -> bool:
    """A mark at each score, and bars at the end; what is farther below has an arrow at the edge."""
    own = {label: float(saved[np.isfinite(saved)].sum()) for label, saved in gains(drawing).items()}
    spread = drawing.view.settings.target == "volatility"
    kind, metric, unit = ("volatility_", "qlike_gain", 1) if spread else ("", "r2", 100)
    table = {
        end: drawing.view.of(f"{kind}score{end}").sel({f"{kind}metric": metric}) * unit for end in ("", "_low", "_high")
    }
    names = [str(name) for name in table[""][f"{kind}model"].values]
    left = drawing.layout["xaxis"]["range"][0]
    arrows = [str(one.get("text")) for one in drawing.layout.get("annotations") or () if "◂" in str(one.get("text"))]
    far = 0
    for label, score in own.items():
        if score < left:
            far += 1
        elif at_the_end(drawing):
            [row] = [at for at, name in enumerate(names) if label == row_label(drawing, name)]
            three = [table[end].isel({f"{kind}model": row}) for end in ("", "_low", "_high")]
            if not np.isclose(three[0], score, rtol=2e-3, atol=1e-4) or not with_ends(drawing, "x", *three):
                return False
        elif not any(np.isclose(numeric(trace["x"]), score, rtol=1e-4).any() for trace in drawing.data):
            return False
    return len(arrows) == far and bool(drawing.data)


def row_label(drawing: Drawing, name: str) -> str:
    return label_of_network(drawing) if name in ("network", drawing.view.settings.network) else style_of(name).label


def recent(drawing: Drawing, values: np.ndarray) -> xr.DataArray:
    return xr.DataArray(values[-len(drawing.named("^what came$").data[0]["x"]) :], dims="day")


def bands(drawing: Drawing) -> bool:
    """Of recorded quantiles at the end, of two standard deviations around the mean before it; and what came."""
    mean, scale = (drawing.view.last(name).mean("seed").values for name in ("mean", "scale"))
    ends = [mean - 2 * scale, mean + 2 * scale]
    if at_the_end(drawing):
        ends = list(drawing.view.of("quantile").sel(level=list(ENDS), method="nearest").values.T)
    came = held(drawing.named("^what came$"), recent(drawing, drawing.view.of("target").values))
    return came and all(held(drawing.typed("scatter"), recent(drawing, end)) for end in ends)


ENDS = (0.025, 0.1, 0.25, 0.75, 0.9, 0.975)


def three_bands(drawing: Drawing) -> bool:
    """Before the end there are none with these names."""
    names = {str(trace.get("name")) for trace in drawing.data}
    three = {"50 %", "80 %", "95 %"}
    return (three <= names if at_the_end(drawing) else not three & names) and bands(drawing)


def places_in_distributions(drawing: Drawing) -> bool:
    """Shares of the forecast probabilities of what came at most; before the end as if they were Gaussian."""
    mean, scale = (drawing.view.last(name).mean("seed").values for name in ("mean", "scale"))
    chances = (
        drawing.view.of("pit").values
        if at_the_end(drawing)
        else norm.cdf((drawing.view.of("target").values - mean) / scale)
    )
    chances = chances[np.isfinite(chances)]
    [bars] = drawing.typed("bar").data
    counts, _ = np.histogram(chances, bins=len(bars["y"]), range=(0, 1))
    return np.allclose(numeric(bars["y"]), 100 * counts / chances.size, atol=0.2)


def in_windows(values: np.ndarray, width: int, take) -> np.ndarray:
    return np.array([take(values[start : start + width]) for start in range(0, len(values), width)])


def spreads(drawing: Drawing) -> bool:
    """Root mean squares of the forecasts of some days, and a stroke to the largest move of these days."""
    told = re.search(r"Root mean squares of (\d+) forecasts", drawing.notes)
    width = int(told[1]) if told else 1
    others = drawing.view.of("baseline_scale")
    rows = {str(name): others.sel(volatility_baseline=name).values for name in others.volatility_baseline.values}
    rows.pop("constant")
    by_label = {style_of(name).label: row for name, row in rows.items()}
    by_label[label_of_network(drawing)] = drawing.view.last("scale").mean("seed").values
    came = drawing.view.of("target").values
    moves = np.abs(came - drawing.view.of("price").values if drawing.view.settings.target == "level" else came)
    largest = in_windows(moves, width, np.nanmax)
    [strokes] = drawing.named("^largest move$").data
    tops = numeric(strokes["y"])[1::3]
    curves = {label: in_windows(row, width, lambda part: np.sqrt(np.mean(part**2))) for label, row in by_label.items()}
    return any(np.allclose(tops, one, rtol=1e-4) for one in scales(largest)) and all(
        any(
            same(numeric(trace["y"]), one)
            for trace in drawing.data
            if trace.get("name") == label
            for one in scales(row)
        )
        for label, row in curves.items()
    )


def wilson(right: int, counted: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    z, share = norm.ppf(0.975), right / counted
    middle = (share + z**2 / (2 * counted)) / (1 + z**2 / counted)
    half = z / (1 + z**2 / counted) * np.sqrt(share * (1 - share) / counted + z**2 / (4 * counted**2))
    return middle - half, middle + half


def every_fit(drawing: Drawing) -> bool:
    """Both losses of every fit thin and their middle thick; a diamond at each one's lowest on what was held back."""
    held_back = drawing.view.until().of("validation_loss").transpose("fold", "seed", "epoch")
    lowest = held_back.where(np.isfinite(held_back), np.inf)
    epochs = lowest.epoch.values[lowest.argmin("epoch").values].ravel()
    [best] = drawing.named("best so far$").data
    diamonds = np.allclose(numeric(best["x"]), epochs) and np.allclose(
        numeric(best["y"]), lowest.min("epoch").values.ravel()
    )
    if "best_epoch" in drawing.run:
        recorded = drawing.view.last("best_epoch").transpose("fold", "seed").values.ravel()
        diamonds = diamonds and np.array_equal(epochs, recorded)
    for name in ("loss", "validation_loss"):
        fits = drawing.view.of(name).median("seed").transpose("fold", "epoch").values
        rows = [numeric(trace["y"]) for trace in drawing.thin.data]
        thin = any(one.size == fits.size + len(fits) and drawn_in(one, fits) for one in rows)
        if not thin or not shown(drawing.named("median$"), drawing.view.of(name).median("seed").median("fold")):
            return False
    return diamonds


def drawn_in(drawn: np.ndarray, fits: np.ndarray) -> bool:
    """Fits one after the other, with a gap behind each."""
    rows = drawn.reshape(len(fits), -1)
    return np.allclose(rows[:, :-1], fits, rtol=1e-4, equal_nan=True) and not np.isfinite(rows[:, -1]).any()


def by_channel(drawing: Drawing) -> bool:
    """The first channel at the top."""
    gradients = drawing.view.last("input_gradient").mean("seed").transpose("channel", "lag")
    return held(drawing.typed("heatmap"), gradients.isel(channel=slice(None, None, -1)).drop_vars("channel"))


def slowest_on_top(drawing: Drawing) -> bool:
    """Every unit's states in a row, which resemble the day before's the more, the higher up it is."""
    [heat] = drawing.typed("heatmap").data
    drawn, states = numeric(heat["z"]), drawing.view.of("hidden").transpose("unit", "recent").values
    rows = {tuple(np.round(row, 4)) for row in states}
    around = drawn - drawn.mean(1, keepdims=True)
    with np.errstate(all="ignore"):
        slow = (around[:, 1:] * around[:, :-1]).sum(1) / (around**2).sum(1)
    slow = slow[np.isfinite(slow)]
    there = all(tuple(np.round(row, 4)) in rows for row in drawn)
    return there and len(drawn) == len(states) and bool((np.diff(slow) > -1e-4).all())


OF_LABORATORIES = {
    "gold-forecast": {
        "What each forecast gained over the simplest, added up over time.": added_up,
        "How much of it is chance.": absent("chance"),
        "Every forecast's score against the simplest; at the run's end with 95 % intervals.": scores,
        "Costs of trading.": absent("cost", "trad"),
        "The last forecasts as bands, and what came.": bands,
        "At the run's end: 50, 80 and 95 %.": three_bands,
        "Other times.": absent("earlier"),
        "Where in its forecast distribution each value fell.": places_in_distributions,
        "The forecast standard deviation beside simple ones, over the largest moves.": spreads,
        "Training and validation loss of every refit, and the epochs that forecast.": every_fit,
        "How much the forecast moves with each input, channel by channel.": by_channel,
        "How long dL/dh is at each row before the forecast.": now("state_gradient_norm"),
        "The hidden states behind the last forecasts, slow units at the top.": slowest_on_top,
        "The gradient's length by layer before clipping, in the last refit.": by_layer("gradient_norm_by_layer"),
        "How large the steps are beside the weights, in the last refit.": both(
            by_layer("update_to_data_by_layer"), line_at(1e-3)
        ),
    },
}
