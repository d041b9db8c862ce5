"""How much of the context a model reads, and its hidden layers, which a script asks without declared settings."""

from __future__ import annotations

from typing import Protocol

WITHOUT_LAYERS = ("bigram", "neural_bigram")


class Sized(Protocol):
    """What of the settings says how large a model is."""

    @property
    def model(self) -> str:
        """Which of the models."""

    @property
    def context(self) -> int:
        """Characters that it reads, where it is no bigram."""

    @property
    def layers(self) -> int:
        """Hidden layers of a deep MLP."""


def characters_read(settings: Sized) -> int:
    """The characters before the next one that the model reads: a bigram's one, or the context."""
    return 1 if settings.model in WITHOUT_LAYERS else settings.context


def hidden_layers(settings: Sized) -> int:
    """Hidden layers that are looked at; of a recurrent network its last state counts as one."""
    by_model = {"mlp": 1, "deep_mlp": settings.layers, "wavenet": settings.context.bit_length() - 1}
    return 0 if settings.model in WITHOUT_LAYERS else by_model.get(settings.model, 1)
