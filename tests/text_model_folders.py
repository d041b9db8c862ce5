"""Folders of small random models that lack a part, made from the random BERT's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from tests.random_bert import write_random_bert


def with_classifier(folder: Path, labels: Sequence[str] = ("bad", "good"), seed: int = 0) -> Path:
    """A random BERT with both heads; ``labels`` are the classes' names."""
    write_random_bert(folder, seed=seed)
    file = folder / "model.safetensors"
    tensors = load_file(file)
    width = tensors["bert.embeddings.word_embeddings.weight"].shape[1]
    drawn = torch.Generator().manual_seed(seed + 1)
    tensors |= {
        "bert.pooler.dense.weight": torch.randn(width, width, generator=drawn) / width**0.5,
        "bert.pooler.dense.bias": torch.zeros(width),
        "classifier.weight": torch.randn(len(labels), width, generator=drawn),
        "classifier.bias": torch.zeros(len(labels)),
    }
    save_file(tensors, file, metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    config["architectures"] = ["BertForSequenceClassification"]
    config["id2label"] = {str(number): label for number, label in enumerate(labels)}
    config["label2id"] = {label: number for number, label in enumerate(labels)}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def without_masked_words(folder: Path) -> Path:
    """A random BERT with a classifier and no masked-word head."""
    with_classifier(folder)
    file = folder / "model.safetensors"
    kept = {name: tensor for name, tensor in load_file(file).items() if not name.startswith("cls.")}
    save_file(kept, file, metadata={"format": "pt"})
    return folder
