"""What each sound loop is told today: ``python -m tests.watching.sound_table``, or with the names of some."""

from __future__ import annotations

import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import torch

from goldviz.diagnostics.findings.finding import Finding
from tests.watching.sound_loops import LOOPS, Trained, cards_of


def row(name: str, trained: Trained, cards: list[Finding], seconds: float) -> str:
    """One loop: how far its own measure came, its time, and its cards."""
    told = "; ".join(f"{card.severity} {card.kind} ({card.number})" for card in cards) or "-"
    return f"{name:28} {trained.left:6.3f} {seconds:5.1f} s  {told}"


def main(names: list[str]) -> None:
    kinds: Counter[tuple[str, str]] = Counter()
    for name in names or LOOPS:
        torch.manual_seed(0)
        began = time.process_time()
        trained = LOOPS[name]()
        cards = cards_of(trained)
        kinds.update((card.severity, card.kind) for card in cards)
        print(row(name, trained, cards, time.process_time() - began), flush=True)
    for (severity, kind), count in sorted(kinds.items()):
        print(f"{count:3} {severity:8} {kind}")


if __name__ == "__main__":
    warnings.simplefilter("error")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GOLDVIZ_DATABASE_URL"] = f"sqlite:///{Path(folder) / 'runs.sqlite'}"
        main(sys.argv[1:])
