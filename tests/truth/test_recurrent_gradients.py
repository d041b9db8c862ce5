"""*Memory through time*, trained and looked at once more by torch.nn's layers, torch.optim and autograd."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd.functional import jacobian
from torch.func import functional_call
from torch.nn import functional

import goldviz.api
from goldviz.labs.recurrent_gradients.reader import at_start
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.labs.recurrent_gradients.tasks import evaluation, sequences
from goldviz.training.seeds import BATCH_ORDER, DATA, TEST_DATA, stream

SEED, LOOKS, STEPS = 19, (1, 3, 6), 6
SHARED = {"hidden": 9, "length": 7, "batch": 6, "steps": STEPS, "look_every": 3, "seeds": (SEED,)}
CASES = {
    "rnn": {
        "task": "copy",
        "activation": "relu",
        "initialisation": "gaussian",
        "gain": 0.9,
        "optimiser": "sgd",
        "learning_rate": 0.05,
        "clip": 0.3,
    },
    "lstm": {
        "task": "sine",
        "initialisation": "identity",
        "gain": 0.7,
        "forget_bias": 0.5,
        "learning_rate": 0.01,
        "clip": 0.0,
    },
    "gru": {"task": "recall", "reset": "after", "gain": 1.2, "optimiser": "adamw", "clip": 0.8},
}
GATES = {"rnn": (), "lstm": ("input", "forget", "output"), "gru": ("update", "reset")}
FOLLOWED, ITEMISED, LAST = 16, 8, 10
"""Jacobians are those of so many sequences, contributions by lag of so many and of so many last answers, as the
laboratory says."""


class Twin(nn.Module):
    """A layer of torch.nn and a linear read-out, which learn with the weights of the document's equations."""

    def __init__(self, settings, inputs, outputs):
        super().__init__()
        self.kind, self.hidden = settings.networks, settings.hidden
        start = at_start(settings, self.kind, SEED, inputs, outputs)
        for name, weights in {**dict(start.layer.named_parameters()), "W_hy": start.W_hy, "b_y": start.b_y}.items():
            setattr(self, name, nn.Parameter(weights.detach().clone()))
        made = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}[self.kind]
        how = {"nonlinearity": settings.activation} if self.kind == "rnn" else {}
        self.layers = [made(inputs, settings.hidden, **how)]

    def stacked(self, weights):
        """In PyTorch's order: i, f, c, o of the LSTM; r, z, n of the GRU, whose z is 1 - z of eq. 24."""
        if self.kind == "lstm":
            i, f, o, c = weights.chunk(4)
            return torch.cat([i, f, c, o])
        if self.kind == "gru":
            z, r, n = weights.chunk(3)
            return torch.cat([r, -z, n])
        return weights

    def step(self, x, state, W_h=None):
        """The state after one more input; h, or (h, c)."""
        inner = torch.zeros_like(self.b)
        if self.kind == "gru":
            inner = torch.cat([inner[: 2 * self.hidden], self.b_hh])
        weights = {
            "weight_ih_l0": self.stacked(self.W_x),
            "weight_hh_l0": self.stacked(self.W_h if W_h is None else W_h),
            "bias_ih_l0": self.stacked(self.b),
            "bias_hh_l0": inner,
        }
        _, after = functional_call(self.layers[0], weights, (x[None], state))
        return after

    def start(self, batch):
        zero = torch.zeros(1, batch, self.hidden, dtype=self.W_h.dtype)
        return (zero, zero.clone()) if self.kind == "lstm" else zero

    def forward(self, inputs, W_h=None):
        """All states; with ``W_h`` a matrix for each step."""
        states = [self.start(inputs.shape[1])]
        for number, x in enumerate(inputs):
            states.append(self.step(x, states[-1], None if W_h is None else W_h[number]))
        return states

    def h(self, states):
        return torch.stack([state[0][0] if self.kind == "lstm" else state[0] for state in states[1:]])

    def matrices(self):
        return [self.W_x, self.W_h, self.W_hy]

    def read(self, h):
        return h @ self.W_hy.t() + self.b_y


def mean_loss(batch, answers, how="mean"):
    """Of the answers at the scored steps."""
    targets = batch.targets[batch.scored]
    if targets.is_floating_point():
        return functional.mse_loss(answers.squeeze(-1), targets.to(answers.dtype), reduction=how)
    lost = functional.cross_entropy(answers.flatten(0, 1), targets.flatten(), reduction=how)
    return lost if how == "mean" else lost.view_as(targets)


def without_memory(settings, batch):
    """What the best answer without memory costs on the very sequences that a network is asked."""
    if not batch.targets.is_floating_point():
        return math.log(8)
    targets, now = (part[batch.scored].double() for part in (batch.targets, batch.inputs[..., 0]))
    said = math.cos(math.pi / settings.length) * now if settings.task == "sine" else 1.0
    return (targets - said).square().mean().item()


def optimiser(settings, twin):
    rate = settings.learning_rate
    if settings.optimiser == "sgd":
        return torch.optim.SGD(twin.parameters(), lr=rate, momentum=0.9)
    return {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[settings.optimiser](twin.parameters(), lr=rate)


def spread(values):
    return values.detach().double().std().item()


class Again:
    """A run of the laboratory beside the same training by other code; what was found at each step and look."""

    def __init__(self, kind):
        self.settings = RecurrentGradients.checked({**SHARED, "networks": kind, **CASES[kind]})
        self.run = goldviz.api.run(self.settings, progress=False).sel(network=kind, seed=SEED)
        self.seen = evaluation(self.settings, stream(SEED, TEST_DATA))
        order = stream(SEED, DATA)
        first = self.seen.groups[-1]
        self.twin = Twin(self.settings, first.inputs.shape[2], getattr(first, "classes", 1))
        learning, self.found, self.at_look = optimiser(self.settings, self.twin), [], {}
        for number in range(1, STEPS + 1):
            batch = sequences(self.settings, self.settings.length, self.settings.batch, order)
            before = [weights.detach().clone() for weights in self.twin.matrices()]
            if number in LOOKS:
                self.at_look[number] = self._look(batch)
            loss = mean_loss(batch, self.twin.read(self.twin.h(self.twin(batch.inputs))[batch.scored]))
            learning.zero_grad()
            loss.backward()
            slopes = [spread(weights.grad) for weights in self.twin.matrices()]
            norm = nn.utils.clip_grad_norm_(self.twin.parameters(), self.settings.clip or math.inf)
            self.found.append({"loss": loss.item(), "gradient_norm": norm.item()})
            learning.step()
            if number in LOOKS:
                data = np.array([spread(weights) for weights in before])
                moved = [spread(new - old) for old, new in zip(before, self.twin.matrices(), strict=True)]
                self.at_look[number] |= {
                    "update_to_data": (moved / data)[1],
                    "update_to_data_by_layer": moved / data,
                    "gradient_to_data": slopes / data,
                }
        self.unseen = unseen = sequences(self.settings, self.settings.length, 512, stream(SEED, BATCH_ORDER))
        with torch.no_grad():
            answers = self.twin.read(self.twin.h(self.twin(unseen.inputs))[unseen.scored])
            self.test_loss = mean_loss(unseen, answers).item()

    def _look(self, batch):
        wide = Twin(self.settings, batch.inputs.shape[2], getattr(batch, "classes", 1)).double()
        wide.load_state_dict({name: weights.double() for name, weights in self.twin.state_dict().items()})
        probe = self.seen.groups[-1]
        candidate = wide.W_h.detach()[-wide.hidden :].numpy()
        return {
            "state_gradient_norm": _state_gradients(wide, batch),
            "log_jacobian_norm": _jacobians(wide, probe.inputs[:, :FOLLOWED].double()),
            "lag_contribution": _contributions(wide, probe),
            "loss_by_lag": [_loss(wide, group) for group in self.seen.groups],
            "gate_opening": _openings(wide, probe.inputs.double()),
            "spectral_norm": np.linalg.norm(candidate, 2),
            "spectral_radius": np.abs(np.linalg.eigvals(candidate)).max(),
        }


def _loss(twin, batch):
    with torch.no_grad():
        return mean_loss(batch, twin.read(twin.h(twin(batch.inputs.double()))[batch.scored])).item()


def _state_gradients(twin, batch):
    states = twin(batch.inputs.double())
    h = [state[0] if twin.kind == "lstm" else state for state in states[1:]]
    lost = mean_loss(batch, twin.read(torch.stack(h)[:, 0][batch.scored]))
    found = torch.autograd.grad(lost, h, allow_unused=True)
    size = batch.inputs.shape[1]
    return [0.0 if one is None else float(one[0].norm(dim=1).mean()) * size for one in found]


def _jacobians(twin, inputs):
    """log10 of the spectral norm of d(state at T)/d(state at T - lag), mean over the sequences.

    By one Jacobian of autograd for each lag: sequences are apart, so that of the sum over them holds each one's own.
    """
    states, n = twin(inputs), twin.hidden

    def flat(state):
        return (torch.cat(state, 2) if twin.kind == "lstm" else state)[0]

    def onwards(first):
        def last(state):
            state = tuple(state[None].split(n, 2)) if twin.kind == "lstm" else state[None]
            for x in inputs[first:]:
                state = twin.step(x, state)
            return flat(state).sum(0)

        return last

    found = []
    for first in range(len(inputs), 0, -1):
        each = jacobian(onwards(first), flat(states[first]).detach()).transpose(0, 1)
        norms = torch.linalg.matrix_norm(each, 2)
        assert len(norms) == FOLLOWED
        found.append(norms.log10().mean().item())
    return found


def _contributions(twin, batch):
    """||dL/dW|| by lag, with a recurrent matrix of its own for every step."""
    inputs = batch.inputs[:, :ITEMISED].double()
    own = [twin.W_h.detach().clone().requires_grad_() for _ in inputs]
    h = twin.h(twin(inputs, own))
    steps = batch.scored.nonzero().flatten().tolist()
    targets = batch.targets[:, :ITEMISED]
    sums = [torch.zeros_like(own[0]) for _ in inputs]
    for step in steps[-LAST:]:
        answer = twin.read(h[step])
        if targets.is_floating_point():
            lost = ((answer[:, 0] - targets[step]) ** 2).sum()
        else:
            lost = functional.cross_entropy(answer, targets[step], reduction="sum")
        found = torch.autograd.grad(lost / (len(steps) * ITEMISED), own, retain_graph=True, allow_unused=True)
        for k, one in enumerate(found):
            if one is not None and k <= step:
                sums[step - k] = sums[step - k] + one
    return [float(one.norm()) for one in sums]


@torch.no_grad()
def _openings(twin, inputs):
    """Mean opening of each gate at each step, from the states before it."""
    h = [state[0][0] if twin.kind == "lstm" else state[0] for state in twin(inputs)[:-1]]
    sums = torch.stack([x @ twin.W_x.t() + before @ twin.W_h.t() + twin.b for x, before in zip(inputs, h, strict=True)])
    gates = sums.sigmoid().split(twin.hidden, 2)
    return {gate: gates[row].mean((1, 2)).numpy() for row, gate in enumerate(GATES[twin.kind])}


@pytest.fixture(scope="module", params=CASES)
def again(request):
    return Again(request.param)


def test_every_step_is_pytorchs(again):
    run, clip = again.run, again.settings.clip or math.inf
    for name in ("loss", "gradient_norm"):
        np.testing.assert_allclose(run[name], [one[name] for one in again.found], rtol=2e-4)
    norms = np.array([one["gradient_norm"] for one in again.found])
    np.testing.assert_allclose(run["clipped_gradient_norm"], np.minimum(norms, clip), rtol=2e-4)
    np.testing.assert_array_equal(run["clipped"], norms > clip)
    assert float(run["test_loss"]) == pytest.approx(again.test_loss, rel=2e-4)
    assert float(run["memoryless_loss"]) == pytest.approx(without_memory(again.settings, again.unseen), rel=1e-5)
    by_lag = [without_memory(again.settings, group) for group in again.seen.groups]
    np.testing.assert_allclose(run["memoryless_loss_by_lag"], by_lag, rtol=1e-5)
    assert int(run["parameter_count"]) == sum(weights.numel() for weights in again.twin.parameters())


@pytest.mark.parametrize(
    "name",
    [
        "state_gradient_norm",
        "lag_contribution",
        "loss_by_lag",
        "spectral_norm",
        "spectral_radius",
        "update_to_data",
        "update_to_data_by_layer",
        "gradient_to_data",
    ],
)
def test_every_look_is_autograds(again, name):
    assert [int(look) for look in again.run["look"]] == list(LOOKS)
    for look, found in again.at_look.items():
        shown = again.run[name].sel(look=look).values
        np.testing.assert_allclose(shown, found[name], rtol=2e-3, atol=1e-7, err_msg=f"{name} at {look}")


def test_the_jacobians_are_autograds_mean_over_the_sequences(again):
    for look, found in again.at_look.items():
        shown = again.run["log_jacobian_norm"].sel(look=look).values
        exact = np.array(found["log_jacobian_norm"])
        np.testing.assert_allclose(shown, exact, atol=2e-3)
        if again.settings.networks == "rnn":
            lags = np.arange(len(exact))
            np.testing.assert_allclose(
                again.run["log_bound"].sel(look=look), lags * np.log10(found["spectral_norm"]), atol=1e-3
            )
            assert (exact <= lags * np.log10(found["spectral_norm"]) + 1e-9).all()


def test_the_gates_open_as_far_as_their_sums_say(again):
    for look, found in again.at_look.items():
        for gate, opening in found["gate_opening"].items():
            np.testing.assert_allclose(again.run["gate_opening"].sel(look=look, gate=gate), opening, atol=1e-5)
    others = [gate for gate in again.run["gate"].values if gate not in GATES[again.settings.networks]]
    assert np.isnan(again.run["gate_opening"].sel(gate=others)).all()
