"""The tokenisers of *Price tokens* made anew: bins, clusters, hidden states, learned codes, and the names of each fit.

Of the laboratory are only a code book's first weights.
"""

from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import torch
from scipy import stats
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from torch.nn.functional import mse_loss

from goldviz.labs.price_tokens.discrete.vector_quantised import learned_codes


class Bins:
    """Uniform inside, exponential beyond the outermost edges."""

    def __init__(self, edges, sample):
        self.edges, self.count = edges, len(edges) + 1
        low, high = sample[sample < edges[0]], sample[sample >= edges[-1]]
        self.laws = [
            stats.expon(-edges[0], (edges[0] - low).mean()),
            *(stats.uniform(a, b - a) for a, b in pairwise(edges)),
            stats.expon(edges[-1], (high - edges[-1]).mean()),
        ]

    def tokens(self, returns):
        return np.digitize(returns, self.edges)

    def density(self, x):
        every = np.stack([self.laws[0].pdf(-x), *(law.pdf(x) for law in self.laws[1:])], axis=1)
        # A value on an edge belongs to the bin above alone.
        return np.where(self.tokens(x)[:, None] == np.arange(self.count), every, 0)

    def below(self, x):
        return np.array([self.laws[0].sf(-x), *(law.cdf(x) for law in self.laws[1:])])


class Normals:
    """Tokens by some rule; each says that the newest move is normal, as on its own days."""

    def __init__(self, rule, sample, count):
        own, self.rule, self.count = rule(sample), rule, count
        days = [sample[own == token] for token in range(count)]
        days = [one if len(one) > 1 else sample for one in days]
        spread = [max(one.std(), 0.02 * sample.std()) for one in days]
        self.law = stats.norm([one.mean() for one in days], spread)

    def tokens(self, returns):
        return self.rule(returns)

    def density(self, x):
        return self.law.pdf(x[:, None])

    def below(self, x):
        return self.law.cdf(x)


class States(Normals):
    """A Gaussian hidden Markov model by EM in plain recursions, from calm to storm in an order of chance."""

    def __init__(self, sample, count, generator, smoothed):
        self.count, self.smoothed, usual = count, smoothed, sample.std()
        self.means, self.first = np.full(count, sample.mean()), np.full(count, 1 / count)
        self.deviations = usual * np.geomspace(0.5, 2, count)[generator.permutation(count)]
        self.A = np.full((count, count), 0.05 / (count - 1))
        np.fill_diagonal(self.A, 0.95)
        seen = []
        for _ in range(80):
            known, after, likelihood = self.both_ways(sample)
            if seen and likelihood - seen[-1] < 1e-7 * len(sample):
                break
            seen.append(likelihood)
            self.improve(sample, known, after, 0.02 * usual)
        self.law = stats.norm(self.means, self.deviations)

    def both_ways(self, x):
        """Filtered chances, what follows in proportion, and the log-likelihood."""
        f = stats.norm.pdf(x[:, None], self.means, self.deviations)
        known, after, scale = np.empty_like(f), np.ones_like(f), np.empty(len(x))
        now = self.first * f[0]
        for t in range(len(x)):
            now = now if t == 0 else (known[t - 1] @ self.A) * f[t]
            scale[t] = now.sum()
            known[t] = now / scale[t]
        for t in range(len(x) - 2, -1, -1):
            after[t] = self.A @ (f[t + 1] * after[t + 1]) / scale[t + 1]
        return known, after, np.log(scale).sum()

    def improve(self, x, known, after, least):
        """Baum and Welch's step."""
        f = stats.norm.pdf(x[:, None], self.means, self.deviations)
        every = known * after / (known * after).sum(1, keepdims=True)
        joint = known[:-1, :, None] * self.A * (f * after)[1:, None, :]
        moved = (joint / joint.sum((1, 2), keepdims=True)).sum(0)
        self.first, self.A = every[0], moved / moved.sum(1, keepdims=True)
        self.means = np.average(x[:, None].repeat(self.count, 1), axis=0, weights=every)
        spread = np.average(np.square(x[:, None] - self.means), axis=0, weights=every)
        self.deviations = np.maximum(np.sqrt(spread), least)

    def tokens(self, returns):
        known, after, _ = self.both_ways(returns)
        return (known * after if self.smoothed else known).argmax(1)


class Renamed:
    """The same tokens under other names: ``order[i]`` is now called i."""

    def __init__(self, inner, order):
        self.inner, self.order, self.count = inner, list(order), inner.count

    def tokens(self, returns):
        return np.array([self.order.index(token) for token in self.inner.tokens(returns)])

    def density(self, x):
        return self.inner.density(x)[:, self.order]

    def below(self, x):
        return self.inner.below(x)[self.order]


def windows_seen(returns, length, unit):
    """Of the last days their sum over the root of their squares, and the log of their root mean square."""
    if length == 1:
        return (returns / unit)[:, None]
    rolling = pd.Series(returns / unit).rolling(length, min_periods=1)
    squares = (pd.Series(returns / unit) ** 2).rolling(length, min_periods=1)
    size = np.sqrt(squares.mean())
    return np.stack([rolling.sum() / (size * np.sqrt(rolling.count())), np.log(size)], axis=1)


def fitted(settings, sample, seed):
    """The tokeniser of the settings, learned from some days."""
    count, length, unit = settings.tokens, settings.days_in_token, sample.std()
    if settings.tokeniser == "quantile":
        return Bins(np.quantile(sample, [part / count for part in range(1, count)]), sample)
    if settings.tokeniser == "uniform":
        low, high = np.quantile(sample, [0.005, 0.995])
        return Bins(low + (high - low) * np.arange(count - 1) / (count - 2), sample)
    if settings.tokeniser == "hmm":
        return States(sample, count, np.random.default_rng(seed), settings.read == "smoother")
    if settings.tokeniser == "vqvae":
        return Codes(settings, sample, seed)
    seen = windows_seen(sample, length, unit)
    if settings.tokeniser == "mixture":
        made = GaussianMixture(count, random_state=seed, reg_covar=1e-4, init_params="k-means++").fit(seen)
    else:
        made = KMeans(count, n_init=4, random_state=seed).fit(seen)
    if settings.tokeniser == "kmeans" and length == 1:
        centres = np.sort(made.cluster_centers_.ravel()) * unit
        return Bins(np.mean([centres[1:], centres[:-1]], axis=0), sample)
    return Normals(lambda returns: made.predict(windows_seen(returns, length, unit)), sample, count)


class Codes(Normals):
    """A VQ-VAE from the laboratory's first weights, learned by torch.optim and read by scipy's distances."""

    def __init__(self, settings, sample, seed):
        unit, length, chance = sample.std(), settings.window, torch.Generator().manual_seed(seed)

        def windows(returns):
            padded = np.concatenate([np.zeros(length - 1), returns / unit])
            return torch.tensor(np.stack([padded[at : at + len(returns)] for at in range(length)], 1))

        given = windows(sample)
        self.network = learned_codes(given.numpy(), settings.tokens, chance, steps=0)[0].double()
        learning, self.perplexity = torch.optim.Adam(self.network.parameters(), 3e-3), []
        for step in range(1, settings.code_steps + 1):
            x = given[torch.randint(len(given), (128,), generator=chance)]
            z = self.network.encoder(x)
            code = self.network.codes[self.nearest(z)]
            rebuilt = self.network.decoder(z + (code - z).detach())
            loss = mse_loss(rebuilt, x) + mse_loss(code, z.detach())
            learning.zero_grad()
            (loss + 0.25 * mse_loss(z, code.detach())).backward()
            learning.step()
            if step % (settings.code_steps // 10) == 0:
                self.perplexity.append(perplexity(self.nearest(self.network.encoder(given)), settings.tokens))
        super().__init__(lambda returns: self.nearest(self.network.encoder(windows(returns))), sample, settings.tokens)

    def nearest(self, z):
        return cdist(z.detach().numpy(), self.network.codes.detach().numpy()).argmin(1)


def perplexity(tokens, count):
    return np.exp(stats.entropy(np.bincount(tokens, minlength=count)))


def best_names(old, new, count):
    """For each old token the new one that stands for it, by trying all ways."""
    shared = pd.crosstab(old, new).reindex(index=range(count), columns=range(count), fill_value=0).to_numpy()
    return max(permutations(range(count)), key=lambda order: shared[range(count), order].sum())


def written_down(settings, returns, starts):
    """Tokens of all days, each block by its own fit, and how the names agree with those of the fit before."""
    ends, kept, agreed, tokens = [*starts[1:], len(returns)], [], [], []
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        sample = {"past": returns[:start], "all": returns, "block": returns[start:end]}[settings.fitted_on]
        fresh = first = fitted(settings, sample, settings.market_seed + number)
        if number == 0 and not isinstance(fresh, Bins):
            own = fresh.tokens(returns[:start])
            # From calm to storm; what no day has comes last.
            spread = (
                pd.Series(np.abs(returns[:start])).groupby(own).mean().reindex(range(fresh.count), fill_value=np.inf)
            )
            first = Renamed(fresh, np.argsort(spread.to_numpy()))
        elif number:
            old, new = kept[-1].tokens(returns)[:start], fresh.tokens(returns)[:start]
            named = Renamed(fresh, best_names(old, new, fresh.count))
            first = named if settings.labels == "aligned" else fresh
            agreed.append([(old == one.tokens(returns)[:start]).mean() for one in (first, named)])
        kept.append(first)
        tokens.append(first.tokens(returns)[0 if number == 0 else start : end])
    return np.concatenate(tokens), kept, np.array(agreed)
