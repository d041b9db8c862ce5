"""What cards offer keeps its promise on seeds that no trial used: fifteen remedies, drawn at random.

Seven laboratories, whose set-ups train quickly: presets made smaller as in trials, and settings drawn around them. Of
what their cards offer there, fifteen are tried. ``python -m tests.labs.test_remedies_on_new_seeds`` prints each as soon
as it was tried; names of laboratories after it ask those alone.
"""

import sys
import zlib
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment

SEEDS = (33, 34, 35, 36, 37)
DRAWN_BY = 20261129
"""The seed of the drawing."""
LABORATORIES = (
    "depth-gradients",
    "recurrent-gradients",
    "continuous-depth",
    "char-language-model",
    "char-gpt",
    "ode-rnn",
    "price-tokens",
)
REMEDIES, KEPT = 15, 14
SET_UPS = 25
"""Of a laboratory, at most, in which offers are looked for."""
DOCS = Path(__file__).parents[2] / "docs"


def set_ups(lab: Laboratory, make: Any, generator: np.random.Generator) -> Iterator[Experiment]:
    """Presets and drawn settings in turn, in an order of nobody's choice."""
    how, presets = lab.trials, [lab.declared.preset(preset.slug) for preset in lab.declared.presets]
    for place in generator.permutation(len(presets)):
        smaller = how.smallest(presets[place])
        if smaller.estimated_seconds() <= how.longest:
            yield smaller.changed(seeds=SEEDS)
        yield make.drawn(lab.declared, how, generator).changed(seeds=SEEDS)
    while True:
        yield make.drawn(lab.declared, how, generator).changed(seeds=SEEDS)


def offers(lab: Laboratory, make: Any, generator: np.random.Generator) -> Iterator[Any]:
    """One that cards offer in each set-up where they offer any, in which nobody chose which."""
    for settings, _ in zip(set_ups(lab, make, generator), range(SET_UPS), strict=False):
        found = list(make.offers(lab, lab.trials, settings))
        if found:
            yield found[generator.integers(len(found))]


def tried(make: Any, names: Sequence[str] = LABORATORIES) -> Iterator[tuple[str, bool, bool]]:
    """Each remedy in words, whether its promise was kept in most of the seeds complained of, and whether it ruined.

    Laboratories take turns. What one draws hangs on no other, and on no clock: a few can be asked alone.
    """
    drawn = {name: np.random.default_rng([DRAWN_BY, zlib.crc32(name.encode())]) for name in names}
    turns = sum(name in names for name in islice(cycle(LABORATORIES), REMEDIES))
    by_laboratory = [offers(laboratories()[name], make, generator) for name, generator in drawn.items()]
    in_turn = (next(turn, None) for turn in islice(cycle(by_laboratory), 10 * REMEDIES))
    for offer in islice(filter(None, in_turn), turns):
        promise, trial, kept = offer.tried()
        seeds, complained = int(kept.sum()), int(trial.complained.sum())
        ruined = f", ruined {', '.join(trial.ruined)}" if trial.ruined else ""
        words = f"{offer.lab.name}, {trial.kind}: {trial.remedy} {promise}: {seeds} of {complained} seeds{ruined}"
        yield f"{words}; {dict(trial.settings)}; {trial.losses_by_seed()}", 2 * seeds > complained, bool(trial.ruined)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_fifteen_remedies_keep_their_promise_and_ruin_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    import make_advice

    found = list(tried(make_advice))
    told = "\n".join(words for words, _, _ in found)
    assert len(found) == REMEDIES, told
    assert not any(ruined for _, _, ruined in found), told
    assert sum(kept for _, kept, _ in found) >= KEPT, told


if __name__ == "__main__":
    sys.path.insert(0, str(DOCS))
    names, sys.argv[1:] = sys.argv[1:], []  # The other script has words of its own.
    import make_advice

    for words, kept, ruined in tried(make_advice, names or LABORATORIES):
        print("ruined" if ruined else "kept" if kept else "not kept", "|", words, flush=True)
