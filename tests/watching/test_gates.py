"""How much of a recurrent module's gates stands on a flat part: of sequences of any length, with its weights."""

import pytest
import torch
from torch import nn

from goldviz.watching.looking import FLAT_SIGMOID, GATE_STEPS, _saturated

LONG = GATE_STEPS + 5


def gates_step_by_step(module: nn.LSTM | nn.GRU, x: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
    """The sigmoid gates at steps 2 to ``GATE_STEPS`` + 1 of (step, batch, input), one step after the other."""
    weights = dict(module.named_parameters())
    blocks = [0, 1, 3] if isinstance(module, nn.LSTM) else [0, 1]
    own = []
    for step in range(1, min(len(x), GATE_STEPS + 1)):
        sums = x[step, :GATE_STEPS] @ weights["weight_ih_l0"].T + weights["bias_ih_l0"]
        sums = sums + states[step - 1, :GATE_STEPS] @ weights["weight_hh_l0"].T + weights["bias_hh_l0"]
        parts = sums.split(module.hidden_size, dim=-1)
        own.append(torch.sigmoid(torch.cat([parts[block] for block in blocks], dim=-1)))
    return torch.stack(own)


@pytest.mark.parametrize("steps", [3, LONG])
@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
@torch.no_grad()
def test_the_share_of_flat_gates_is_that_of_gates_computed_step_by_step(
    kind: type[nn.LSTM] | type[nn.GRU], steps: int
) -> None:
    torch.manual_seed(0)
    module = kind(3, 4, batch_first=True).double()
    for weight in module.parameters():
        weight.mul_(8.0)
    x = torch.randn(LONG, steps, 3, dtype=torch.float64)
    states = module(x)[0]
    gates = gates_step_by_step(module, x.transpose(0, 1), states.transpose(0, 1))
    flat = ((gates - 0.5).abs() > 0.5 - FLAT_SIGMOID).double().mean()
    assert 0 < float(flat) < 1
    assert float(_saturated(module, (x,), states)) == pytest.approx(float(flat), abs=1e-6)
