"""Rules on how the forecaster learned: it diverged, over-fitted or stopped early; how sure it is; what it looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Finding, Floats, Verdicts, diverged, majority, percent, remedy
from goldviz.labs.gold_forecast.scoring.intervals import coverages, recorded_at_end
from goldviz.labs.gold_forecast.scoring.results import Evidence
from goldviz.labs.gold_forecast.scoring.series import Series

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.gold_forecast.settings import GoldForecast

EARLY = 2
"""A best epoch up to this one, of five or more, came before the network learned anything that lasts."""

RISEN = 0.1
"""Rise of the validation loss, as a share of the training loss's fall after the same epoch."""

FADED = 0.01
OFF = 0.02
"""How far a coverage is off at least to be called wrong, beside its interval leaving out what was promised."""

CONSTANT = {"return": 0.01, "volatility": 0.02}
"""Spread of the forecasts within a refit, as a share of the answers' spread or of their own mean."""


def training_diverged(settings: GoldForecast, ds: xr.Dataset) -> Finding | None:
    """A loss, or the run's status, says that training ended in no number."""
    lost = diverged(ds["loss"].values) if "loss" in ds and ds["loss"].size else np.zeros((1, 1), bool)
    if not lost.any() and str(ds.attrs.get("status", "")) != "diverged":
        return None
    return Finding(
        kind="diverged",
        title="Training diverged",
        severity="bad",
        number=f"{int(lost.sum())} of {lost.size} fits" if lost.any() else "a recorded value that is no finite number",
        threshold="any loss that is NaN or infinite",
        confidence="the run stopped for it",
        explanation="One step was so long that it ended in no number. Large moves make large gradients, and a "
        "likelihood whose width is nearly zero makes larger ones.",
        **remedy(
            settings,
            (
                "Take a tenth of the learning rate, and cap the gradient's norm.",
                {"learning_rate": max(1e-6, settings.learning_rate / 10), "clip": settings.clip or 1.0},
            ),
            ("Take Student's t, which single large moves disturb less.", {"head": "student"}),
        ),
    )


def over_fitting(settings: GoldForecast, ds: xr.Dataset) -> Finding | None:
    """Validation rises while training falls, from the first epochs on."""
    curves = _curves(ds)
    if curves is None or len(curves[0]) < 5:
        return None
    training, validation, epochs = curves
    best, rows = _best(validation)
    fall = np.take_along_axis(training, rows, axis=0)[0] - training[-1]
    rise = validation[-1] - best
    early = epochs[rows[0]] <= max(EARLY, len(epochs) // 10)
    over = early & (fall > 0) & (rise > RISEN * fall)
    if not majority(over):
        return None
    return Finding(
        kind="over_fitting",
        title="The network learns its past by heart",
        severity="warning",
        number=f"best epoch {int(np.median(epochs[rows[0]]))}; since then the training loss fell by "
        f"{np.median(fall):.3f} and the validation loss rose by {np.median(rise):.3f}",
        threshold=f"a best epoch up to {max(EARLY, len(epochs) // 10)}, validation rising after it",
        confidence=_fits(over),
        explanation="What it learns after the first epochs holds for the training window only. The forecasts are made "
        "with the weights of the best epoch, so they have hardly learned; they are not spoilt either.",
        **remedy(
            settings,
            ("Take a third of the learning rate, so that it stops at a finer place.",
             {"learning_rate": max(1e-6, settings.learning_rate / 3)}),
            ("Drop half of the hidden values while training.", {"dropout": max(0.5, settings.dropout)}),
        ),
    )  # fmt: skip


def under_trained(settings: GoldForecast, ds: xr.Dataset) -> Finding | None:
    """The last epoch was the best one."""
    curves = _curves(ds)
    if curves is None or int(curves[2][-1]) < settings.epochs or len(curves[0]) < 2:
        return None
    _, validation, epochs = curves
    _, rows = _best(validation)
    unfinished = rows[0] == len(epochs) - 1
    if not majority(unfinished):
        return None
    return Finding(
        kind="under_trained",
        title="Training ended too soon",
        severity="warning",
        number=f"best epoch {int(epochs[-1])}, the last one",
        threshold="a best epoch before the last",
        confidence=_fits(unfinished),
        explanation="The validation loss was still falling when training ended, so these forecasts are not yet what "
        "the network can do.",
        **remedy(
            settings,
            ("Train twice as long.", {"epochs": min(500, 2 * settings.epochs)}),
            ("Take three times the learning rate.", {"learning_rate": min(1.0, 3 * settings.learning_rate)}),
        ),
    )


def badly_calibrated(settings: GoldForecast, ds: xr.Dataset, series: Series) -> Finding | None:
    """The 90 % intervals hold another share than they promise."""
    if not recorded_at_end(ds, series, "quantile"):
        return None
    found = next((entry for entry in coverages(ds, series) if entry.nominal == 0.9), None)
    if found is None:
        return None
    low, high = found.interval
    if low <= found.nominal <= high or abs(found.share - found.nominal) <= OFF:
        return None
    narrow = found.share < found.nominal
    return Finding(
        kind="badly_calibrated",
        title=f"The intervals are too {'narrow' if narrow else 'wide'}",
        severity="warning",
        number=f"90 % intervals held {100 * found.share:.1f} %",
        threshold="90 % within the Wilson interval, or no more than two points off",
        confidence=f"95 % interval {100 * low:.1f} to {100 * high:.1f} %, as if days were independent",
        explanation="A forecast that is surer than it should be fails when it matters; storms that come after the "
        "training window do that."
        if narrow
        else "Intervals that hold more than they promise say less than they could; a calm that comes after a stormy "
        "training window does that, or a distribution of the wrong shape.",
        **remedy(
            settings,
            ("Forecast quantiles, which have no shape to get wrong.", {"head": "quantiles"}),
            ("Train on a window that moves along.", {"scheme": "rolling"}),
        ),
    )


def short_reach(settings: GoldForecast, ds: xr.Dataset) -> Finding | None:
    """dL/dh is below a hundredth of its largest before it is half-way back through the window."""
    if settings.network == "mlp" or "state_gradient_norm" not in ds or not ds["state_gradient_norm"].size:
        return None
    norms = ds["state_gradient_norm"].isel(look=-1).transpose("lag", "seed").values.astype(np.float64)
    lags = ds["lag"].values.astype(int)
    largest = np.nanmax(np.where(np.isfinite(norms), norms, -np.inf), axis=0)
    heard = np.where(norms >= FADED * largest, lags[:, None], -1).max(axis=0)
    short = (largest > 0) & np.isfinite(largest) & (heard < lags[-1] / 2)
    if not majority(short):
        return None
    reach = int(np.median(heard[short]))
    return Finding(
        kind="short_reach",
        title=f"The past beyond {reach} row{'' if reach == 1 else 's'} teaches it next to nothing",
        severity="warning",
        number=f"dL/dh above a hundredth up to {reach} of {int(lags[-1])} rows back",
        threshold="half of the window",
        confidence=_seeds(short),
        explanation="The error signal shrinks on its way back (document 001, eq. 6-9). Where returns have no memory, "
        "there is also nothing to reach back for: a shorter window then costs nothing.",
        **remedy(
            settings,
            *([("Take a GRU: gates keep the signal.", {"network": "gru"})] if settings.network == "rnn" else []),
            ("Take a window that ends where the signal does.", {"window": max(2, reach + 1)}),
        ),
    )


def constant_forecast(settings: GoldForecast, evidence: Evidence) -> Finding | None:
    """Within a refit the forecast hardly moves: it listens to nothing."""
    series = evidence.series
    if series.target not in CONSTANT or not evidence.own.sure:
        return None
    forecast = series.forecast("network")
    blocks = [forecast[(series.block == block) & ~series.final] for block in np.unique(series.block[~series.final])]
    spread = float(np.sqrt(np.mean(np.concatenate([np.square(part - part.mean()) for part in blocks]))))
    sizes = series.came if series.target == "return" else forecast
    usual = float(np.std(sizes[~series.final])) if series.target == "return" else float(np.mean(sizes[~series.final]))
    share = spread / usual if usual > 0 else np.nan
    if not share < CONSTANT[series.target]:
        return None
    of = "of the returns' spread" if series.target == "return" else "of its mean"
    return Finding(
        kind="constant_forecast",
        title="The forecast listens to nothing",
        severity="warning",
        number=f"its spread within a refit is {100 * share:.2g} % {of}",
        threshold=f"{percent(CONSTANT[series.target])} {of}",
        confidence="measured over all refits; the inputs' derivatives show the same",
        explanation="Whatever its inputs are, the network says the same. Of returns that is nearly the best there is "
        "to say; of the size of moves it is not."
        if series.target == "return"
        else "Whatever its inputs are, the network says the same width. Calm and storm last, so there is more to say.",
        **remedy(
            settings,
            *(
                [("Forecast the variance.", {"target": "volatility", "head": "student"})]
                if series.target == "return"
                else []
            ),
            ("Take three times the learning rate.", {"learning_rate": min(1.0, 3 * settings.learning_rate)}),
        ),
    )


def _curves(ds: xr.Dataset) -> tuple[Floats, Floats, Floats] | None:
    """Training and validation losses (epoch, fit) of the fits whose losses are finite, and the epochs."""
    if any(name not in ds or not ds[name].size for name in ("loss", "validation_loss")):
        return None
    parts = [
        ds[name].transpose("epoch", "fold", "seed").values.astype(np.float64).reshape(ds.sizes["epoch"], -1)
        for name in ("loss", "validation_loss")
    ]
    sound = np.isfinite(parts[0]).all(axis=0) & np.isfinite(parts[1]).all(axis=0)
    if not sound.any():
        return None
    return parts[0][:, sound], parts[1][:, sound], np.asarray(ds["epoch"].values, np.float64)


def _best(validation: Floats) -> tuple[Floats, np.ndarray]:
    """Each fit's lowest validation loss, and its row (1, fit)."""
    rows = validation.argmin(axis=0)[None]
    return np.take_along_axis(validation, rows, axis=0)[0], rows


def _fits(verdicts: Verdicts) -> str:
    return f"{int(np.sum(verdicts))} of {verdicts.size} fits" if verdicts.size > 1 else "one fit only"


def _seeds(verdicts: Verdicts) -> str:
    if verdicts.size == 1:
        return "the last refit, one seed: run several to be sure"
    return f"the last refit, {int(np.sum(verdicts))} of {verdicts.size} seeds"
