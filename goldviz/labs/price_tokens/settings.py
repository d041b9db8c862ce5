"""Price tokens: returns become tokens, tokens a sentence, and a language model forecasts the next word of it.

Document 002, sections 1.3.4 and 2.4, asks how a price becomes a token and names bins, clusters, mixtures, Markov models
and learned codes, without formulas. The chain here, from the token back to the density of the next return, is
goldviz's choice: p(x) = sum_k P(k | past) f_k(x).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.declare import market_settings, standard, walk_forward
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.walk_forward import BY_FOLD, TYPICAL_YEARS

TOKENISERS = {
    "uniform": "Bins of equal width",
    "quantile": "Bins of equal count",
    "basis_points": "Rounded to basis points",
    "kmeans": "k-means",
    "mixture": "Gaussian mixture",
    "hmm": "Hidden Markov model",
    "vqvae": "VQ-VAE",
}
OF_WINDOWS = ("kmeans", "mixture", "vqvae")
"""Tokenisers that can read more than one return."""
OF_NETWORKS = ("context", "hidden", "layers", "dropout", "optimiser", "learning_rate", "clip", "batch")
"""What counted pairs have no use for."""
NETWORKS = {"bigram": "Counted pairs", "mlp": "MLP", "gpt": "GPT"}
RETURNS = {"market": "the market's own", "regimes": "of the planted regimes alone"}
FITTED_ON = {"past": "the days before a block", "all": "all days (leaks)", "block": "the block's own days (leaks)"}
READ = {"filter": "by the filter", "smoother": "by the smoother (leaks)"}
LABELS = {"aligned": "matched to the fit before", "as_they_come": "as they come"}
CODES = {"data": "among the data", "far": "far away"}

HEADS = 4
"""Of the GPT."""
LOOK = ("look",)


class PriceTokens(Experiment):
    """Turn moves into tokens, fit a model of the next token walking forward, and judge the next move's density."""

    about = About(
        "price-tokens",
        "Price tokens",
        icon=":material/candlestick_chart:",
        section="Markets",
        rank=52,
        sought="tokenise returns GPT time series foundation model Chronos quantiles simulation",
        question="Can a language model read a price?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("hidden", "context", "batch")

    data: str = market_settings.market()
    market_seed: int = market_settings.market_seed()
    returns: Literal["market", "regimes"] = setting("market", group="Data", labels=RETURNS)
    """Daily moves of the simulated market. Regimes are calm and stormy spells planted in it; of these alone, moves have
    no jumps and no other memory. Not used with real data."""
    shuffle_days: bool = setting(False, group="Data")
    """Put the days in random order, as a check: any skill that is left comes from a mistake."""

    tokeniser: Literal["uniform", "quantile", "basis_points", "kmeans", "mixture", "hmm", "vqvae"] = setting(
        "quantile", group="Tokens", essential=True, labels=TOKENISERS
    )
    """How a day becomes a token."""
    tokens: int = setting(8, ge=2, le=64, group="Tokens", essential=True, unit="tokens")
    """How many different tokens there are: bins, clusters, states or codes."""
    basis_points: float = setting(25.0, ge=1, le=500, group="Tokens", unit="basis points")
    """Width of a rounded token, around zero: a basis point is a move of 0.0001. The outermost two tokens hold all that
    lies beyond. Not used by other tokenisers."""
    window: int = setting(1, ge=1, le=60, group="Tokens", essential=True, unit="days")
    """How many days one token sums up. Bins and the hidden Markov model take one day at a time."""
    codes: Literal["data", "far"] = setting("data", group="Tokens", labels=CODES)
    """Where the VQ-VAE's codes start, before they learn. Not used by other tokenisers."""
    code_steps: int = setting(300, ge=10, le=5000, group="Tokens", unit="steps")
    """Optimiser steps of the VQ-VAE in each fit. Not used by other tokenisers."""
    merges: int = setting(20, ge=0, le=200, group="Tokens", unit="merges")
    """How many frequent pairs of tokens are joined into new ones, with the days in order and shuffled. 0: none."""

    fitted_on: Literal["past", "all", "block"] = setting("past", group="Honesty", essential=True, labels=FITTED_ON)
    """Days on which the tokeniser is fitted. A block is the days that one fit forecasts."""
    read: Literal["filter", "smoother"] = setting("filter", group="Honesty", labels=READ)
    """How the hidden Markov model finds a day's state: the filter looks at days until then, the smoother at later ones,
    too."""
    labels: Literal["aligned", "as_they_come"] = setting("aligned", group="Honesty", labels=LABELS)
    """Whether the tokens of a new fit get the names that the fit before had for them. Earlier days are not written
    anew, so a name must keep its meaning."""

    network: Literal["bigram", "mlp", "gpt"] = setting("mlp", group="Network", essential=True, labels=NETWORKS)
    """What forecasts the next token."""
    context: int = setting(16, ge=1, le=128, group="Network", essential=True, unit="tokens")
    """Past tokens in sight. Counted pairs see one."""
    hidden: int = standard.hidden(16, ge=4, le=256)
    layers: int = setting(2, ge=1, le=6, group="Network", unit="layers")
    """Blocks of the GPT."""
    dropout: float = standard.dropout(0.3)
    """Share of values dropped while the network learns."""
    smoothing: float = setting(1.0, ge=0.01, le=100, group="Network")
    """Added to the count of every pair of tokens, so that none is impossible."""

    train_years: float = walk_forward.train_years()
    """Years before the first forecast. Later fits see all that came before their block."""
    test_years: float = walk_forward.test_years()
    """The last years: every day of them is forecast."""
    refits: int = walk_forward.refits(3, le=20)
    """How often tokeniser and network are fitted anew, each time on more of the past."""

    optimiser: str = standard.optimiser("adamw")
    learning_rate: float = standard.learning_rate(1e-3)
    clip: float = standard.clip(1.0)
    epochs: int = standard.epochs(6, le=500)
    """Passes over the training tokens. The weights with the best validation loss make the forecasts."""
    batch: int = standard.batch(128, "places", ge=8, le=2048)
    look_every: int = standard.look_every(2, le=100, unit="epochs")
    """Forecasts are recorded every so many epochs, and at the end."""

    @model_validator(mode="after")
    def _enough_room_for_heads(self) -> Self:
        if self.network == "gpt" and self.hidden % HEADS:
            raise ValueError(f"Hidden is {self.hidden}; {HEADS} heads share it, so allowed is a multiple of {HEADS}")
        return self

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(
            BY_FOLD, "Training loss of the next token", "nat", must_stay_finite=True, kind="training_loss_by_fit"
        ),
        "validation_loss": Variable(
            BY_FOLD, "Loss of the next token on the last part of the past", "nat", kind="evaluation_loss_by_fit"
        ),
        "nats": Variable((*LOOK, "time", "seed"), "Minus the log density of the next move", "nat"),
        "baseline_nats": Variable(
            ("baseline", "time"), "Minus the log density of the next move, of a baseline", "nat", once=True
        ),
        "came": Variable(("time",), "Move that came", once=True),
        "block": Variable(("time",), "Number of the refit that made the forecast, from 0", once=True),
        "score": Variable(("model", "metric"), "Score of a forecast", once=True),
        "score_low": Variable(("model", "metric"), "Lower end of the score's 95 % interval", once=True),
        "score_high": Variable(("model", "metric"), "Upper end of the score's 95 % interval", once=True),
        "seed_gain": Variable(("seed",), "Nats a day gained over frequency, of each seed alone", "nat", once=True),
        "quantile": Variable(("recent", "level"), "Forecast quantile, mean over seeds", once=True),
        "price": Variable(("time",), "Price after the move that came", once=True, label="Price"),
        "token": Variable(("time",), "Token of the day that was forecast, as it was written down then", once=True),
        "regime": Variable(("time",), "Planted regime of the day", once=True),
        "token_mean": Variable(("fold", "token_name"), "Mean move that a token stands for", once=True),
        "token_deviation": Variable(
            ("fold", "token_name"), "Standard deviation of the move that a token stands for", once=True
        ),
        "occupancy": Variable(("fold", "token_name"), "Share of the days with this token", once=True),
        "code_perplexity": Variable(("fold",), "Perplexity of the tokens' use", once=True),
        "codes_in_use": Variable(
            ("code_look",), "Perplexity of code use while the codes are learned, first fit", once=True
        ),
        "transition": Variable(
            ("token_name", "next_token"), "How often a token follows another, of all its days", once=True
        ),
        "planted_transition": Variable(
            ("planted", "next_planted"), "Planted chain from one trading day to the next", once=True
        ),
        "fitted_transition": Variable(("token_name", "next_token"), "Chain that the last fit found", once=True),
        "rand_index": Variable(
            (), "Adjusted Rand index of tokens and planted regimes, days that are forecast", once=True
        ),
        "same_label": Variable(("refit",), "Share of past days with the label of the fit before", once=True),
        "same_meaning": Variable(("refit",), "The same with labels matched", once=True),
        "changed_by_future": Variable((), "Share of tokens that are others when only later days change", once=True),
        "bits": Variable(
            ("order", "merge"),
            "Bits a later day after so many merges",
            "bit",
            once=True,
            label="Bits a day",
            format=".3f",
            scale="zero",
        ),
        "motif_count": Variable(("order", "motif"), "How often a merged pair stood in the past", once=True),
        "parameter_count": Variable((), "Number of parameters", once=True),
    }
    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "time": Coordinate("Day", linked="day"),
        "recent": Coordinate("Day", linked="day"),
        "token_name": Coordinate("Token", "token %{x}"),
        "next_token": Coordinate("to"),
        "planted": Coordinate("from"),
        "merge": Coordinate("Merges", "%{x} merges"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "The density of the next move is p(x) = sum_k P(k | past) f_k(x). Each f_k is uniform in a bin, "
        "exponential in the outermost two, normal for clusters and states. That is goldviz's choice; document 002, "
        "2.4, names the tokenisers.",
        "Nats a day: -log p(x). With bins it is -log P(k) plus the log of the bin's width.",
        "Sign and size: -log p(x) = -log [p(x) + p(-x)] - log [p(x) / (p(x) + p(-x))].",
        "Hidden Markov model: filter p(s_t | x_1..t) = c f(x_t) sum_i p(s_(t-1) = i | x_1..t-1) A_i (Hamilton 1989).",
        "VQ-VAE: |x - D(c_k)|^2 + |sg z - c_k|^2 + 0.25 |z - sg c_k|^2, k nearest (van den Oord et al. 2017).",
        "Diebold and Mariano's statistic compares the losses of two forecasts (1995).",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "Eight bins that hold equally many days are the tokens, and an MLP reads the last sixteen. It forecasts "
            "something of the next move's size on five of five simulated markets, and of its sign on none.",
        ),
        Preset(
            "Regimes",
            "A hidden Markov model sorts the days into three states. They are not the regimes planted in the "
            "simulated market. Both agree by 0.01 to 0.15, where 0 is chance and 1 is all (five of five markets).",
            {"tokeniser": "hmm", "tokens": 3, "network": "bigram"},
            figure="as_text",
        ),
        Preset(
            "Regimes alone",
            "The same model where moves come from the regimes and nothing else. Its states agree with them by 0.20 to "
            "0.48 (five of five markets).",
            {"tokeniser": "hmm", "tokens": 3, "network": "bigram", "returns": "regimes"},
            figure="as_text",
        ),
        Preset(
            "GPT",
            "A small GPT reads the bins. On five of five simulated markets it gained 0.006 to 0.014 nats a day more "
            "than the MLP.",
            {"network": "gpt", "hidden": 32, "dropout": 0.1, "learning_rate": 2e-3, "epochs": 4, "batch": 256},
            figure="scoreboard",
        ),
        Preset(
            "Learned codes",
            "A VQ-VAE learns sixteen codes, each for the last five days. These overlap, so the next code is easy to "
            "guess. Yet the next move is forecast worse than from how often each code comes (five of five markets).",
            {"tokeniser": "vqvae", "tokens": 16, "window": 5, "network": "bigram"},
            figure="scoreboard",
        ),
        Preset(
            "Look-ahead: bins of the days to come",
            "The bins are cut from the very days that they are judged on. Beside the honest bins of *As in the "
            "document* this gains (five of five markets), and no forecaster could have it.",
            {"fitted_on": "block"},
        ),
        Preset(
            "Look-ahead: smoother",
            "A day's state is read with the help of later days. The gain about doubles or more (five of five markets), "
            "and no forecaster could have it.",
            {"tokeniser": "hmm", "tokens": 3, "network": "bigram", "read": "smoother"},
            formerly="break-it-smoother",
        ),
        Preset(
            "Look-ahead: fitted on all data",
            "The tokeniser has seen the days that it is judged on. Change later days only, and 11 to 34 % of the "
            "earlier tokens change, too (five of five markets).",
            {"tokeniser": "hmm", "tokens": 3, "network": "bigram", "fitted_on": "all"},
            figure="as_text",
            formerly="break-it-fitted-on-all-data",
        ),
        Preset(
            "Look-ahead: quantiles of the future",
            "The bins hold equally many of the days to be forecast, so their edges tell how large those moves will be. "
            "Change later days only, and 29 to 38 % of the earlier tokens change (five of five markets).",
            {"network": "bigram", "fitted_on": "block", "refits": 12},
            figure="as_text",
            formerly="break-it-quantiles-of-the-future",
        ),
        Preset(
            "Break it: switching labels",
            "Every fit names its clusters anew: 18 to 49 % of the days keep their name, where 87 to 99 % could (five "
            "of five markets).",
            {
                "tokeniser": "kmeans",
                "tokens": 4,
                "window": 20,
                "network": "bigram",
                "labels": "as_they_come",
                "refits": 6,
            },
            figure="as_text",
        ),
        Preset(
            "Fix it: matched labels",
            "The same clusters, each fit's names matched to the one before: 87 to 99 % of the days keep them (five of "
            "five markets).",
            {"tokeniser": "kmeans", "tokens": 4, "window": 20, "network": "bigram", "refits": 6},
            figure="as_text",
        ),
        Preset(
            "Break it: codes that collapse",
            "Codes begin far from the data. One is the nearest to nearly all days, so they get one token.",
            {"tokeniser": "vqvae", "tokens": 16, "window": 5, "network": "bigram", "codes": "far"},
            figure="meaning",
        ),
        Preset(
            "Fix it: shuffled days",
            "A check of everything at once: with the days in random order no skill may be left.",
            {"shuffle_days": True},
        ),
    )

    kept_by_presets: ClassVar[tuple[str, ...]] = market_settings.MARKET_SETTINGS

    @property
    def days_in_token(self) -> int:
        """How many returns a token stands for."""
        return self.window if self.tokeniser in OF_WINDOWS else 1

    def without_effect(self) -> Mapping[str, str]:
        idle = {} if self.tokeniser in OF_WINDOWS else {"window": "Each token is of a single day."}
        if self.tokeniser != "vqvae":
            idle |= dict.fromkeys(("codes", "code_steps"), "Only a VQ-VAE learns codes.")
        if self.tokeniser != "basis_points":
            idle["basis_points"] = "Only rounded tokens have a width of their own."
        if self.tokeniser != "hmm":
            idle["read"] = "Only a hidden Markov model has states to read."
        if self.network == "bigram":
            idle |= dict.fromkeys(OF_NETWORKS, "Pairs are counted: there is no network.")
        return idle | ({"layers": "The MLP has one hidden layer."} if self.network == "mlp" else {})

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: every token's values in each block of the GPT, or of the network."""
        rows = max(self.batch, 400)
        a_row = {
            "bigram": self.hidden,
            "mlp": 8 * self.context + 4 * self.hidden,
            "gpt": self.context * self.layers * (22 * self.hidden + 12 * self.context),
        }[self.network]
        values = rows * a_row
        weights = self.layers * 12 * self.hidden**2 if self.network == "gpt" else 8 * self.context * self.hidden
        return bytes_of_training(weights, len(self.seeds), values)

    def sizes(self) -> dict[str, float]:
        """Training windows of all refits, as of twenty years of days, and the optimiser's steps through them."""
        windows = 252 * (TYPICAL_YEARS - self.test_years / 2) * self.refits
        code_steps = self.code_steps if self.tokeniser == "vqvae" else 0
        return {**super().sizes(), "windows": windows, "updates": windows / self.batch, "code_steps": code_steps}
