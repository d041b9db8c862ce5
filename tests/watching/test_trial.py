"""Cures tried on a run of one's own: what helps is said to help, a placebo never, and the script's state stays."""

import json
import math
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
import xarray as xr
from torch import nn
from torch.nn import functional

import goldviz
from goldviz.declare.settings import SettingsError
from goldviz.diagnostics.noise import mean_interval
from goldviz.runs.recorder import Command
from goldviz.runs.store.run_store import Store
from goldviz.watching.declared import TRY
from goldviz.watching.findings import as_json
from goldviz.watching.measures import rate_factor, trials_of, tried_of
from goldviz.watching.trial import APPLIED, PLACEBO, Tried
from tests.watching.loops import Recurrent, Relu, mlp, sequences, task, watching
from tests.watching.test_planted import OWN_CURES

STEPS = 60
PAGE = Path(__file__).parents[2] / "docs" / "watch.md"


def state_of(model: nn.Module, rate: float, kind: type[torch.optim.Optimizer] = torch.optim.AdamW) -> dict[str, Any]:
    return {"model": model, "optimizer": kind(model.parameters(), lr=rate), "clears": True}


def step(state: dict[str, Any], order: int, number: int) -> torch.Tensor:
    x, y = task(seed=1000 * order + number)
    loss = functional.cross_entropy(state["model"](x), y)
    if state["clears"]:
        state["optimizer"].zero_grad()
    loss.backward()
    state["optimizer"].step()
    return loss


def by_kind(results: list[Tried]) -> dict[str, Tried]:
    return {one.kind: one for one in results}


def test_what_helps_is_told_from_what_does_not_and_the_card_says_so() -> None:
    torch.manual_seed(0)
    model = mlp()
    state = state_of(model, 1e-6)
    with watching(model) as record:
        for number in range(1, 9):
            record.step(loss=step(state, 0, number))
        before = [one.detach().clone() for one in model.parameters()]
        stream = torch.get_rng_state()
        results = by_kind(goldviz.trial(step, {**state}, record=record, cures={"much faster": faster}, steps=STEPS))
    assert all(torch.equal(one, other) for one, other in zip(before, model.parameters(), strict=True))
    assert torch.equal(torch.get_rng_state(), stream)
    assert set(results) == {PLACEBO, "learning_rate_too_small", "much faster"}
    # By how much is read off the run: ten times next to nothing would be too little.
    assert results["learning_rate_too_small"].cure == "1,000 times the rate"
    assert results["learning_rate_too_small"].helped
    assert results["much faster"].helped
    assert results["much faster"].high < 0
    assert not results[PLACEBO].helped
    run = record.dataset()
    [card] = [card for card in record.findings() if card.kind == "learning_rate_too_small"]
    told = as_json(card, run)["tried"]
    assert told["helped"] is True
    assert card.cure == goldviz.findings(run)[0].cure == "for group in optimizer.param_groups:\n    group['lr'] *= 1000"
    assert "60 steps, 3 orders" in told["sentence"]


@pytest.mark.slow
def test_the_page_asks_and_the_script_tries_between_two_steps_and_trains_on_as_if_it_had_not(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    after = []
    for asks in (False, True):
        torch.manual_seed(0)
        model = nn.Sequential(*mlp(), nn.Dropout(0.2))
        state = state_of(model, 1e-7)
        with watching(model, store=store, every=10, budget=0.1) as record:
            record.offer_trials(step, state, steps=8, orders=2)
            for number in range(1, 7):
                record.step(loss=step(state, 0, number))
                if asks and number == 3:
                    for card in ("learning_rate_too_small", "no such card", "learning_rate_too_small"):
                        store.command(record.run_id, Command(TRY, {"card": card}))
                    while len(record._sink._commands) < 3:  # type: ignore[union-attr]
                        record._sink.hurry()  # type: ignore[union-attr]
                        time.sleep(0.01)
        after.append([*model.parameters(), torch.get_rng_state()])
    assert all(torch.equal(one, other) for one, other in zip(*after, strict=True))
    run = store.load(record.run_id)
    assert trials_of(run) == list(APPLIED)
    assert tried_of(run)["learning_rate_too_small"]["orders"] == 2
    [mark] = json.loads(run.attrs["marks"])
    assert mark["step"] == 4
    waited = re.fullmatch(
        r"Tried after step 4: 10,000 times the rate\. The script waited ([\d.]+) seconds\.", mark["text"]
    )
    assert waited is not None
    # What the script waited for is neither the price of watching nor a slow step of its own.
    assert record.price.total + float(waited[1]) < store.run(record.run_id).seconds + 0.06


def test_a_trial_that_fails_is_told_and_the_script_trains_on(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    model = mlp()
    state = state_of(model, 1e-3)

    def fails(state: dict[str, Any], order: int, number: int) -> torch.Tensor:
        raise KeyError("no batch left")

    with watching(model, store=store) as record:
        with pytest.raises(SettingsError, match="The state has no optimizer"):
            record.offer_trials(step, {"model": model})
        record.offer_trials(fails, state)
        store.command(record.run_id, Command(TRY, {"card": "frozen"}))
        while not record._sink._commands:  # type: ignore[union-attr]
            record._sink.hurry()  # type: ignore[union-attr]
            time.sleep(0.01)
        for number in range(1, 4):
            record.step(loss=step(state, 0, number))
    run = store.load(record.run_id)
    [mark] = json.loads(run.attrs["marks"])
    assert mark["text"].startswith("The trial failed after step 1: KeyError: 'no batch left' The script waited")
    assert store.run(record.run_id).step == 3


def test_a_step_that_ignores_its_state_is_found_and_the_script_s_own_model_stays() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(*mlp(), nn.Dropout(0.1))
    state = state_of(model, 1e-3)
    for number in range(1, 4):
        step(state, 0, number)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    gradients = [one.grad.clone() for one in model.parameters() if one.grad is not None]
    moments = [one["exp_avg"].clone() for one in state["optimizer"].state.values()]

    def careless(_: dict[str, Any], order: int, number: int) -> torch.Tensor:
        return step(state, order, number)

    with pytest.raises(
        SettingsError, match=r"The step trains your own model; allowed is one that trains state\['model'\]"
    ):
        goldviz.trial(careless, state, kinds=["frozen"])
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    own = [one.grad for one in model.parameters()]
    assert all(torch.equal(one, other) for one, other in zip(own, gradients, strict=True))
    own = [one["exp_avg"] for one in state["optimizer"].state.values()]
    assert all(torch.equal(one, other) for one, other in zip(own, moments, strict=True))


def test_a_step_that_never_does_the_same_twice_is_found() -> None:
    state, loader = state_of(mlp(), 1e-3), iter(range(1000))

    def unpaired(state: dict[str, Any], order: int, _: int) -> torch.Tensor:
        return step(state, order, next(loader))

    with pytest.raises(SettingsError, match="The step gives another loss for the same state, order and number"):
        goldviz.trial(unpaired, state, kinds=["frozen"])


@pytest.mark.parametrize("kinds", ["frozen", ["nonsense"], 3])
def test_kinds_that_have_no_cure_are_refused(kinds: Any) -> None:
    with pytest.raises(SettingsError, match="allowed is a list of learning_rate_too_large, no_warm_up"):
        goldviz.trial(step, state_of(mlp(), 1e-3), kinds=kinds)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(-0.75, 0.23, "not shown to help"), (-0.04, 0.3, "did not help"), (0.1, 0.3, "did not help")],
)
def test_what_was_not_shown_is_not_called_refuted(low: float, high: float, words: str) -> None:
    tried = Tried("frozen", "thaw", 1.0, 1.0, (low + high) / 2, low, high, 3, 50, helped=False)
    assert tried.sentence().startswith(f"thaw: {words}, loss ")


def faster(state: dict[str, Any]) -> None:
    for group in state["optimizer"].param_groups:
        group["lr"] = 3e-3


OF_RATES_AND_HOLDERS = (
    "learning_rate_too_large", "no_warm_up", "learning_rate_too_small", "exploding", "stale_gradient", "frozen",
    "optimizer_holds_none", "not_optimised", "rate_went_to_zero",
)  # fmt: skip
"""Cards whose cures are tried here; those of the others, where their faults are planted."""


def test_every_cure_is_tried_somewhere() -> None:
    assert {*APPLIED} == {*OF_RATES_AND_HOLDERS} | {planted.kind for planted in OWN_CURES}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", OF_RATES_AND_HOLDERS)
def test_cures_of_planted_faults_help_and_placebos_never(kind: str, seed: int) -> None:
    torch.manual_seed(seed)
    if kind == "exploding":
        model = Recurrent(Relu)
        with torch.no_grad():
            model.cell.weight_hh_l0.copy_(2.5 * torch.eye(16))
        state = state_of(model, 1e-2, torch.optim.SGD)

        def own(state: dict[str, Any], order: int, number: int) -> torch.Tensor:
            loss = sequences(state["model"], 1000 * order + number)
            state["optimizer"].zero_grad()
            loss.backward()
            state["optimizer"].step()
            return loss

        results = by_kind(goldviz.trial(own, state, kinds=[kind], steps=STEPS))
    else:
        model = mlp()
        rate = {"learning_rate_too_small": 1e-4}.get(kind, 0.3 if "rate" in kind or kind == "no_warm_up" else 3e-3)
        if kind == "frozen":
            model[0].requires_grad_(False)
            model[2].requires_grad_(False)
        state = {**state_of(model, rate), "clears": kind != "stale_gradient"}
        if kind in ("optimizer_holds_none", "not_optimised"):
            held = mlp() if kind == "optimizer_holds_none" else model[2:]
            state["optimizer"] = torch.optim.AdamW(held.parameters(), rate)
        if kind == "rate_went_to_zero":
            state["optimizer"].param_groups[0].update(lr=1e-9, initial_lr=3e-3)
        results = by_kind(goldviz.trial(step, state, kinds=[kind], steps=2 * STEPS))
    assert results[kind].helped, results[kind].sentence()
    assert not results[PLACEBO].helped


def test_what_the_page_writes_for_a_script_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    loop, _two_lines, trial = blocks
    model = mlp()
    batches = [[task(seed=100 * order + number) for number in range(60)] for order in range(3)]
    names: dict[str, Any] = {
        "model": model,
        "optimizer": torch.optim.AdamW(model.parameters(), 1e-7),
        "loader": batches[0],
        "batches": batches,
        "loss_of": functional.cross_entropy,
    }
    for block in (loop, trial):
        exec(block, names)
    assert {one.kind for one in names["results"]} == {PLACEBO, "learning_rate_too_small"}
    # A trial after the loop's end is kept with its run all the same.
    run = goldviz.load(names["record"].run_id)
    [card] = goldviz.findings(run)
    assert as_json(card, run)["tried"]["orders"] == 3
    assert run.attrs["status"] == "finished"


SCRIPT = """
import torch
import goldviz

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
record = goldviz.watch(model, optimizer, every=1, budget=None)
for _ in range(5):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_a_script_runs_where_goldviz_is_not_installed_without_two_of_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    watched, bare = dict[str, Any](), dict[str, Any]()
    exec(SCRIPT, watched)
    watched["record"].close()
    lines = [line for line in SCRIPT.splitlines() if "goldviz" not in line]
    assert len(lines) == len(SCRIPT.splitlines()) - 2
    monkeypatch.setitem(sys.modules, "goldviz", None)
    exec("\n".join(lines), bare)
    monkeypatch.undo()
    assert watched["record"].step_number == 5
    pairs = zip(watched["model"].parameters(), bare["model"].parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


@pytest.mark.parametrize(
    ("update", "factor"),
    [(5e-7, 1e4), (1.01e-6, 1e3), (1e-4, 10), (0.5, 10), (0.0, 10), (math.nan, 10), (math.inf, 10), (1e-30, 1e6)],
)
def test_how_much_larger_a_rate_is_to_be_is_read_off_the_steps(update: float, factor: float) -> None:
    assert rate_factor(xr.Dataset({"update_to_data": (("step", "layer"), [[update]] * 3)})) == factor


def test_an_interval_is_students() -> None:
    """t(2) at 97.5 % is 4.3027; the spread of 1, 2 and 3 is 1."""
    low, high = mean_interval(torch.tensor([1.0, 2.0, 3.0]).numpy())
    assert (low, high) == pytest.approx((2 - 4.302653 / math.sqrt(3), 2 + 4.302653 / math.sqrt(3)), rel=1e-6)


def test_bad_arguments_are_refused_in_a_sentence() -> None:
    state = state_of(mlp(), 1e-3)
    for given, sentence in (
        ({"step": 3}, "The step is a int"),
        ({"state": {}}, "The state has no model"),
        ({"state": {"model": mlp()}}, "The state has no optimizer"),
        ({"steps": 0}, "steps is 0; allowed is a whole number from 1 to 10,000."),
        ({"orders": 1}, "orders is 1; allowed is a whole number from 2 to 20."),
    ):
        with pytest.raises(SettingsError, match=sentence):
            goldviz.trial(**{"step": step, "state": state, **given})  # type: ignore[arg-type]
