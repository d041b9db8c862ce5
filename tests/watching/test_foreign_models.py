"""Networks as other people write them: watched at the defaults, they train as they do alone, bit for bit."""

import contextlib
import random
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import goldviz
from tests.watching.foreign_models import ZOO

STEPS = 14
"""The network has been asked again by then, and trained on."""
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


@dataclass(frozen=True)
class After:
    """What a training left behind. ``hooks`` counts those of every module, for a network may have some of its own."""

    states: list[dict[str, Tensor]]
    kept: list[Any]
    losses: list[list[float]]
    streams: list[Any]
    hooks: list[list[int]]
    steps: list[int]


@pytest.fixture(autouse=True)
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")


@pytest.fixture(autouse=True)
def _old_ways() -> Iterator[None]:
    """PyTorch says of its old ``weight_norm`` that there is a new one."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r".*torch\.nn\.utils\.weight_norm.* is deprecated", FutureWarning)
        yield


def trained(name: str, watch: bool) -> After:
    torch.manual_seed(0)
    np.random.seed(0)
    random.seed(0)
    foreign, losses = ZOO[name](), []
    with contextlib.ExitStack() as stack:
        records = [stack.enter_context(goldviz.watch(one)) for one in foreign.networks] if watch else []
        for _ in range(STEPS):
            told = foreign.step()
            losses.append([one.item() for one in told])
            for record, loss in zip(records, told, strict=watch):
                record.step(loss=loss)
        streams = [torch.get_rng_state(), np.random.rand(), random.random()]
    modules = [module for one in foreign.networks for module in one.modules()]
    return After(
        [one.state_dict() for one in foreign.networks],
        foreign.kept(),
        losses,
        streams,
        [[len(getattr(module, hooks)) for hooks in HOOKS] for module in modules],
        [record.step_number for record in records],
    )


def same(one: Any, other: Any) -> bool:
    return torch.equal(one, other) if isinstance(one, Tensor) else bool(one == other)


@pytest.mark.slow
@pytest.mark.parametrize("name", ZOO)
def test_a_watched_network_is_the_same_bit_for_bit(name: str, caplog: pytest.LogCaptureFixture) -> None:
    bare, watched = trained(name, watch=False), trained(name, watch=True)
    assert "stopped watching" not in caplog.text
    assert watched.steps == [STEPS] * len(watched.states)
    assert watched.losses == bare.losses
    for alone, seen in zip(bare.states, watched.states, strict=True):
        assert list(alone) == list(seen)
        assert [key for key in alone if not torch.equal(alone[key], seen[key])] == []
    assert len(watched.kept) == len(bare.kept)
    assert all(map(same, bare.kept, watched.kept))
    assert all(map(same, bare.streams, watched.streams))
    assert watched.hooks == bare.hooks
