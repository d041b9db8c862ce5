"""A model of texts as the laboratory reads it: an encoder, its tokeniser and whatever heads came with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from goldviz.coded_errors import CodedError
from goldviz.models.text.encoder import TransformerEncoder
from goldviz.models.text.heads import MaskedWordHead, TextClassifier

LONGEST_CHUNK = 512
"""The most pieces that are looked at together (document 001, section 4.2.1, N_max)."""


class TextModelError(CodedError):
    """A model that cannot be had or used, in a sentence for a person."""


class Note(NamedTuple):
    """What a person should know of a model: the sentence, and of what kind it is, which stays where it is reworded."""

    kind: Literal[
        "length",
        "lower_case",
        "no_classifier",
        "no_masked_words",
        "no_pretraining",
        "no_tone_yet",
        "other_classifier",  # none that chooses one class for a whole text
        "spare_rows",
        "too_many_classes",
        "unnamed_classes",
    ]
    sentence: str


@dataclass(frozen=True)
class TextModel:
    """A loaded model. ``labels`` are the classes in the order of the classifier's logits, as the model names them.

    ``fingerprint`` is made of weights, vocabulary, labels and name: the same one means the same numbers and words.
    ``notes`` say what a person should know of it, such as that it has no classifier.
    """

    name: str
    encoder: TransformerEncoder
    tokeniser: Any
    masked_words: MaskedWordHead | None
    classifier: TextClassifier | None
    labels: tuple[str, ...]
    fingerprint: str
    notes: tuple[Note, ...] = ()
    next_sentence: TextClassifier | None = None
    """Its logits are of B follows A and of B is random."""

    @property
    def longest(self) -> int:
        """The most pieces that it reads at once, special ones included."""
        return min(self.encoder.shape.longest, LONGEST_CHUNK)

    @property
    def parameter_count(self) -> int:
        """The number of weights of encoder and heads; a table that a head shares counts once."""
        parts = (self.encoder, self.masked_words, self.classifier, self.next_sentence)
        return sum(weights.numel() for part in parts if part is not None for weights in part.parameters())
