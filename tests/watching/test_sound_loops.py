"""Sound loops in other people's orders, watched at the defaults: they learn, and nothing is said to be wrong with them.

What a few are warned of is listed here.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import pytest
import torch

from goldviz.diagnostics.findings.finding import Finding
from tests.watching.sound_loops import HABITS, LOOPS, Trained, cards_of

WARNED = {
    "transfer learning": ["first_loss"],
    "monte carlo dropout": ["training_mode"],
    "actor critic": ["no_warm_up"],
}
"""Loops that get a warning, and its kinds."""
WARNINGS = 3
"""At most, over all loops."""
LEFT = 0.8
"""Of a loop's own measure at the end, at most; 0 is perfect."""


@functools.cache
def seen(name: str) -> tuple[Trained, list[Finding]]:
    """A loop, trained once for all tests, and its cards."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{Path(folder) / 'runs.sqlite'}")
        torch.manual_seed(0)
        trained = LOOPS[name]()
        return trained, cards_of(trained)


def kinds(name: str, severity: str) -> list[str]:
    return [card.kind for card in seen(name)[1] if card.severity == severity]


def test_there_are_sixty_at_least_and_half_of_them_have_public_habits() -> None:
    assert len(LOOPS) >= 60
    assert len(HABITS) >= 30
    assert WARNED.keys() <= LOOPS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPS)
def test_it_learns_by_its_own_measure(name: str) -> None:
    trained, _ = seen(name)
    assert trained.left < LEFT
    assert all(record.step_number > 0 for record in trained.records)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPS)
def test_nothing_is_called_bad(name: str) -> None:
    assert kinds(name, "bad") == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_three_warnings_at_most_are_given_over_all() -> None:
    given = {name: told for name in LOOPS if (told := kinds(name, "warning"))}
    assert all(told == WARNED.get(name) for name, told in given.items()), given
    assert sum(map(len, WARNED.values())) <= WARNINGS
