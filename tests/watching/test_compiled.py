"""What ``torch.compile`` took is told as an uncompiled network's is; compiler and training notice nothing."""

import copy
import logging
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.utils import counters
from torch.nn import functional

from goldviz.watching.watcher import Watcher
from tests.watching.loops import ROWS, watching


class Body(nn.Sequential):
    def forward(self, x: Tensor) -> Tensor:
        for part in self:
            x = part(x)
        return x


class Net(nn.Module):
    """Batch norm, dropout, attention and a part that writes into what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.body = Body(nn.ReLU(inplace=True), nn.Linear(8, 16), nn.BatchNorm1d(5), nn.Tanh())
        self.dropout = nn.Dropout(0.3)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.head = nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        h = self.dropout(self.body(x))
        return self.head(h + self.attention(h, h, h, need_weights=False)[0]).mean(1)


def whole(net: Net) -> nn.Module:
    return torch.compile(net, backend="aot_eager")


def in_place(net: Net) -> nn.Module:
    net.compile(backend="eager")
    return net


def a_part(net: Net) -> nn.Module:
    net.body = torch.compile(net.body, backend="eager")
    return net


def a_part_in_place(net: Net) -> nn.Module:
    net.body.compile(backend="aot_eager")
    return net


WAYS = (whole, in_place, a_part, a_part_in_place)
COMPILED = [pytest.param(one, marks=() if one is in_place else pytest.mark.slow) for one in WAYS]


@pytest.fixture(autouse=True)
def fresh_compiler() -> Iterator[None]:
    torch._dynamo.reset()
    counters.clear()
    yield
    torch._dynamo.reset()


def rows(step: int) -> tuple[Tensor, Tensor]:
    x = torch.randn(ROWS, 5, 8, generator=torch.Generator().manual_seed(step))
    return x, x[:, :, :3].sum(1).argmax(1)


def looped(model: nn.Module, watch: bool, steps: int = 4, half: bool = False, **more: Any) -> Watcher | None:
    torch.manual_seed(1)
    chosen = torch.optim.AdamW(model.parameters(), 1e-2)
    record = watching(model, **more) if watch else None
    for step in range(1, steps + 1):
        x, y = rows(step)
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            loss = functional.cross_entropy(model(x), y)
        chosen.zero_grad()
        loss.backward()
        chosen.step()
        if record is not None:
            record.step(loss=loss)
    if record is not None:
        record.close()
    return record


@pytest.mark.parametrize("compiled", COMPILED)
def test_the_compiler_and_the_training_notice_nothing(compiled: Callable[[Net], nn.Module]) -> None:
    """Graphs, breaks and recompilations as without; weights, buffers and random numbers bit for bit."""
    torch.manual_seed(0)
    nets = Net(), Net()
    nets[1].load_state_dict(nets[0].state_dict())
    told = []
    for net, watch in zip(nets, (False, True), strict=True):
        torch._dynamo.reset()
        counters.clear()
        with torch._dynamo.config.patch(error_on_recompile=True):
            looped(compiled(net), watch)
        told.append((counters["stats"]["unique_graphs"], dict(counters["graph_break"]), torch.get_rng_state()))
    assert told[0][0] == told[1][0] > 0
    assert told[0][1] == told[1][1]
    assert torch.equal(told[0][2], told[1][2])
    states = [net.state_dict() for net in nets]
    assert list(states[0]) == list(states[1])
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in nets[1].modules())


@pytest.mark.slow
@pytest.mark.parametrize("compiled", WAYS)
def test_a_pass_without_gradient_leaves_nothing_in_autocast_s_cache(compiled: Callable[[Net], nn.Module]) -> None:
    """A weight that was rounded off the graph and kept would get no gradient in the training's own pass."""
    torch.manual_seed(0)
    nets = Net(), Net()
    nets[1].load_state_dict(nets[0].state_dict())
    for net, watch in zip(nets, (False, True), strict=True):
        torch._dynamo.reset()
        looped(compiled(net), watch, half=True)
    assert all(one.grad is not None and one.grad.any() for one in nets[1].head.parameters())
    pairs = zip(nets[0].parameters(), nets[1].parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


@pytest.mark.slow
def test_a_compiled_function_around_a_watched_network_has_one_graph_and_no_break() -> None:
    """The network's own hooks stand there; in a function that is compiled they are silent."""
    torch.manual_seed(0)
    net = Net()
    compiled = torch.compile(net.__call__, backend="eager")
    chosen = torch.optim.SGD(net.parameters(), 0.1)
    with torch._dynamo.config.patch(error_on_recompile=True), watching(net, every=2) as record:
        for step in range(1, 9):
            x, y = rows(step)
            loss = functional.cross_entropy(compiled(x), y)
            chosen.zero_grad()
            loss.backward()
            chosen.step()
            record.step(loss=loss)
    assert counters["stats"]["unique_graphs"] == 1
    assert not counters["graph_break"]
    assert np.isfinite(record.dataset()["gradient_by_layer"].sel(layer="head").values).all()


@pytest.mark.parametrize("compiled", COMPILED)
def test_outputs_are_told_as_an_uncompiled_network_s_in_double_precision(compiled: Callable[[Net], nn.Module]) -> None:
    torch.manual_seed(0)
    net = Net()
    exact = copy.deepcopy(net).double()
    record = looped(compiled(net), True, steps=1)
    assert record is not None
    told = record.dataset().isel(look=0)
    outputs: dict[str, Tensor] = {}
    for name, module in exact.named_modules():
        module.register_forward_hook(
            lambda _, given, output, name=name: outputs.update(  # type: ignore[misc]
                {name: (output if isinstance(output, Tensor) else output[0]).detach().clone()}
            )
        )
    # Dropout leaves out what it left out in the watched step: random numbers of single precision, at that place.
    torch.manual_seed(1)
    kept = functional.dropout(torch.ones(ROWS, 5, 16), 0.3).double()
    exact.dropout.forward = lambda h: h * kept  # type: ignore[method-assign]
    exact(rows(1)[0].double())
    for name in ("body.1", "body.2", "body.3", "attention", "head"):
        one, expected = told.sel(layer=name), outputs[name]
        assert float(one["activation_mean"]) == pytest.approx(float(expected.mean()), rel=1e-4, abs=1e-7)
        assert float(one["activation_std"]) == pytest.approx(float(expected.std(correction=0)), rel=1e-5)
        assert float(one["largest_activation"]) == pytest.approx(float(expected.abs().max()), rel=1e-5)
    flat = (outputs["body.3"].abs() > 0.975).double().mean()
    assert float(told["saturation"].sel(layer="body.3")) == pytest.approx(float(flat), abs=1e-6)
    h = outputs["body.3"] * kept
    _, weights = exact.attention(h, h, h, average_attn_weights=False)
    entropy = torch.special.entr(weights[:16]).sum(-1).mean((0, 2)) / np.log(2)
    np.testing.assert_allclose(told["attention_entropy"].sel(layer="attention"), entropy.detach(), rtol=1e-5)


@pytest.mark.slow
def test_dead_units_inside_a_compiled_network_get_their_card() -> None:
    torch.manual_seed(0)
    net = Net()
    net.body = Body(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16))
    with torch.no_grad():
        net.body[0].bias.fill_(-30.0)
    record = looped(torch.compile(net, backend="eager"), True, steps=10)
    assert record is not None
    [card] = [card for card in record.findings() if card.kind == "dead_units"]
    assert card.title == "Many units before body.2 (Linear) are dead"


class Root(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.log(x - x.amin())


@pytest.mark.slow
@pytest.mark.parametrize(("every", "named"), [(1, "1 (Root)"), (100, "(model) (Sequential)")])
def test_a_first_cause_is_named_at_a_look_by_its_module_and_between_looks_by_what_was_compiled(
    every: int, named: str
) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.Identity(), nn.Linear(16, 3))
    compiled = torch.compile(model, backend="eager")
    chosen = torch.optim.SGD(compiled.parameters(), 0.1)
    with watching(compiled, every=every) as record:
        for step in range(1, 6):
            if step == 5:
                model[1] = Root()
                record.layers.regions[0].inside["1"] = model[1]
            x, y = rows(step)
            loss = functional.cross_entropy(compiled(x[:, 0]), y)
            chosen.zero_grad()
            loss.backward()
            chosen.step()
            record.step(loss=loss)
    [card, *_] = record.findings()
    assert card.number.startswith("infinite at step 5") or card.number.startswith("NaN at step 5")
    assert card.explanation.startswith(f"{named} made it in the forward pass")


@pytest.mark.slow
def test_a_network_that_only_runs_compiled_is_trained_on_and_said_so_once(caplog: pytest.LogCaptureFixture) -> None:
    class Picky(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            if not torch.compiler.is_compiling():
                raise RuntimeError("eager is not for me")
            return super().forward(x)

    torch.manual_seed(0)
    model = torch.compile(Picky(8, 3), backend="eager")
    chosen = torch.optim.SGD(model.parameters(), 0.1)
    with caplog.at_level(logging.WARNING), watching(model) as record:
        for step in range(1, 4):
            x, y = rows(step)
            loss = functional.cross_entropy(model(x[:, 0]), y)
            loss.backward()
            chosen.step()
            record.step(loss=loss)
    assert caplog.text.count("Compiled modules are not looked into: RuntimeError: eager is not for me") == 1
    assert np.isfinite(record.dataset()["gradient_by_layer"].values).all()
