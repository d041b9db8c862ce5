"""From probabilities of the next token to the density of the next return, and what simple forecasts say of it.

p(x) = sum_k P(k | past) f_k(x). Losses are nats a day, -log p(x): those of different tokens can be compared, and with
forecasts that know no tokens. Of each loss a part is for the sign, -log [p(x) / (p(x) + p(-x))], and the rest for the
size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy import special

from goldviz.data.markets.walk_forward import Fold
from goldviz.labs.price_tokens.problem import TokenProblem
from goldviz.labs.price_tokens.tokenisers import Tokeniser, Tokens
from goldviz.models.baselines.mean_baselines import first_order_autoregression, past_of
from goldviz.models.baselines.volatility_baselines import constant_scale, garch_scale

Logs = Float[np.ndarray, "day token"]
Days = Float[np.ndarray, " day"]

GRID = 401
WIDEST = 8.0
"""Quantiles are looked for up to so many standard deviations of the past."""


@dataclass(frozen=True)
class Loss:
    """Nats of each day, and the part of them that is for the sign."""

    nats: Days
    sign: Days

    @classmethod
    def of(cls, there: Days, mirrored: Days) -> Loss:
        """From log p(x) and log p(-x)."""
        return cls(-there, np.logaddexp(there, mirrored) - there)


def loss_of_tokens(log_chances: Logs, tokeniser: Tokeniser, returns: Days) -> Loss:
    """The loss of a forecast that gives each token a log probability, day by day."""
    there, mirrored = (
        special.logsumexp(log_chances + tokeniser.log_densities(values), axis=1) for values in (returns, -returns)
    )
    return Loss.of(there, mirrored)


def loss_of_normal(means: Days, deviations: Days, returns: Days) -> Loss:
    """The loss of a normal forecast, day by day."""
    there, mirrored = (
        -np.square((values - means) / deviations) / 2 - np.log(deviations) - np.log(2 * np.pi) / 2
        for values in (returns, -returns)
    )
    return Loss.of(there, mirrored)


def log_frequencies(past: Tokens, count: int, days: int) -> Logs:
    """How often each token came, with one fake count, the same for so many days."""
    counts = np.bincount(past, minlength=count) + 1.0
    return np.asarray(np.tile(np.log(counts / counts.sum()), (days, 1)))


def pair_counts(past: Tokens, count: int) -> Int[np.ndarray, "token next"]:
    """How often a token follows another."""
    found = np.zeros((count, count), np.int64)
    np.add.at(found, (past[:-1], past[1:]), 1)
    return found


def log_pairs(past: Tokens, before: Tokens, count: int, smoothing: float) -> Logs:
    """P(b | a) = (N_ab + s) / sum (N_ab + s) after each token of ``before`` (document 002, section 1.1)."""
    table = pair_counts(past, count) + smoothing
    return np.asarray(np.log(table / table.sum(axis=1, keepdims=True))[before])


def baseline_losses(
    problem: TokenProblem, tokens: Tokens, tokenisers: Sequence[Tokeniser], smoothing: float
) -> tuple[dict[str, Loss], list[str]]:
    """The losses of all simple forecasts on the days that are forecast, by name, and notes on what could not be."""
    found: dict[str, list[Loss]] = {}
    notes = []
    for fold, tokeniser in zip(problem.folds, tokenisers, strict=True):
        garch = garch_scale(problem.answers, fold)
        notes += [f"Refit {fold.number + 1}: {garch.note}"] if garch.note else []
        of_block = {
            **_by_tokens(problem, fold, tokens, tokeniser, smoothing),
            **_by_returns(problem, fold, garch.scale),
        }
        for name, loss in of_block.items():
            found.setdefault(name, []).append(loss)
    return {name: joined(each) for name, each in found.items()}, notes


def joined(blocks: Sequence[Loss]) -> Loss:
    """The losses of blocks, one after another."""
    return Loss(np.concatenate([one.nats for one in blocks]), np.concatenate([one.sign for one in blocks]))


def _by_tokens(
    problem: TokenProblem, fold: Fold, tokens: Tokens, tokeniser: Tokeniser, smoothing: float
) -> dict[str, Loss]:
    came, past, count = problem.returns[fold.test], tokens[: fold.test[0]], tokeniser.count
    return {
        "frequency": loss_of_tokens(log_frequencies(past, count, len(came)), tokeniser, came),
        "bigram": loss_of_tokens(log_pairs(past, tokens[fold.test - 1], count, smoothing), tokeniser, came),
    }


def _by_returns(problem: TokenProblem, fold: Fold, garch: Days) -> dict[str, Loss]:
    returns, came = problem.returns, problem.returns[fold.test]
    zeros = np.zeros(len(came))
    mean = first_order_autoregression(returns[:, None], problem.answers, fold, np.zeros(len(returns)))
    spread = np.full(len(came), returns[past_of(fold)].std())
    return {
        "constant": loss_of_normal(zeros, constant_scale(problem.answers, fold).scale, came),
        "ar1": loss_of_normal(mean, spread, came),
        "garch": loss_of_normal(zeros, garch, came),
    }


def quantiles_of(
    chances: Float[np.ndarray, "day token"], tokeniser: Tokeniser, unit: float, levels: Sequence[float]
) -> Float[np.ndarray, "day level"]:
    """The quantiles of the next return, read off its cumulative on a grid."""
    grid = np.linspace(-WIDEST, WIDEST, GRID) * unit
    below = chances @ tokeniser.cumulative(grid).T
    return np.stack([np.interp(levels, day, grid) for day in below])
