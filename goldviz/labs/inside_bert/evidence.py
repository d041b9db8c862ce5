"""Evidence beside attention: integrated gradients, heads switched off, a word hidden and guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
import xarray as xr
from scipy.special import softmax
from scipy.stats import spearmanr

from goldviz.data.texts.pieces import Pieces, shown_pieces
from goldviz.labs.inside_bert.attribution import (
    ablate_all,
    classifier_of,
    head_ablation,
    integrated_gradients,
)
from goldviz.labs.inside_bert.overview import label_names, piece_coordinates
from goldviz.labs.inside_bert.reading import ReportSteps, TextReading, as_array, piece_ids, segment_ids
from goldviz.models.text.model import TextModel, TextModelError

SENTENCEPIECE_BLANK = "▁"
BLANK_MARKS = ("Ġ", SENTENCEPIECE_BLANK)
"""How a piece begins that has a blank before it: in byte-level vocabularies, and in those of sentencepiece."""


def evidence(reading: TextReading, label: int, steps: int = 64, report: ReportSteps | None = None) -> xr.Dataset:
    """What every piece adds to the logit of the class number ``label`` (from 1), beside the attention that it receives.

    ``attribution`` (piece): integrated gradients from a text of padding (Sundararajan et al. 2017).
    ``attention_received`` (piece): attention, the mean over layers, heads and queries. Attributes: ``total`` F(text) -
    F(padding), ``gap`` the relative completeness gap, ``steps`` taken, and ``rank_correlation`` of |attribution| with
    the attention received over the ``compared`` ordinary pieces, as Jain and Wallace 2019 ask for it (NaN for fewer
    than three).

    Raises :class:`goldviz.models.text.model.TextModelError` for a model without a classifier or without such a class.
    """
    model, pieces = reading.model, reading.pieces
    classifier_of(model)
    if not 1 <= label <= len(model.labels):
        raise TextModelError(f"The class is number {label}; {model.name} has 1 to {len(model.labels)}.", "not_allowed")
    attributions = integrated_gradients(model, pieces, label - 1, steps, report)
    attention = reading.received.astype(float).mean(axis=0)
    ordinary = ~pieces.special
    return xr.Dataset(
        {"attribution": ("piece", attributions.per_piece.astype(float)), "attention_received": ("piece", attention)},
        coords=piece_coordinates(pieces),
        attrs={
            "label": label_names(model.labels)[label - 1],
            "total": attributions.total,
            "gap": attributions.gap,
            "steps": attributions.steps,
            "compared": int(ordinary.sum()),
            "rank_correlation": rank_correlation(np.abs(attributions.per_piece[ordinary]), attention[ordinary]),
        },
    )


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's correlation of the ranks; NaN for fewer than three numbers and where one side is constant.

    >>> rank_correlation(np.array([1.0, 2.0, 9.0]), np.array([0.1, 0.2, 0.3]))
    1.0
    """
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return round(float(spearmanr(first, second).statistic), 12)


def chance_range(count: int) -> float:
    """2 / sqrt(count - 1): within it lie about 95 in 100 rank correlations of ``count`` pairs that have nothing to do
    with each other, whose standard deviation is 1 / sqrt(count - 1) (Kendall 1948). NaN for fewer than two pairs.

    >>> chance_range(17)
    0.5
    """
    return 2 / (count - 1) ** 0.5 if count > 1 else float("nan")


def heads_switched_off(model: TextModel, off: str) -> np.ndarray:
    """One share for each head from the setting ``off``: 0 for those that it names, 1 for the others.

    '3.1' is layer 3, head 1, and '2' the whole layer 2, both counted from 1. Raises
    :class:`goldviz.models.text.model.TextModelError` for a layer or head that the model does not have.
    """
    shape = model.encoder.shape
    shares = np.ones((shape.layers, shape.heads))
    for name in filter(None, off.split(",")):
        layer, dot, head = name.partition(".")
        if not 1 <= int(layer) <= shape.layers or (dot and not 1 <= int(head) <= shape.heads):
            raise TextModelError(
                f"Off names {name}; {model.name} has layers 1 to {shape.layers} with heads 1 to {shape.heads}.",
                "not_allowed",
            )
        shares[int(layer) - 1, int(head) - 1 if dot else slice(None)] = 0.0
    return shares


@torch.no_grad()
def words_left_out(reading: TextReading) -> xr.Dataset:
    """``moved`` (spoken): how far the text's vector, the mean of its last states, turns without a word, 1 - cosine.

    Beside it ``attention_received`` (spoken) by the word's pieces together, the mean over layers, heads and queries.
    The words are named by their pieces. Nothing for a text of one word.
    """
    model, pieces = reading.model, reading.pieces
    ids, segments = piece_ids(model, pieces), segment_ids(model, pieces)
    whole, moved, received = reading.hidden[-1].mean(0), [], []
    places = [np.flatnonzero(pieces.words == word) for word in range(int(pieces.words.max(initial=-1)) + 1)]
    if len(places) < 2:
        return xr.Dataset()
    for place in places:
        rest = np.setdiff1d(np.arange(len(pieces)), place)
        states = model.encoder.embeddings(ids[:, rest], segments[:, rest]).normalised
        for block in model.encoder.blocks:
            states = block(states, None)
        moved.append(1 - float(torch.cosine_similarity(states[0].mean(0), whole, dim=0)))
        received.append(float(reading.received[:, place].mean(0).sum()))
    names = ["".join(pieces.tokens[at].removeprefix("##").lstrip("Ġ") for at in place) for place in places]
    numbers = {"moved": moved, "attention_received": received}
    numbers |= {f"{name}_of_most": [one / (max(own) or 1) for one in own] for name, own in numbers.items()}
    return xr.Dataset(
        {name: ("spoken", own) for name, own in numbers.items()},
        coords={"spoken": np.array(names, dtype=object)},
    )


def tone_without(model: TextModel, pieces: Pieces, off: str) -> xr.Dataset:
    """``logit`` and ``probability`` (state, label) with all heads and without those that ``off`` names.

    Raises :class:`goldviz.models.text.model.TextModelError` for a model without a classifier.
    """
    shares = heads_switched_off(model, off)
    logits = np.stack([head_ablation(model, pieces, np.ones_like(shares)), head_ablation(model, pieces, shares)])
    return xr.Dataset(
        {"logit": (("state", "label"), logits), "probability": (("state", "label"), softmax(logits, axis=-1))},
        coords={"state": ["all heads", "without"], "label": label_names(model.labels)},
        attrs={"off": off, "heads_off": int((shares == 0).sum()), "heads": shares.size},
    )


def every_head_off(model: TextModel, pieces: Pieces, report: ReportSteps | None = None) -> xr.Dataset:
    """``change`` (layer, head, label) of each logit when one head after another is switched off alone.

    Raises :class:`goldviz.models.text.model.TextModelError` for a model without a classifier.
    """
    changes = ablate_all(model, pieces, report)
    shape = model.encoder.shape
    return xr.Dataset(
        {"change": (("layer", "head", "label"), changes)},
        coords={
            "layer": np.arange(1, shape.layers + 1),
            "head": np.arange(1, shape.heads + 1),
            "label": label_names(model.labels),
        },
    )


@torch.no_grad()
def guesses(model: TextModel, pieces: Pieces, token: int, top: int = 10) -> xr.Dataset:
    """The pieces that the model expects where piece ``token`` (from 1) is masked: ``guess_probability`` (guess).

    It is the task that BERT learned from (document 001, section 4.2.2). Attributes: the ``truth`` that was hidden, its
    ``truth_probability`` and ``truth_rank`` in the whole vocabulary, where 1 is the first.

    Raises IndexError for a piece that the text does not have, and
    :class:`goldviz.models.text.model.TextModelError` for a model without a masked-word head, or whose tokeniser has no
    mask piece.
    """
    if model.masked_words is None:
        raise TextModelError(f"{model.name} has no masked-word head; choose a model that has kept it.", "no_head")
    if model.tokeniser.mask_token_id is None:
        raise TextModelError(f"The tokeniser of {model.name} has no mask piece, so nothing can be masked.", "tokeniser")
    if not 1 <= token <= len(pieces):
        raise IndexError(f"The piece is number {token}; the text has numbers 1 to {len(pieces)}.")
    ids = pieces.ids.copy()
    ids[token - 1] = model.tokeniser.mask_token_id
    rows = replace(pieces, ids=ids)
    # The head reads the masked place alone: at all pieces it would take 63 MB.
    hidden = model.encoder(piece_ids(model, rows), segment_ids(model, rows))[0, token - 1]
    logits = model.masked_words(hidden, model.encoder.embeddings.token.weight)
    log_probabilities = as_array(logits.double().log_softmax(-1))
    truth, best = int(pieces.ids[token - 1]), np.argsort(-log_probabilities, kind="stable")[:top]
    return xr.Dataset(
        {"guess_probability": ("guess", np.exp(log_probabilities[best]))},
        coords={
            "guess": np.arange(1, len(best) + 1),
            "guessed": ("guess", np.array(shown_pieces(model.tokeniser, best.tolist()), dtype=object)),
        },
        attrs={
            "truth": pieces.tokens[token - 1],
            "truth_probability": float(np.exp(log_probabilities[truth])),
            "truth_rank": 1 + int((log_probabilities > log_probabilities[truth]).sum()),
            "masked": token,
        },
    )


def guess_of_word(model: TextModel, word: str, hidden: str = "") -> str:
    """The one piece of the vocabulary that a guessed word is in the place of the piece ``hidden``.

    Byte-level and sentencepiece vocabularies write the blank before a word into its first piece, as "Ġ" and "▁", so
    "Ġgold" and "gold" are two pieces. Where the hidden one has the mark the guess is read with a blank before it, and
    where it has none the mark that sentencepiece always begins with is taken off. '' where the word is no piece or
    several.
    """
    blank = " " if hidden.startswith(BLANK_MARKS) else ""
    word_pieces: Sequence[str] = model.tokeniser.tokenize(blank + word.strip())
    if hidden and word_pieces and word_pieces[0].startswith(SENTENCEPIECE_BLANK) and not blank:
        word_pieces = [piece for piece in (word_pieces[0].removeprefix(SENTENCEPIECE_BLANK), *word_pieces[1:]) if piece]
    if len(word_pieces) != 1:
        return ""
    number = model.tokeniser.convert_tokens_to_ids(word_pieces[0])
    unknown = number is None or number == model.tokeniser.unk_token_id
    return "" if unknown else shown_pieces(model.tokeniser, [number])[0]


@torch.no_grad()
def neighbours(reading: TextReading, token: int, count: int = 10) -> xr.Dataset:
    """The pieces of the vocabulary nearest to piece ``token`` (from 1): ``cosine`` (neighbour) of the embeddings.

    The piece itself is not among them.
    """
    model, number = reading.model, int(reading.pieces.ids[token - 1])
    table = model.encoder.embeddings.token.weight
    lengths = torch.linalg.vector_norm(table, dim=1)
    # A row of zeros, as padding may have, has no direction: its cosine is put at 0.
    cosines = table @ table[number] / (lengths * lengths[number]).clamp_min(torch.finfo(table.dtype).tiny)
    cosines[number] = -np.inf
    best = cosines.topk(min(count, len(table) - 1))
    tokens = shown_pieces(model.tokeniser, best.indices.tolist())
    return xr.Dataset(
        {"cosine": ("neighbour", as_array(best.values.clamp(-1, 1)))},
        coords={
            "neighbour": np.arange(1, len(tokens) + 1),
            "nearby": ("neighbour", np.array(tokens, dtype=object)),
        },
        attrs={"neighbours_of": reading.pieces.tokens[token - 1]},
    )
