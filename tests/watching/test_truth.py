"""What a watcher tells is what a plain loop computes in double precision, and it changes nothing."""

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from goldviz.watching.looking import _gates
from tests.watching.loops import Recurrent, Tied, classified, mlp, task, watching


def dropped(seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(8, 24), nn.ReLU(inplace=True), nn.Dropout(0.3), nn.Linear(24, 24), nn.Linear(24, 3))


def looped(model: nn.Module, watch: bool, steps: int = 12, **more: Any) -> nn.Module:
    chosen = torch.optim.AdamW(model.parameters(), 1e-2)
    record = watching(model, **more) if watch else None
    for step in range(1, steps + 1):
        loss = classified(model, step)
        chosen.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        chosen.step()
        if record is not None:
            record.step(loss=loss)
    if record is not None:
        record.close()
    return model


@pytest.mark.parametrize("more", [{}, {"every": 3}, {"histograms": True}, {"budget": 0.001}], ids=str)
def test_weights_are_the_same_bit_for_bit_with_dropout(more: dict[str, Any]) -> None:
    bare = looped(dropped(), False)
    after = torch.get_rng_state()
    watched = looped(dropped(), True, **more)
    assert torch.equal(torch.get_rng_state(), after)
    assert all(torch.equal(one, other) for one, other in zip(bare.parameters(), watched.parameters(), strict=True))
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in watched.modules())


def test_gradients_are_those_that_the_optimiser_uses() -> None:
    """Accumulated over four parts, unscaled, before and after clipping: against the same loop in float64."""
    torch.manual_seed(1)
    model = mlp(nn.Tanh)
    exact = copy.deepcopy(model).double()
    chosen = torch.optim.SGD(model.parameters(), 0.05)
    mirror = torch.optim.SGD(exact.parameters(), 0.05)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
    with watching(model) as record:
        expected = []
        for step in range(1, 5):
            for of, factor in ((model, True), (exact, False)):
                for part in range(4):
                    x, y = task(seed=10 * step + part)
                    loss = functional.cross_entropy(of(x.to(next(of.parameters()).dtype)), y) / 4
                    (scaler.scale(loss) if factor else loss).backward()
            whole = math.sqrt(sum(float(one.grad.square().sum()) for one in exact.parameters()))
            scaler.unscale_(chosen)
            for of in (model, exact):
                nn.utils.clip_grad_norm_(of.parameters(), 0.05)
            used = [float(torch.cat([one.grad.flatten() for one in exact[at].parameters()]).norm()) for at in (0, 2, 4)]
            before = [exact[at].weight.detach().clone() for at in (0, 2, 4)]
            scaler.step(chosen)
            scaler.update()
            mirror.step()
            after = [exact[at].weight.detach() for at in (0, 2, 4)]
            moved = [float((new - old).norm() / old.norm()) for new, old in zip(after, before, strict=True)]
            expected.append((whole, used, moved))
            chosen.zero_grad()
            mirror.zero_grad()
            record.step(loss=loss)
    told = record.dataset()
    rows = [list(told["layer"].values).index(name) for name in ("0", "2", "4")]
    for place, (whole, used, moved) in enumerate(expected):
        assert float(told["gradient_norm"][place]) == pytest.approx(whole, rel=1e-5)
        np.testing.assert_allclose(told["gradient_by_layer"].values[place, rows], used, rtol=1e-5)
        assert float(told["clip_factor"][place]) == pytest.approx(min(1, 0.05 / whole), rel=1e-4)
        # Weights of up to 1,024 entries are told whole; all of these are.
        np.testing.assert_allclose(told["update_to_data"].values[place, rows], moved, rtol=1e-4)


def test_a_large_weights_step_is_told_from_a_sample_of_it() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 256), nn.Tanh(), nn.Linear(256, 256), nn.Linear(256, 3))
    chosen = torch.optim.AdamW(model.parameters(), 1e-2)
    before = model[2].weight.detach().clone()
    with watching(model) as record:
        classified(model, 1).backward()
        chosen.step()
        record.step()
    told = record.dataset()["update_to_data"].sel(layer="2").item()
    assert told == pytest.approx(float((model[2].weight.detach() - before).norm() / before.norm()), rel=0.06)


def test_outputs_and_their_gradients_are_told() -> None:
    torch.manual_seed(0)
    model = mlp(nn.Tanh)
    chosen = torch.optim.SGD(model.parameters(), 0.0)
    x, y = task()
    hidden = model[:2](x)
    hidden.retain_grad()
    functional.cross_entropy(model[2:](hidden), y).backward()
    gradient, hidden = hidden.grad, hidden.detach()
    chosen.zero_grad()
    with watching(model) as record:
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        chosen.step()
        record.step(loss=loss)
    told = record.dataset().isel(look=0).sel(layer="1")
    assert float(told["activation_mean"]) == pytest.approx(float(hidden.mean()), rel=1e-4)
    assert float(told["activation_std"]) == pytest.approx(float(hidden.std(correction=0)), rel=1e-5)
    assert float(told["largest_activation"]) == pytest.approx(float(hidden.abs().max()), rel=1e-6)
    assert float(told["saturation"]) == pytest.approx(float((hidden.abs() > 0.975).float().mean()), abs=1e-6)
    assert float(told["output_gradient"]) == pytest.approx(float(gradient.norm()), rel=1e-5)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
@pytest.mark.parametrize("batch_first", [True, False])
def test_gates_are_those_of_a_loop_over_cells(kind: type[nn.RNNBase], batch_first: bool) -> None:
    torch.manual_seed(0)
    fused = kind(5, 7, batch_first=batch_first)
    x = torch.randn(3, 6, 5) if batch_first else torch.randn(6, 3, 5)
    outputs, _ = fused(x)
    told = _gates(fused, x, outputs.detach())
    inputs = x.transpose(0, 1) if batch_first else x
    h, c, gates = torch.zeros(3, 7), torch.zeros(3, 7), []
    for now in inputs:
        sums = functional.linear(now, fused.weight_ih_l0, fused.bias_ih_l0)
        recurrent = functional.linear(h, fused.weight_hh_l0, fused.bias_hh_l0)
        if kind is nn.LSTM:
            i, f, g, o = (sums + recurrent).chunk(4, -1)
            i, f, o = i.sigmoid(), f.sigmoid(), o.sigmoid()
            c = f * c + i * g.tanh()
            h = o * c.tanh()
            gates.append(torch.cat([i, f, o], -1))
        else:
            (a, b, n), (p, q, m) = sums.chunk(3, -1), recurrent.chunk(3, -1)
            reset, update = (a + p).sigmoid(), (b + q).sigmoid()
            h = (1 - update) * (n + reset * m).tanh() + update * h
            gates.append(torch.cat([reset, update], -1))
    torch.testing.assert_close(told, torch.stack(gates[1:]), rtol=1e-5, atol=1e-6)


class Odd(nn.Module):
    """Calls one module twice and another never, shares a weight, and checkpoints a part."""

    def __init__(self) -> None:
        super().__init__()
        self.twice, self.never = nn.Linear(8, 8), nn.Linear(8, 8)
        self.shared = nn.Linear(8, 8)
        self.shared.weight = self.twice.weight
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        h = self.twice(self.twice(x).tanh())
        return self.head(checkpoint(self.shared, h, use_reentrant=False))


def test_modules_that_are_used_otherwise_are_told_as_they_are() -> None:
    torch.manual_seed(0)
    model = Odd()
    bare = looped(copy.deepcopy(model), False)
    with watching(model) as record:
        chosen = torch.optim.AdamW(model.parameters(), 1e-2)
        for step in range(1, 13):
            loss = classified(model, step)
            chosen.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            chosen.step()
            record.step(loss=loss)
    assert all(torch.equal(one, other) for one, other in zip(bare.parameters(), model.parameters(), strict=True))
    told = record.dataset()
    by_name = told.isel(look=-1)
    assert np.isnan(by_name["activation_mean"].sel(layer="never"))
    assert np.isfinite(by_name["activation_mean"].sel(layer="shared"))
    # A shared weight is told once, with the module that comes first; the other has its bias alone.
    assert {name: count for name, _, count in record.layers.facts}["shared"] == 8
    assert {card.kind: card.number for card in record.findings()}["unused"] == "never (Linear)"


@pytest.mark.parametrize("build", [dropped, lambda: Recurrent(nn.GRU), Tied])
def test_a_watched_model_can_be_pickled_and_copied(build: Callable[[], nn.Module]) -> None:
    model = build()
    with watching(model) as record:
        again = pickle.loads(pickle.dumps(model))
        copied = copy.deepcopy(model)
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(record)
    for other in (again, copied):
        assert all(torch.equal(one, two) for one, two in zip(model.parameters(), other.parameters(), strict=True))


def test_two_optimisers_and_no_call_of_step() -> None:
    """The optimisers' own steps are noticed, and each parameter's step is told once."""
    torch.manual_seed(0)
    model = mlp()
    first = torch.optim.SGD(model[0].parameters(), 0.1)
    second = torch.optim.AdamW([*model[2].parameters(), *model[4].parameters()], 1e-3)
    record = watching(model)
    for step in range(1, 6):
        loss = classified(model, step)
        first.zero_grad()
        second.zero_grad()
        loss.backward()
        first.step()
        second.step()
    record.close()
    told = record.dataset()
    assert list(told["step"].values) == [1, 2, 3, 4, 5]
    assert np.isfinite(told["update_to_data"].sel(layer=["0", "2", "4"]).values).all()
    assert "loss" not in told
