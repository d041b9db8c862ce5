"""A fused recurrent module by time step: its replay gives its outputs, and autograd's gradients of every state."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from goldviz.watching.figures import through_time
from goldviz.watching.through_time import Replay, can_be_replayed
from tests.watching.loops import watching

MODULES = {
    "RNN": lambda: nn.RNN(3, 5),
    "relu RNN without bias": lambda: nn.RNN(3, 5, nonlinearity="relu", bias=False),
    "LSTM": lambda: nn.LSTM(3, 5, batch_first=True),
    "GRU": lambda: nn.GRU(3, 5),
    "two layers of GRU, both ways": lambda: nn.GRU(3, 5, num_layers=2, bidirectional=True, batch_first=True),
    "two layers of LSTM": lambda: nn.LSTM(3, 5, num_layers=2),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_replay_gives_what_the_module_gave(name: str) -> None:
    torch.manual_seed(0)
    module = MODULES[name]().double()
    x = torch.randn(4, 6, 3, dtype=torch.float64)
    assert can_be_replayed(module, (x,))
    state = torch.get_rng_state()
    outputs = module(x)
    replay = Replay(module, x, None, outputs)
    assert torch.equal(torch.get_rng_state(), state)
    assert float(replay.difference) < 1e-12


@pytest.mark.parametrize("name", ["RNN", "relu RNN without bias", "GRU"])
def test_gradients_of_states_are_those_of_a_loop_over_calls(name: str) -> None:
    torch.manual_seed(0)
    module = MODULES[name]().double()
    x = torch.randn(7, 2, 3, dtype=torch.float64)
    weights = torch.randn(7, 2, 5, dtype=torch.float64)
    outputs = module(x)
    replay = Replay(module, x, None, outputs)
    ((outputs[0] * weights).sum() + outputs[1].square().sum()).backward()
    told = replay.told()
    # The same again, one call a step, each state a leaf of its own part of the graph.
    state, states = torch.zeros(1, 2, 5, dtype=torch.float64), []
    for now in x:
        _, state = module(now[None], state)
        state.retain_grad()
        states.append(state)
    ((torch.cat(states) * weights).sum() + state.square().sum()).backward()
    expected = [float(one.grad[0].norm(dim=1).mean()) * 2 for one in states]
    np.testing.assert_allclose(told["state_gradient"][:7], expected, rtol=1e-10)
    assert np.isnan(told["state_gradient"][7:]).all()
    jacobian = torch.autograd.functional.jacobian(
        lambda h: module(x[3:, :1], h[None, None])[1][0, 0], states[2][0, 0].detach()
    )
    assert told["state_to_last"][2] == pytest.approx(float(torch.linalg.matrix_norm(jacobian, 2)), rel=1e-10)
    assert told["state_to_last"][6] == pytest.approx(1)


def test_an_lstm_s_gradients_take_both_ways_back() -> None:
    torch.manual_seed(0)
    module = nn.LSTM(3, 5).double()
    x = torch.randn(6, 2, 3, dtype=torch.float64)
    outputs = module(x)
    replay = Replay(module, x, None, outputs)
    (outputs[0][2].sum() + outputs[1][0].square().sum() + outputs[1][1].sum()).backward()
    told = replay.told()
    h, c, states = torch.zeros(1, 2, 5, dtype=torch.float64), torch.zeros(1, 2, 5, dtype=torch.float64), []
    for now in x:
        _, (h, c) = module(now[None], (h, c))
        h.retain_grad()
        states.append(h)
    (states[2].sum() + h.square().sum() + c.sum()).backward()
    expected = [float(one.grad[0].norm(dim=1).mean()) * 2 for one in states]
    np.testing.assert_allclose(told["state_gradient"][:6], expected, rtol=1e-10)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_products_of_gates_are_those_of_a_loop_by_hand(kind: type[nn.RNNBase]) -> None:
    """In PyTorch's own letters: an LSTM keeps f c, a GRU z h. Longer than what is told, so that only its end is."""
    torch.manual_seed(0)
    module = kind(3, 5, num_layers=2).double()
    x = torch.randn(70, 2, 3, dtype=torch.float64)
    outputs = module(x)
    replay = Replay(module, x, None, outputs)
    outputs[0].sum().backward()
    told = replay.told()["gate_product"]
    first = kind(3, 5).double()
    first.load_state_dict({name: value for name, value in module.state_dict().items() if name.endswith("_l0")})
    own, states = module.state_dict(), outputs[0].detach()
    inputs, before = first(x)[0].detach()[:, 0], torch.cat([torch.zeros(1, 5, dtype=torch.float64), states[:-1, 0]])
    sums = inputs @ own["weight_ih_l1"].T + own["bias_ih_l1"] + before @ own["weight_hh_l1"].T + own["bias_hh_l1"]
    kept = sums[:, 5:10].sigmoid()
    expected = [float(kept[step:].prod(0).max()) for step in range(7, 71)]
    np.testing.assert_allclose(told, expected, rtol=1e-10)


def test_a_module_without_gates_tells_no_product() -> None:
    module = nn.RNN(3, 5).double()
    x = torch.randn(4, 2, 3, dtype=torch.float64)
    outputs = module(x)
    replay = Replay(module, x, None, outputs)
    outputs[0].sum().backward()
    assert "gate_product" not in replay.told()


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell, self.head = nn.LSTM(3, 5, batch_first=True), nn.Linear(5, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.cell(x)[1][0][0])


def test_a_watched_loop_tells_time_steps_on_close_looks() -> None:
    torch.manual_seed(0)
    model = Reader()
    chosen = torch.optim.SGD(model.parameters(), 0.1)
    with watching(model) as record:
        for _ in range(34):
            loss = model(torch.randn(4, 6, 3)).square().mean()
            loss.backward()
            chosen.step()
            record.step(loss=loss)
    told = record.dataset()
    assert list(told["close_look"].values) == [1, 33]
    assert (told["state_gradient"].values[:, :6] > 0).all()
    assert (told["replay_difference"].values < 1e-5).all()
    assert told["state_gradient"].attrs["kind"] == "state_gradient_norm"
    assert told["gate_product"].attrs["kind"] == "gate_product"
    np.testing.assert_array_equal(told["gate_product"].values[:, 5], 1)
    assert (np.diff(told["gate_product"].values[:, :6]) > 0).all()
    names = [curve.name for curve in through_time.draw(told).data]
    assert names == ["Gradient of h(t)", "Largest singular value of dh(T)/dh(t)", "What the gates alone leave"]
    assert record.facts["through_time"] == "cell"
