"""The network of *Pre-training and fine-tuning*: an encoder with both heads, and how its two phases learn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.optim import Optimizer

from goldviz.diagnostics.layers import Layer
from goldviz.labs.bert_pretraining.objectives import QueryStream
from goldviz.labs.bert_pretraining.settings import NEXT_SENTENCE, PERMUTATION, TONES
from goldviz.labs.bert_pretraining.texts import tones_of
from goldviz.models.text.encoder import EncoderDropout, EncoderShape, TransformerEncoder, initialise_encoder
from goldviz.models.text.heads import MaskedWordHead, TextClassifier
from goldviz.models.text.one_file import StartModel
from goldviz.training.optimisers import decaying_optimiser
from goldviz.training.seeds import BATCH_ORDER, DROPOUT_AND_NOISE, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining

MASKED_HEAD_WEIGHTS, TONE_HEAD_WEIGHTS, OBJECTIVE_WEIGHTS = 800, 850, 900
MASKED_PLACES, TONE_ORDER = 10, 11
"""Streams beside the usual ones. The tone has an order of its own, so that it is the same after any pre-training."""
PAIR_CLASSES = 2


class BertNetwork(nn.Module):
    """An encoder, its masked-word head and its tone head of so many ``classes``; and the next-sentence head or the
    query stream, where what it is pre-trained for needs one.
    """

    def __init__(self, shape: EncoderShape, objective: str = "masked_words", classes: int = len(TONES)) -> None:
        super().__init__()
        self.encoder = TransformerEncoder(shape)
        self.masked_words = MaskedWordHead(shape)
        self.next_sentence = TextClassifier(shape.width, PAIR_CLASSES) if objective == NEXT_SENTENCE else None
        self.query_stream = QueryStream(shape.width) if objective == PERMUTATION else None
        self.classifier = TextClassifier(shape.width, classes)

    @property
    def device(self) -> torch.device:
        """Where its weights lie."""
        return self.masked_words.bias.device

    def parts(self) -> list[nn.Module]:
        """From the bottom to the top: embeddings, blocks, masked-word head, the objective's own part, tone head."""
        own = [part for part in (self.next_sentence, self.query_stream) if part is not None]
        return [self.encoder.embeddings, *self.encoder.blocks, self.masked_words, *own, self.classifier]

    def guessing_states(
        self,
        inputs: Int[Tensor, "text token"],
        order: Int[Tensor, "text token"],
        present: Bool[Tensor, "text token"] | None = None,
        dropout: EncoderDropout | None = None,
    ) -> Float[Tensor, "text token width"]:
        """The states from which pieces are guessed: X^(L), or the query stream's under a factorisation order."""
        states: Tensor = (
            self.encoder(inputs, None, present, dropout)
            if self.query_stream is None
            else self.query_stream(self.encoder, inputs, order, present, dropout)
        )
        return states

    def masked_loss(
        self,
        inputs: Int[Tensor, "text token"],
        answers: Int[Tensor, "text token"],
        present: Bool[Tensor, "text token"],
        dropout: EncoderDropout | None = None,
        order: Int[Tensor, "text token"] | None = None,
    ) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
        """Cross-entropy at the places with an answer (the others hold -100), and the share that is guessed.

        A query stream guesses in ``order``; without one each piece from those that have no answer.
        """
        order = (answers >= 0).long() if order is None else order
        return self.word_loss(self.guessing_states(inputs, order, present, dropout), answers)

    def word_loss(
        self, hidden: Float[Tensor, "text token width"], answers: Int[Tensor, "text token"]
    ) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
        """The same of the states from which pieces are guessed."""
        places = answers >= 0
        logits = self.masked_words(hidden[places], self.encoder.embeddings.token.weight)
        return cross_entropy(logits, answers[places]), share_right(logits, answers[places])

    def next_sentence_logits(self, hidden: Float[Tensor, "pair token width"]) -> Float[Tensor, "pair 2"]:
        """Logits of B follows A and of B is random, from the states of pairs; ValueError without such a head."""
        if self.next_sentence is None:
            raise ValueError("This network has no next-sentence head; allowed is one that was pre-trained for it.")
        logits: Tensor = self.next_sentence(hidden)
        return logits

    def take_over_pooler(self) -> None:
        """Begin the tone head with the dense layer on [CLS] that the next-sentence head learned, as BERT does."""
        if self.next_sentence is not None:
            self.classifier.dense.load_state_dict(self.next_sentence.dense.state_dict())

    def tone_logits(
        self, inputs: Int[Tensor, "text token"], present: Bool[Tensor, "text token"]
    ) -> Float[Tensor, "text tone"]:
        """One logit for each tone."""
        logits: Tensor = self.classifier(self.encoder(inputs, present=present))
        return logits


@dataclass
class BertLearner:
    """One seed's network, with everything of its own that changes in training."""

    network: BertNetwork
    pretraining: Optimizer
    fine_tuning: Optimizer
    order: torch.Generator
    tone_order: torch.Generator
    masks: torch.Generator
    dropout: torch.Generator


def bert_encoder_shape(settings: BertPretraining, vocabulary: int, start: StartModel | None = None) -> EncoderShape:
    """The sizes that the settings ask for, or those of the model that training starts from."""
    if start is not None:
        return start.shape
    return EncoderShape(
        settings.layers, settings.heads, settings.width, settings.inner, vocabulary, positions=settings.longest
    )


def bert_learner(
    settings: BertPretraining, vocabulary: int, seed: int, device: torch.device, start: StartModel | None = None
) -> BertLearner:
    """A network at its start, with an optimiser for each phase and its random streams; the tone head is always new."""
    network = BertNetwork(bert_encoder_shape(settings, vocabulary, start), settings.objective, len(tones_of(settings)))
    if start is None:
        initialise_encoder(network.encoder, lambda index: stream(seed, WEIGHTS + index))
        initialise_encoder(network.masked_words, lambda index: stream(seed, MASKED_HEAD_WEIGHTS + index))
    else:
        start.fill(network.encoder, network.masked_words)
    initialise_encoder(network.classifier, lambda index: stream(seed, TONE_HEAD_WEIGHTS + index))
    own = network.parts()[len(network.encoder.blocks) + 2 : -1]
    for part in own:
        initialise_encoder(part, lambda index: stream(seed, OBJECTIVE_WEIGHTS + index))
    network.to(device)
    modules = [network.classifier] if settings.frozen else [network]
    decaying = partial(decaying_optimiser, settings.optimiser, weight_decay=settings.weight_decay)
    return BertLearner(
        network,
        decaying([network.encoder, network.masked_words, *own], settings.learning_rate),
        decaying(modules, settings.fine_tuning_rate),
        stream(seed, BATCH_ORDER),
        stream(seed, TONE_ORDER),
        stream(seed, MASKED_PLACES),
        stream(seed, DROPOUT_AND_NOISE, device),
    )


def part_gradient_norms(network: BertNetwork) -> Float[Tensor, " part"]:
    """The Euclidean norm of each part's gradient after a backward pass; 0 where a part has none."""
    norms = []
    for part in network.parts():
        gradients = [weights.grad for weights in part.parameters() if weights.grad is not None]
        wide = torch.float32 if network.device.type == "mps" else torch.float64
        lengths = torch.stack(torch._foreach_norm(gradients, 2, wide)) if gradients else torch.zeros(1)
        norms.append(torch.linalg.vector_norm(lengths).float().cpu())
    return torch.stack(norms)


def watched_parts(network: BertNetwork) -> list[Layer]:
    """The network's parts as layers, with their matrices and tables; the embeddings give their normalised sum."""
    embeddings, *others = network.parts()
    first = Layer("embeddings", network.encoder.embeddings.norm, Layer.of("", embeddings).weights)
    return [first, *(Layer.of(type(part).__name__, part) for part in others)]


def part_sizes(network: BertNetwork) -> list[int]:
    """The number of each part's parameters; the token table, which the masked-word head shares, counts below."""
    return [sum(weights.numel() for weights in part.parameters()) for part in network.parts()]


def share_right(logits: Tensor, answers: Tensor) -> Tensor:
    """The share of rows whose largest logit is the answer's."""
    return (logits.detach().argmax(-1) == answers).float().mean()
