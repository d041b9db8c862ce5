"""Forecast lab: the next log return of gold, and its variance, from partial observations.

Document 001, section 1.1: the loss is a sum over observed times, sum_k l(y(t_k), y^(t_k)). Evaluation walks forward:
each network is fitted on the past alone and asked about the time after it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.declare import market_settings, standard, walk_forward
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.walk_forward import BY_FOLD, TYPICAL_YEARS
from goldviz.models.recurrent.cells import CELL_LABELS, CELLS
from goldviz.models.series.attention import ATTENTIONS
from goldviz.models.series.positions import POSITIONS

TARGETS = {"return": "Next move", "volatility": "Next variance", "level": "Next level"}
NETWORKS = {
    "mlp": "MLP on the window",
    **CELL_LABELS,
    "gru_gap": "GRU with time gaps",
    "gru_decay": "GRU with decay",
    "ode_rnn": "ODE-RNN",
    "transformer": "Transformer",
}
KERNELS = {"1": "k = 1", "3": "k = 3", "5": "k = 5", "9": "k = 9"}
TRANSFORMER = ("attention", "kernel", "positions", "activation")
"""Settings of the Transformer alone."""
HEADS = {"gaussian": "Gaussian", "student": "Student t", "quantiles": "Quantiles"}
DOCUMENTS = {"none": "none", "generated": "generated statements", "shuffled": "the same, dealt out at random"}
AGE = " age"
"""How the name of a carried channel's age ends."""
CARRY = {"nothing": "no channel's", "documents": "those out of documents", "levels": "all that are seen as levels"}

METRICS = ("mse", "mae", "rmse", "r2", "r2_mean", "hit_rate", "dm", "dm_p")
VOLATILITY_METRICS = ("qlike", "qlike_gain", "dm", "dm_p", "crps", "coverage_50", "coverage_90")
LEVELS = (0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975)

LOOK = ("look",)


class GoldForecast(Experiment):
    """Fit a network again and again on the past, forecast what comes next, and judge it against simple forecasts."""

    about = About(
        "gold-forecast",
        "Forecast lab",
        icon=":material/query_stats:",
        section="Markets",
        rank=51,
        door="Can a network forecast gold?",
        sought="gold forecast walk-forward backtest baseline Diebold-Mariano interval volatility LSTM",
        question="Can a network forecast the next move better than saying zero?",
    )
    version = 2
    retired: ClassVar[Mapping[str, str]] = {
        name: f"Forecast lab has no setting {name!r} any more: it keeps no final block, and tests up to the data's end."
        for name in ("final_days", "open_final")
    }
    smaller: ClassVar[tuple[str, ...]] = ("hidden", "window", "batch")

    data: str = market_settings.market()
    market_seed: int = market_settings.market_seed()
    target: Literal["return", "volatility", "level"] = setting("return", group="Data", essential=True, labels=TARGETS)
    """What is forecast: the next move, or its size. The level is there to show why its fine scores mean nothing."""
    inputs: Literal["own", "all"] = setting(
        "all", group="Data", essential=True, labels={"own": "the target's own past", "all": "all channels"}
    )
    """What the network sees."""
    alignment: market_settings.Alignment = market_settings.alignment(group="Data")
    missing: str = market_settings.missing(group="Data")
    """What is hidden from the network, to study missing data."""
    missing_share: float = market_settings.missing_share(0.3, group="Data")
    documents: Literal["none", "generated", "shuffled"] = setting("none", group="Data", labels=DOCUMENTS)
    """Generated statements whose tone becomes a channel of the simulated market. Your own documents become channels on
    the page Policy documents."""
    tone_response: float = market_settings.tone_response()
    carry: Literal["nothing", "documents", "levels"] = setting("documents", group="Data", labels=CARRY)
    """Whose last value, and its age, a row carries on while nothing new is known."""
    shuffle_targets: bool = setting(False, group="Data")
    """Deal the targets out at random, a check: any skill that is left comes from a mistake."""

    network: str = setting("gru", group="Network", essential=True, one_of=NETWORKS)
    """What reads the window of past rows."""
    window: int = setting(20, ge=2, le=250, group="Network", essential=True, unit="rows")
    """Rows of the past in sight."""
    hidden: int = standard.hidden(32, le=256)
    head: Literal["gaussian", "student", "quantiles"] = setting("gaussian", group="Network", labels=HEADS)
    """What is forecast of the next value's distribution, and so the loss."""
    dropout: float = standard.dropout(0.1)
    """Share of hidden values dropped."""

    attention: str = setting(
        "full", group="Transformer", one_of={name: kind.label for name, kind in ATTENTIONS.items()}
    )
    """Which rows of the window a row may look at."""
    kernel: Literal["1", "3", "5", "9"] = setting("1", group="Transformer", labels=KERNELS)
    """Rows that a query and a key are made of. Above 1 the attention is convolutional."""
    positions: str = setting(
        "sinusoidal", group="Transformer", one_of={name: code.label for name, code in POSITIONS.items()}
    )
    """How a row says where it stands. By time: in days before the value that is forecast."""
    activation: str = standard.activation("gelu", group="Transformer", essential=False)
    """Nonlinearity of the feed-forward networks."""

    scheme: str = walk_forward.scheme()
    """Whether the training window begins with the data or has a fixed length."""
    train_years: float = walk_forward.train_years()
    """Length of a rolling training window, and the least that an expanding one begins with."""
    test_years: float = walk_forward.test_years()
    """The last years: all of them are forecast, none of them from itself."""
    refits: int = walk_forward.refits(6, le=60)
    """So often the network is fitted anew, each time with more of the past."""
    embargo: int = setting(5, ge=0, le=250, group="Walk-forward", unit="rows")
    """Rows left out between training, validation and test, so that none knows of the next."""
    validation_share: float = setting(0.15, ge=0.05, le=0.5, group="Walk-forward")
    """The last part of each training window, which decides when training has gone on long enough."""

    optimiser: str = standard.optimiser("adamw")
    learning_rate: float = standard.learning_rate(1e-3)
    clip: float = standard.clip(1.0)
    epochs: int = standard.epochs(20, le=500)
    """Passes over each training window. The weights with the best validation loss make the forecasts."""
    batch: int = standard.batch(128, "windows", ge=8, le=2048)
    look_every: int = standard.look_every(2, le=100, unit="epochs")
    """Forecasts and gradients through time are recorded every so many epochs, and at the end."""

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(BY_FOLD, "Training loss of each refit", must_stay_finite=True, kind="training_loss_by_fit"),
        "validation_loss": Variable(
            BY_FOLD, "Loss on the last part of each training window", kind="evaluation_loss_by_fit"
        ),
        "best_epoch": Variable(BY_FOLD, "Epoch with the lowest validation loss so far"),
        "gradient_norm": Variable(
            ("epoch", "layer", "seed"),
            "Gradient norm by layer, last refit, mean over steps",
            kind="gradient_norm_by_layer",
        ),
        "update_to_data": Variable(
            ("epoch", "layer", "seed"), "Update-to-data ratio by layer, last refit", kind="update_to_data_by_layer"
        ),
        "state_gradient_norm": Variable(
            (*LOOK, "lag", "seed"),
            "Norm of dL/dh so many rows back, last refit (NaN without hidden states)",
            label="Norm of dL/dh",
            format=".3e",
            scale="log",
        ),
        "input_gradient": Variable(
            (*LOOK, "lag", "channel", "seed"), "Mean size of the forecast's derivative by an input, last refit"
        ),
        "mean": Variable((*LOOK, "time", "seed"), "Forecast mean, from the best weights so far"),
        "scale": Variable((*LOOK, "time", "seed"), "Forecast standard deviation"),
        "target": Variable(("time",), "What came", once=True),
        "price": Variable(("time",), "The target's price when the forecast was made", once=True),
        "days_ahead": Variable(("time",), "Days until the value that is forecast", "d", once=True),
        "block": Variable(("time",), "Number of the refit that made the forecast, from 0", once=True),
        "baseline_mean": Variable(("baseline", "time"), "Forecast mean of a baseline", once=True),
        "baseline_scale": Variable(
            ("volatility_baseline", "time"), "Forecast standard deviation of a baseline", once=True
        ),
        "quantile": Variable(("time", "level"), "Forecast quantile, mean over seeds", once=True),
        "pit": Variable(("time",), "Forecast probability of at most what came", once=True),
        "score": Variable(("model", "metric"), "Score of a mean forecast", once=True),
        "score_low": Variable(("model", "metric"), "Lower end of the score's 95 % interval", once=True),
        "score_high": Variable(("model", "metric"), "Upper end of the score's 95 % interval", once=True),
        "volatility_score": Variable(("volatility_model", "volatility_metric"), "Score of a variance", once=True),
        "volatility_score_low": Variable(("volatility_model", "volatility_metric"), "Its lower end", once=True),
        "volatility_score_high": Variable(("volatility_model", "volatility_metric"), "Its upper end", once=True),
        "seed_r2": Variable(("seed",), "R2 against zero of each seed alone", once=True),
        "hidden": Variable(("recent", "unit"), "Hidden state at the last forecasts, first seed", once=True),
        "parameter_count": Variable((), "Number of parameters", once=True),
        "observed": Variable(
            ("fold", "channel"), "Share of a refit's training rows on which a channel was observed", once=True
        ),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "lag": Coordinate("Rows back from the forecast", "%{x} rows back"),
        "day": Coordinate("Day", "%{x|%d %b %Y}"),
        "recent": Coordinate("Day", "%{x|%d %b %Y}", linked="day"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "The loss counts observed times only, L(theta) = sum_k l(y(t_k), y^(t_k)) (document 001, section 1.1).",
        "An ODE-RNN's state flows to the time of the value that is forecast, h' = ODESolve(f, h_k, t_k, t_(k+1)) "
        "(document 001, eq. 32).",
        "R2 out of sample = 1 - sum (y - y^)^2 / sum y^2: the share of squared error saved against a forecast of zero "
        "(Campbell and Thompson 2008).",
        "Diebold and Mariano's statistic compares the losses of two forecasts (1995), with the small-sample "
        "correction of Harvey, Leybourne and Newbold (1997).",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "A GRU on all channels, each known from its release on. On none of 10 simulated markets were short "
            "runs proved better than zero.",
        ),
        Preset(
            "Volatility",
            "The size of the next move instead of its sign. Short runs beat a constant variance on 10 of 10 simulated "
            "markets; GARCH scored higher on 3 of them.",
            {"target": "volatility", "head": "student"},
            figure="volatility",
        ),
        Preset(
            "Partial observations",
            "Half of the covariates' values hidden, and a GRU that lets what it last saw decay.",
            {"network": "gru_decay", "missing": "random", "missing_share": 0.5},
        ),
        Preset(
            "A Transformer",
            "Attention over the window, each row told how many days it lies before the forecast. It is judged like "
            "every other network: does the whole interval lie above zero?",
            {
                "network": "transformer",
                "positions": "sinusoidal_days",
                "kernel": "5",
                "hidden": 16,
                "test_years": 10.0,
                "refits": 3,
                "epochs": 8,
            },
        ),
        Preset(
            "Documents that move gold",
            "A positive control: the simulated market answers to what generated statements say, so a forecast that "
            "reads them in time must find skill. In eight of ten markets it did; with the statements dealt out at "
            "random, or without the answer, in none of ten.",
            {
                "documents": "generated",
                "tone_response": 0.3,
                "hidden": 8,
                "test_years": 10.0,
                "refits": 3,
                "learning_rate": 3e-3,
                "epochs": 10,
            },
        ),
        Preset(
            "Break it: leak",
            "Covariates joined by calendar date: the network sees closes of the very day that it forecasts. "
            "R2 was 39 to 52 % in short runs on 10 simulated markets.",
            {"alignment": "date"},
        ),
        Preset(
            "Break it: levels",
            "Prices instead of moves. R2 against the mean was above 0.99 on 10 of 10 simulated markets. It means "
            "nothing: repeating the last price does it, too.",
            {"target": "level", "test_years": 10.0},
            figure="scoreboard",
        ),
        Preset(
            "Fix it: shuffled targets",
            "A check of the whole way of working: with targets dealt out at random no skill may be left. None was in "
            "short runs on 10 of 10 simulated markets.",
            {"shuffle_targets": True},
        ),
    )

    kept_by_presets: ClassVar[tuple[str, ...]] = market_settings.MARKET_SETTINGS

    @model_validator(mode="after")
    def _heads_share_the_units(self) -> Self:
        if self.network == "transformer" and self.hidden % 4:
            raise ValueError(
                f"Hidden units are {self.hidden}; allowed is a multiple of 4 with a Transformer, whose two heads have "
                "pairs of sines and cosines"
            )
        return self

    def without_effect(self) -> Mapping[str, str]:
        """A Transformer's settings, where another network reads the window."""
        return {} if self.network == "transformer" else dict.fromkeys(TRANSFORMER, "Only the Transformer has it.")

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: each row's gates and states, and the solver's stages in between."""
        if self.network == "transformer":
            # ProbSparse attention keeps its scores; the other kinds work in blocks.
            a_row = 45 * self.hidden + (12 if self.attention.startswith("prob_sparse") else 2) * self.window
            a_window = self.window * a_row
            return bytes_of_training(40 * self.hidden**2, 1, max(self.batch, 400) * a_window + 2e6)
        copies = {"rnn": 6, "ode_rnn": 60, "gru_decay": 24}.get(self.network, 16)
        a_window = 60 * self.window + 8 * self.hidden if self.network == "mlp" else copies * self.hidden * self.window
        values = max(self.batch, 400) * a_window
        return bytes_of_training(4 * self.hidden**2 + 20 * self.window * self.hidden, 1, values + 2e6)

    def sizes(self) -> dict[str, float]:
        """Training windows of all refits, as of twenty years of days, and what is computed in their rows."""
        years: float = self.train_years
        if self.scheme == "expanding":
            years = max(years, TYPICAL_YEARS - self.test_years)
            years += self.test_years / 2 * (1 - 1 / self.refits)
        windows = 252 * years * (1 - self.validation_share) * self.refits
        updates, values = math.ceil(windows / self.batch), windows * self.window * self.hidden
        own = {"windows": windows, "updates": updates}
        if self.network == "mlp":
            return {**own, "read": values}
        if self.network == "transformer":
            return {**own, "attended": values * float(self.kernel)}
        parts = len(CELLS[self.network].parts) if self.network in CELLS else 3
        # On its way through a gap an ODE-RNN asks its field at each stage.
        parts *= 4 if self.network == "ode_rnn" else 1
        return {
            **own,
            "in_turn": parts * updates * self.window,
            "values": parts * values,
            "products": parts * values * self.hidden,
        }

    def choices(self) -> frozenset[str]:
        """None: what is chosen among few changes what a step computes by the sizes alone."""
        return frozenset()
