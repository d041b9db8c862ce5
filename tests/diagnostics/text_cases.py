"""A small random BERT in float64, texts in its vocabulary, and the same weights in the transformers library."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import torch
from hypothesis import strategies as st
from transformers import BertConfig, BertForMaskedLM, BertTokenizer

from goldviz.data.texts.pieces import Pieces, split_into_pieces
from goldviz.models.text.encoder import EncoderShape, TransformerEncoder
from goldviz.models.text.heads import MaskedWordHead, TextClassifier
from goldviz.models.text.model import TextModel
from tests.random_bert import vocabulary

TEXT = "The committee decided to raise rates; gold fell by 2 percent, inflation remains elevated."
LABELS = ("negative", "neutral", "positive")


@cache
def tokeniser():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vocab.txt"
        file.write_text("\n".join(vocabulary()) + "\n", encoding="utf-8")
        return BertTokenizer(str(file))


@cache
def text_model(*, layers=3, heads=4, width=24, seed=0, size=0.3):
    """All weights random, LayerNorms and biases included, so that nothing is 0 or 1 by chance."""
    shape = EncoderShape(layers, heads, width, 2 * width, len(vocabulary()), 40)
    parts = TransformerEncoder(shape), MaskedWordHead(shape), TextClassifier(width, len(LABELS))
    generator = torch.Generator().manual_seed(seed)
    for part in parts:
        part.double().requires_grad_(False)
        for name, weights in part.named_parameters():
            weights.normal_(1.0 if "norm.weight" in name else 0.0, size, generator=generator)
    return TextModel("the random model", parts[0], tokeniser(), parts[1], parts[2], LABELS, f"seed {seed}")


def pieces_of(text=TEXT) -> Pieces:
    return split_into_pieces(tokeniser(), text, longest=40, overlap=0)[0]


def distributions(*shape, seed=0, sharpness=2.0) -> np.ndarray:
    """Random maps whose rows sum to 1."""
    powers = np.exp(sharpness * np.random.default_rng(seed).standard_normal(shape))
    return powers / powers.sum(-1, keepdims=True)


@st.composite
def map_recipes(draw, least=1, most=7):
    """One map: how many pieces, which random numbers, how sharp."""
    size = draw(st.integers(least, most))
    return distributions(size, size, seed=draw(st.integers(0, 2**20)), sharpness=draw(st.floats(0, 6)))


def transformers_twin(model: TextModel) -> BertForMaskedLM:
    """The library's own BERT with the same weights, its attention written out."""
    shape = model.encoder.shape
    config = BertConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner,
        max_position_embeddings=shape.positions,
        layer_norm_eps=shape.epsilon,
        attn_implementation="eager",
    )
    twin = BertForMaskedLM(config).double().eval()
    embeddings = "bert.embeddings."
    names = {
        "embeddings.token": f"{embeddings}word_embeddings",
        "embeddings.position": f"{embeddings}position_embeddings",
        "embeddings.segment": f"{embeddings}token_type_embeddings",
        "embeddings.norm": f"{embeddings}LayerNorm",
    }
    for layer in range(shape.layers):
        ours, theirs = f"blocks.{layer}.", f"bert.encoder.layer.{layer}."
        names |= {f"{ours}attention.{part}": f"{theirs}attention.self.{part}" for part in ("query", "key", "value")}
        names |= {
            f"{ours}attention.output": f"{theirs}attention.output.dense",
            f"{ours}attention_norm": f"{theirs}attention.output.LayerNorm",
            f"{ours}expand": f"{theirs}intermediate.dense",
            f"{ours}contract": f"{theirs}output.dense",
            f"{ours}output_norm": f"{theirs}output.LayerNorm",
        }
    weights = {
        f"{names[name.rpartition('.')[0]]}.{name.rpartition('.')[2]}": value
        for name, value in model.encoder.state_dict().items()
    }
    head, table = model.masked_words, model.encoder.embeddings.token.weight
    weights |= {f"cls.predictions.transform.dense.{name}": value for name, value in head.dense.state_dict().items()}
    weights |= {f"cls.predictions.transform.LayerNorm.{name}": value for name, value in head.norm.state_dict().items()}
    weights |= {
        "cls.predictions.bias": head.bias,
        "cls.predictions.decoder.bias": head.bias,
        "cls.predictions.decoder.weight": table,
    }
    twin.load_state_dict(weights)
    return twin
