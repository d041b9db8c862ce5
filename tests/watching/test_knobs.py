"""What the page changes of a watched run: it does what it says, from the step that it says."""

import json
import time
from pathlib import Path

import pytest
import torch
from torch import nn

from goldviz.runs.execution.worker import StoreSink
from goldviz.runs.recorder import Command
from goldviz.runs.store.run_store import Store
from goldviz.watching.knobs import CLIP, DROPOUT, FREEZE, RATE, KnobError, Knobs
from goldviz.watching.layers import layers_of
from tests.watching.loops import classified, mlp, watching


def steps(record, model, optimiser, count: int) -> None:
    for _ in range(count):
        loss = classified(model, record.step_number)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        record.step(loss=loss)


def ask(record, store: Store, changes: dict[str, object]) -> None:
    """Let the thread that writes hear of it, as it does within a second."""
    store.command(record.run_id, Command("change", changes))
    assert isinstance(record._sink, StoreSink)
    while not record._sink._commands:
        record._sink.hurry()
        time.sleep(0.01)


def test_a_change_holds_from_the_next_step_on_and_stands_in_the_diary(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    torch.manual_seed(0)
    model = mlp()
    optimiser = torch.optim.SGD(
        [{"params": model[0].parameters()}, {"params": model[2:].parameters(), "lr": 0.01}], lr=0.1
    )
    with watching(model, store=store, knobs=True) as record:
        steps(record, model, optimiser, 3)
        ask(record, store, {RATE: 0.05, CLIP: 1e-3, FREEZE: ["2"]})
        steps(record, model, optimiser, 1)
        assert [group["lr"] for group in optimiser.param_groups] == [0.1, 0.01]
        before = [one.detach().clone() for one in model.parameters()]
        steps(record, model, optimiser, 1)
        ask(record, store, {FREEZE: [], DROPOUT: 0.5})
        steps(record, model, optimiser, 1)
        # What changes nothing is no entry.
        for nothing in ({}, {FREEZE: ["2"]}, {CLIP: 1e-3}):
            ask(record, store, nothing)
            steps(record, model, optimiser, 1)
    assert [group["lr"] for group in optimiser.param_groups] == pytest.approx([0.05, 0.005])
    moved = [one.detach() - old for one, old in zip(model.parameters(), before, strict=True)]
    assert not moved[2].any()
    assert not moved[3].any()
    told = store.load(record.run_id)
    assert told["learning_rate"].values.tolist() == pytest.approx([0.1] * 4 + [0.05] * 5)
    assert told["used_gradient_norm"].values[3] > 2e-3
    assert told["used_gradient_norm"].values[4:].max() <= 1.001e-3
    assert [(mark["step"], mark["text"]) for mark in json.loads(told.attrs["marks"])] == [
        (4, "From step 5 on: learning rate 0.05 (was 0.1), gradients clipped at norm 0.001, frozen: 2."),
        (6, "Refused at step 7: The network has no dropout to change."),
    ]


def test_of_two_changes_before_a_step_the_last_one_holds_whatever_a_scheduler_does() -> None:
    model = mlp()
    optimiser = torch.optim.SGD(
        [{"params": model[0].parameters()}, {"params": model[2:].parameters(), "lr": 0.01}], lr=0.1
    )
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.5)
    with watching(model, knobs=True) as record:
        steps(record, model, optimiser, 2)
        assert record._knobs.turn({RATE: 1.0}, 0.1) == "learning rate 1 (was 0.1)"
        assert record._knobs.turn({RATE: 0.05}, 0.1) == "learning rate 0.05 (was 1)"
        assert record._knobs.turn({RATE: 0.05}, 0.1) == ""
        steps(record, model, optimiser, 1)
        assert [group["lr"] for group in optimiser.param_groups] == pytest.approx([0.05, 0.005])
        assert record._knobs.turn({RATE: 0.2}, 0.05) == "learning rate 0.2 (was 0.05)"
        assert record._knobs.turn({RATE: 0.05}, 0.05) == "learning rate 0.05 (was 0.2)"
        schedule.step()
        steps(record, model, optimiser, 2)
    assert [group["lr"] for group in optimiser.param_groups] == pytest.approx([0.05, 0.005])


def test_frozen_weights_stay_bit_for_bit_under_momentum_and_move_again_afterwards() -> None:
    model = mlp()
    optimiser = torch.optim.AdamW(model.parameters(), 1e-2, weight_decay=0.1)
    with watching(model, knobs=True) as record:
        steps(record, model, optimiser, 3)
        assert record._knobs.turn({FREEZE: ["0"]}, 1e-2) == "frozen: 0"
        still, others = model[0].weight.detach().clone(), model[4].weight.detach().clone()
        steps(record, model, optimiser, 2)
        assert torch.equal(model[0].weight, still)
        assert not torch.equal(model[4].weight, others)
        assert record._knobs.turn({FREEZE: []}, 1e-2) == "nothing frozen here"
        steps(record, model, optimiser, 1)
        assert not torch.equal(model[0].weight, still)


def test_clipping_is_pytorch_s_in_double_precision_and_knows_a_scale() -> None:
    model = mlp().double()
    knobs = Knobs(layers_of(model))
    knobs.turn({CLIP: 0.25}, 1.0)
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    for scale in (1.0, 1024.0):
        own = [scale * torch.randn_like(one, generator=torch.Generator().manual_seed(1)) for one in model.parameters()]
        theirs = [nn.Parameter(torch.zeros_like(one)) for one in own]
        for one, gradient in zip(theirs, own, strict=True):
            one.grad = gradient / scale
        nn.utils.clip_grad_norm_(theirs, 0.25)
        knobs.before_step(optimiser, own, scale)
        for one, gradient in zip(theirs, own, strict=True):
            torch.testing.assert_close(gradient / scale, one.grad, rtol=1e-6, atol=0)


def test_dropout_is_set_in_every_module_that_drops() -> None:
    model = nn.Sequential(nn.Dropout(0.1), nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1), nn.LSTM(8, 8))
    knobs = Knobs(layers_of(model))
    assert knobs.turn({DROPOUT: 0.4}, 1e-3) == "dropout 0.4"
    assert {module.p for module in model.modules() if isinstance(module, nn.Dropout)} == {0.4}
    assert model[1].self_attn.dropout == 0.4
    assert model[2].dropout == 0


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({RATE: 0}, "The knob learning_rate is 0; allowed is a number above 0 to 1e+06."),
        ({CLIP: -1.0}, "The knob clip is -1.0; allowed is a number from 0 to 1e+06."),
        ({CLIP: float("nan")}, "The knob clip is nan; allowed"),
        ({RATE: True}, "The knob learning_rate is True; allowed"),
        ({FREEZE: ["nowhere"]}, "There is no layer 'nowhere' to freeze."),
        ({"momentum": 1}, "There is no knob 'momentum'; there are learning_rate, clip, dropout, freeze."),
        ({CLIP: 1.0, DROPOUT: 2}, "The knob dropout is 2; allowed is a number from 0 to 0.99."),
    ],
)
def test_what_is_not_allowed_is_refused_in_a_sentence_and_changes_nothing(
    changes: dict[str, object], sentence: str
) -> None:
    knobs = Knobs(layers_of(mlp()))
    with pytest.raises(KnobError) as refused:
        knobs.turn(changes, 0.1)
    assert str(refused.value).startswith(sentence)
    assert knobs.clip == 0
    with pytest.raises(KnobError, match="not known yet"):
        knobs.turn({RATE: 0.1}, float("nan"))
