"""A watcher in loops where something goes wrong: the loop goes on as if nobody watched, and the run says why."""

import logging
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import goldviz
from goldviz.arrays.light import LightDataset
from goldviz.declare.settings import SettingsError
from goldviz.figures.reading import marks
from goldviz.runs.store.run_store import Store
from goldviz.runs.store.schema import StoreBusyError
from goldviz.watching.figure_table import figures_in_view
from goldviz.watching.figures import LABELS, columns, layer_map, query
from goldviz.watching.measures import looked_every
from goldviz.watching.price import Price
from goldviz.watching.watcher import Watcher
from tests.runs.conftest import until
from tests.runs.test_full_disk import fill
from tests.runs.test_strangers import small_disk
from tests.watching.loops import classified, mlp, task, trained, watching


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    return Store()


def stepped(record: Watcher, model: nn.Module, steps: int = 3) -> None:
    chosen = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(1, steps + 1):
        loss = classified(model, step)
        chosen.zero_grad()
        loss.backward()
        chosen.step()
        record.step(loss=loss)


class Failing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.inner(x)
        raise ZeroDivisionError("float division by zero")


def test_an_exception_passes_and_the_run_says_it(store: Store) -> None:
    model = Failing()
    with pytest.raises(ZeroDivisionError), goldviz.watch(model, name="mine") as record:
        model(torch.ones(2, 8))
    run = store.run(record.run_id)
    assert (run.status, run.message) == ("failed", "The script ended with ZeroDivisionError: float division by zero")
    assert not any(module._forward_hooks for module in model.modules())


def test_ctrl_c_stops_the_run(store: Store) -> None:
    with pytest.raises(KeyboardInterrupt), goldviz.watch(mlp()) as record:
        raise KeyboardInterrupt
    assert store.run(record.run_id).status == "stopped"


@pytest.mark.parametrize("loss", [None, 0.5, "nothing", float("nan"), torch.tensor([1.0, 2.0])], ids=str)
def test_any_loss_is_taken(loss: object) -> None:
    """None, a number, what is none, and a tensor of several: without a backward pass nothing else is told."""
    with watching(mlp()) as record:
        for _ in range(3):
            record.step(loss=loss)
    told = record.dataset()
    assert record.step_number == 3
    assert "gradient_by_layer" not in told
    assert record.findings() == []
    if isinstance(loss, float) and loss == 0.5:
        assert list(told["loss"].values) == [0.5] * 3


def test_two_watchers_see_the_same() -> None:
    model = mlp()
    with watching(model) as one, watching(model) as other:
        chosen = torch.optim.SGD(model.parameters(), 0.1)
        for step in range(1, 4):
            loss = classified(model, step)
            chosen.zero_grad()
            loss.backward()
            chosen.step()
            one.step(loss=loss)
            other.step(loss=loss)
    first, second = one.dataset(), other.dataset()
    for name in ("gradient_by_layer", "update_to_data", "activation_mean", "output_gradient"):
        np.testing.assert_array_equal(first[name].values, second[name].values)


def test_a_fork_after_the_start_records_nothing() -> None:
    model = mlp()
    with watching(model) as record:
        stepped(record, model)
        child = os.fork()
        if child == 0:
            stepped(record, model)
            os._exit(record.step_number - 3)
        _, status = os.waitpid(child, 0)
        stepped(record, model)
    assert os.waitstatus_to_exitcode(status) == 0
    assert record.step_number == 6


def test_workers_of_a_loader_that_start_later_change_nothing() -> None:
    model = mlp()
    with watching(model) as record:
        loader = torch.utils.data.DataLoader([*zip(*task(), strict=True)], 16, num_workers=1)
        chosen = torch.optim.SGD(model.parameters(), 0.1)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            chosen.step()
            record.step(loss=loss)
    assert list(record.dataset()["loss"]["step"].values) == [1, 2]


def test_a_wrapped_model_is_told_under_its_own_names() -> None:
    model = nn.DataParallel(mlp())
    with watching(model) as record:
        stepped(record, model)
    told = record.dataset()
    assert list(told["layer"].values) == ["0", "1", "2", "3", "4"]
    assert np.isfinite(told["activation_mean"].values).all()


def test_a_run_goes_on_where_it_ended(store: Store) -> None:
    model = mlp()
    with goldviz.watch(model, name="mine", every=1, budget=None) as record:
        stepped(record, model)
    with goldviz.watch(model, every=1, budget=None, resume=record.run_id) as later:
        assert store.run(later.run_id).status == "running"
        stepped(later, model)
    told, run = goldviz.load(record.run_id), store.run(record.run_id)
    assert later.run_id == record.run_id
    assert list(told["loss"]["step"].values) == [1, 2, 3, 4, 5, 6]
    assert list(told["look"].values) == [1, 2, 3, 4, 5, 6]
    assert (run.status, run.name, run.step) == ("finished", "mine", 6)
    with pytest.raises(SettingsError, match="of a model with other layers"):
        goldviz.watch(nn.Linear(8, 3), resume=record.run_id)
    with pytest.raises(SettingsError, match="There is no run 'none' here"):
        goldviz.watch(model, resume="none")


def test_a_first_cause_stays_the_first_when_a_run_goes_on(store: Store) -> None:
    model = mlp()
    with goldviz.watch(model, every=1, budget=None) as record:
        record.step(loss=float("inf"))
    with goldviz.watch(model, every=1, budget=None, resume=record.run_id) as later:
        later.step(loss=float("inf"))
    [card, *_] = goldviz.findings(goldviz.load(record.run_id))
    assert card.number.endswith("at step 1")


def test_records_wait_for_a_database_that_is_gone_for_a_while(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    model, append, tries = mlp(), Store.append, []

    def away(own: Store, *arguments: object, **named: object) -> object:
        tries.append(1)
        if 1 < len(tries) <= 4:
            raise StoreBusyError("The database is locked.")
        return append(own, *arguments, **named)  # type: ignore[arg-type]

    with goldviz.watch(model, every=1, budget=None) as record:
        monkeypatch.setattr(Store, "append", away)
        stepped(record, model)
        record._sink.hurry()  # type: ignore[union-attr]
        stepped(record, model)
    assert len(tries) > 4
    assert store.run(record.run_id).status == "finished"
    assert list(goldviz.load(record.run_id)["loss"]["step"].values) == [1, 2, 3, 4, 5, 6]


def test_a_store_that_cannot_be_opened_costs_records_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    place = tmp_path / "a folder.gv"
    place.mkdir()
    model = mlp()
    with caplog.at_level(logging.WARNING), goldviz.watch(model, to=place) as record:
        stepped(record, model)
    assert "keeps this run in memory alone" in caplog.text
    assert len(record.dataset()["loss"]) == 3


def test_what_goes_wrong_in_a_watcher_ends_the_watching_alone(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = mlp()
    record = watching(model)
    monkeypatch.setattr(record._steps, "gathered", lambda: 1 / 0)
    with caplog.at_level(logging.WARNING):
        stepped(record, model, steps=4)
    assert caplog.text.count("goldviz stopped watching at step 1: ZeroDivisionError") == 1
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


def test_a_module_that_is_put_in_later_is_not_watched_and_breaks_nothing() -> None:
    model = mlp()
    with watching(model) as record:
        stepped(record, model)
        model[2] = nn.Sequential(nn.Linear(32, 16), nn.Linear(16, 32))
        model.add_module("renamed", nn.Identity())
        stepped(record, model)
    told = record.dataset()
    assert list(told["layer"].values) == ["0", "1", "2", "3", "4"]
    assert np.isfinite(told["activation_mean"].sel(layer="2").values[:3]).all()
    assert np.isnan(told["activation_mean"].sel(layer="2").values[3:]).all()


@pytest.mark.slow
def test_ten_thousand_modules_are_watched() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(*[nn.Linear(1, 1) for _ in range(10_000)])
    with watching(model, budget=0.1, every=10_000) as record:
        record.price.looks = 10_000
        record.step(loss=1.0)
    assert len(record.layers.names) == 10_000
    assert not model[0]._forward_hooks


WRONG = {
    "model": ({"model": 3}, "The model is a int; allowed is a torch.nn.Module."),
    "empty": ({"model": nn.ReLU()}, "The model has no parameters"),
    "optimizer": ({"optimizer": 3}, "The optimizer is a int"),
    "every": ({"every": 0}, "every is 0; allowed is a whole number from 1 to 10,000."),
    "budget": ({"budget": 0}, "budget is 0; allowed is a share from 0.001 to 10, or None."),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_bad_arguments_are_refused_in_a_sentence(wrong: str) -> None:
    given, sentence = WRONG[wrong]
    with pytest.raises(SettingsError, match=sentence):
        goldviz.watch(**{"model": mlp(), **given})  # type: ignore[arg-type]


def test_looks_come_more_seldom_where_they_would_take_more_than_the_budget() -> None:
    """By a meter whose seconds are said, for a machine's own clock would test the machine."""
    price = Price(every=2, budget=0.1)
    for step in range(1, 40):
        looked = step % price.looks == 0
        price.spent = 0.4e-3 + (8e-3 if looked else 0.0) + (0.1e-3 if price.guards else 0.0)
        price.guarding = 0.1e-3 if price.guards and not looked else 0.0
        price.stepped(10e-3 + price.spent, looked, measured=True)
    assert price.guards
    assert (price.looks, price.norms) == (64, 2)
    later = [0.1e-3 + (0.4e-3 if step % 2 == 0 else 0.0) + (8e-3 if step % 64 == 0 else 0.0) for step in range(640)]
    assert sum(later) / (640 * 10e-3) <= 0.05
    dear = Price(every=1, budget=0.1)
    for step in range(1, 40):
        looked = step % max(dear.looks, 2) == 0
        dear.spent, dear.guarding = (5e-3, 0.0) if looked else (1.2e-3, 0.2e-3)
        dear.stepped(1e-3 + dear.spent, looked, measured=True)
    assert (dear.guards, dear.norms) == (False, 32)


def test_a_stretched_interval_is_a_fact_of_the_run_and_no_entry_of_its_diary(store: Store) -> None:
    """Plans change every few steps of a quick loop; a person's changes would be lost among them."""
    model = mlp()
    with goldviz.watch(model, budget=0.001) as record:
        stepped(record, model, steps=40)
    run = goldviz.load(record.run_id)
    assert looked_every(run) > 10
    assert marks(run) == []


def test_steps_with_a_guard_alone_name_the_cause() -> None:
    """Between looks every output is checked for its sum."""
    record = trained(mlp(), lambda model, step: classified(model, step) * (torch.inf if step == 7 else 1), every=100)
    [card, *_] = record.findings()
    assert card.number == "infinite at step 7"
    assert card.explanation == "The loss made it: every module's output was finite."


def test_a_backward_pass_is_named_where_it_made_the_value() -> None:
    """The square root's slope at 0 is infinite though every value is finite."""

    class Root(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.relu().mul(0).sqrt()

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), Root(), nn.Linear(16, 3))
    record = trained(model, classified, steps=2)
    [card, *_] = record.findings()
    assert card.number.endswith("at step 1")
    assert card.explanation.startswith("The backward pass made it")
    assert "behind 0 (Linear)" in card.explanation


def test_a_query_finds_layers_and_a_quantity() -> None:
    names = ["body.0.attn", "body.0.mlp", "body.1.attn"]
    both = query("body.*.attn : entropy, largest logit", names, "weight_norm")
    assert both[:2] == ([0, 2], ["attention_entropy", "largest_logit"])
    assert query("mlp", names, "weight_norm")[:2] == ([1], ["weight_norm"])
    assert query("", names, "weight_norm")[:2] == ([0, 1, 2], ["weight_norm"])
    assert "There is no 'nothing'" in query("mlp : nothing", names, "weight_norm").complaint


def test_a_map_leaves_nothing_extreme_out() -> None:
    values = np.full((1000, 2), 1e-3)
    values[501, 1], values[700, 0] = np.inf, 5.0
    fewer, steps = columns(values, np.arange(1, 1001))
    assert len(steps) == len(fewer) <= 240
    assert np.isinf(fewer[:, 1]).sum() == 1
    assert fewer[:, 0].max() == 5.0
    model = mlp()
    with watching(model) as record:
        stepped(record, model)
    told = record.dataset()
    for quantity in LABELS:
        assert layer_map(quantity).draw(told, theme="dark").to_json()
    x, y = task()
    assert figures_in_view("")["loss"].draw(LightDataset.of(told)).to_json()
    assert len(x) == len(y)


@pytest.mark.slow
def test_a_full_disk_costs_records_alone_and_with_room_they_are_all_written(tmp_path: Path) -> None:
    model = mlp()
    with small_disk(tmp_path / "disk", 4000):
        place = tmp_path / "disk" / "run.gv"
        with goldviz.watch(model, to=place, every=1, budget=None, histograms=True) as record:
            stepped(record, model)
            assert len(record.dataset()["loss"]) == 3
            filler = fill(tmp_path / "disk")
            stepped(record, model, steps=300)
            assert record.step_number == 303
            record._sink.hurry()  # type: ignore[union-attr]
            until(lambda: "the disk is full" in record._store.full)  # type: ignore[union-attr]
            filler.unlink()
        run = Store(f"sqlite:///{place}")
        assert run.run(record.run_id).status == "finished"
        assert run.run(record.run_id).step == 303
        assert len(run.load(record.run_id)["loss"]) == 303
        run.close()
