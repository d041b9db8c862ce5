"""A text model as a folder in the form that model hubs use, for everything that reads BERT.

Configuration, vocabulary and tokeniser are those of BERT; one safetensors file holds the encoder and both heads under
the names that transformers' ``BertForMaskedLM`` and ``BertForSequenceClassification`` give them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from goldviz.models.text.encoder import EncoderShape
from goldviz.models.text.model import TextModel, TextModelError

BERT_NAMES: tuple[tuple[str, str], ...] = (
    (r"encoder\.embeddings\.token\.", "bert.embeddings.word_embeddings."),
    (r"encoder\.embeddings\.position\.", "bert.embeddings.position_embeddings."),
    (r"encoder\.embeddings\.segment\.", "bert.embeddings.token_type_embeddings."),
    (r"encoder\.embeddings\.norm\.", "bert.embeddings.LayerNorm."),
    (r"encoder\.blocks\.(\d+)\.attention\.(query|key|value)\.", r"bert.encoder.layer.\1.attention.self.\2."),
    (r"encoder\.blocks\.(\d+)\.attention\.output\.", r"bert.encoder.layer.\1.attention.output.dense."),
    (r"encoder\.blocks\.(\d+)\.attention_norm\.", r"bert.encoder.layer.\1.attention.output.LayerNorm."),
    (r"encoder\.blocks\.(\d+)\.expand\.", r"bert.encoder.layer.\1.intermediate.dense."),
    (r"encoder\.blocks\.(\d+)\.contract\.", r"bert.encoder.layer.\1.output.dense."),
    (r"encoder\.blocks\.(\d+)\.output_norm\.", r"bert.encoder.layer.\1.output.LayerNorm."),
    (r"masked_words\.dense\.", "cls.predictions.transform.dense."),
    (r"masked_words\.norm\.", "cls.predictions.transform.LayerNorm."),
    (r"masked_words\.bias", "cls.predictions.bias"),
    (r"classifier\.dense\.", "bert.pooler.dense."),
    (r"classifier\.read_out\.", "classifier."),
)
"""How the name of a weight here begins -> how it begins in transformers' BERT."""


def bert_name(name: str) -> str:
    """The name that transformers' BERT gives a weight; raises KeyError for one that it has no place for.

    >>> bert_name("encoder.blocks.3.attention_norm.bias")
    'bert.encoder.layer.3.attention.output.LayerNorm.bias'
    >>> bert_name("encoder.embeddings.token.weight")
    'bert.embeddings.word_embeddings.weight'
    """
    for start, bert in BERT_NAMES:
        match = re.match(start, name)
        if match:
            return match.expand(bert) + name[match.end() :]
    raise KeyError(name)


def write_text_model(folder: Path, model: TextModel, card: Mapping[str, Any]) -> None:
    """Write the model so that transformers reads the same numbers from ``folder``, and ``card`` as card.json.

    Files of an earlier model there are written over. Raises :class:`goldviz.models.text.model.TextModelError` where
    BERT's form has no place for the model: positions that do not begin at 0, no segments, another nonlinearity in the
    masked-word head than in the blocks, another classifier than tanh's.
    """
    shape = model.encoder.shape
    _check_is_bert(model)
    folder.mkdir(parents=True, exist_ok=True)
    model.tokeniser.save_pretrained(folder)
    about = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    _write_json(folder / "tokenizer_config.json", {**about, "model_max_length": shape.longest})
    pieces = sorted(model.tokeniser.get_vocab().items(), key=lambda piece: piece[1])
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece, _ in pieces), encoding="utf-8")
    _write_json(folder / "config.json", bert_config(shape, model.labels))
    _write_json(folder / "card.json", card)
    # transformers loads a file only if it says which library wrote it.
    (folder / "model.safetensors").write_bytes(save(bert_tensors(model), metadata={"format": "pt"}))


def bert_tensors(model: TextModel) -> dict[str, Tensor]:
    """All weights of encoder and heads, by the names that transformers' BERT gives them."""
    parts = {"encoder": model.encoder, "masked_words": model.masked_words, "classifier": model.classifier}
    return {
        bert_name(f"{part}.{name}"): weights.detach().cpu().contiguous()
        for part, module in parts.items()
        if module is not None
        for name, weights in module.state_dict().items()
    }


def bert_config(shape: EncoderShape, labels: tuple[str, ...]) -> dict[str, Any]:
    """config.json of a BERT of this shape; ``labels`` are in the order of the classifier's logits."""
    config: dict[str, Any] = {
        "model_type": "bert",
        "architectures": ["BertForSequenceClassification" if labels else "BertForMaskedLM"],
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.inner,
        "hidden_act": shape.activation,
        "max_position_embeddings": shape.positions,
        "type_vocab_size": shape.segments,
        "layer_norm_eps": shape.epsilon,
        "pad_token_id": 0,
        "tie_word_embeddings": True,
    }
    if labels:
        config["id2label"] = {str(number): label for number, label in enumerate(labels)}
        config["label2id"] = {label: number for number, label in enumerate(labels)}
    return config


def _check_is_bert(model: TextModel) -> None:
    shape = model.encoder.shape
    if shape.first_position or not shape.segments:
        raise TextModelError(
            f"{model.name} has {shape.segments} segments and its first position is {shape.first_position}; "
            "a folder in BERT's form needs at least one segment and the first position 0.",
            "no_place_in_format",
        )
    if model.masked_words is not None and shape.activation != "gelu":
        raise TextModelError(
            f"{model.name} has a masked-word head with gelu and blocks with {shape.activation}; "
            "a folder in BERT's form has the same nonlinearity in both.",
            "no_place_in_format",
        )
    if model.classifier is not None and model.classifier.activation is not torch.tanh:
        raise TextModelError(
            f"{model.name} has a classifier without tanh, which a folder in BERT's form cannot hold.",
            "no_place_in_format",
        )


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
