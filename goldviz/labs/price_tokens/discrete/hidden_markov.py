"""A hidden Markov model with Gaussian emissions: fitted by EM, read by its filter or by its smoother.

Hamilton 1989; Rabiner 1989, with the densities in logarithms and every step's probabilities scaled to sum to one, which
is the same as the recursion in logarithms and costs a tenth of it. Document 002, section 1.3.4, names the model.

The filter p(s_t | x_1..t) knows the past alone. The smoother p(s_t | x_1..T) knows what came after, so it is no input
of a forecast.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from goldviz.labs.price_tokens.discrete.bins import NormalTokens, check_different

STAYS = 0.95
"""Probability of staying in a state at which EM begins."""
MOST_ROUNDS = 80
ENOUGH = 1e-7
"""Gain of log-likelihood a day below which EM ends."""
LEAST_WEIGHT = 1e-12
LEAST_SHARE = 0.02
"""A state's standard deviation is no less than this share of the sample's: on a single day it would go to 0."""


@dataclass(frozen=True)
class HiddenMarkov(NormalTokens):
    """First probabilities (state,), transitions A_ij = p(j | i), and each state's mean and standard deviation."""

    first: Float[np.ndarray, " state"]
    transitions: Float[np.ndarray, "state state"]
    means: Float[np.ndarray, " state"]
    deviations: Float[np.ndarray, " state"]

    def filtered(self, values: Float[np.ndarray, " day"]) -> tuple[Float[np.ndarray, "day state"], float]:
        """p(s_t | x_1..t) of every day, and the log-likelihood of all values."""
        densities, largest = _scaled(self.log_densities(values))
        chances, scale = chained(self.first, self._steps(densities))
        return chances, float(np.log(scale).sum() + largest.sum())

    def smoothed(self, values: Float[np.ndarray, " day"]) -> Float[np.ndarray, "day state"]:
        """p(s_t | x_1..T) of every day: it knows what came after."""
        forward, _ = self.filtered(values)
        densities, _ = _scaled(self.log_densities(values))
        joint = forward * self._seen_after(densities)
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def improved(self, values: Float[np.ndarray, " day"], least: float) -> tuple[HiddenMarkov, float]:
        """One round of EM: the model that it leads to, and the log-likelihood of the one before."""
        forward, likelihood = self.filtered(values)
        densities, _ = _scaled(self.log_densities(values))
        after = self._seen_after(densities)
        every = forward * after
        every /= every.sum(axis=1, keepdims=True)
        into = (densities * after)[1:]
        total = np.einsum("ti,ij,tj->t", forward[:-1], self.transitions, into)
        moves = self.transitions * ((forward[:-1] / total[:, None]).T @ into)
        weight = np.maximum(every.sum(axis=0), LEAST_WEIGHT)
        means = every.T @ values / weight
        spread = np.sqrt((every * np.square(values[:, None] - means)).sum(axis=0) / weight)
        transitions = (moves + LEAST_WEIGHT) / (moves + LEAST_WEIGHT).sum(axis=1, keepdims=True)
        return HiddenMarkov(every[0], transitions, means, np.maximum(spread, least)), likelihood

    def _steps(self, densities: Float[np.ndarray, "day state"]) -> Float[np.ndarray, "day state state"]:
        """What carries a day's probabilities to the next: A_ij times the density there; the first day moves none."""
        steps = self.transitions * densities[:, None, :]
        steps[0] = np.diag(densities[0])
        return np.asarray(steps)

    def _seen_after(self, densities: Float[np.ndarray, "day state"]) -> Float[np.ndarray, "day state"]:
        """In proportion to p(x_(t+1)..T | s_t): the recursion backwards."""
        steps = self._steps(densities)[:0:-1].transpose(0, 2, 1)
        last = np.full(self.count, 1 / self.count)
        return np.concatenate([chained(last, steps)[0][::-1], last[None]])


def fitted_hidden_markov(
    values: Float[np.ndarray, " day"], count: int, generator: np.random.Generator
) -> tuple[HiddenMarkov, list[float]]:
    """The model that EM comes to, and the log-likelihood after every round, which never falls.

    EM begins with states of different spread, in an order drawn at random: nothing in the model says which state is
    the first. Raises ``ValueError`` where there are fewer different values than states.
    """
    check_different(values, count)
    usual = float(values.std())
    widths = usual * np.geomspace(0.5, 2.0, count)[generator.permutation(count)]
    leave = (1 - STAYS) / max(count - 1, 1)
    transitions = np.where(np.eye(count, dtype=bool), STAYS if count > 1 else 1.0, leave)
    model = HiddenMarkov(np.full(count, 1 / count), transitions, np.full(count, values.mean()), widths)
    likelihoods: list[float] = []
    for _ in range(MOST_ROUNDS):
        better, likelihood = model.improved(values, LEAST_SHARE * usual)
        if likelihoods and likelihood - likelihoods[-1] < ENOUGH * len(values):
            break
        likelihoods.append(likelihood)
        model = better
    return model, likelihoods


def chained(
    first: Float[np.ndarray, " state"], steps: Float[np.ndarray, "day state state"]
) -> tuple[Float[np.ndarray, "day state"], Float[np.ndarray, " day"]]:
    """The vectors v_t = v_(t-1) M_t, each scaled to sum to one, and what each was divided by.

    All days are cut into pieces of equal length, which take their steps side by side: first to find what each piece
    does as a whole, then, from the vector at its beginning, day by day. That takes two steps for each day of one piece
    in place of one for each day of all.

    >>> chained(np.array([1.0, 0.0]), np.array([[[0.5, 0.5], [0.0, 1.0]]] * 2))[0].tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    days, states = steps.shape[:2]
    length = max(1, int(np.sqrt(days)))
    pieces = -(-days // length)
    with_identity = np.concatenate([steps, np.broadcast_to(np.eye(states), (pieces * length - days, states, states))])
    by_piece = with_identity.reshape(pieces, length, states, states)
    whole = np.broadcast_to(np.eye(states), (pieces, states, states))
    for place in range(length):
        whole = whole @ by_piece[:, place]
        whole = whole / np.maximum(whole.max(axis=(1, 2), keepdims=True), LEAST_WEIGHT)
    begins = np.empty((pieces, states))
    for piece in range(pieces):
        begins[piece] = first
        first = first @ whole[piece]
        first = first / first.sum()
    chances, scale = np.empty((pieces, length, states)), np.empty((pieces, length))
    now = begins[:, None]
    for place in range(length):
        now = now @ by_piece[:, place]
        scale[:, place] = now.sum(axis=(1, 2))
        now = now / scale[:, place, None, None]
        chances[:, place] = now[:, 0]
    return chances.reshape(-1, states)[:days], scale.ravel()[:days]


def _scaled(
    logarithms: Float[np.ndarray, "day state"],
) -> tuple[Float[np.ndarray, "day state"], Float[np.ndarray, " day"]]:
    """Densities over the largest of their day, and the logarithm of that one."""
    largest = logarithms.max(axis=1)
    return np.exp(logarithms - largest[:, None]), largest
