"""What is recorded of the tokens themselves: what they stand for, beside planted regimes, and their motifs.

Motifs are tokens that stand together so often that byte-pair encoding gives them a name of their own (document 002,
section 2.4). Merges are learned on the past and judged on later days: bits a day by the past's shares, with the tokens
in their order and, as a comparison, shuffled.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from goldviz.data.texts.pair_merges import encoded, learned
from goldviz.labs.price_tokens.densities import pair_counts
from goldviz.labs.price_tokens.discrete.vector_quantised import perplexity_of
from goldviz.labs.price_tokens.problem import TokenProblem
from goldviz.labs.price_tokens.tokenisers import Codes, Regimes, Renamed, Tokeniser, Tokens, Written, changed_by_future

if TYPE_CHECKING:
    from goldviz.labs.price_tokens.settings import PriceTokens
    from goldviz.runs.recorder import Recorder

    Record = Recorder[PriceTokens]

SHUFFLING_STREAM = 5
ORDERS = ("as it came", "shuffled")


def motifs(
    past: Tokens, later: Tokens, count: int, merges: int, seed: int
) -> tuple[Float[np.ndarray, "order merge"], list[tuple[str, int]], list[int]]:
    """Bits a later day after 0, 1, ... merges in both orders; the merged motifs with their counts; those shuffled.

    The shuffled counts are those of the same number of merges, most frequent first.
    """
    generator = np.random.default_rng([seed, SHUFFLING_STREAM])
    dealt = generator.permutation(past), generator.permutation(later)
    ways = [(past, later), dealt]
    merge_lists = [list(islice(learned([before], count), merges)) for before, _ in ways]
    most = min(map(len, merge_lists))
    bits = np.array(
        [
            [bits_a_day(before, after, [merge.pair for merge in each[:number]], count) for number in range(most + 1)]
            for (before, after), each in zip(ways, merge_lists, strict=True)
        ]
    )
    pairs = [merge.pair for merge in merge_lists[0]]
    names = [
        ("-".join(map(str, _unfolded(count + i, pairs, count))), merge.times) for i, merge in enumerate(merge_lists[0])
    ]
    return bits, names[:most], [merge.times for merge in merge_lists[1][:most]]


def bits_a_day(past: Tokens, later: Tokens, pairs: list[tuple[int, int]], count: int) -> float:
    """The length of a code for later days, in bits a day: -log2 of each piece's share in the past, one fake count."""
    before, after = encoded([past], pairs, count)[0], encoded([later], pairs, count)[0]
    counts = np.bincount(before, minlength=count + len(pairs)) + 1.0
    return float(-np.log2(counts / counts.sum())[after].sum() / len(later))


def _unfolded(number: int, pairs: list[tuple[int, int]], count: int) -> list[int]:
    """The tokens that a merged number stands for, counted from 1."""
    if number < count:
        return [number + 1]
    left, right = pairs[number - count]
    return _unfolded(left, pairs, count) + _unfolded(right, pairs, count)


def describe_tokens(settings: PriceTokens, record: Record, problem: TokenProblem, text: Written) -> None:
    """What tokens stand for, how often they come, and whether later days or later fits change them."""
    returns, starts = problem.returns, problem.starts
    ends = [*starts[1:], len(returns)]
    pasts = [text.tokens[:end] for end in starts]
    shares = [np.bincount(past, minlength=settings.tokens) / len(past) for past in pasts]
    record.once("token", text.tokens[problem.tested].astype(np.int16))
    record.once("occupancy", shares)
    record.once("code_perplexity", [perplexity_of(past, settings.tokens) for past in pasts])
    meanings = [meaning_of(one, returns[:start]) for one, start in zip(text.tokenisers, starts, strict=True)]
    record.once("token_mean", [mean for mean, _ in meanings])
    record.once("token_deviation", [deviation for _, deviation in meanings])
    counts = pair_counts(text.tokens, settings.tokens)
    record.once("transition", counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))
    record.once("same_label", text.same_label)
    record.once("same_meaning", text.same_meaning)
    record.once("changed_by_future", changed_by_future(settings, returns, starts[0], ends[0], text.first))
    model = regimes_of(text.tokenisers[-1])
    if model is not None:
        record.once("fitted_transition", model)
    if isinstance(text.first, Codes):
        record.coordinates(code_look=list(range(1, len(text.first.perplexity) + 1)))
        record.once("codes_in_use", text.first.perplexity)


def meaning_of(tokeniser: Tokeniser, past: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the past returns with each token; NaN for one that no day has."""
    own = tokeniser.tokens(past)
    days = [past[own == token] for token in range(tokeniser.count)]
    mean, deviation = (
        np.array([measure(one) if len(one) else np.nan for one in days]) for measure in (np.mean, np.std)
    )
    return mean, deviation


def regimes_of(tokeniser: Tokeniser) -> np.ndarray | None:
    """The chain that a hidden Markov model found, by the names of its tokens; None for other tokenisers."""
    if isinstance(tokeniser, Renamed):
        inner = regimes_of(tokeniser.tokeniser)
        return None if inner is None else inner[np.ix_(tokeniser.order, tokeniser.order)]
    return tokeniser.transitions if isinstance(tokeniser, Regimes) else None


def compare_with_regimes(record: Record, problem: TokenProblem, text: Written) -> None:
    """Tokens beside the planted regimes, on the days that are forecast."""
    if problem.regimes is None:
        return
    from sklearn.metrics import adjusted_rand_score  # Importing it takes longer than the score.

    record.once("regime", problem.regimes[problem.tested].astype(np.int16))
    record.once("planted_transition", problem.planted)
    record.once("rand_index", adjusted_rand_score(problem.regimes[problem.tested], text.tokens[problem.tested]))


def look_for_motifs(settings: PriceTokens, record: Record, problem: TokenProblem, text: Written) -> None:
    """Merges of tokens that stand together often, learned on the days before the first forecast."""
    if settings.merges == 0:
        return
    first = problem.starts[0]
    bits, names, dealt = motifs(
        text.tokens[:first], text.tokens[first:], settings.tokens, settings.merges, settings.market_seed
    )
    record.coordinates(
        order=list(ORDERS),
        merge=list(range(bits.shape[1])),
        motif=[f"{place}: {words}" for place, (words, _) in enumerate(names, start=1)],
    )
    record.once("bits", bits)
    record.once("motif_count", np.array([[times for _, times in names], dealt]).reshape(2, len(names)))
