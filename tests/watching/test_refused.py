"""A network that cannot be watched is refused in a sentence, and left as it was."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import goldviz
from goldviz.experiments import SettingsError
from goldviz.runs.store.run_store import Store


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")


def hooks(model: nn.Module) -> int:
    from torch.optim import optimizer

    on_steps = len(optimizer._global_optimizer_pre_hooks) + len(optimizer._global_optimizer_post_hooks)
    return on_steps + sum(len(one._forward_hooks) + len(one._forward_pre_hooks) for one in model.modules())


def lazy() -> nn.Module:
    return nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyBatchNorm1d(), nn.LazyLinear(1))


def test_lazy_layers_wait_for_their_first_batch() -> None:
    model = lazy()
    before = hooks(model)
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    with goldviz.watch(model, optimiser, name="lazy") as record:
        record.log(early=1.0)
        assert not record.findings()
        assert "running at step 0" in repr(record)
        for _ in range(3):
            loss = model(torch.randn(4, 3)).square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            record.step(loss=loss)
    told = record.dataset()
    assert told["layer"].values.tolist() == ["0", "1", "2", "3"]
    assert told.sizes["step"] == 3
    assert np.isfinite(told["gradient_by_layer"].sel(layer="3").values).all()
    assert hooks(model) <= before


def test_lazy_layers_that_never_see_a_batch_leave_no_hook() -> None:
    model = lazy()
    before = hooks(model)
    with goldviz.watch(model) as record:
        record.step(loss=1.0)
    assert hooks(model) == before
    assert record.run_id == ""


def test_a_network_that_waits_takes_every_word_and_leaves_copies_free(caplog: pytest.LogCaptureFixture) -> None:
    model = lazy()
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    record = goldviz.watch(model, optimiser, name="lazy")
    state = {"model": model, "optimizer": optimiser}
    with pytest.raises(SettingsError, match="orders"):
        record.offer_trials(loss_of_step, state, orders=1)
    record.offer_trials(loss_of_step, state)
    record.keep_evaluation(1.0)
    record.keep_tried([])
    assert pickle.dumps(model)
    for ask in (record.dataset, lambda: goldviz.figures(record), lambda: goldviz.report(record)):
        with pytest.raises(SettingsError, match="lazy layers that saw no batch yet"):
            ask()
    for _ in range(2):
        model(torch.randn(4, 3)).square().mean().backward()
        optimiser.step()
        record.step()
    record.close()
    assert record.dataset().attrs["offered_trials"]
    assert "lazy layers" not in caplog.text


def test_what_a_waiting_network_cannot_show_is_refused_at_once_and_ends_nothing() -> None:
    model = lazy()
    before = hooks(model)
    with goldviz.watch(model) as record:
        with pytest.raises(SettingsError, match="needs a notebook"):
            record.show()
        record._asked.append(lambda: 1 / 0)  # type: ignore[attr-defined,arg-type,return-value]
        loss = model(torch.randn(4, 3)).square().mean()
        loss.backward()
        record.step(loss=loss)
    assert record.dataset().sizes["step"] == 1
    assert hooks(model) <= before


def test_weights_of_complex_numbers_are_watched() -> None:
    model = nn.Linear(3, 1, dtype=torch.complex64)
    optimiser = torch.optim.Adam(model.parameters(), 0.1)
    with goldviz.watch(model, optimiser) as record:
        for _ in range(3):
            optimiser.zero_grad()
            loss = model(torch.randn(4, 3, dtype=torch.complex64)).abs().mean()
            loss.backward()
            optimiser.step()
            record.step(loss=loss)
    assert record.dataset().sizes["step"] == 3


def loss_of_step(state: dict[str, Any], order: int, number: int) -> torch.Tensor:
    """One step of a trial."""
    torch.manual_seed(order + number)
    loss: torch.Tensor = state["model"](torch.randn(4, 3)).square().mean()
    return loss


class PartlyUsed(nn.Module):
    """A network of which a lazy layer has no part in its answer."""

    def __init__(self) -> None:
        super().__init__()
        self.used, self.unused = nn.LazyLinear(4), nn.LazyLinear(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Answer without the second layer."""
        answer: torch.Tensor = self.used(x)
        return answer


def test_a_network_that_never_stops_waiting_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    model = PartlyUsed()
    with goldviz.watch(model, name="parts") as record:
        for _ in range(3):
            model(torch.randn(4, 3)).square().mean().backward()
            record.step()
    assert caplog.text.count("each of its lazy layers has seen") == 1


class Unwilling(Store):
    """A store that takes no run."""

    def create(self, *_: Any, **__: Any) -> str:
        raise OSError("not here")


def test_a_run_that_cannot_be_opened_leaves_no_hook(tmp_path: Path) -> None:
    model = nn.Linear(2, 1)
    before = hooks(model)
    with pytest.raises(OSError, match="not here"):
        goldviz.watch(model, to=Unwilling(f"sqlite:///{tmp_path / 'runs.sqlite'}"))  # type: ignore[arg-type]
    assert hooks(model) == before
