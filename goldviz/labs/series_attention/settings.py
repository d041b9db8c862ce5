"""What can be set of *Transformer for series*, and what is recorded of it.

Document 002, sections 4 and 5: rows [z_(t-1), x_t], convolutional queries and keys, sparse attention, positions, and
the activation of the feed-forward networks. ``fan``, ``attention`` and what else is of a probe are of the first seed.
Values are standardised by the series that are learned from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.declare import layers as of_layers
from goldviz.declare import market_settings, standard
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP, LOOK
from goldviz.labs.series_attention.extent import forecast_rows, trained_networks, window_rows
from goldviz.labs.series_attention.outputs import OUTPUTS
from goldviz.models.series.attention import ATTENTIONS
from goldviz.models.series.positions import POSITIONS

TASKS = {
    "sines": "Li's piecewise sines",
    "surroundings": "Equal values, other surroundings",
    "cycle": "A pattern that comes again",
    "oscillator": "Oscillator at irregular times",
    "market": "The market's returns",
}
NETWORKS = {
    "all": "All of them",
    "transformer": "Transformer",
    "pointwise": "Transformer with k = 1",
    "gru": "GRU",
    "ode_rnn": "ODE-RNN",
}
BLOCKS = {"pre": "Norms before the branches", "post": "Norms after the additions", "bare": "Neither, as printed"}
KERNELS = {"1": "k = 1", "3": "k = 3", "5": "k = 5", "9": "k = 9"}


FIRST_SINES = 24
MAP = ("look", "layer_number", "head")
WEEK = {
    "task": "cycle",
    "period": 5,
    "context": 20,
    "horizon": 10,
    "layers": 1,
    "learning_rate": 1e-2,
    "steps": 300,
    "networks": "transformer",
}
"""Of the presets and claims with a pattern of five rows."""
POINTWISE_WEEK = {**WEEK, "kernel": "1"}


class SeriesAttention(Experiment):
    """Train a Transformer to forecast series one row after the other, beside simple forecasts."""

    about = About(
        "series-attention",
        "Transformer for series",
        icon=":material/ssid_chart:",
        section="Markets",
        rank=53,
        sought="time series Transformer Informer Autoformer forecasting positional encoding covariates",
        question="Where does attention look in a series, and does it forecast better than simple rules?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("width", "layers", "context", "batch")

    task: Literal["sines", "surroundings", "cycle", "oscillator", "market"] = setting(
        "sines", group="Task", essential=True, labels=TASKS
    )
    """Where the series come from."""
    data: str = market_settings.market()
    market_seed: int = market_settings.market_seed()
    context: int = setting(24, ge=2, le=256, group="Task", essential=True, unit="rows")
    """Rows that are known, t0."""
    horizon: int = setting(24, ge=1, le=128, group="Task", essential=True, unit="rows")
    """Rows behind them, to forecast."""
    period: int = setting(7, ge=2, le=128, group="Task", unit="rows")
    """Rows until the pattern comes again."""
    calendar: bool = setting(False, group="Task")
    """Tell the networks where in the period a row is, as a calendar does; of a market, the weekday and the gap."""
    covariate: str = setting("", max_length=80, group="Task")
    """A channel of the market that is out before its day, at the latest when it is forecast from. Empty: none."""
    longest: int = setting(0, ge=0, le=256, group="Task", unit="rows")
    """Rows of other test series, forecast one row ahead: longer than any learned from. 0: none."""
    series: int = setting(4500, ge=2, le=20000, group="Task", unit="series")
    """Series to learn from. A market has its own."""

    networks: Literal["all", "transformer", "pointwise", "gru", "ode_rnn"] = setting(
        "all", group="Network", essential=True, labels=NETWORKS
    )
    """Which networks are trained. Of all of them, the ODE-RNN where times are irregular."""
    attention: str = setting(
        "full", group="Network", essential=True, one_of={name: kind.label for name, kind in ATTENTIONS.items()}
    )
    """Which rows a row may look at."""
    kernel: Literal["1", "3", "5", "9"] = setting("5", group="Network", essential=True, labels=KERNELS)
    """Rows that a query and a key are made of, the present one among them. 1: the usual Transformer."""
    positions: str = setting(
        "sinusoidal", group="Network", essential=True, one_of={name: code.label for name, code in POSITIONS.items()}
    )
    """How a row says where it stands."""
    activation: str = standard.activation("gelu")
    """Nonlinearity of the feed-forward networks, which are four times as wide."""
    block: Literal["pre", "post", "bare"] = setting("pre", group="Network", labels=BLOCKS)
    """Additions and layer norms around attention and feed-forward network. The document prints neither."""
    layers: int = setting(2, ge=1, le=8, group="Network", unit="blocks")
    """Blocks, one on the other."""
    heads: int = setting(2, ge=1, le=8, group="Network", unit="heads")
    """Attention heads of every block."""
    width: int = setting(32, ge=4, le=128, group="Network", unit="units")
    """Numbers that stand for a row; even for each head."""
    window: int = setting(1, ge=1, le=64, group="Network", unit="rows")
    """LogSparse: rows just before that are seen, too."""
    restart: int = setting(0, ge=0, le=256, group="Network", unit="rows")
    """LogSparse: the pattern begins anew there. 0: never."""
    factor: float = setting(2.0, ge=0.1, le=20, group="Network")
    """ProbSparse: c; c ln t rows attend, the others take a mean."""
    output: str = setting("normal", group="Network", one_of=standard.labels_of(OUTPUTS))
    """What is said of the next value."""

    optimiser: str = standard.optimiser("adam")
    learning_rate: float = standard.learning_rate(0.003)
    """Peak of the learning rate."""
    warm_up: float = setting(0.1, ge=0, le=0.9, group="Training")
    """Share of the steps in which the learning rate rises; then it falls to a hundredth of its peak."""
    clip: float = standard.clip(1.0)
    steps: int = standard.steps(400)
    """Optimiser steps, each on series drawn at random."""
    batch: int = standard.batch(16, "series")
    look_every: int = standard.look_every(100)
    """Forecasts, attention and layers are recorded every so many steps."""
    compared_row: int = setting(0, ge=0, le=384, group="Training", unit="row")
    """Row whose query is compared with the keys of all rows before. 0: the first row to forecast."""

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        if self.width % (2 * self.heads):
            raise ValueError(f"Width is {self.width}; allowed is an even number for each of the {self.heads} heads")
        if self.task == "sines" and self.context < FIRST_SINES:
            raise ValueError(
                f"Context is {self.context}; allowed are at least {FIRST_SINES} rows, the two sines to compare"
            )
        if self.task == "cycle" and self.period > self.context:
            raise ValueError(f"Period is {self.period}; allowed are at most the {self.context} rows of the context")
        if self.attention == "log_sparse" and self.restart and self.window > self.restart:
            raise ValueError(f"Window is {self.window}; allowed are at most the {self.restart} rows of the restart")
        rows = window_rows(self)
        if self.compared_row > rows:
            raise ValueError(f"Compared row is {self.compared_row}; allowed are 0 to {rows}, the rows of a series")
        if self.attention.startswith("prob_sparse") and self.factor * math.log(rows) > rows:
            raise ValueError(
                f"Factor is {self.factor:g}, for {self.factor * math.log(rows):.0f} active rows of {rows}; "
                f"allowed is at most {rows / math.log(rows):.2f}"
            )
        return self

    variables: ClassVar[Mapping[str, Variable]] = {
        "learning_rate": Variable(("step",), "Learning rate of the step", kind="learning_rate"),
        "loss": Variable(
            EVERY_STEP, "Loss one row ahead, on the step's series", must_stay_finite=True, kind="training_loss"
        ),
        **standard.gradient_norms(),
        "train_loss": Variable(LOOK, "Loss one row ahead on series to learn from", kind="evaluated_training_loss"),
        "test_loss": Variable(
            LOOK, "Loss one row ahead on series kept from training", kind="evaluation_loss", label="test"
        ),
        "horizon_error": Variable(
            (*LOOK, "ahead"),
            "Mean squared error of the rolled forecast, so many rows ahead",
            label="Mean squared error",
            scale="log",
        ),
        "weighted_error": Variable(
            LOOK,
            "R_0.5: absolute errors of the rolled forecast over absolute values",
            label="Error as a share of the values",
            scale="log",
        ),
        "recovered": Variable(
            LOOK, "Share of the variance of negative moves that a linear map of the first block's units gives back"
        ),
        "row_error": Variable(
            (*LOOK, "row"),
            "Mean squared error one row ahead in longer series, by row",
            label="Mean squared error",
            scale="log",
        ),
        "bumps_apart": Variable(LOOK, "How far attention's scores of the two bumps are apart, over their spread"),
        "forecast": Variable((*LOOK[:2], "ahead"), "Rolled forecast of the probe: medians, first seed", format=".3f"),
        "fan": Variable((*LOOK[:2], "share", "ahead"), "Quantiles of drawn courses of the probe, first seed"),
        "attention": Variable((*MAP, "query", "key"), "Attention in the probe, first seed", kind="attention_map"),
        "attention_by_lag": Variable(
            (*MAP, "lag"),
            "Mean attention so many rows back, first seed",
            label="Mean weight",
            format=".3f",
            scale="zero",
        ),
        "similarity": Variable(
            (*LOOK[:2], "place"),
            "Query of the compared row times keys, first block, mean over heads",
            label="Query times key",
            format=".3f",
        ),
        "kernel_norm": Variable(
            ("look", "side", "layer_number", "head", "kernel_lag"),
            "Norm of the kernel so many rows back, first seed",
            label="Norm",
            format=".3f",
            scale="zero",
        ),
        "score": Variable(
            (*MAP, "place"),
            "ProbSparse score of a row of the probe above even attention, first seed",
            label="Score",
            format=".3f",
            scale="zero",
        ),
        "active": Variable((*MAP, "place"), "Whether the row attends (1) or takes a mean (0), first seed"),
        "position_product": Variable(
            ("look", "lag"),
            "Product of two rows' positions over one's with itself",
            label="Product",
            format=".3f",
            scale="zero",
        ),
        "position_spread": Variable(("look", "lag"), "How much that differs among rows equally far apart"),
        **of_layers.update_to_data((*LOOK, "layer")),
        **of_layers.gradient_to_data((*LOOK, "layer")),
        **of_layers.gradient_norm((*LOOK, "layer")),
        "dead_units": Variable(
            (*LOOK, "layer"), "Share of a block's units that none of the market's rows activates", kind="dead_units"
        ),
        **of_layers.distributions((*LOOK[:2], "layer"), (*LOOK[:2], "layer")),
        "heard": Variable(("depth", "lag"), "Whether a row hears so many rows back after so many blocks", once=True),
        "simple_error": Variable(
            ("simple", "seed", "ahead"), "Mean squared error of a simple forecast, so many rows ahead", once=True
        ),
        "simple_weighted": Variable(("simple", "seed"), "R_0.5 of a simple forecast", once=True),
        "simple_forecast": Variable(("simple", "ahead"), "Simple forecast of the probe, first seed", once=True),
        "probe": Variable(("place",), "Values of the probe, first seed", once=True, label="Value", format=".3f"),
        "floor": Variable((), "Mean squared error that no forecast can pass: the noise", once=True),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }
    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "ahead": Coordinate("Rows ahead", "%{x} ahead"),
        "place": Coordinate("Row", "row %{x}"),
        "row": Coordinate("Row", "row %{x}"),
        "lag": Coordinate("Rows back", "%{x} rows back", names={0: "0"}),
        "kernel_lag": Coordinate("Rows back", "%{x} rows back", names={0: "0"}),
        "depth": Coordinate("Blocks"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "Row: y_t = [z_(t-1), x_t]; q_t = sum_i y_(t-i) F^Q[i], k_t alike, v_t = y_t W^V (document 002, 4.1).",
        "Attention: softmax(Q K^T / sqrt(d_k) + mask) V, minus infinity for later rows (4).",
        "ProbSparse: s_i = ln sum_j exp(q_i k_j / sqrt(d_k)) - mean_j q_i k_j / sqrt(d_k); the highest attend (4.2).",
        "Positions: sin and cos of t / 10000^(2i / D) (5.1); GELU: x Phi(x) (5.2).",
        "R_0.5 = sum |z - forecast| / sum |z| over all rows to forecast (Li et al. 2019).",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "Two sines of random height; the last one is as high as the higher. Who finds it in the past?",
        ),
        Preset(
            "Equal values",
            "Bumps of equal height lead to two levels. Only what comes before a bump tells which one follows.",
            {"task": "surroundings", "positions": "none", "steps": 500, "batch": 32},
        ),
        Preset(
            "A week of five days",
            "A pattern of five rows comes again and again. No sine of the positions is that short.",
            POINTWISE_WEEK,
        ),
        Preset(
            "Break it: longer than trained",
            "Learned on 30 rows, asked at up to 120. Behind row 30 no position was learned: rows take the last one.",
            {**POINTWISE_WEEK, "positions": "learned", "longest": 120},
            figure="longer",
        ),
        Preset(
            "Fix it: a kernel, no positions",
            "The same without positions. Five rows in a query and a key say where in the pattern a row is.",
            {**WEEK, "positions": "none", "longest": 120},
            figure="longer",
        ),
        Preset(
            "LogSparse",
            "A row sees itself and the rows 1, 2, 4, 8 … before it; block by block it hears of the rest.",
            {"attention": "log_sparse", "networks": "transformer"},
            figure="heard",
        ),
        Preset(
            "ProbSparse",
            "Only rows whose attention is uneven attend; the others take the mean of what is behind them.",
            {"attention": "prob_sparse", "networks": "transformer"},
            figure="scores",
        ),
        Preset(
            "Bare block",
            "Blocks as the document prints them, without additions and layer norms. Do two of them still learn?",
            {"block": "bare", "networks": "transformer"},
        ),
        Preset(
            "Irregular times",
            "An oscillator is seen at irregular times. Positions are sines of the time itself, so a gap counts.",
            {"task": "oscillator", "positions": "sinusoidal_days", "horizon": 12, "kernel": "1"},
        ),
        Preset(
            "The market's returns",
            "Windows of the market's daily moves. Do not expect skill: an R_0.5 of 1 is that of forecasting no move.",
            {"task": "market", "output": "student", "horizon": 10, "steps": 200, "kernel": "1"},
        ),
    )

    kept_by_presets: ClassVar[tuple[str, ...]] = market_settings.MARKET_SETTINGS

    def without_effect(self) -> Mapping[str, str]:
        """What the task or the attention leaves unread."""
        unread = (
            (self.task != "market", (*market_settings.MARKET_SETTINGS, "covariate"), "No market is read."),
            (self.task == "market", ("series",), "The market has as many windows as it has."),
            (self.task != "cycle", ("period", "longest"), "Only the pattern that comes again has it."),
            (self.task not in ("cycle", "market"), ("calendar",), "These series have no calendar."),
            (self.task == "surroundings", ("context", "horizon"), "These series have 22 rows, and 2 to forecast."),
            (self.attention != "log_sparse", ("window", "restart"), "Only LogSparse attention has it."),
            (not self.attention.startswith("prob_sparse"), ("factor",), "Only ProbSparse attention has it."),
        )
        return {name: reason for applies, names, reason in unread if applies for name in names}

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: every row's values in each block, and its maps of attention."""
        weights = self.layers * self.width**2 * (10 + 2 * int(self.kernel))
        rows = max(window_rows(self), self.longest)
        values = max(self.batch, 64) * self.layers * rows * (24 * self.width + 3 * self.heads * rows)
        return bytes_of_training(weights, len(trained_networks(self)) * len(self.seeds), values)

    def sizes(self) -> dict[str, float]:
        """What a step computes in the rows of its windows, by which networks, and the rows to forecast."""
        rows, inner = window_rows(self), self.layers * self.width
        values = float(self.batch * rows * inner)
        own = {"values": values, "products": values * self.width, "scores": values / self.width * self.heads * rows}
        more = {"rows": rows, "horizon": forecast_rows(self), "layers": self.layers, "kernel": float(self.kernel)}
        return {**own, **more, **dict.fromkeys(trained_networks(self), 1.0)}
