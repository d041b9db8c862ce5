"""What makes tokens of a market's returns, each fitted on a sample of days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from jaxtyping import Float, Int

from goldviz.data.markets.market import MarketError
from goldviz.labs.price_tokens.discrete.bins import basis_point_bins, equal_width_bins, quantile_bins
from goldviz.labs.price_tokens.discrete.clusters import Clusters, described, gaussian_mixture, k_means, windows_of
from goldviz.labs.price_tokens.discrete.hidden_markov import fitted_hidden_markov

if TYPE_CHECKING:
    from goldviz.labs.price_tokens.settings import PriceTokens

Returns = Float[np.ndarray, " day"]
Tokens = Int[np.ndarray, " day"]


class Tokeniser(Protocol):
    """Tokens of days, and what each says of the newest return."""

    @property
    def count(self) -> int:
        """How many tokens there are."""

    def tokens(self, returns: Returns) -> Tokens:
        """The token of each day."""

    def log_densities(self, values: Returns) -> Float[np.ndarray, "day token"]:
        """log f_k(x) of each value for each token."""

    def cumulative(self, values: Returns) -> Float[np.ndarray, "value token"]:
        """The probability of at most each value, given each token."""


@dataclass(frozen=True)
class Regimes(Clusters):
    """States of a hidden Markov model, each day the likeliest; ``transitions`` are the model's."""

    transitions: Float[np.ndarray, "state state"]


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


@dataclass(frozen=True)
class Fit:
    """A fitted tokeniser, and the perplexity of code use on the way where codes were learned."""

    tokeniser: Tokeniser
    codes_in_use: Sequence[float] = ()


def fitted(settings: PriceTokens, sample: Returns, seed: int) -> Fit:
    """The tokeniser of the settings, learned from a sample; raises :class:`MarketError` with a sentence."""
    try:
        return FITS[settings.tokeniser](settings, sample, seed)
    except ValueError as error:
        raise MarketError(f"{error}. Lower tokens, or choose longer data.", "too_few") from None


def _bins(make: Callable[[Returns, int], Tokeniser]) -> Callable[[PriceTokens, Returns, int], Fit]:
    return lambda settings, sample, seed: Fit(make(sample, settings.tokens))


def _hidden_markov(settings: PriceTokens, sample: Returns, seed: int) -> Fit:
    model, _ = fitted_hidden_markov(sample, settings.tokens, np.random.default_rng(seed))
    chances = model.smoothed if settings.read == "smoother" else lambda returns: model.filtered(returns)[0]
    likeliest = lambda returns: chances(returns).argmax(axis=1)  # noqa: E731
    return Fit(Regimes(likeliest, model.means, model.deviations, model.transitions))


def _codes(settings: PriceTokens, sample: Returns, seed: int) -> Fit:
    # Other tokenisers need no torch, which takes seconds to import.
    import torch

    from goldviz.labs.price_tokens.discrete.vector_quantised import learned_codes

    unit, window, count = float(sample.std()), settings.window, settings.tokens
    codes = learned_codes(
        windows_of(sample / unit, window),
        count,
        torch.Generator().manual_seed(seed),
        steps=settings.code_steps,
        among_data=settings.codes == "data",
    )
    return Fit(
        described(lambda series: codes.tokens(windows_of(series / unit, window)), sample, count), codes.perplexity
    )


FITS: dict[str, Callable[[PriceTokens, Returns, int], Fit]] = {
    "uniform": _bins(equal_width_bins),
    "quantile": _bins(quantile_bins),
    "basis_points": lambda settings, sample, seed: Fit(
        basis_point_bins(sample, settings.tokens, settings.basis_points)
    ),
    "kmeans": lambda settings, sample, seed: Fit(k_means(sample, settings.tokens, settings.window, seed)),
    "mixture": lambda settings, sample, seed: Fit(gaussian_mixture(sample, settings.tokens, settings.window, seed)),
    "hmm": _hidden_markov,
    "vqvae": _codes,
}
"""By the tokeniser's name."""
