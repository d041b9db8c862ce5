"""What a look at a network shows: where it looks in the probe, and how many unseen sequences it answers rightly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy

from goldviz.data.pairs.pairs import NO_WORD, Pairs, PairTask
from goldviz.labs.attention_interface.networks import Translator
from goldviz.models.text.decoding import ended, greedy

if TYPE_CHECKING:
    from collections.abc import Mapping

Measured = dict[str, Tensor]
TESTS = 64
"""Unseen sequences of each length."""
FARTHEST = 3
"""Places beside the word from which on peaks are counted together."""


@dataclass(frozen=True)
class UnseenPairs:
    """What a seed's networks are asked: unseen pairs of each length, and one more that is looked into."""

    pairs: Mapping[int, Pairs]
    probe: Pairs
    trained: tuple[int, ...]

    @classmethod
    def drawn(cls, task: PairTask, generator: Generator) -> UnseenPairs:
        """Of every length that is asked for, and the task's probe."""
        return cls(task.unseen(TESTS, generator), task.probe(generator), task.lengths)


def loss_on(network: Translator, pairs: Pairs) -> Float[Tensor, ""]:
    """The mean loss over all words of the answers and their ends, each told the right words before it."""
    logits = network(pairs.source, pairs.target)
    return cross_entropy(logits.flatten(0, 1), network.wanted(pairs.target).flatten())


@torch.no_grad()
def of_probe(network: Translator, probe: Pairs) -> Measured:
    """The network's greedy ``answer``, and of one with attention scores, weights and states with the right answer."""
    measurements: Measured = {"answer": ended(network, greedy(network, probe.source, probe.target.shape[1] + 1)[0])}
    if network.score is None:
        return measurements
    read = network.read(probe.source)
    state, scores, weights, states = read.state, [], [], []
    for word in network.told(probe.target)[0]:
        states.append(state[0])
        step = network.step(word[None], state, read)
        state = step.state
        if step.scores is not None and step.weights is not None:
            scores.append(step.scores[0])
            weights.append(step.weights[0])
    return {
        **measurements,
        "attention": torch.stack(weights),
        "attention_score": torch.stack(scores),
        "encoded": read.encoded[0],
        "state": torch.stack(states),
    }


@torch.no_grad()
def answers(network: Translator, tests: UnseenPairs) -> Measured:
    """``test_loss`` on the lengths that are trained, and how many sequences are answered without a fault."""
    by_length = torch.stack([sequences_right(network, pairs) for pairs in tests.pairs.values()])
    losses = torch.stack([loss_on(network, tests.pairs[length]) for length in tests.trained])
    return {
        "test_loss": losses.mean(),
        "length_accuracy": by_length,
        "sequence_accuracy": by_length[: len(tests.trained)].mean(),
    }


@torch.no_grad()
def sequences_right(network: Translator, pairs: Pairs) -> Float[Tensor, ""]:
    """The share of sequences that the greedy answer has right, its end included."""
    predictions = greedy(network, pairs.source, pairs.target.shape[1] + 1)
    return (predictions == network.wanted(pairs.target)).all(1).float().mean()


@torch.no_grad()
def peak_offsets(network: Translator, tests: UnseenPairs) -> Float[Tensor, " offset"]:
    """Of the words that stand for one that was read, how many places behind it the largest weight is: shares.

    From -3 to 3, the ends with all that is farther; of the lengths that are trained, with the right words told.
    """
    offsets = torch.cat([peaks_beside(network, tests.pairs[length]) for length in tests.trained])
    near = offsets.clamp(-FARTHEST, FARTHEST) + FARTHEST
    return torch.bincount(near, minlength=2 * FARTHEST + 1) / len(offsets)


def peaks_beside(network: Translator, pairs: Pairs) -> Int[Tensor, " word"]:
    """How many places behind its own word the largest weight of each word stands; those without one are left out."""
    read = network.read(pairs.source)
    state, decoder_inputs, offsets = read.state, network.told(pairs.target), []
    for place in range(pairs.target.shape[1]):
        step = network.step(decoder_inputs[:, place], state, read)
        state = step.state
        if step.weights is not None:
            own = pairs.aligned[:, place]
            offsets.append((step.weights.argmax(-1) - own)[own != NO_WORD])
    return torch.cat(offsets)
