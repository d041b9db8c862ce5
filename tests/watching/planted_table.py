"""What watching says of planted faults and of their sound twins: ``python -m tests.watching.planted_table``.

Words after it choose faults by their names; ``--trials`` also tries each repair from the script's start, and
``--seed 1`` takes other networks and other rows.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import warnings
from pathlib import Path

import torch

from goldviz.watching.trial import PLACEBO, tried_on
from tests.watching.planted import PLANTED, Planted

TRIAL_STEPS = 100


def repaired(planted: Planted, architecture: str, seed: int) -> str:
    """Whether a trial shows that the repair helps, and that a placebo does not."""
    state = planted.state(architecture, seed)
    assert planted.repair is not None
    steps = min(planted.steps, TRIAL_STEPS)
    results = tried_on(planted.trial_step, state, [], steps=steps, orders=3, cures={"repair": planted.repair})
    helped = {one.kind: one.helped for one in results}
    return "placebo helped" if helped[PLACEBO] else ("helped" if helped["repair"] else "not shown")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("names", nargs="*")
    asked.add_argument("--trials", action="store_true")
    asked.add_argument("--seed", type=int, default=0)
    given = asked.parse_args()
    chosen = [one for one in PLANTED.values() if not given.names or any(word in one.name for word in given.names)]
    named: dict[str, list[bool]] = {}
    helped = bad = warned = twins = 0
    print(
        "| fault | architecture | expected | first card | named | twin's cards | ends, twin's |"
        + " repair |" * given.trials
    )
    print("|" + "---|" * (7 + given.trials))
    for planted in chosen:
        for architecture in planted.architectures:
            record, state = planted.train(architecture, given.seed)
            twin, sound = planted.train(architecture, given.seed, faulty=False)
            cards, others = record.findings(), twin.findings()
            first = f"{cards[0].kind}: {cards[0].title}" if cards else "none"
            right = bool(cards) and cards[0].kind == planted.kind
            named.setdefault(planted.name, []).append(right)
            twins += 1
            bad += any(card.severity == "bad" for card in others)
            warned += sum(card.severity == "warning" for card in others)
            told = ", ".join(f"{card.kind} ({card.severity})" for card in others) or "none"
            ends = f"{planted.ends(state):.3g}, {planted.ends(sound):.3g}"
            row = [planted.name, architecture, planted.kind, first, "yes" if right else "no", told, ends]
            if given.trials:
                row.append(repaired(planted, architecture, given.seed) if planted.repair else "")
                helped += row[-1] == "helped"
            print("| " + " | ".join(row) + " |", flush=True)
    print(f"\nNamed first on both architectures: {sum(map(all, named.values()))} of {len(named)} faults;")
    print(f"on one at least: {sum(map(any, named.values()))}; runs: {sum(map(sum, named.values()))} of {twins}.")
    print(f"Sound twins: {bad} of {twins} with a bad card, {warned} warnings.")
    if given.trials:
        print(f"Repairs shown to help: {helped} of {twins} runs.")


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        # What is watched here does not go where a person's own runs are.
        os.environ["GOLDVIZ_DATABASE_URL"] = f"sqlite:///{Path(folder) / 'watched.db'}"
        main()
        sys.stdout.flush()
