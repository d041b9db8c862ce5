"""What can be set of a leaderboard, its traps, and what is recorded of it.

Document 002, sections 4 and 5, adapts attention to series. Zeng et al. 2023 set a linear map beside such networks.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.data.tables.sealed_names import KEY
from goldviz.declare import standard
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.labs.leaderboard.choices import CONTENDERS
from goldviz.labs.leaderboard.multivariate import SeriesError, kept_series
from goldviz.labs.leaderboard.public_characters import SIMULATED_SERIES
from goldviz.labs.leaderboard.splits import SPLITS, checked_geometry
from goldviz.models.series.forecasters.table import FORECASTERS

TABLE = ("epoch", "forecaster")
PAIRS = (*TABLE, "rival")
AT_HORIZONS = (*TABLE, "until")
OF_TRAPS = ("epoch", "trap", "forecaster")
ERROR, VALUE = "Mean squared error", "Standardised value"


class Leaderboard(Experiment):
    """Compare forecasters of a series on its test part, fairly or with a trap."""

    about = About(
        "leaderboard",
        "How a leaderboard fools",
        icon=":material/leaderboard:",
        section="Markets",
        rank=54,
        room="Leaderboard",
        sought="ETT benchmark DLinear baseline multiple testing test set",
        question="What is the third digit of a leaderboard worth?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("rows", "channels", "horizon")

    series: str = standard.kept(
        "a series",
        *SIMULATED_SERIES,
        group="Series",
        control="series",
        labels=standard.labels_of(SIMULATED_SERIES),
    )
    """The series that is forecast: a simulated one, or a file of your own."""
    horizon: int = setting(96, ge=1, le=720, group="Task", essential=True, unit="steps")
    """Steps that are forecast at once."""
    look_back: int = setting(96, ge=1, le=720, group="Task", essential=True, unit="steps")
    """Steps that a forecast reads."""
    contenders: Literal["nlinear", "linear_family", "transformers", "informer", "all"] = setting(
        "linear_family",
        group="Networks",
        essential=True,
        labels={name: words for name, (words, _) in CONTENDERS.items()},
    )
    """Networks that are trained, beside two repeats and least squares."""
    last_batch: Literal["keep", "drop"] = setting(
        "keep",
        group="Traps",
        labels={"keep": "Keep it", "drop": "Drop it"},
    )
    """Test windows come in batches. Dropping the last one leaves the newest windows out."""
    test_batch: int = setting(256, ge=1, le=4096, group="Traps", unit="windows")
    """Test windows in a batch."""
    longer_look_back: int = setting(
        0,
        ge=0,
        le=2880,
        group="Traps",
        unit="steps",
    )
    """Steps that least squares alone may read. 0: as many as all others."""
    scaled_by: Literal["training", "all"] = setting(
        "training",
        group="Traps",
        labels={"training": "Training part", "all": "Whole series"},
    )
    """What the mean and deviation of each channel come from."""
    seeds_told: Literal["mean", "best"] = setting(
        "mean",
        group="Traps",
        labels={"mean": "Their mean", "best": "The best on the test part"},
    )
    """What the table tells of several seeds."""
    stopped_by: Literal["validation", "test"] = setting(
        "validation",
        group="Traps",
        labels={"validation": "Validation part", "test": "Test part"},
    )
    """The part whose lowest error chooses the epoch that is told."""
    split: str = setting(
        "70-10-20",
        group="Task",
        one_of=standard.labels_of(SPLITS),
    )
    """Training, validation and test part, in the order of time."""
    season: int = setting(24, ge=1, le=720, group="Task", unit="steps")
    """Steps after which a season comes again."""
    rows: int = setting(4000, ge=2, le=20_000, group="Series", unit="rows")
    """Time steps of a simulated series."""
    channels: int = setting(4, ge=1, le=64, group="Series", unit="channels")
    """Channels of a simulated one."""
    series_seed: int = setting(0, ge=0, le=999, group="Series")
    """Seed of the simulated series."""
    learning_rate: float = standard.learning_rate(2e-3, hot=False)
    """Size of the first epoch's steps; every later epoch halves it."""
    epochs: int = standard.epochs(5, le=100)
    """Passes over the training windows."""
    batch: int = standard.batch(32, "windows", ge=1)
    channel: int = setting(1, ge=1, le=1000, group="Shown", unit="")
    """The channel whose forecasts are drawn."""
    window: float = setting(50.0, ge=0, le=100, group="Shown", unit="%")
    """How far into the test part the drawn window lies."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        try:
            checked_geometry(self, *self.extent)
        except SeriesError as error:
            raise ValueError(str(error).removesuffix(".")) from None
        return self

    @property
    def extent(self) -> tuple[int, int]:
        """Rows and channels of the series; those that are set where a file is not on this machine."""
        if KEY.fullmatch(self.series):
            with suppress(SeriesError):
                return kept_series(self.series).values.shape
        return self.rows, self.channels

    def without_effect(self) -> Mapping[str, str]:
        """What a file of one's own leaves unread."""
        if self.series in SIMULATED_SERIES:
            return {}
        return dict.fromkeys(("rows", "channels", "series_seed"), "Your file has its own rows and channels.")

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(
            ("epoch", "network", "seed"),
            "Training loss (mean squared error)",
            must_stay_finite=True,
            kind="training_loss",
        ),
        "validation_error": Variable(
            ("epoch", "network", "seed"), "Mean squared error on the validation part", kind="evaluation_loss"
        ),
        "test_error": Variable(
            ("epoch", "network", "seed"), "Mean squared error on all test windows", label=ERROR, format=".4f"
        ),
        "score": Variable((*TABLE, "seed"), "Mean squared error on the test part"),
        "told": Variable(TABLE, "Mean squared error that the table tells", label=ERROR, format=".4f"),
        "told_low": Variable(TABLE, "Lower end of its 95 % interval over windows and seeds"),
        "told_high": Variable(TABLE, "Upper end of its 95 % interval"),
        "difference_low": Variable(PAIRS, "Lower end of the 95 % interval of the score less the rival's"),
        "difference_high": Variable(PAIRS, "Upper end of the 95 % interval of the score less the rival's"),
        "until_score": Variable(
            AT_HORIZONS, "Mean squared error of the first so many steps", label=ERROR, format=".4f"
        ),
        "until_low": Variable(AT_HORIZONS, "Lower end of its 95 % interval"),
        "until_high": Variable(AT_HORIZONS, "Upper end of its 95 % interval"),
        "batch_score": Variable(
            (*TABLE, "batch_size"),
            "Mean squared error where batches of this size drop the last one",
            label=ERROR,
            format=".4f",
        ),
        "step_error": Variable(
            (*TABLE, "ahead"), "Mean squared error of each step ahead", label=ERROR, format=".4f", scale="zero"
        ),
        "trap_honest": Variable(OF_TRAPS, "Mean squared error without the trap"),
        "trap_score": Variable(OF_TRAPS, "Mean squared error with the trap"),
        "shift_error": Variable(
            (*TABLE, "shift"),
            "Mean squared distance of one-step forecasts from values so many steps before",
            label="Mean squared distance",
            format=".4f",
            scale="zero",
        ),
        "level_r2": Variable(TABLE, "R² of one-step forecasts, of levels"),
        "move_r2": Variable(TABLE, "R² of one-step forecasts over repeating the last value"),
        "published": Variable(("published_model",), "Published mean squared error of the public set", once=True),
        "forecast": Variable((*TABLE, "ahead"), "Forecast of the drawn window, first seed", label=VALUE, format=".3f"),
        "truth": Variable(("ahead",), "What came in the drawn window", once=True, label=VALUE, format=".3f"),
        "past": Variable(("back",), "What the drawn window looks back on", once=True, label=VALUE, format=".3f"),
        "weight": Variable(
            ("linear_map", "lag", "step_ahead"),
            "Weight of a lag in the forecast of a step",
            once=True,
            label="Weight",
            format=".3f",
        ),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "ahead": Coordinate("Steps ahead", "step %{x} ahead"),
        "shift": Coordinate("Steps before the one that is forecast", "steps before: %{x}"),
        "lag": Coordinate("Lag (0: last value)", "lag %{x}"),
        "step_ahead": Coordinate("Step ahead", "step %{x}"),
    }

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "One forecast, many scores",
            "Exchange rates without memory: nothing beats repeating. Yet its score depends on the loader's "
            "batch size alone.",
        ),
        Preset(
            "A linear map beside Transformers",
            "Hourly load, 336 hours to look back on. Least squares takes a second, the Transformers most of the rest.",
            {"series": "load", "look_back": 336, "contenders": "transformers", "epochs": 3},
            figure="table",
        ),
        Preset(
            "Informer beside a linear map",
            "Rates whose last value is the best forecast. Informer does not start from it, and has to find the level.",
            {"contenders": "informer", "epochs": 3},
            figure="table",
        ),
        Preset(
            "Break it: last batch dropped",
            "The loader drops what fills no batch of 256. The newest windows, the hardest here, are gone: "
            "another row leads.",
            {"last_batch": "drop"},
            figure="table",
        ),
        Preset(
            "Break it: one row reads more",
            "Least squares reads 336 hours, all others 96. Its lead is the look-back's.",
            {"series": "load", "longer_look_back": 336},
            figure="table",
        ),
        Preset(
            "Break it: scaled with all",
            "Mean and deviation come from the whole series, test part included. Every score changes, no forecast does.",
            {"scaled_by": "all"},
            figure="traps",
        ),
        Preset(
            "Break it: best of five seeds",
            "Five trainings, and the table tells the one that the test part liked best.",
            {"seeds": (0, 1, 2, 3, 4), "seeds_told": "best"},
            figure="traps",
        ),
        Preset(
            "Break it: stopped by the test part",
            "The epoch that is told has the lowest error on the very part that is to judge it.",
            {"stopped_by": "test", "epochs": 8},
            figure="stopping",
        ),
        Preset(
            "Break it: a step late",
            "One step ahead, R² of levels is near 1. The last value has as much: the forecast only follows.",
            {"horizon": 1},
            figure="follows",
        ),
        Preset(
            "Break it: a third digit",
            "One seed, three digits, and a winner among linear maps.",
            {"series": "load"},
            figure="table",
        ),
        Preset(
            "Fix it: seeds and intervals",
            "The same with five seeds: the third digit is what seeds and windows leave open.",
            {"series": "load", "seeds": (0, 1, 2, 3, 4)},
            figure="table",
        ),
    )

    equations: ClassVar[tuple[str, ...]] = (
        "Score: the squared error of standardised values, mean over windows, steps and channels.",
        "Standardising: (x - m) / s, with mean and deviation of the training part.",
        "Least squares: (X'X + r I) W = X'Y over all training windows, less their last value.",
    )

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: the series, blocks of windows, their errors, and what a batch keeps."""
        rows, channels = self.extent
        test_rows = 0.2 * rows
        errors = 24.0 * test_rows * len(FORECASTERS) * (1 + len(self.seeds)) * 5
        blocks, series = 120e6, 40.0 * rows * channels
        least_squares = 32.0 * max(self.longer_look_back, min(4 * self.look_back, 720)) ** 2
        networks = CONTENDERS[self.contenders][1]
        values_held = max(FORECASTERS[name].held(self.look_back, self.horizon, channels) for name in networks)
        return bytes_of_training(0, 0, self.batch * values_held) + errors + blocks + series + least_squares

    def sizes(self) -> dict[str, float]:
        """Windows of an epoch, one of each channel, what they read, and which networks are trained."""
        rows, channels = self.extent
        windows = float(rows * channels)
        own = {"windows": windows, "read": windows * self.look_back, "updates": rows / self.batch}
        more = {"horizon": self.horizon, "look_back": self.look_back, "longer": self.longer_look_back}
        return {**own, **more, **dict.fromkeys(CONTENDERS[self.contenders][1], 1.0)}
