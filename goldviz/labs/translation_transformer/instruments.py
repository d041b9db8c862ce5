"""What a look at a network shows: who looks at whom, right answers, and what a norm makes of each word."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from goldviz.data.pairs.pairs import NO_WORD, Pairs
from goldviz.labs.translation_transformer.networks import Unseen
from goldviz.labs.translation_transformer.transformer import Transformer
from goldviz.models.text.decoding import beam, ended, greedy

Measured = dict[str, Tensor]
STAGES = ("what goes in", "standardised", "what comes out")
"""Of a norm: before it, without its gain and shift, and after it."""
BEAM, ASKED = 4, 4
"""Beginnings that a beam keeps, and sequences that are answered by it."""


@contextmanager
def judged(network: Transformer) -> Iterator[Transformer]:
    """The network as it is used: batch norm takes its running mean and variance."""
    training = network.training
    network.eval()
    try:
        with torch.no_grad():
            yield network
    finally:
        network.train(training)


def loss_on(network: Transformer, pairs: Pairs, smoothing: float = 0.0) -> Float[Tensor, ""]:
    """Mean over all words written and their ends of (1 - s) (-log p of the right word) + s mean_w (-log p_w)."""
    logits = network(pairs.source, pairs.target).flatten(0, 1)
    targets = network.wanted(pairs.target).flatten()
    return cross_entropy(logits, targets, ignore_index=NO_WORD, label_smoothing=smoothing)


def words_right(logits: Float[Tensor, "batch step word"], targets: Int[Tensor, "batch step"]) -> Tensor:
    """Where the likeliest word is the right one, and behind the end; (batch, step)."""
    return (logits.argmax(-1) == targets) | (targets == NO_WORD)


def checked(network: Transformer, check: Pairs) -> Measured:
    """Loss and share of sequences without a fault.

    A greedy answer is right if each word is the likeliest behind the right ones before it, so one pass tells.
    """
    with judged(network):
        logits = network(check.source, check.target)
        targets = network.wanted(check.target)
        loss = cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=NO_WORD)
    return {"test_loss": loss, "sequence_accuracy": words_right(logits, targets).all(1).float().mean()}


def of_probe(network: Transformer, probe: Pairs) -> Measured:
    """The weights of every head with the right words told, the first norm at work, and the greedy answer."""
    with judged(network):
        source = network.read(probe.source)
        maps = network.decode(network.told(probe.target), source).maps
        words = greedy(network, probe.source, probe.target.shape[1] + 1)[0]
    return {
        "encoder_attention": torch.stack([one[0] for one in source.maps]),
        "decoder_attention": torch.stack([block.own[0] for block in maps]),
        "cross_attention": torch.stack([block.cross[0] for block in maps]),
        "answer": ended(network, words),
        **norm_at_work(network, probe.source),
    }


def norm_at_work(network: Transformer, source: Int[Tensor, "one source_place"]) -> Measured:
    """Mean and deviation of each word's state before the encoder's first norm, standardised, and after it."""
    norm, inputs = network.norms()[0], []
    watch = norm.register_forward_pre_hook(lambda _, arguments: inputs.append(arguments))
    with judged(network):
        network.read(source)
        watch.remove()
        x, present = inputs[0]
        stages = torch.stack([x, norm.standardised(x, present), norm(x, present)])[:, 0]
    return {"norm_mean": stages.mean(-1), "norm_deviation": stages.std(-1, correction=0)}


def looked_at_closely(network: Transformer, tests: Unseen) -> Measured:
    """Words right when told the right ones or its own, right sequences by length, and what neighbours in a batch do."""
    check = tests.check
    targets = network.wanted(check.target)
    there = targets != NO_WORD
    with judged(network):
        teacher_forced = words_right(network(check.source, check.target), targets)[there]
        free = (greedy(network, check.source, targets.shape[1]) == targets)[there]
        by_length = [
            words_right(network(pairs.source, pairs.target), network.wanted(pairs.target)).all(1).float().mean()
            for pairs in tests.pairs.values()
        ]
    return {
        "told_right": teacher_forced.float().mean(),
        "free_right": free.float().mean(),
        "length_accuracy": torch.stack(by_length),
        "neighbour_effect": neighbour_effect(network, check),
    }


@torch.no_grad()
def neighbour_effect(network: Transformer, pairs: Pairs) -> Float[Tensor, ""]:
    """How far the first pair's logits move, at most, where every other pair of the batch becomes the second one."""
    training_copy = deepcopy(network).train()
    others = Pairs(*(torch.cat([part[:1], part[1:2].expand(len(part) - 1, -1)]) for part in pairs))
    before, after = (training_copy(batch.source, batch.target)[0] for batch in (pairs, others))
    effect: Tensor = (before - after).abs().max()
    return effect


def self_share(network: Transformer, check: Pairs) -> Float[Tensor, "block head"]:
    """The share of words read whose largest weight is on themselves, by block and head of the encoder."""
    with judged(network):
        source = network.read(check.source)
    own = torch.arange(check.source.shape[1], device=check.source.device)
    largest = torch.stack([(weights.argmax(-1) == own).transpose(1, 2) for weights in source.maps])
    return largest[:, source.present].float().mean(1)


def beam_likelier(network: Transformer, check: Pairs) -> Float[Tensor, ""]:
    """The share of unseen sequences for which a beam of 4 finds a likelier answer than the greedy one."""
    likelier = []
    most = check.target.shape[1] + 1
    with judged(network):
        for source in check.source[:: max(1, len(check.source) // ASKED)][:ASKED]:
            words = source[source != NO_WORD]
            [first], answers = (beam(network, words, width, most) for width in (1, BEAM))
            likelier.append(answers[0].words != first.words)
    return torch.tensor(likelier).float().mean()
