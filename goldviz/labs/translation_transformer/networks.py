"""The networks of *Translation with a Transformer*, as its settings describe them, and what they learn from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Generator, nn

from goldviz.data.pairs.pairs import Pairs, PairTask
from goldviz.data.pairs.table import task_of
from goldviz.labs.translation_transformer.own_pairs import OwnPairs, own_pairs
from goldviz.labs.translation_transformer.transformer import Transformer, TransformerShape, padded
from goldviz.training.seeds import WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.translation_transformer.settings import TranslationTransformer

TESTS = 64
"""Unseen sequences of each length."""
CHECKED = 128
"""Unseen sequences of all lengths that are trained, with which every look is taken, at most."""


@dataclass(frozen=True)
class Unseen:
    """What a seed's networks are asked: unseen pairs of each length, a ``check`` of those that are trained, and one to
    look into."""

    pairs: dict[int, Pairs]
    check: Pairs
    probe: Pairs


def task_in(settings: TranslationTransformer) -> PairTask | OwnPairs:
    """The task that is learned; raises :class:`goldviz.data.texts.pieces.TextError` for pairs that cannot be."""
    if settings.corpus != "generated":
        return own_pairs(settings.corpus, settings.merges)
    return task_of(settings.task, settings.symbols, settings.shortest, settings.longest)


def unseen(task: PairTask | OwnPairs, generator: Generator) -> Unseen:
    """Pairs to be asked for, and the task's probe."""
    if isinstance(task, OwnPairs):
        return Unseen(task.held_out(TESTS), task.checked(CHECKED), task.checked(1))
    pairs = task.unseen(TESTS, generator)
    probe = task.probe(generator)
    of_each = max(2, CHECKED // len(task.lengths))
    check = padded([Pairs(*(part[:of_each] for part in pairs[length])) for length in task.lengths])
    return Unseen(pairs, check, probe)


def transformer(settings: TranslationTransformer, norm: str, seed: int) -> Transformer:
    """A network at its start; those of a seed begin with the same weights where shapes agree."""
    task = task_in(settings)
    shape = TransformerShape(
        len(task.source_words),
        len(task.target_words),
        settings.layers,
        settings.heads,
        settings.width,
        norm,
        settings.place,
        settings.encoder_positions,
    )
    network = Transformer(shape)
    initialise(network, seed)
    return network


def initialise(network: Transformer, seed: int) -> None:
    """Tables from a standard normal, matrices by Glorot and Bengio (2010), biases 0; a stream for each parameter.

    Norms stay as they are: gains 1 and shifts 0.
    """
    matrices = [one for one in network.modules() if isinstance(one, nn.Linear | nn.Embedding)]
    with torch.no_grad():
        for index, module in enumerate(matrices):
            generator = stream(seed, WEIGHTS + index)
            if isinstance(module, nn.Embedding):
                module.weight.normal_(generator=generator)
                continue
            bound = math.sqrt(6 / sum(module.weight.shape))
            module.weight.uniform_(-bound, bound, generator=generator)
            module.bias.zero_()
