"""What should be known of a memory before it is trained."""

from __future__ import annotations

from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine


def doubts(settings: NeuralTuringMachine) -> tuple[str, ...]:
    """What is to be expected of sequences that do not fit into the memory."""
    if settings.networks in ("lstm", "gru") or settings.length <= settings.slots:
        return ()
    return (
        f"Sequences have up to {settings.length} rows, the memory has {settings.slots} cells. It trains; expect rows "
        "to be written over others.",
    )
