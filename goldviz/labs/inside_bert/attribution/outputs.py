"""What is read off the last hidden state of a text: the tone of the whole, or a word that was masked."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from goldviz.models.text.heads import MaskedWordHead, TextClassifier
from goldviz.models.text.model import TextModel, TextModelError


def classifier_of(model: TextModel) -> TextClassifier:
    """The model's classifier. Raises :class:`goldviz.models.text.model.TextModelError` if it has none."""
    if model.classifier is None:
        raise TextModelError(f"{model.name} has no classifier of tone; choose a model fine-tuned for it.", "no_head")
    return model.classifier


def masked_word_head_of(model: TextModel) -> MaskedWordHead:
    """The model's masked-word head. Raises :class:`goldviz.models.text.model.TextModelError` if it has none."""
    if model.masked_words is None:
        raise TextModelError(f"{model.name} has no masked-word head; choose a model that has kept it.", "no_head")
    return model.masked_words


def softmax_of(logits: Float[np.ndarray, "*batch output"]) -> Float[np.ndarray, "*batch output"]:
    """exp(z) / sum exp(z) over the last axis, safe for large logits.

    >>> softmax_of(np.array([1000.0, 1000.0])).tolist()
    [0.5, 0.5]
    """
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    shares: np.ndarray = powers / powers.sum(-1, keepdims=True)
    return shares
