"""What *Inside BERT* shows of one chunk as a whole: its pieces, their embeddings, a number for every head, its tone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import xarray as xr

from goldviz.data.texts.pieces import Pieces
from goldviz.labs.inside_bert.reading import TextReading, as_array
from goldviz.models.text.model import TextModel

EMBEDDING_PARTS = ("token", "segment", "position", "sum", "normalised")


def piece_coordinates(pieces: Pieces) -> dict[str, Any]:
    """Coordinates along ``piece``, from 1: the piece, its word (-1: special), and its characters in the whole text."""
    return {
        "piece": np.arange(1, len(pieces) + 1),
        "token": ("piece", np.array(pieces.tokens, dtype=object)),
        "word": ("piece", pieces.words),
        "start": ("piece", pieces.offsets[:, 0]),
        "stop": ("piece", pieces.offsets[:, 1]),
        "special": ("piece", pieces.special),
    }


def model_facts(model: TextModel) -> dict[str, Any]:
    """The model's sizes as attributes of a dataset."""
    shape = model.encoder.shape
    return {
        "model": model.name,
        "fingerprint": model.fingerprint,
        "layers": shape.layers,
        "heads": shape.heads,
        "width": shape.width,
        "head_width": shape.head_width,
        "inner": shape.inner,
        "vocabulary": shape.vocabulary,
        "positions": shape.longest,
        "segments": shape.segments,
        "parameters": model.parameter_count,
        "encoder_parameters": sum(weights.numel() for weights in model.encoder.parameters()),
    }


@torch.no_grad()
def overview(reading: TextReading) -> xr.Dataset:
    """Norms of every piece's embeddings, summaries of every head, and the attention that each piece receives.

    Layers and heads count from 1. ``embedding_norm`` has e_tok, e_seg, e_pos, their sum E^(0), and X^(0) after its
    LayerNorm; ``state_norm`` the norms of X^(0) to X^(L). A model with a classifier adds ``logit`` and ``probability``.
    """
    shape = reading.model.encoder.shape
    norms = torch.stack([part.norm(dim=-1) for part in reading.embeddings])
    dataset = xr.Dataset(
        {
            "embedding_norm": (("part", "piece"), as_array(norms)),
            "state_norm": (("state", "piece"), as_array(reading.hidden.norm(dim=-1))),
            "received": (("layer", "piece"), reading.received.astype(float)),
        },
        coords={
            **piece_coordinates(reading.pieces),
            "part": list(EMBEDDING_PARTS),
            "state": np.arange(shape.layers + 1),
            "layer": np.arange(1, shape.layers + 1),
            "head": np.arange(1, shape.heads + 1),
        },
        attrs=model_facts(reading.model),
    )
    for name, values in reading.summaries.items():
        dataset[f"head_{name}"] = (("layer", "head"), values.astype(float))
    return dataset.merge(tone_of(reading))


def composition(reading: TextReading, token: int) -> xr.Dataset:
    """``embedding`` (part, unit): the vectors that are added up for one piece, from 1, their sum, and that normalised.

    ``sentence`` of the attributes is A or B, by the segment of the piece.
    """
    vectors = as_array(torch.stack([part[token - 1] for part in reading.embeddings]))
    return xr.Dataset(
        {"embedding": (("part", "unit"), vectors)},
        coords={"part": list(EMBEDDING_PARTS), "unit": np.arange(1, vectors.shape[1] + 1)},
        attrs={"piece_of": reading.pieces.tokens[token - 1], "sentence": "AB"[int(reading.pieces.segments[token - 1])]},
    )


@torch.no_grad()
def tone_of(reading: TextReading) -> xr.Dataset:
    """Logits and probabilities of the model's classes; nothing where it has no classifier."""
    classifier = reading.model.classifier
    if classifier is None:
        return xr.Dataset()
    logits = classifier(reading.hidden[-1:])[0].double()
    return xr.Dataset(
        {"logit": ("label", logits.numpy()), "probability": ("label", logits.softmax(-1).numpy())},
        coords={"label": label_names(reading.model.labels)},
    )


def label_names(labels: Sequence[str]) -> list[str]:
    """The classes' names, each once: a name that comes again gets its number.

    >>> label_names(["a", "b", "a"])
    ['a', 'b', 'a (3)']
    """
    return [
        name if name not in labels[:place] else f"{name} ({place + 1})" for place, name in enumerate(map(str, labels))
    ]
