"""What worker processes do for a sentence of one's own: read it with a run's weights, write, say who looked where."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float

from goldviz.data.pairs.pairs import PairTask
from goldviz.labs.translation_transformer.networks import task_in, transformer
from goldviz.labs.translation_transformer.own_pairs import OwnPairs
from goldviz.labs.translation_transformer.settings import TranslationTransformer, trained_norms
from goldviz.labs.translation_transformer.transformer import Transformer
from goldviz.models.text.decoding import Answer, greedy_and_beam
from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.training.state import network_at_rest
from goldviz.training.threads import one_thread

if TYPE_CHECKING:
    from goldviz.runs.jobs.jobs import Report

CANDIDATES = 5


@dataclass(frozen=True)
class Writing:
    """A sentence, its greedy answer and those of a beam, and each step of the greedy one.

    ``told`` are the words before each step. Weights are means over the heads of the last block; ``candidates`` are the
    likeliest words of each step with their probabilities.
    """

    source: tuple[str, ...]
    greedy: Answer
    beam: tuple[Answer, ...]
    told: tuple[str, ...]
    own: Float[np.ndarray, "step step"]
    cross: Float[np.ndarray, "step source_place"]
    candidates: tuple[tuple[tuple[str, float], ...], ...]


def write(report: Report, weights: KeptWeights, sentence: str, width: int) -> Writing:
    """Answer a sentence with the first network of the run's first seed.

    Raises :class:`goldviz.data.pairs.pairs.SentenceError` for a sentence that the task does not understand,
    :class:`goldviz.runs.store.schema.StoreError` where the run or its state is gone, and
    :class:`goldviz.training.state.StateError` where the state holds no such network.
    """
    network, task = loaded(weights)
    numbers = task.understood(sentence)
    words = (*task.target_words, "end")
    with one_thread(), torch.no_grad():
        first, likeliest = greedy_and_beam(network, numbers, width)
        decoder_inputs = torch.tensor([[network.boundary, *first.words][: len(first.weights)]])
        decoded = network.decode(decoder_inputs, network.read(torch.tensor([numbers])))
        best = decoded.logits[0].softmax(-1).topk(min(CANDIDATES, len(words)))
    report(1, 1)
    return Writing(
        tuple(task.source_words[number] for number in numbers),
        first.in_words(words),
        tuple(one.in_words(words) for one in likeliest),
        ("start", *(words[word] for word in decoder_inputs[0, 1:].tolist())),
        decoded.maps[-1].own[0].mean(0).double().numpy(),
        decoded.maps[-1].cross[0].mean(0).double().numpy(),
        tuple(
            tuple((words[word], probability) for word, probability in zip(*row, strict=True))
            for row in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ),
    )


@lru_cache(maxsize=4)
def loaded(weights: KeptWeights) -> tuple[Transformer, PairTask | OwnPairs]:
    """The first seed's first network with its task; raises as :func:`write` does."""
    settings = TranslationTransformer.checked_json(weights.settings)
    norm, seed = trained_norms(settings.norm)[0], settings.seeds[0]
    network, state = transformer(settings, norm, seed), weights.state(TranslationTransformer)
    return network_at_rest(network, f"{norm}/{seed}/network", state), task_in(settings)
