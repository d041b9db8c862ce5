"""From probabilities of the next token to the density of the next return, and what simple forecasts say of it.

p(x) = sum_k P(k | past) f_k(x). Losses are nats a day, -log p(x): those of different tokens can be compared, and with
forecasts that know no tokens. Of each loss a part is for the sign, -log [p(x) / (p(x) + p(-x))], and the rest for the
size. All are judged with intervals: whole, by size, and by sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Int
from scipy import special

from goldviz.diagnostics.forecasts.block_bootstrap import (
    WITHOUT_SCORE,
    ScoreTable,
    ScoreWithEnds,
    block_length,
    middle,
    replicated_means,
    score_table,
)
from goldviz.diagnostics.forecasts.significance import diebold_mariano
from goldviz.labs.price_tokens.discrete.bins import log_normal
from goldviz.labs.price_tokens.discrete.clusters import shared_days
from goldviz.models.baselines.mean_baselines import first_order_autoregression, past_of
from goldviz.models.baselines.volatility_baselines import ScaleForecast, constant_scale, garch_scale

if TYPE_CHECKING:
    from goldviz.data.markets.walk_forward import Fold
    from goldviz.labs.price_tokens.problem import TokenProblem
    from goldviz.labs.price_tokens.tokenisers import Tokeniser, Tokens

Logs = Float[np.ndarray, "day token"]
Days = Float[np.ndarray, " day"]

GRID = 401
WIDEST = 8.0
"""Quantiles are looked for up to so many standard deviations of the past."""
LOG_SCORES = ("nats", "gain", "size_gain", "sign_gain", "dm_p")
"""The columns of a table: nats a day; nats gained over the reference in all, by size and by sign; a test's p."""


@dataclass(frozen=True)
class Loss:
    """Nats of each day, the part of them that is for the sign, and a note where another forecast had to stand in."""

    nats: Days
    sign: Days
    note: str = ""

    @classmethod
    def of(cls, there: Days, at_mirror: Days) -> Loss:
        """From log p(x) and log p(-x)."""
        return cls(-there, np.logaddexp(there, at_mirror) - there)


def loss_of_tokens(log_chances: Logs, tokeniser: Tokeniser, returns: Days) -> Loss:
    """The loss of a forecast that gives each token a log probability, day by day."""
    logs = (special.logsumexp(log_chances + tokeniser.log_densities(values), axis=1) for values in (returns, -returns))
    return Loss.of(*logs)


def loss_of_normal(means: Days, deviations: Days, returns: Days) -> Loss:
    """The loss of a normal forecast, day by day."""
    return Loss.of(*(log_normal(values, means, deviations) for values in (returns, -returns)))


def log_frequencies(past: Tokens, count: int, days: int) -> Logs:
    """How often each token came, with one fake count, the same for so many days."""
    counts = np.bincount(past, minlength=count) + 1.0
    return np.asarray(np.tile(np.log(counts / counts.sum()), (days, 1)))


def pair_counts(past: Tokens, count: int) -> Int[np.ndarray, "token next"]:
    """How often a token follows another."""
    return shared_days(past[:-1], past[1:], count)


def log_pairs(past: Tokens, before: Tokens, count: int, smoothing: float) -> Logs:
    """P(b | a) = (N_ab + s) / sum (N_ab + s) after each token of ``before`` (document 002, section 1.1)."""
    table = pair_counts(past, count) + smoothing
    return np.asarray(np.log(table / table.sum(axis=1, keepdims=True))[before])


@dataclass(frozen=True)
class Block:
    """The days of one fit that are forecast, and what a simple forecast of them may read."""

    problem: TokenProblem
    fold: Fold
    tokens: Tokens
    tokeniser: Tokeniser
    smoothing: float

    @property
    def came(self) -> Days:
        """The returns that came."""
        return self.problem.returns[self.fold.test]

    @property
    def past(self) -> Tokens:
        """The tokens before the block."""
        return self.tokens[: self.fold.test[0]]


def _token_frequency(block: Block) -> Loss:
    logs = log_frequencies(block.past, block.tokeniser.count, len(block.came))
    return loss_of_tokens(logs, block.tokeniser, block.came)


def _counted_pairs(block: Block) -> Loss:
    before = block.tokens[block.fold.test - 1]
    return loss_of_tokens(
        log_pairs(block.past, before, block.tokeniser.count, block.smoothing), block.tokeniser, block.came
    )


def _of_scale(block: Block, forecast: ScaleForecast) -> Loss:
    return replace(loss_of_normal(np.zeros(len(block.came)), forecast.scale, block.came), note=forecast.note)


def _autoregression(block: Block) -> Loss:
    returns, fold = block.problem.returns, block.fold
    mean = first_order_autoregression(returns[:, None], block.problem.answers, fold, np.zeros(len(returns)))
    return loss_of_normal(mean, np.full(len(block.came), returns[past_of(fold)].std()), block.came)


@dataclass(frozen=True)
class SimpleForecast:
    """What a simple forecast is called, and its loss on a block."""

    words: str
    loss: Callable[[Block], Loss]


BASELINES = {
    "frequency": SimpleForecast("token frequency", _token_frequency),
    "bigram": SimpleForecast("counted pairs", _counted_pairs),
    "constant": SimpleForecast(
        "normal, constant variance", lambda block: _of_scale(block, constant_scale(block.problem.answers, block.fold))
    ),
    "ar1": SimpleForecast("AR(1)", _autoregression),
    "garch": SimpleForecast("GARCH", lambda block: _of_scale(block, garch_scale(block.problem.answers, block.fold))),
}
"""By name; training, scores and tables read it."""


def baseline_losses(
    problem: TokenProblem, tokens: Tokens, tokenisers: Sequence[Tokeniser], smoothing: float
) -> tuple[dict[str, Loss], list[str]]:
    """The losses of all simple forecasts on the days that are forecast, by name, and notes on what could not be."""
    blocks = [
        Block(problem, fold, tokens, tokeniser, smoothing)
        for fold, tokeniser in zip(problem.folds, tokenisers, strict=True)
    ]
    losses = {name: [baseline.loss(block) for block in blocks] for name, baseline in BASELINES.items()}
    notes = [
        f"Refit {block.fold.number + 1}: {loss.note}"
        for each in losses.values()
        for block, loss in zip(blocks, each, strict=True)
        if loss.note
    ]
    return {name: joined(each) for name, each in losses.items()}, notes


def joined(blocks: Sequence[Loss]) -> Loss:
    """The losses of blocks, one after another."""
    return Loss(np.concatenate([one.nats for one in blocks]), np.concatenate([one.sign for one in blocks]))


def quantiles_of(
    chances: Float[np.ndarray, "day token"], tokeniser: Tokeniser, unit: float, levels: Sequence[float]
) -> Float[np.ndarray, "day level"]:
    """The quantiles of the next return, read off its cumulative on a grid."""
    grid = np.linspace(-WIDEST, WIDEST, GRID) * unit
    below = chances @ tokeniser.cumulative(grid).T
    return np.stack([np.interp(levels, day, grid) for day in below])


def log_score_table(
    losses: Mapping[str, Loss], reference: str, generator: np.random.Generator, replications: int = 1000
) -> ScoreTable:
    """Scores by model, and the lower and upper ends of their 95 % intervals by a bootstrap of blocks.

    Gains are positive where a model is better than the ``reference``. The p-value is Diebold and Mariano's. Models
    stand in their order.
    """
    # In all, of the size, of the sign.
    parts = {name: np.stack([one.nats, one.nats - one.sign, one.sign], axis=1) for name, one in losses.items()}
    return score_table(losses, lambda model, own: _scores(parts[model], parts[reference], own, replications), generator)


def _scores(
    own: Float[np.ndarray, "forecast part"],
    base: Float[np.ndarray, "forecast part"],
    generator: np.random.Generator,
    replications: int,
) -> list[ScoreWithEnds]:
    if not (np.isfinite(own).all() and np.isfinite(base).all()):
        return [WITHOUT_SCORE] * len(LOG_SCORES)
    losses = np.concatenate([own[:, :1], base - own], axis=1)
    means = replicated_means(losses, block_length(losses), replications, generator)
    scores = [(float(losses[:, part].mean()), *middle(means[:, part])) for part in range(losses.shape[1])]
    return [*scores, (diebold_mariano(own[:, 0], base[:, 0]).p_value, np.nan, np.nan)]
