"""How much larger a rate could be: in closed form on a quadratic, and nothing moves while it is looked for."""

import copy
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from goldviz.diagnostics.critical_rate import critical_factor
from tests.watching.loops import classified, mlp, task, watching

CURVES = torch.tensor([0.3, 1.0, 5.0], dtype=torch.float64)


class Quadratic(nn.Module):
    """L(w) = 1/2 sum lambda_i w_i^2."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64))

    def forward(self) -> Tensor:
        return (CURVES * self.w.square()).sum() / 2


def stepped(model: nn.Module, rate: float, loss: Callable[[], Tensor]) -> list[Tensor]:
    before = [one.detach().clone() for one in model.parameters()]
    chosen = torch.optim.SGD(model.parameters(), rate)
    loss().backward()
    chosen.step()
    return before


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.45, 0.9])
def test_on_a_quadratic_it_is_two_over_the_sharpness_along_the_gradient(rate: float) -> None:
    model = Quadratic()
    gradient = CURVES * model.w.detach()
    critical = 2 * gradient.square().sum() / (CURVES * gradient.square()).sum()
    before = stepped(model, rate, model)
    passes = []

    def again() -> Tensor:
        passes.append(1)
        return model()

    told = critical_factor(again, model, [*model.parameters()], before)
    assert told == pytest.approx(float(critical) / rate, rel=1e-6)
    assert len(passes) <= 9


def test_a_network_s_is_where_its_loss_rises_and_nothing_moves() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
    x, y = task()
    state = torch.get_rng_state()

    def again() -> Tensor:
        return nn.functional.cross_entropy(model(x), y)

    before = stepped(model, 0.5, again)
    torch.set_rng_state(state)
    whole, after = copy.deepcopy(model.state_dict()), [one.detach().clone() for one in model.parameters()]
    told = critical_factor(again, model, [*model.parameters()], before)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(value, whole[name]) for name, value in model.state_dict().items())

    def rise(factor: float) -> float:
        losses = []
        for part in (0.0, factor):
            with torch.no_grad():
                for weight, start, end in zip(model.parameters(), before, after, strict=True):
                    weight.copy_(torch.lerp(start, end, part))
                torch.set_rng_state(state)
                losses.append(float(again()))
        return losses[1] - losses[0]

    assert rise(0.8 * told) < 0 < rise(1.2 * told)


def test_a_watched_loop_tells_it_and_trains_the_same() -> None:
    def trained(probed: bool) -> tuple[nn.Module, list[float]]:
        torch.manual_seed(0)
        model = mlp()
        chosen = torch.optim.SGD(model.parameters(), 0.1)
        with watching(model) as record:
            for step in range(1, 12):
                loss = classified(model, step)
                chosen.zero_grad()
                loss.backward()
                chosen.step()
                record.step(loss=loss, again=(lambda step=step: classified(model, step)) if probed else None)
        told = record.dataset()
        assert "evaluations" not in str(record.facts)
        return model, told["headroom"].values.tolist() if probed else []

    (one, told), (other, _) = trained(True), trained(False)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert len(told) == 1
    assert told[0] > 1
