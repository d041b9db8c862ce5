"""*Inside BERT* from a notebook: the chunk in view, from embeddings to evidence, as one labelled dataset."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from goldviz.data.texts.pieces import OVERLAP, Pieces, TextError, as_read, split_into_pieces
from goldviz.labs.inside_bert.evidence import evidence, guesses, neighbours, tone_without
from goldviz.labs.inside_bert.head import encoder_layer, head_map, head_steps, shares_of_query
from goldviz.labs.inside_bert.overview import composition, overview
from goldviz.labs.inside_bert.reading import TextReading, as_array, read_text
from goldviz.labs.inside_bert.samples import OTHER_SENSES
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.labs.inside_bert.word_order import order_and_pair, position_similarity, same_word, words_of_both
from goldviz.models.text.model import TextModel
from goldviz.text_models import text_model

MOST_WEIGHTS = 4_500_000
"""Attention weights of all heads together up to which the dataset holds every map, in float64: 36 MB. That is 4 layers
of 4 heads at 512 pieces, or 12 of 12 at 170; of more it holds the chosen head's."""


def chunks_of(model: TextModel, text: str) -> list[Pieces]:
    """The overlapping chunks that the model reads of a text; raises :class:`goldviz.data.texts.pieces.TextError`.

    Neighbours share 64 pieces, or a quarter of what a model with few positions reads. Half a pair of surrogates, which
    only a broken link can hold, becomes a question mark.
    """
    text = text.encode("utf-8", "replace").decode()
    overlap = min(OVERLAP, model.longest // 4)
    return split_into_pieces(model.tokeniser, text, longest=model.longest, overlap=overlap)


def pair_too_long(model: TextModel, text: str, chunks: Sequence[Pieces]) -> str:
    """Why a pair is not read as one, in a sentence; nothing where it is, or where the text is no pair."""
    if len(chunks) == 1 or not chunks[-1].segments.any():
        return ""
    count = len(model.tokeniser(text, verbose=False)["input_ids"])
    return (
        f"Text is a pair of {count:,} pieces; allowed are up to {model.longest} for A and B to see each other. It is "
        "read in chunks."
    )


def piece_to_mask(pieces: Pieces, position: int) -> int:
    """The piece that is masked, from 1: the setting's if it is there and not special, else the longest one.

    Raises :class:`goldviz.data.texts.pieces.TextError` where all pieces are special.
    """
    if 1 <= position <= len(pieces) and not pieces.special[position - 1]:
        return position
    ordinary = np.flatnonzero(~pieces.special)
    if not ordinary.size:
        raise TextError("The chunk has no piece that could be masked.", "empty")
    return int(max(ordinary, key=lambda place: (len(pieces.tokens[place]), -place))) + 1


def label_to_explain(overview_of_text: xr.Dataset, label: int) -> int:
    """The class that is explained, from 1: the setting's if it is there, else the most probable one."""
    if 1 <= label <= overview_of_text.sizes["label"]:
        return label
    return int(overview_of_text["probability"].values.argmax()) + 1


def compute(settings: InsideBert, model: TextModel | None = None) -> xr.Dataset:
    """Everything that the page draws of the first text, as float64 with named dimensions.

    Of chunk, layer, head and piece beyond the last one the last one is taken. What a model without a classifier or
    masked-word head cannot give is left out. ``all_attention`` (layer, head, query, key) is there up to
    ``MOST_WEIGHTS`` weights, ``word_cosine`` (pair, state) where the second text, or one that ships, has a word of the
    chunk. ``model`` replaces the settings' one, for instance by the model of a kept run.

    Raises :class:`goldviz.models.text.model.TextModelError` and :class:`goldviz.data.texts.pieces.TextError`.
    """
    model = model or text_model(settings.model)
    text = as_read(model.tokeniser, settings.text, settings.sentence_b)
    chunks = chunks_of(model, text)
    chunk, shape = min(settings.chunk, len(chunks)), model.encoder.shape
    pieces = chunks[chunk - 1]
    layer, head = min(settings.layer, shape.layers), min(settings.head, shape.heads)
    token = min(settings.token, len(pieces))
    reading = read_text(model, pieces)
    dataset = overview(reading)
    parts = [
        dataset,
        head_map(reading, layer, head),
        head_steps(reading, layer, head, token),
        shares_of_query(reading, layer, head, token),
        encoder_layer(reading, layer, token),
        neighbours(reading, token),
        composition(reading, token),
        position_similarity(reading),
        order_and_pair(reading),
        all_attention(reading),
        beside_another_sentence(reading, text, settings.second_text),
    ]
    if model.classifier is not None:
        explanation = evidence(reading, label_to_explain(dataset, settings.label), settings.steps)
        # Names that do not meet those of the text with all heads.
        names = {"logit": "logit_without", "probability": "probability_without", "state": "heads_on"}
        parts += [explanation, tone_without(model, pieces, settings.off).rename(names)]
    if model.masked_words is not None:
        parts.append(guesses(model, pieces, piece_to_mask(pieces, settings.masked)))
    whole = xr.merge(parts, combine_attrs="drop_conflicts", compat="no_conflicts", join="outer")
    long_pair = pair_too_long(model, text, chunks)
    told = {"pair_too_long": long_pair} if long_pair else {}
    return whole.assign_attrs(text=text, chunk=chunk, chunks=len(chunks), **told, **dataset.attrs)


def beside_another_sentence(reading: TextReading, text: str, other: str) -> xr.Dataset:
    """``same_word`` of the first word that the chunk shares with the other text, or one that ships; else nothing."""
    other, model = as_read(reading.model.tokeniser, other or OTHER_SENSES), reading.model
    pieces = chunks_of(model, other)[0]
    words = words_of_both(reading.pieces, text, pieces, other)
    return same_word(reading, text, read_text(model, pieces), other, words[0]) if words else xr.Dataset()


def all_attention(reading: TextReading) -> xr.Dataset:
    """Every head's weights, ``all_attention`` (layer, head, query, key), where they are few enough; else nothing."""
    shape, pieces = reading.model.encoder.shape, len(reading.pieces)
    if shape.layers * shape.heads * pieces**2 > MOST_WEIGHTS:
        return xr.Dataset()
    weights = np.stack([as_array(reading.attention(layer).weights[0]) for layer in range(shape.layers)])
    return xr.Dataset({"all_attention": (("layer", "head", "query", "key"), weights)})
