"""The packed states of several parts of a run as one, for parts that live in processes of their own."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from goldviz.training.state import StateError


def joined_states(names: Sequence[str], states: Sequence[bytes]) -> bytes:
    """States of :func:`goldviz.training.state.pack`, each under its name, as bytes in the safetensors format."""
    # Imported here because an exported script, which keeps no states, runs without safetensors.
    from safetensors.torch import save

    pairs = zip(names, states, strict=True)
    return save({name: torch.frombuffer(bytearray(state), dtype=torch.uint8) for name, state in pairs})


def separate_states(data: bytes, names: Sequence[str]) -> list[bytes]:
    """The states of these names; raises :class:`StateError` where there are others or one is missing."""
    from safetensors.torch import load

    parts = load(data)
    if set(parts) != set(names):
        raise StateError(f"The joined states are those of {', '.join(sorted(parts))}; allowed are {', '.join(names)}.")
    return [parts[name].numpy().tobytes() for name in names]
