"""How much of the context a model reads, and its hidden layers."""

from __future__ import annotations

from typing import Protocol

WITHOUT_LAYERS = ("bigram", "neural_bigram")


class Sizes(Protocol):
    """The settings that a model's size depends on."""

    @property
    def model(self) -> str:
        """The kind of model."""

    @property
    def context(self) -> int:
        """The characters before the next one that it may read."""

    @property
    def layers(self) -> int:
        """Hidden layers of a deep one."""


def characters_read(settings: Sizes) -> int:
    """The characters before the next one that the model reads: a bigram's one, or the context."""
    return 1 if settings.model in WITHOUT_LAYERS else settings.context


def hidden_layers(settings: Sizes) -> int:
    """Hidden layers that are looked at; of a recurrent network its last state counts as one."""
    by_model = {"mlp": 1, "deep_mlp": settings.layers, "wavenet": settings.context.bit_length() - 1}
    return 0 if settings.model in WITHOUT_LAYERS else by_model.get(settings.model, 1)
