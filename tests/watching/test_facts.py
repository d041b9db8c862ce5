"""Facts that are read off a loop and not guessed: loops in other people's orders, sound and with a fault."""

import copy
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import xarray as xr
from torch import nn
from torch.nn import functional

import goldviz
from goldviz.cli.command import main
from goldviz.watching.measures import WatchedReading
from goldviz.watching.watcher import Watcher
from tests.watching.loops import classified, mlp, watching

Loop = Callable[[nn.Module, torch.optim.Optimizer, int], torch.Tensor]


def kinds(record: Watcher) -> list[str]:
    return [card.kind for card in record.findings()]


def run(loop: Loop, steps: int = 40, optimiser: type[torch.optim.Optimizer] = torch.optim.Adam, **more: int) -> Watcher:
    torch.manual_seed(0)
    model = mlp()
    chosen = optimiser(model.parameters(), lr=3e-3)
    with watching(model, **{"every": 10, **more}) as record:
        for number in range(1, steps + 1):
            record.step(loss=loop(model, chosen, number))
    return record


def clears_last(model: nn.Module, chosen: torch.optim.Optimizer, number: int, none: bool = True) -> torch.Tensor:
    loss = classified(model, number)
    loss.backward()
    chosen.step()
    chosen.zero_grad(set_to_none=none)
    return loss


def writes_zeros_last(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    return clears_last(model, chosen, number, none=False)


def writes_zeros_into_data(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    for one in model.parameters():
        if one.grad is not None:
            one.grad.data.zero_()
    return never_clears(model, chosen, number)


def clears_the_model_last(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    loss = never_clears(model, chosen, number)
    model.zero_grad()
    return loss


def accumulates(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    """Four micro-batches a step, each told."""
    loss = classified(model, number) / 4
    loss.backward()
    if number % 4 == 0:
        chosen.step()
        chosen.zero_grad()
    return loss


def accumulates_within(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    for part in range(4):
        loss = classified(model, 4 * number + part) / 4
        loss.backward()
    chosen.step()
    model.zero_grad(set_to_none=True)
    return loss


def steps_before_it_looks_back(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    """What was told is the next batch's: the step uses what came before the last call."""
    if number > 1:
        chosen.step()
    chosen.zero_grad()
    loss = classified(model, number)
    loss.backward()
    return loss


def another_writes_first(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    """As a generator's backward pass writes into its discriminator after that one's step."""
    for none in (True, False):
        chosen.zero_grad(set_to_none=none)
    loss = never_clears(model, chosen, number)
    functional.cross_entropy(model(torch.randn(8, 8)), torch.zeros(8, dtype=torch.long)).backward()
    return loss


def with_a_closure(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    def closure() -> torch.Tensor:
        chosen.zero_grad()
        loss = classified(model, 1)
        loss.backward()
        return loss

    chosen.step(closure)
    return closure()


def never_clears(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    loss = classified(model, number)
    loss.backward()
    chosen.step()
    return loss


SOUND = (
    clears_last, writes_zeros_last, writes_zeros_into_data, clears_the_model_last, accumulates, accumulates_within,
    steps_before_it_looks_back, another_writes_first,
)  # fmt: skip


@pytest.mark.parametrize("every", [1, 10])
@pytest.mark.parametrize("loop", SOUND, ids=lambda loop: str(loop.__name__))
def test_a_sound_order_gets_no_card(loop: Loop, every: int) -> None:
    assert kinds(run(loop, every=every)) == []


@pytest.mark.parametrize("cut", [False, True])
def test_one_of_two_optimisers_that_never_gets_a_gradient_is_named(cut: bool) -> None:
    torch.manual_seed(0)
    model = nn.ModuleDict({"maker": nn.Linear(8, 8), "judge": nn.Linear(8, 2)})
    both = [torch.optim.Adam(model[name].parameters(), 1e-3) for name in model]
    x, y = torch.randn(64, 8), torch.randint(2, (64,))
    with goldviz.watch(model, every=1, budget=None) as record:
        for _ in range(40):
            made = model["maker"](x)
            for one in both:
                one.zero_grad()
            loss = functional.cross_entropy(model["judge"](made.detach() if cut else made), y)
            loss.backward()
            for one in both:
                one.step()
            record.step(loss=loss)
    assert ("step_without_gradient" in kinds(record)) == cut


@pytest.mark.parametrize("thawed", [False, True])
def test_what_was_thawed_since_the_last_look_is_frozen_no_more(thawed: bool) -> None:
    torch.manual_seed(0)
    model = mlp()
    chosen = torch.optim.Adam(model.parameters(), 3e-3)
    model[0].requires_grad_(False)
    with goldviz.watch(model, chosen, every=10, budget=None) as record:
        for number in range(1, 40):
            if thawed and number == 35:
                model[0].requires_grad_(True)
            record.step(loss=clears_last(model, chosen, number))
    assert ("frozen" in kinds(record)) != thawed


def test_an_optimiser_with_a_closure_gets_no_card() -> None:
    assert kinds(run(with_a_closure, 12, torch.optim.LBFGS, every=1)) == []


@pytest.mark.parametrize("every", [1, 10])
def test_gradients_that_are_never_cleared_are_named(every: int) -> None:
    record = run(never_clears, every=every)
    assert kinds(record)[0] == "stale_gradient"
    assert record.findings()[0].number == "100 % of the steps began with an old gradient"


def test_gradients_of_a_head_that_nobody_steps_are_not_stale() -> None:
    """They are never cleared, but nothing uses them."""
    model = mlp()
    chosen = torch.optim.Adam(model[:4].parameters(), 3e-3)
    with watching(model) as record:
        for number in range(1, 20):
            loss = classified(model, number)
            chosen.zero_grad()
            loss.backward()
            chosen.step()
            record.step(loss=loss)
    assert kinds(record) == ["not_optimised"]


def test_watching_in_two_lines_is_as_right() -> None:
    for loop, expected in ((clears_last, []), (writes_zeros_last, []), (never_clears, ["stale_gradient"])):
        model = mlp()
        chosen = torch.optim.Adam(model.parameters(), lr=3e-3)
        with watching(model, every=1) as record:
            for number in range(1, 30):
                loop(model, chosen, number)
        assert [kind for kind in kinds(record) if kind != "learning_rate_too_large"] == expected


def clears_between(model: nn.Module, chosen: torch.optim.Optimizer, number: int, none: bool = True) -> torch.Tensor:
    loss = classified(model, number)
    loss.backward()
    chosen.zero_grad(set_to_none=none)
    chosen.step()
    chosen.zero_grad()
    return loss


def writes_zeros_between(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    return clears_between(model, chosen, number, none=False)


def of_another_network(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    chosen.zero_grad()
    loss = classified(nn.Sequential(mlp(), nn.Linear(3, 3)), number) + 0 * model(torch.randn(8, 8)).detach().sum()
    loss.backward()
    chosen.step()
    return loss


def made_anew(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    chosen.zero_grad()
    loss = torch.tensor(classified(model, number).item(), requires_grad=True)
    loss.backward()
    chosen.step()
    return loss


@pytest.mark.parametrize("every", [1, 10])
@pytest.mark.parametrize(
    ("loop", "kind"),
    [
        (clears_between, "cleared_before_step"),
        (writes_zeros_between, "cleared_before_step"),
        (of_another_network, "step_without_gradient"),
        (made_anew, "loss_not_connected"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_step_that_uses_nothing_is_named_alone(loop: Loop, kind: str, every: int) -> None:
    assert kinds(run(loop, 120, every=every)) == [kind]


def test_units_without_any_gradient_are_not_called_cleared() -> None:
    """A gradient that arrives as 0 was lost on its way, and not by the loop."""

    def dead(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
        chosen.zero_grad()
        loss = (0 * model(torch.ones(2, 8))).sum()
        loss.backward()
        chosen.step()
        return loss

    assert "cleared_before_step" not in kinds(run(dead))


def test_an_optimiser_of_a_copy_is_told_at_once_and_by_a_card(caplog: pytest.LogCaptureFixture) -> None:
    torch.manual_seed(0)
    model = mlp()
    chosen = torch.optim.Adam(copy.deepcopy(model).parameters(), lr=3e-3)
    with goldviz.watch(model, chosen, to="sqlite://") as record:
        assert "holds none of the model's parameters" in caplog.text
        for number in range(1, 121):
            loss = classified(model, number)
            chosen.zero_grad()
            loss.backward()
            chosen.step()
            record.step(loss=loss)
    assert kinds(record) == ["optimizer_holds_none"]


def test_a_head_that_the_optimiser_lacks_is_told_at_once(caplog: pytest.LogCaptureFixture) -> None:
    model = mlp()
    with goldviz.watch(model, torch.optim.Adam(model[:4].parameters()), to="sqlite://"):
        assert "The optimizer does not hold 4: unless another one does" in caplog.text
    caplog.clear()
    with goldviz.watch(model, torch.optim.Adam(model.parameters()), to="sqlite://"):
        assert "hold" not in caplog.text


def with_a_rate(rate_at: Callable[[int], float], steps: int = 120) -> Watcher:
    def loop(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
        chosen.param_groups[0]["lr"] = 1e-2 * rate_at(number / steps)
        return clears_last(model, chosen, number)

    return run(loop, steps)


def test_a_rate_that_goes_to_0_too_early_is_named() -> None:
    assert kinds(with_a_rate(lambda at: 0.7 ** (120 * at))) == ["rate_went_to_zero"]


@pytest.mark.parametrize(
    "rate_at", [lambda at: 0.5 + 0.5 * math.cos(math.pi * at), lambda at: min(at, 1 - at), lambda at: 1.0 - at]
)
def test_a_schedule_that_ends_at_0_gets_no_card(rate_at: Callable[[float], float]) -> None:
    assert kinds(with_a_rate(rate_at)) == []


@pytest.mark.parametrize(("dtype", "rate", "expected"), [
    (torch.bfloat16, 2e-4, ["update_lost_in_dtype"]), (torch.float32, 1e-12, ["update_lost_in_dtype"]),
    (torch.float32, 3e-3, []), (torch.bfloat16, 1e-2, []),
])  # fmt: skip
def test_steps_that_rounding_swallows_are_named(dtype: torch.dtype, rate: float, expected: list[str]) -> None:
    torch.manual_seed(0)
    model = mlp().to(dtype)
    chosen = torch.optim.Adam(model.parameters(), rate)
    with watching(model, every=10) as record:
        for _ in range(120):
            x = torch.randn(32, 8)
            loss = functional.cross_entropy(model(x.to(dtype)).float(), x[:, :3].argmax(1))
            clears_after(chosen, loss)
            record.step(loss=loss)
    assert kinds(record) == expected


def clears_after(chosen: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    loss.backward()
    chosen.step()
    chosen.zero_grad()


@pytest.mark.parametrize("falls", [True, False])
def test_a_loss_that_is_no_measure_of_progress_gets_no_guess(falls: bool) -> None:
    """A critic's goes below 0; a generator's rises while it learns."""
    torch.manual_seed(0)
    model = mlp()
    chosen = torch.optim.SGD(model.parameters(), 0.1)
    with watching(model, every=10) as record:
        for number in range(1, 121):
            loss = classified(model, number)
            clears_after(chosen, loss)
            record.step(loss=-number / 10 if falls else 1 + number / 30 + loss.detach() / 10)
    assert kinds(record) == []


def deep(act: type[nn.Module], depth: int = 14) -> nn.Sequential:
    hidden = [part for _ in range(depth) for part in (nn.Linear(32, 32), act())]
    return nn.Sequential(nn.Linear(8, 32), act(), *hidden, nn.Linear(32, 3))


@pytest.mark.parametrize(("act", "optimiser", "expected"), [
    (nn.Sigmoid, torch.optim.Adam, "vanishing"),
    (nn.Sigmoid, torch.optim.SGD, "vanishing"),
    (nn.Tanh, torch.optim.Adam, None),
])  # fmt: skip
def test_a_gradient_that_vanishes_with_depth_is_named_in_place_of_its_symptoms(
    act: type[nn.Module], optimiser: type[torch.optim.Optimizer], expected: str | None
) -> None:
    torch.manual_seed(0)
    model = deep(act)
    chosen = optimiser(model.parameters(), 1e-3)
    with watching(model, every=10) as record:
        for number in range(1, 161):
            loss = classified(model, number)
            clears_after(chosen, loss)
            record.step(loss=loss)
    told = kinds(record)
    assert told[0] == expected if expected else "vanishing" not in told
    assert not {"no_better_than_guessing", "learning_rate_too_small", "exploding"} & {*told}


class LastState(nn.Module):
    def __init__(self, spread: float) -> None:
        super().__init__()
        self.cell, self.head = nn.RNN(4, 24, batch_first=True), nn.Linear(24, 3)
        for weight in self.cell.parameters():
            nn.init.normal_(weight, std=spread)
        if spread > 0.1:
            nn.init.orthogonal_(self.cell.weight_hh_l0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.cell(x)[0][:, -1])


@pytest.mark.parametrize(("spread", "expected"), [(0.01, ["gradient_vanishes_in_time"]), (0.2, [])])
def test_a_gradient_that_vanishes_in_time_is_named(spread: float, expected: list[str]) -> None:
    torch.manual_seed(0)
    model = LastState(spread)
    chosen = torch.optim.Adam(model.parameters(), 1e-3)
    with watching(model, every=10) as record:
        for _ in range(160):
            x = torch.randn(32, 20, 4)
            x[:, 1:] *= 0.1
            loss = functional.cross_entropy(model(x), x[:, 0, :3].argmax(1))
            clears_after(chosen, loss)
            record.step(loss=loss)
    assert [kind for kind in kinds(record) if kind != "learning_rate_too_large"] == expected


def of_shapes(column: bool, sub: bool) -> Loop:
    def loop(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
        x = torch.randn(32, 8, generator=torch.Generator().manual_seed(number))
        said, target = model(x)[:, :1] if column else model(x)[:, 0], x[:, 0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loss = (said - target).pow(2).mean() if sub else functional.mse_loss(said, target)
        clears_after(chosen, loss)
        return loss

    return loop


@pytest.mark.parametrize("sub", [True, False], ids=["minus", "mse_loss"])
def test_a_column_that_meets_a_row_is_named(sub: bool) -> None:
    [card] = run(of_shapes(True, sub), 120).findings()
    assert (card.kind, card.number) == ("broadcast_loss", "(32, 1) met the targets and became (32, 32)")
    assert kinds(run(of_shapes(False, sub), 120)) == []


def raw_logits(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    x = torch.randn(32, 8, generator=torch.Generator().manual_seed(number))
    loss = functional.nll_loss(model(x), x[:, :3].argmax(1))
    clears_after(chosen, loss)
    return loss


def softmax_of_one(model: nn.Module, chosen: torch.optim.Optimizer, number: int) -> torch.Tensor:
    x = torch.randn(32, 8, generator=torch.Generator().manual_seed(number))
    loss = functional.binary_cross_entropy(model(x)[:, :1].softmax(-1), (x[:, :1] > 0).float())
    clears_after(chosen, loss)
    return loss


def test_a_loss_that_cannot_be_is_named() -> None:
    assert kinds(run(raw_logits, 120))[0] == "below_what_is_possible"
    assert kinds(run(softmax_of_one, 120))[0] == "softmax_over_one"


@pytest.mark.parametrize(
    ("rows", "evaluates", "expected"),
    [(32, False, []), (1, False, ["batch_of_one"]), (32, True, ["trained_in_evaluation_mode"])],
)
def test_batch_norm_in_the_wrong_mode_or_with_one_row_is_named(rows: int, evaluates: bool, expected: list[str]) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv1d(1, 8, 3), nn.BatchNorm1d(8), nn.ReLU(), nn.Flatten(), nn.Linear(48, 3))
    model.train(not evaluates)
    chosen = torch.optim.Adam(model.parameters(), 3e-3)
    with watching(model, every=10) as record:
        for _ in range(90):
            x = torch.randn(rows, 1, 8)
            loss = functional.cross_entropy(model(x), x[:, 0, :3].argmax(1))
            clears_after(chosen, loss)
            record.step(loss=loss)
    assert [kind for kind in kinds(record) if kind != "learning_rate_too_large"] == expected


def test_rows_that_are_learned_by_heart_are_named() -> None:
    torch.manual_seed(0)
    x = torch.randn(20, 8)
    y, model = torch.randint(3, (20,)), mlp()
    chosen = torch.optim.Adam(model.parameters(), 1e-2)
    others = torch.randn(200, 8), torch.randint(3, (200,))
    with watching(model, every=10) as record:
        for number in range(1, 161):
            loss = functional.cross_entropy(model(x), y)
            clears_after(chosen, loss)
            with torch.no_grad():
                told = functional.cross_entropy(model(others[0]), others[1]) if number % 10 == 0 else None
            record.step(loss=loss, evaluation_loss=told)
    assert kinds(record) == ["overfits"]


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ([], 0),
        (["--fail-on", "bad"], 1),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "bad", "--known", "stale_gradient"], 0),
        (["--fail-on", "bad", "--known", "frozen"], 1),
        (["--fail-on", "bad", "--known", "STALE_gradient", "--known", "frozen"], 0),
        (["--fail-on", "bad", "--known", "stale_gradent"], 1),
    ],
)
def test_a_script_in_ci_fails_on_a_card(
    how: list[str], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    model = mlp()
    chosen = torch.optim.SGD(model.parameters(), 0.1)
    with goldviz.watch(model) as record:
        for number in range(1, 13):
            record.step(loss=never_clears(model, chosen, number))
    assert main(["findings", record.run_id, *how]) == status
    told = capsys.readouterr()
    aside = any(word.lower() == "stale_gradient" for word in how)
    assert ("Old gradients are never cleared" in told.out) != aside
    assert ("set aside: stale_gradient" in told.out) == aside
    assert ("did you mean 'stale_gradient'?" in told.err) == ("stale_gradent" in how)


def test_several_steps_of_an_optimiser_before_the_first_word_are_one() -> None:
    """As where a critic is trained five times for each step that is told."""
    model = mlp()
    chosen = torch.optim.SGD(model.parameters(), 0.1)
    with watching(model) as record:
        for number in range(1, 5):
            for part in range(3):
                loss = clears_last(model, chosen, 3 * number + part)
            record.step(loss=loss)
    assert record.step_number == 4
    assert record.dataset()["loss"].sizes == {"step": 4}


@pytest.mark.parametrize("every", [1, 5, 8])
def test_weights_that_are_kept_within_bounds_now_and_then_are_not_written_anew(every: int) -> None:
    """What the optimiser moved since the last write, here more than small weights were, is not the writer's."""
    torch.manual_seed(0)
    model = mlp()
    nn.init.normal_(model[0].weight, std=1e-3)
    chosen = torch.optim.Adam(model.parameters(), 1e-2)
    with watching(model) as record:
        for number in range(1, 61):
            record.step(loss=clears_last(model, chosen, number))
            if number % every == 0:
                with torch.no_grad():
                    for parameter in model.parameters():
                        parameter.clamp_(-100, 100)
    assert "written_outside" not in record.facts
    assert "weights_written_outside" not in kinds(record)


@pytest.mark.parametrize("apart", [1, 8, 64])
def test_a_typical_step_is_that_of_the_run_however_seldom_steps_are_measured(apart: int) -> None:
    steps = np.arange(1, 151)
    ratios = np.where(steps <= 5, 0.09, 0.008)[:, None] * np.array([1.0, 1.1])
    ratios[(steps > 5) & (steps % apart != 0)] = np.nan
    told = xr.Dataset({"update_to_data": (("step", "layer"), ratios)}, coords={"step": steps})
    assert 0.008 <= WatchedReading(told, {}).update <= 0.0088
    early = told.where(told["step"] <= 8)
    assert math.isnan(WatchedReading(early, {}).update)


@pytest.mark.parametrize("apart", [1, 8])
def test_how_many_steps_were_long_hangs_on_no_budget(apart: int) -> None:
    steps = np.arange(1, 151)
    rates = np.where(steps <= 50, 0.11, 0.001)
    ratios = np.where((steps <= 5) | (steps % apart == 0), rates, np.nan)[:, None]
    told = xr.Dataset(
        {"update_to_data": (("step", "layer"), ratios), "learning_rate": ("step", rates)}, coords={"step": steps}
    )
    n = WatchedReading(told, {})
    assert (n.long_steps, n.update, n.update_now) == pytest.approx((1 / 3, 0.001, 0.001), rel=0.05)


@pytest.mark.parametrize("answers", [{"kind": "normal", "ended": 1.0, "guess": 1.0, "times": 0, "more": 0}])
def test_numbers_of_somebody_elses_file_end_no_reading(answers: dict[str, Any]) -> None:
    told = xr.Dataset({"loss": ("step", np.ones(200))}, coords={"step": np.arange(200)})
    n = WatchedReading(told, {"answers": answers, "gain": 10**400, "stale_gradients": 10**400, "first_gradients": 3})
    assert all(math.isnan(one) for one in (n.ended_over_guess, n.gain))
    assert n.stale == 0
