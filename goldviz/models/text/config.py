"""What the config.json of a checkpoint says: its family, its sizes, its labels. Nothing in it is believed unseen.

A few hundred bytes of it decide how much memory a model takes, so every size is checked before any is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goldviz.models.text.encoder import FEED_FORWARD_ACTIVATIONS, EncoderShape
from goldviz.models.text.model import TextModelError
from goldviz.models.text.weights import CHECKPOINT_FAMILIES
from goldviz.plain_files import content_of

LONGEST_CONFIG = 1_000_000
"""Bytes of a config.json; those of real encoders have a few thousand."""

MOST_ENCODER_WEIGHTS = 375_000_000
"""The most weights of an encoder: 1.5 GB in float32. BERT-large has 335 million."""

LARGEST_SIZES = {
    "layers": 48,
    "heads": 64,
    "width": 4096,
    "inner": 16_384,
    "vocabulary": 600_000,
    "positions": 16_384,
    "segments": 64,
}
MOST_LABELS = 100
LONGEST_LABEL = 60


def read_json_object(path: Path, name: str, longest: int) -> dict[str, Any]:
    """The object in a JSON file; raises :class:`goldviz.models.text.model.TextModelError` for anything else."""
    if not path.is_file():
        raise TextModelError(f"{name} has no file {path.name}, so it is no folder of a model.", "no_config")
    try:
        if path.stat().st_size > longest:
            raise TextModelError(
                f"{name}: {path.name} has {path.stat().st_size:,} bytes; allowed are up to {longest:,}.", "too_large"
            )
        content = json.loads(content_of(path, longest))
    except OSError as error:
        raise TextModelError(f"{name}: {path.name} cannot be read ({error.strerror or error}).", "disk") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, TextModelError):
            raise
        raise TextModelError(f"{name}: {path.name} is not JSON.", "bad_config") from None
    if not isinstance(content, dict):
        raise TextModelError(f"{name}: {path.name} holds no JSON object.", "bad_config")
    return content


def checkpoint_kind(config: Mapping[str, Any], name: str) -> str:
    """The ``model_type``, a key of :data:`goldviz.models.text.weights.CHECKPOINT_FAMILIES`.

    Configurations from before 2020 do not give it; one with BERT's sizes is a BERT's then. Raises
    :class:`goldviz.models.text.model.TextModelError` for every other kind of model, decoders among them.
    """
    kind = config.get("model_type")
    architecture = _architecture(config)
    if kind is None and (architecture.startswith("Bert") or (not architecture and "type_vocab_size" in config)):
        kind = "bert"
    label = _shown_value(kind or architecture or "unknown")
    choices = f"allowed are encoders of the kinds {', '.join(CHECKPOINT_FAMILIES)}"
    if config.get("is_encoder_decoder") is True or config.get("add_cross_attention") is True:
        raise TextModelError(f"{name} is an encoder with a decoder ({label}); {choices}.", "other_kind")
    if config.get("is_decoder") is True or _is_decoder_only(kind, architecture):
        raise TextModelError(
            f"{name} is a decoder, whose tokens see only what is before them ({label}); {choices}.", "other_kind"
        )
    if not isinstance(kind, str) or kind not in CHECKPOINT_FAMILIES:
        raise TextModelError(f"{name} is a model of the kind {label}; {choices}.", "other_kind")
    return kind


def encoder_shape(config: Mapping[str, Any], kind: str, name: str) -> EncoderShape:
    """The sizes that config.json states for an encoder of this ``kind``.

    Raises :class:`goldviz.models.text.model.TextModelError` where one is missing, out of bounds or not supported.
    """
    family = CHECKPOINT_FAMILIES[kind]
    sizes = {field: _size(config, field, key, name) for field, key in family.sizes.items()}
    positions = config.get("position_embedding_type", "absolute")
    if positions != "absolute":
        raise TextModelError(
            f"{name} has positions of the kind {_shown_value(positions)}; allowed is 'absolute'.", "bad_config"
        )
    activation = config.get(family.activation, "gelu")
    if not isinstance(activation, str) or activation not in FEED_FORWARD_ACTIVATIONS:
        activations = ", ".join(FEED_FORWARD_ACTIVATIONS)
        raise TextModelError(
            f"{name} has the activation {_shown_value(activation)}; allowed are {activations}.", "bad_config"
        )
    epsilon = config.get("layer_norm_eps", 1e-12)
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not 0 < epsilon < 1:
        raise TextModelError(
            f"{name}: layer_norm_eps is {_shown_value(epsilon)}; allowed is a number between 0 and 1.", "bad_config"
        )
    if sizes["width"] % sizes["heads"]:
        raise TextModelError(
            f"{name} has a width of {sizes['width']}, which its {sizes['heads']} heads do not divide.", "bad_config"
        )
    first = 0
    if family.prefix == "roberta.":
        padding = config.get("pad_token_id", 1)
        if isinstance(padding, bool) or not isinstance(padding, int) or not 0 <= padding < sizes["positions"] - 1:
            raise TextModelError(
                f"{name}: pad_token_id is {_shown_value(padding)}; allowed is the number of a piece.", "bad_config"
            )
        first = padding + 1
    shape = EncoderShape(
        layers=sizes["layers"],
        heads=sizes["heads"],
        width=sizes["width"],
        inner=sizes["inner"],
        vocabulary=sizes["vocabulary"],
        positions=sizes["positions"],
        segments=sizes.get("segments", 0),
        first_position=first,
        activation=activation,
        epsilon=float(epsilon),
    )
    if encoder_weights(shape) > MOST_ENCODER_WEIGHTS:
        raise TextModelError(
            f"{name} has {encoder_weights(shape) / 1e6:,.0f} million weights; allowed are up to "
            f"{MOST_ENCODER_WEIGHTS / 1e6:,.0f} million.",
            "too_large",
        )
    return shape


def encoder_weights(shape: EncoderShape) -> int:
    """How many weights an encoder of this shape has.

    >>> encoder_weights(EncoderShape(layers=12, heads=12, width=768, inner=3072, vocabulary=30873, positions=512))
    109161216
    """
    tables = (shape.vocabulary + shape.positions + shape.segments + 2) * shape.width
    attention = 4 * shape.width * (shape.width + 1) + 2 * shape.width
    feed_forward = (2 * shape.width + 1) * shape.inner + 3 * shape.width
    return tables + shape.layers * (attention + feed_forward)


def labels_of(config: Mapping[str, Any], classes: int, name: str) -> tuple[str, ...] | None:
    """The classes' names in the order of the logits, or None where config.json gives none.

    Raises :class:`goldviz.models.text.model.TextModelError` where there are more or fewer names than ``classes``.
    """
    table = config.get("id2label")
    if table is None:
        return None
    numbers = {str(number) for number in range(classes)}
    if not isinstance(table, dict) or set(table) != numbers or not all(isinstance(x, str) for x in table.values()):
        raise TextModelError(
            f"{name}: id2label of config.json does not name the {classes} classes from 0 on.", "bad_config"
        )
    labels = tuple(table[str(number)].strip()[:LONGEST_LABEL] for number in range(classes))
    if len(set(labels)) < classes:
        raise TextModelError(f"{name}: id2label of config.json gives one name to several classes.", "bad_config")
    return labels


def classifier_refusal(config: Mapping[str, Any]) -> str:
    """Why a checkpoint's classifier does not choose one class for a whole text, in words; '' where it does.

    The tensors alone do not tell: a classifier of single pieces that was saved with a pooler has the same names and
    shapes. So config.json has to name a ``...ForSequenceClassification`` among its ``architectures``, and no
    ``problem_type`` other than the choice of one class.

    >>> classifier_refusal({"architectures": ["BertForSequenceClassification"]})
    ''
    >>> classifier_refusal({"architectures": ["BertForTokenClassification"]})
    'its config.json calls it BertForTokenClassification, which is none of whole texts'
    """
    names = config.get("architectures")
    architectures = [each for each in names if isinstance(each, str)] if isinstance(names, list) else []
    if not architectures:
        return "its config.json does not say of what"
    if not any(architecture.endswith("ForSequenceClassification") for architecture in architectures):
        return f"its config.json calls it {architectures[0][:LONGEST_LABEL]}, which is none of whole texts"
    problem = config.get("problem_type")
    if problem not in (None, "single_label_classification"):
        return f"its config.json gives it the problem {_shown_value(problem)}, not the choice of one class"
    return ""


def _size(config: Mapping[str, Any], field: str, key: str, name: str) -> int:
    value = config.get(key)
    least = 0 if field == "segments" else 1
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST_SIZES[field]:
        raise TextModelError(
            f"{name}: {key} of config.json is {_shown_value(value)}; allowed is a whole number from {least} to "
            f"{LARGEST_SIZES[field]:,}.",
            "bad_config",
        )
    return value


def _architecture(config: Mapping[str, Any]) -> str:
    names = config.get("architectures")
    return names[0] if isinstance(names, list) and names and isinstance(names[0], str) else ""


def _is_decoder_only(kind: Any, architecture: str) -> bool:
    if isinstance(kind, str) and kind in CHECKPOINT_FAMILIES:
        return False
    if architecture.endswith(("ForCausalLM", "LMHeadModel")):
        return True
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    return (
        isinstance(kind, str)
        and kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
        and kind not in MODEL_FOR_MASKED_LM_MAPPING_NAMES
    )


def _shown_value(value: Any) -> str:
    """A foreign value, short enough for a sentence."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
