"""What is read off a network of *Pre-training and fine-tuning* as it stands: scores on unseen texts, and attention."""

from __future__ import annotations

import re

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from goldviz.labs.bert_pretraining.network import BertNetwork
from goldviz.labs.bert_pretraining.objectives import drawn_order, segments_of
from goldviz.labs.bert_pretraining.texts import EncodedTexts, MaskedTexts, PretrainingTexts, ProbeText, TextPairs
from goldviz.training.seeds import stream

TEXTS_AT_ONCE = 128
PROBE_ORDER = 12
"""Stream of the orders that are shown."""
COUNTED = re.compile(r"\b\w\w+\b")
"""What scikit-learn counts as a word; texts without one leave nothing to count."""
HEAD_TEXTS = 48
"""Heads are described by their attention in so many unseen texts."""


@torch.no_grad()
def masked_scores(network: BertNetwork, texts: MaskedTexts) -> tuple[float, float]:
    """Cross-entropy in nats and share of right guesses over all masked pieces of the texts."""
    loss, right, count = 0.0, 0.0, 0
    for rows in torch.arange(len(texts.shown)).split(TEXTS_AT_ONCE):
        inputs, present = texts.shown.rows(rows)
        answers = texts.answers[rows, : inputs.shape[1]]
        places = int((answers >= 0).sum())
        if places:
            inputs, answers, present = (part.to(network.device) for part in (inputs, answers, present))
            own, share = network.masked_loss(inputs, answers, present)
            loss, right, count = loss + places * own.item(), right + places * share.item(), count + places
    return loss / count, right / count


@torch.no_grad()
def tone_scores(network: BertNetwork, data: PretrainingTexts) -> dict[str, Tensor]:
    """The tone head on both sets of unseen texts, by the name of the variable; of ``confusion`` a row is a tone."""
    logits = [_all_tone_logits(network, one.texts) for one in data.tone_sets]
    tones = [one.tones for one in data.tone_sets]
    guesses = [one.argmax(1) for one in logits]
    tables = [confusion(one, tone, len(data.tones)) for one, tone in zip(guesses, tones, strict=True)]
    return {
        "unseen_tone_accuracy": accuracy_by_set(data, guesses),
        "unseen_tone_loss": torch.stack([cross_entropy(one, tone) for one, tone in zip(logits, tones, strict=True)]),
        "kind_tone_accuracy": right_by_kind(data, guesses),
        "confusion": torch.stack(tables),
    }


def right_by_kind(data: PretrainingTexts, guesses: list[Int[Tensor, " text"]]) -> Float[Tensor, " kind"]:
    """The share of right judgements for each kind of text, both sets together."""
    kinds = torch.cat([texts.kinds for texts in data.tone_sets])
    tones = torch.cat([texts.tones for texts in data.tone_sets])
    right = _right(torch.cat(guesses), tones)
    return torch.stack([right[kinds == kind].mean() for kind in range(len(data.kinds))])


def confusion(guesses: Int[Tensor, " text"], tones: Int[Tensor, " text"], classes: int) -> Float[Tensor, "tone judged"]:
    """The share of each tone's texts that are judged each way; rows sum to 1, and are NaN for a tone without texts.

    >>> confusion(torch.tensor([0, 2, 1, 1]), torch.tensor([0, 0, 1, 2]), 3).tolist()
    [[0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    """
    pairs = torch.bincount(classes * tones + guesses, minlength=classes**2).view(classes, -1).float()
    return pairs / pairs.sum(1, keepdim=True)


@torch.no_grad()
def probe_attention(network: BertNetwork, probe: ProbeText) -> Float[Tensor, "layer head query key"]:
    """Every head's attention in the probe sentence.

    With a query stream the row of the hidden piece is that stream's, and no other piece sees the hidden one.
    """
    pieces = probe.pieces[None].to(network.device)
    if network.query_stream is not None:
        maps = []
        for content, query in network.query_stream.walk(network.encoder, pieces, (_asked(probe, pieces)).long()):
            rows = _asked(probe, pieces)[:, None, :, None]
            maps.append(torch.where(rows, query.attention.weights, content.attention.weights))
        return torch.cat(maps).cpu()
    start = network.encoder.embeddings(pieces, torch.zeros_like(pieces)).normalised
    return torch.cat([parts.attention.weights for parts in network.encoder.walk(start)]).cpu()


@torch.no_grad()
def probe_guesses(network: BertNetwork, probe: ProbeText) -> tuple[Float[Tensor, " candidate"], float]:
    """The probabilities of the candidates at the probe's mask, and the rank of the hidden piece (1 is best)."""
    pieces = probe.pieces[None].to(network.device)
    hidden = network.guessing_states(pieces, _asked(probe, pieces).long())[0, probe.place]
    chances = network.masked_words(hidden, network.encoder.embeddings.token.weight).softmax(-1).cpu()
    return chances[probe.candidates], float((chances > chances[probe.answer]).sum() + 1)


@torch.no_grad()
def pair_accuracy(network: BertNetwork, pairs: TextPairs, separator: int) -> float:
    """The share of pairs of which the next-sentence head tells rightly whether B follows A."""
    device, right = network.device, 0
    for rows in torch.arange(len(pairs.labels)).split(TEXTS_AT_ONCE):
        pieces, present = pairs.texts.rows(rows)
        hidden = network.encoder(pieces.to(device), segments_of(pieces, separator).to(device), present.to(device))
        right += int((network.next_sentence_logits(hidden).argmax(1).cpu() == pairs.labels[rows]).sum())
    return right / len(pairs.labels)


def probe_order(data: PretrainingTexts, step: int) -> Int[Tensor, " key"]:
    """A factorisation order of the probe's ordinary pieces, another one at each step; special pieces are only read."""
    is_target = ~data.vocabulary.are_special(data.probe.pieces) | (data.probe.pieces == data.vocabulary.mask)
    return drawn_order(is_target[None], stream(step, PROBE_ORDER))[0]


@torch.no_grad()
def head_habits(network: BertNetwork, texts: EncodedTexts) -> dict[str, Float[Tensor, "layer head"]]:
    """What each head does in unseen texts, mean over queries: its entropy in bits, how far it looks, and how much of
    its attention goes to [CLS] and [SEP].
    """
    pieces, present = (part.to(network.device) for part in texts.rows(torch.arange(len(texts))[:HEAD_TEXTS]))
    places = torch.arange(pieces.shape[1], device=pieces.device)
    distance = (places[:, None] - places).abs().float()
    special = (places == 0) | (places == present.sum(1, keepdim=True) - 1)
    habits: dict[str, list[Tensor]] = {"head_entropy": [], "head_distance": [], "head_special": []}
    start = network.encoder.embeddings(pieces, torch.zeros_like(pieces)).normalised
    for parts in network.encoder.walk(start, present):
        weights = parts.attention.weights
        habits["head_entropy"].append(_over_queries(torch.special.entr(weights).sum(-1) / np.log(2), present))
        habits["head_distance"].append(_over_queries((weights * distance).sum(-1), present))
        habits["head_special"].append(_over_queries((weights * special[:, None, None]).sum(-1), present))
    return {name: torch.stack(layers).cpu() for name, layers in habits.items()}


def unigram_scores(data: PretrainingTexts) -> tuple[float, float]:
    """Loss and share of right guesses of the frequencies of pieces in the training texts, on the unseen texts' masks.

    One is added to each count, so that a piece that training never saw has a chance as well (Laplace).
    """
    counts = data.vocabulary.counts(data.texts.pieces).double() + 1
    chances = counts / counts.sum()
    answers = data.unseen.answers[data.unseen.answers >= 0]
    return -chances[answers].log().mean().item(), (answers == counts.argmax()).double().mean().item()


def bag_of_words(data: PretrainingTexts) -> list[Int[Tensor, " text"]]:
    """How a logistic regression on word counts, fitted to the labelled texts, judges both sets of unseen texts."""
    # It takes as long to import as torch, and only this needs it.
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    if not any(COUNTED.search(text) for text in data.labelled.written):
        return majority(data)
    words = CountVectorizer()
    counts = words.fit_transform(data.labelled.written)
    regression = LogisticRegression(max_iter=2000).fit(counts, data.labelled.tones.numpy())
    return [torch.as_tensor(regression.predict(words.transform(texts.written))) for texts in data.tone_sets]


def majority(data: PretrainingTexts) -> list[Int[Tensor, " text"]]:
    """The most frequent tone of the labelled texts, whatever the text."""
    tone = int(torch.bincount(data.labelled.tones, minlength=len(data.tones)).argmax())
    return [torch.full_like(texts.tones, tone) for texts in data.tone_sets]


def accuracy_by_set(data: PretrainingTexts, guesses: list[Int[Tensor, " text"]]) -> Float[Tensor, " tone_set"]:
    """The share of right judgements in each set of unseen texts."""
    return torch.stack([_right(one, texts.tones).mean() for one, texts in zip(guesses, data.tone_sets, strict=True)])


def _asked(probe: ProbeText, pieces: Tensor) -> Tensor:
    return torch.arange(pieces.shape[1], device=pieces.device)[None] == probe.place


def _all_tone_logits(network: BertNetwork, texts: EncodedTexts) -> Tensor:
    logits = []
    for rows in torch.arange(len(texts)).split(TEXTS_AT_ONCE):
        inputs, present = (part.to(network.device) for part in texts.rows(rows))
        logits.append(network.tone_logits(inputs, present).cpu())
    return torch.cat(logits)


def _over_queries(values: Float[Tensor, "text head query"], present: Tensor) -> Float[Tensor, " head"]:
    weights = present[:, None].to(values.dtype)
    return (values * weights).sum((0, 2)) / weights.sum((0, 2))


def _right(guesses: Tensor, tones: Tensor) -> Tensor:
    return (guesses == tones).float()
