"""What stands on an encoder: the masked-word head of pre-training and the classifier of fine-tuning.

Document 001, section 4.2.2; Devlin et al. 2019. BERT, RoBERTa and DistilBERT differ in names and activations only.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import gelu, linear, relu

from goldviz.models.text.encoder import EncoderShape

CLASSIFIER_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"tanh": torch.tanh, "relu": relu}


class MaskedWordHead(nn.Module):
    """Logits over the vocabulary: LayerNorm(gelu(W h + b)), then the token table itself (tied) and a bias."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        self.dense = nn.Linear(shape.width, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.bias = nn.Parameter(torch.zeros(shape.vocabulary))

    def forward(
        self, hidden: Float[Tensor, "*token width"], table: Float[Tensor, "vocabulary width"]
    ) -> Float[Tensor, "*token vocabulary"]:
        """Logits at the given tokens; ``table`` is the encoder's token embedding."""
        return linear(self.norm(gelu(self.dense(hidden))), table, self.bias)


class TextClassifier(nn.Module):
    """Logits of a text's classes from its first token, [CLS]: a dense layer, its activation, a linear read-out."""

    def __init__(self, width: int, classes: int, activation: str = "tanh") -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.read_out = nn.Linear(width, classes)
        self.activation = CLASSIFIER_ACTIVATIONS[activation]

    def forward(self, hidden: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch label"]:
        """One logit a class; only the first token's state is read."""
        logits: Tensor = self.read_out(self.activation(self.dense(hidden[:, 0])))
        return logits
