"""What the page *Policy documents* shows: vectors, tones, a map, neighbours, and what changed from text to text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import xarray as xr

from goldviz.data.texts.dated_texts import DatedText, DatedTexts
from goldviz.labs.policy_documents.document_map import cosine_change, nearest_documents, principal_axes
from goldviz.labs.policy_documents.documents.difference import Passage, text_difference, with_changes_put_back
from goldviz.labs.policy_documents.documents.vectors import encode
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.labs.policy_documents.text_vector import ReportPieces, TextVector, tone_balance
from goldviz.text_models import text_model

COMPONENTS = 8
MOST_PASSAGES = 16
"""Changed passages whose effect is measured; the longest ones, where there are more."""

LEAST_FITTED = 3
MAP_COMPONENTS = 2


def compute(settings: PolicyDocuments, report: ReportPieces | None = None) -> xr.Dataset:
    """Everything that is shown of the documents, by document in the order of release.

    ``coordinate``, ``share`` and ``fitted`` are of axes that all documents have in common; ``own_coordinate``,
    ``own_share`` and ``own_fitted`` of those that each kind has for itself, NaN where a kind spans fewer.

    Raises :class:`goldviz.data.texts.dated_texts.DatedTextError` for documents that are not here, and
    :class:`goldviz.models.text.model.TextModelError` for such a model.
    """
    documents, model = settings.texts(), text_model(settings.model)
    labels = model.labels if model.classifier is not None else ()
    read = encode(model, documents.texts, report)
    vectors = stacked(read, settings.pooling)
    fit_mask = fitted_documents(len(vectors), settings.fitted_on)
    axes = principal_axes(vectors[fit_mask], COMPONENTS)
    kinds = [text.kind or "document" for text in documents.texts]
    own_coordinate, own_share, own_fitted = axes_of_kinds(vectors, kinds, settings.fitted_on)
    previous = previous_of(documents)
    nearest, cosine = nearest_documents(vectors, settings.neighbours)
    moments = documents.release.moments(documents.release_days)
    tone = stacked(read, "tone").astype(np.float64)
    return xr.Dataset(
        {
            "vector": (("document", "dimension"), vectors.astype(np.float64)),
            "tone": (("document", "label"), tone),
            "balance": ("document", tone_balance(tone, labels)),
            "change": ("document", cosine_change(vectors, previous)),
            "previous": ("document", np.array(previous, np.float64)),
            "coordinate": (("document", "component"), axes.coordinates(vectors)),
            "share": ("component", axes.share),
            "fitted": ("document", fit_mask.astype(np.float64)),
            "own_coordinate": (("document", "own_component"), own_coordinate),
            "own_share": (("document", "own_component"), own_share),
            "own_fitted": ("document", own_fitted.astype(np.float64)),
            "nearest": (("document", "neighbour"), nearest.astype(np.float64)),
            "cosine": (("document", "neighbour"), cosine),
            "words": ("document", np.array([len(text.text.split()) for text in documents.texts], np.float64)),
            "pieces": ("document", stacked(read, "pieces").astype(np.float64)),
            "chunks": ("document", stacked(read, "chunks").astype(np.float64)),
        },
        coords={
            "title": ("document", [text.title for text in documents.texts]),
            "kind": ("document", kinds),
            "about": ("document", np.array([text.about for text in documents.texts], "datetime64[s]")),
            "released": ("document", moments.tz_localize(None).as_unit("s").to_numpy()),
            "label": list(labels),
            "component": np.arange(1, len(axes.share) + 1),
            "own_component": np.arange(1, MAP_COMPONENTS + 1),
        },
        attrs={
            "origin": documents.origin,
            "generated": int(documents.generated),
            "clock": documents.clock,
            "zone": documents.zone,
            "model": model.name,
            "pooling": settings.pooling,
            "fitted_on": settings.fitted_on,
        },
    )


compute_and_report = compute


def stacked(read: Sequence[TextVector], what: str) -> np.ndarray:
    """A vector of this pooling, or another number, of every text; the text first."""
    return np.stack([getattr(one, what) for one in read])


def fitted_documents(count: int, fitted_on: str) -> np.ndarray:
    """Which documents the map's axes are fitted on, (document,) of bool: all, or the first half, but at least three."""
    first = count if fitted_on == "all" else min(count, max(LEAST_FITTED, count // 2))
    return np.arange(count) < first


def axes_of_kinds(
    vectors: np.ndarray, kinds: Sequence[str], fitted_on: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each document on two axes of its own kind: places (document, 2), shares (document, 2), which were fitted.

    The axes of a kind are those of its documents alone, all or the first half, but at least three.
    """
    places, shares = (np.full((len(vectors), MAP_COMPONENTS), np.nan) for _ in range(2))
    fit_mask = np.zeros(len(vectors), bool)
    for kind in set(kinds):
        mine = np.flatnonzero(np.array(kinds) == kind)
        early = mine[fitted_documents(len(mine), fitted_on)]
        axes = principal_axes(vectors[early], MAP_COMPONENTS)
        count = len(axes.share)
        places[mine, :count], shares[mine, :count] = axes.coordinates(vectors[mine]), axes.share
        fit_mask[early] = True
    return places, shares, fit_mask


def previous_of(documents: DatedTexts) -> list[int]:
    """For each document the number of the one before it of the same kind, -1 where there is none."""
    before = map(documents.previous, range(len(documents.texts)))
    return [-1 if number is None else number for number in before]


def compared_texts(documents: DatedTexts, number: int) -> tuple[DatedText, DatedText] | None:
    """Document ``number``, counted from 0, after the one before it of its kind; None where there is none."""
    before = documents.previous(number)
    return None if before is None else (documents.texts[before], documents.texts[number])


@lru_cache(maxsize=64)
def passages_between(before: str, after: str) -> tuple[Passage, ...]:
    """What stayed and what changed between two texts, found once for everybody who looks."""
    return tuple(text_difference(before, after))


def measured_passages(passages: Sequence[Passage]) -> list[int]:
    """The numbers of the changed passages that are measured, in their order."""
    numbers = [number for number, part in enumerate(passages) if part.changed]
    longest = sorted(numbers, key=lambda number: -passages[number].words)[:MOST_PASSAGES]
    return sorted(longest)


def texts_of_change(settings: PolicyDocuments) -> list[DatedText]:
    """The document in view, the one before it of its kind, and the first with each measured passage alone as before.

    There is none for a first document of its kind.
    """
    documents = settings.texts()
    pair = compared_texts(documents, min(settings.document, len(documents.texts)) - 1)
    if pair is None:
        return []
    before, after = pair
    passages = passages_between(before.text, after.text)
    put_back = [
        with_changes_put_back(before.text, after.text, passages, [number]) for number in measured_passages(passages)
    ]
    return [after, before, *(replace(after, text=text) for text in put_back)]


def read_change(settings: PolicyDocuments, report: ReportPieces | None = None) -> xr.Dataset:
    """What each changed passage of the document in view does to its vector and its tone.

    ``distance`` (passage,) is 1 - cos between the document and the same with that passage alone as it was before;
    ``balance`` (passage,) is how much the passage raised the tone. ``whole_distance`` and ``whole_balance`` are the
    same for all passages together. Effects do not add up: each is measured with all other changes in place.

    Raises as :func:`compute` does. There is no passage for a first document of its kind.
    """
    model, texts = text_model(settings.model), texts_of_change(settings)
    numbers, distance, gain = list[int](), np.full(2, np.nan), np.full(2, np.nan)
    if texts:
        read = encode(model, texts, report)
        numbers = measured_passages(passages_between(texts[1].text, texts[0].text))
        distance = cosine_change(stacked(read, settings.pooling), [-1, *[0] * (len(texts) - 1)])
        balance = tone_balance(stacked(read, "tone"), model.labels if model.classifier is not None else ())
        gain = balance[0] - balance
    return xr.Dataset(
        {"distance": ("passage", distance[2:]), "balance": ("passage", gain[2:])},
        coords={"passage": numbers},
        attrs={"whole_distance": float(distance[1]), "whole_balance": float(gain[1])},
    )


def measure_change(report: ReportPieces, settings: str) -> xr.Dataset:
    """What :func:`read_change` says of settings in JSON, for a worker process."""
    return read_change(PolicyDocuments.checked_json(settings), report)
