"""What makes tokens of a market's returns, each fitted on a sample of days, and how days are written down as tokens.

Each block of days is written by the tokeniser that was fitted for it, as the market goes on. What was once written is
kept, as it would be in use. So the tokens of a block's past come from earlier fits, and a new fit that names the same
regime otherwise makes nonsense of them, unless its names are matched to those before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from jaxtyping import Float, Int

from goldviz.data.markets.market import MarketError
from goldviz.labs.price_tokens.discrete.bins import Bins, basis_point_bins, equal_width_bins, quantile_bins
from goldviz.labs.price_tokens.discrete.clusters import (
    Clusters,
    agreement,
    described,
    gaussian_mixture,
    k_means,
    matched,
    windows_of,
)
from goldviz.labs.price_tokens.discrete.hidden_markov import fitted_hidden_markov

if TYPE_CHECKING:
    from goldviz.labs.price_tokens.settings import PriceTokens

Returns = Float[np.ndarray, " day"]
Tokens = Int[np.ndarray, " day"]
PROBES = 3
"""So many days of the first block are taken, after which the future is changed."""
LOOKED_BACK = 60
"""So many days before each of them are looked at."""
CHANGED_BY = -3.0
"""What later returns are multiplied with."""


@dataclass(frozen=True)
class Regimes(Clusters):
    """States of a hidden Markov model, each day the likeliest; ``transitions`` are the model's."""

    transitions: Float[np.ndarray, "state state"]


@dataclass(frozen=True)
class Codes(Clusters):
    """Learned codes; ``perplexity`` is that of their use on the way there."""

    perplexity: Sequence[float]


@dataclass(frozen=True)
class Renamed:
    """A tokeniser under other names: ``order[i]`` is the token that is called i."""

    tokeniser: Tokeniser
    order: Sequence[int]

    @property
    def count(self) -> int:
        """How many tokens there are."""
        return self.tokeniser.count

    def tokens(self, returns: Returns) -> Tokens:
        """The tokens by their new names."""
        return np.asarray(np.argsort(self.order)[self.tokeniser.tokens(returns)])

    def log_densities(self, values: Returns) -> Float[np.ndarray, "day token"]:
        """In the new order."""
        return np.asarray(self.tokeniser.log_densities(values)[:, self.order])

    def cumulative(self, values: Returns) -> Float[np.ndarray, "value token"]:
        """In the new order."""
        return np.asarray(self.tokeniser.cumulative(values)[:, self.order])


Tokeniser: TypeAlias = Bins | Clusters | Renamed
"""What gives the token of each day, and says what each token means for the newest return."""


def fitted(settings: PriceTokens, sample: Returns, seed: int) -> Tokeniser:
    """The tokeniser of the settings, learned from a sample; raises :class:`MarketError` with a sentence."""
    try:
        return FITS[settings.tokeniser](settings, sample, seed)
    except ValueError as error:
        raise MarketError(f"{error}. Lower tokens, or choose longer data.", "too_few") from None


def _hidden_markov(settings: PriceTokens, sample: Returns, seed: int) -> Tokeniser:
    model, _ = fitted_hidden_markov(sample, settings.tokens, np.random.default_rng(seed))
    chances = model.smoothed if settings.read == "smoother" else lambda returns: model.filtered(returns)[0]
    likeliest = lambda returns: chances(returns).argmax(axis=1)  # noqa: E731
    return Regimes(likeliest, model.means, model.deviations, model.transitions)


def _codes(settings: PriceTokens, sample: Returns, seed: int) -> Tokeniser:
    # Other tokenisers need no torch, which takes seconds to import.
    import torch

    from goldviz.labs.price_tokens.discrete.vector_quantised import learned_codes

    unit, window, count = float(sample.std()), settings.window, settings.tokens
    codes, perplexity = learned_codes(
        windows_of(sample / unit, window),
        count,
        torch.Generator().manual_seed(seed),
        steps=settings.code_steps,
        among_data=settings.codes == "data",
    )
    label = described(lambda series: codes.tokens(windows_of(series / unit, window)), sample, count)
    return Codes(**vars(label), perplexity=perplexity)


FITS: dict[str, Callable[[PriceTokens, Returns, int], Tokeniser]] = {
    "uniform": lambda settings, sample, seed: equal_width_bins(sample, settings.tokens),
    "quantile": lambda settings, sample, seed: quantile_bins(sample, settings.tokens),
    "basis_points": lambda settings, sample, seed: basis_point_bins(sample, settings.tokens, settings.basis_points),
    "kmeans": lambda settings, sample, seed: k_means(sample, settings.tokens, settings.window, seed),
    "mixture": lambda settings, sample, seed: gaussian_mixture(sample, settings.tokens, settings.window, seed),
    "hmm": _hidden_markov,
    "vqvae": _codes,
}
"""By the tokeniser's name."""


@dataclass(frozen=True)
class Written:
    """All days as tokens, the tokeniser of each block, and how its labels agree with the fit before.

    ``same_label`` and ``same_meaning`` (refit,) are the shares of past days with the label of the fit before, as it
    came or was named, and with labels matched.
    """

    tokens: Tokens
    tokenisers: Sequence[Tokeniser]
    first: Tokeniser
    same_label: Float[np.ndarray, " refit"]
    same_meaning: Float[np.ndarray, " refit"]


def written(settings: PriceTokens, returns: Returns, starts: Sequence[int]) -> Written:
    """Write all days down. ``starts`` are the first days of the blocks that are forecast, ascending."""
    ends = [*starts[1:], len(returns)]
    tokens = np.empty(len(returns), np.int64)
    first = fitted(settings, sample_of(settings, returns, starts[0], ends[0]), settings.market_seed)
    tokenisers: list[Tokeniser] = [from_calm_to_storm(first, returns[: starts[0]])]
    tokens[: ends[0]] = tokenisers[0].tokens(returns)[: ends[0]]
    agreements = []
    for number, (start, end) in enumerate(zip(starts[1:], ends[1:], strict=True), start=1):
        fresh = fitted(settings, sample_of(settings, returns, start, end), settings.market_seed + number)
        old, new = (one.tokens(returns)[:start] for one in (tokenisers[-1], fresh))
        meaning = Renamed(fresh, matched(old, new, settings.tokens))
        tokeniser: Tokeniser = meaning if settings.labels == "aligned" else fresh
        agreements.append([agreement(old, one.tokens(returns)[:start]) for one in (tokeniser, meaning)])
        tokenisers.append(tokeniser)
        tokens[start:end] = tokeniser.tokens(returns)[start:end]
    same = np.array(agreements).reshape(-1, 2)
    return Written(tokens, tokenisers, first, same[:, 0], same[:, 1])


def sample_of(settings: PriceTokens, returns: Returns, start: int, end: int) -> Returns:
    """The days on which the tokeniser of the block from ``start`` to ``end`` is fitted."""
    days = {"past": slice(0, start), "all": slice(None), "block": slice(start, end)}[settings.fitted_on]
    return np.asarray(returns[days])


def from_calm_to_storm(tokeniser: Tokeniser, past: Returns) -> Tokeniser:
    """Names that grow with the spread of their days, where names have no order of their own."""
    if isinstance(tokeniser, Bins):
        return tokeniser
    own = tokeniser.tokens(past)
    spread = [
        float(np.abs(past[own == token]).mean()) if (own == token).any() else np.inf for token in range(tokeniser.count)
    ]
    return Renamed(tokeniser, [int(token) for token in np.argsort(spread)])


def changed_by_future(settings: PriceTokens, returns: Returns, start: int, end: int, before: Tokeniser) -> float:
    """The share of tokens that are others when only days after them change: 0 for what can be used in time.

    ``before`` is the tokeniser of the first block, from ``start`` to ``end``. From some of its days on returns are
    turned round and made three times as large, and the days before are written down again, with whatever fit that
    leads to.
    """
    changes = []
    for day in np.linspace(start, end, PROBES + 2, dtype=int)[1:-1]:
        other = returns.copy()
        other[day:] *= CHANGED_BY
        span = slice(max(0, day - LOOKED_BACK), day)
        changes.append(1 - agreement(*written_again(settings, returns, other, (start, end), before, span)))
    return float(np.mean(changes))


def written_again(
    settings: PriceTokens, returns: Returns, other: Returns, block: tuple[int, int], before: Tokeniser, span: slice
) -> tuple[Tokens, Tokens]:
    """The tokens of the days in ``span`` by ``before``, and as they would be had the returns been ``other``.

    ``before`` was fitted for the ``block``; other returns may lead to another fit, whose tokens get its names.
    """
    own = before.tokens(returns)[span]
    sample, again = (sample_of(settings, days, *block) for days in (returns, other))
    if np.array_equal(again, sample):
        # The same sample and seed make the same tokeniser.
        return own, before.tokens(other)[span]
    now = fitted(settings, again, settings.market_seed).tokens(other)[span]
    return own, np.argsort(matched(own, now, settings.tokens))[now]
