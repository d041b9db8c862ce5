"""A small BERT with random weights and a vocabulary of its own, as a folder in the form that hubs use."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import BertConfig, BertForMaskedLM, BertTokenizer

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [
    "the",
    "committee",
    "decided",
    "to",
    "raise",
    "lower",
    "keep",
    "rate",
    "rates",
    "gold",
    "price",
    "prices",
    "rose",
    "fell",
    "inflation",
    "remains",
    "elevated",
    "moderate",
    "policy",
    "risks",
    "are",
    "balanced",
    "by",
    "and",
    "of",
    "a",
    "in",
    "percent",
    ".",
    ",",
    ";",
    "-",
    "'",
    "1",
    "2",
    "3",
    "/",
    "strong",
    "weak",
]


def vocabulary() -> list[str]:
    """Special pieces, whole words, every letter and digit at the start of a word and inside it."""
    characters = "abcdefghijklmnopqrstuvwxyz0123456789"
    whole = [*SPECIAL, *dict.fromkeys([*WORDS, *characters])]
    return [*whole, *(f"##{character}" for character in characters)]


def write_random_bert(folder: Path, *, layers: int = 3, heads: int = 4, width: int = 48, seed: int = 0) -> Path:
    """Write config.json, vocab.txt, tokenizer_config.json and model.safetensors, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    words = vocabulary()
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        attn_implementation="eager",
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = BertForMaskedLM(config)
    model.save_pretrained(folder)
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder
