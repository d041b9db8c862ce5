"""A text model from a folder in the form that model hubs use: config.json, vocabulary, weights.

Configuration and tensors are read here, by name, into the laboratory's own encoder; transformers reads the vocabulary.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from torch import nn

from goldviz.models.text.config import (
    LONGEST_CONFIG,
    MOST_LABELS,
    checkpoint_kind,
    classifier_refusal,
    encoder_shape,
    labels_of,
    read_json_object,
)
from goldviz.models.text.encoder import EncoderShape, TransformerEncoder
from goldviz.models.text.files import stored_tensors
from goldviz.models.text.heads import MaskedWordHead, TextClassifier
from goldviz.models.text.model import LONGEST_CHUNK, Note, TextModel, TextModelError
from goldviz.models.text.tokeniser import lowers_capitals, read_tokeniser
from goldviz.models.text.weights import (
    CHECKPOINT_FAMILIES,
    CheckpointFamily,
    StoredTensor,
    classes_of,
    read_classifier,
    read_encoder,
    read_masked_word_head,
    read_next_sentence_head,
)
from goldviz.plurals import how_many

SHIPPED_FOLDER = Path(__file__).parent / "shipped" / "financial-bert"
"""The small financial BERT that comes with the package."""

SHIPPED_NAME = "Small financial BERT"


def load_text_model(folder: Path, name: str = "") -> TextModel:
    """The model in ``folder``, in float32, for looking at: no weight of it asks for a gradient.

    BERT, RoBERTa (XLM-RoBERTa and CamemBERT too) and DistilBERT are read, from safetensors or from PyTorch's own
    format, with the masked-word head and the classifier of whole texts if they are there; ``notes`` say why one is not.
    ``name`` is what a person calls the model; '' takes the folder's. Weights are copied once, so memory peaks at the
    model and one tensor more.

    Raises :class:`goldviz.models.text.model.TextModelError`, in one sentence, for everything else: whatever the
    files hold, no code in them runs, and nothing large is allocated before the sizes have been checked.
    """
    name = name or folder.name
    if not folder.is_dir():
        raise TextModelError(
            f"{name} is no folder of a model: {'it is a file' if folder.exists() else 'it is gone'}.", "gone"
        )
    config = read_json_object(folder / "config.json", name, LONGEST_CONFIG)
    kind = checkpoint_kind(config, name)
    family = CHECKPOINT_FAMILIES[kind]
    shape = encoder_shape(config, kind, name)
    tokeniser = read_tokeniser(folder, kind, shape.vocabulary, name)
    tensors = stored_tensors(folder, name)
    encoder = read_encoder(name, shape, family, tensors)
    masked_words, about_words = _masked_words(name, config, tokeniser, encoder, family, tensors)
    classifier, labels, about_classes = _classifier(name, config, shape, family, tensors)
    next_sentence = read_next_sentence_head(name, shape.width, family, tensors)
    for part in (encoder, masked_words, classifier, next_sentence):
        if part is not None:
            part.eval().requires_grad_(False)
    notes = (*about_classes, *about_words, *_about_pieces(tokeniser, shape), *_about_length(shape))
    parts = (encoder, masked_words, classifier, *([] if next_sentence is None else [next_sentence]))
    fingerprint = text_model_fingerprint(shape, tokeniser, parts, labels, name)
    return TextModel(name, encoder, tokeniser, masked_words, classifier, labels, fingerprint, notes, next_sentence)


@cache
def shipped_text_model() -> TextModel:
    """The small financial BERT that comes with the package, read once in a process."""
    return load_text_model(SHIPPED_FOLDER, SHIPPED_NAME)


def text_model_fingerprint(
    shape: EncoderShape, tokeniser: Any, parts: tuple[nn.Module | None, ...], labels: tuple[str, ...], name: str
) -> str:
    """32 hexadecimal digits of the SHA-256 of all numbers, sizes, pieces, labels and the model's name.

    The same whatever form of file they came from. Whatever is shown of a model counts, so that nobody's copy with other
    labels stands in for the original; 440 MB take about a third of a second.
    """
    digest = hashlib.sha256(json.dumps([repr(shape), name, labels, tokeniser.special_tokens_map]).encode())
    split = json.loads(tokeniser.backend_tokenizer.to_str())
    for part in ("added_tokens", "normalizer", "pre_tokenizer", "model", "post_processor"):
        digest.update(json.dumps(split.get(part), sort_keys=True).encode())
    for module in parts:
        digest.update(type(module).__name__.encode())
        for weight, numbers in () if module is None else module.state_dict().items():
            digest.update(f"{weight}{tuple(numbers.shape)}".encode())
            digest.update(numbers.contiguous().numpy())
    return digest.hexdigest()[:32]


def _masked_words(
    name: str,
    config: Mapping[str, Any],
    tokeniser: Any,
    encoder: TransformerEncoder,
    family: CheckpointFamily,
    tensors: Mapping[str, StoredTensor],
) -> tuple[MaskedWordHead | None, tuple[Note, ...]]:
    absent = Note("no_masked_words", "It has no masked-word head that can be read, so it cannot guess hidden words.")
    if tokeniser.mask_token_id is None or config.get("tie_word_embeddings") is False:
        return None, (absent,)
    # The head here is gelu's alone.
    if family.masked_word_activation and config.get(family.masked_word_activation, "gelu") != "gelu":
        return None, (absent,)
    head = read_masked_word_head(name, encoder, family, tensors)
    return head, () if head is not None else (absent,)


def _classifier(
    name: str,
    config: Mapping[str, Any],
    shape: EncoderShape,
    family: CheckpointFamily,
    tensors: Mapping[str, StoredTensor],
) -> tuple[TextClassifier | None, tuple[str, ...], tuple[Note, ...]]:
    refusal = classifier_refusal(config)
    if refusal and any(tensor.startswith("classifier.") for tensor in tensors):
        return None, (), (Note("other_classifier", f"It has a classifier, but {refusal}, so it gives a text no tone."),)
    head = None if refusal else read_classifier(name, shape.width, family, tensors, MOST_LABELS)
    if head is None and (classes := classes_of(family, tensors)) > MOST_LABELS:
        sentence = f"Its classifier has {classes:,} classes; up to {MOST_LABELS} can be shown, so it is left out."
        return None, (), (Note("too_many_classes", sentence),)
    if head is None:
        return None, (), (Note("no_classifier", "It has no classifier, so it gives a text no tone."),)
    classes = head.read_out.out_features
    labels = labels_of(config, classes, name)
    if labels is None:
        names = tuple(f"class {number}" for number in range(classes))
        sentence = "Its config.json does not name its classes, so they are numbered."
        return head, names, (Note("unnamed_classes", sentence),)
    return head, labels, ()


def _about_pieces(tokeniser: Any, shape: EncoderShape) -> tuple[Note, ...]:
    notes = []
    if spare := shape.vocabulary - len(tokeniser):
        sentence = f"Its table has {how_many(spare, 'row')} without a piece, which nothing uses."
        notes.append(Note("spare_rows", sentence))
    if lowers_capitals(tokeniser):
        sentence = "Its vocabulary has capitals, but texts are read in small letters, as its files say."
        notes.append(Note("lower_case", sentence))
    return tuple(notes)


def _about_length(shape: EncoderShape) -> tuple[Note, ...]:
    if shape.longest < LONGEST_CHUNK:
        return (Note("length", f"It reads at most {shape.longest} pieces at once."),)
    if shape.longest > LONGEST_CHUNK:
        return (Note("length", f"It could read {shape.longest:,} pieces at once; here it reads {LONGEST_CHUNK}."),)
    return ()
