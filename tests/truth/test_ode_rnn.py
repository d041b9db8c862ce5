"""*ODE-RNN*, followed once more by torch.nn's cells, plain Runge-Kutta loops, torchdiffeq and scipy's solvers."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp
from torch import nn
from torch.distributions import Normal
from torchdiffeq import odeint

import goldviz.api
from goldviz.labs.ode_rnn import LAB
from goldviz.labs.ode_rnn.instruments import seed_view
from goldviz.labs.ode_rnn.networks import series_network
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.labs.ode_rnn.tasks import sequence_source
from goldviz.runs.examples import example
from goldviz.training.seeds import DATA, TEST_DATA, stream
from tests.thinned import thinned

SEED = 7
SHARED = {
    "observations": 11,
    "hidden": 5,
    "width": 6,
    "steps": 4,
    "look_every": 4,
    "batch": 9,
    "seeds": (SEED,),
    "learning_rate": 0.1,
    "clip": 0.5,
    "longest_gap": 0.9,
    "noise": 0.1,
}
CASES = {
    "lstm, heun": {"task": "linear", "cell": "lstm", "solver": "heun", "step_cap": 0.25, "hidden_share": 0.3},
    "gru, euler": {"task": "linear", "cell": "gru", "solver": "euler", "step_cap": 0.4},
    "elman, dopri5": {"task": "sines", "cell": "elman", "solver": "dopri5", "tolerance": 1e-5},
}
ENDS = torch.tensor([0.0, 1.0], dtype=torch.float64)
FIRST, BAND = 8, 1.6448536


def gru_step(cell, x, h):
    """Document 001, eq. 21-24, gate by gate."""

    def summed(gate, state):
        return x @ cell.block(cell.W_x, gate).T + state @ cell.block(cell.W_h, gate).T + cell.block(cell.b, gate)

    z, r = torch.sigmoid(summed("update", h)), torch.sigmoid(summed("reset", h))
    return (1 - z) * h + z * torch.tanh(summed("candidate", r * h))


def torch_cell(ours):
    """torch.nn's cell with these weights, its gates stacked in PyTorch's order."""
    order = {"LSTM": ("input", "forget", "candidate", "output"), "Elman": ours.blocks}[type(ours).__name__]
    made = {"LSTM": nn.LSTMCell, "Elman": nn.RNNCell}[type(ours).__name__](ours.inputs, ours.hidden).double()
    for parameter, weights in ((made.weight_ih, ours.W_x), (made.weight_hh, ours.W_h), (made.bias_ih, ours.b)):
        parameter.data = torch.cat([ours.block(weights, gate) for gate in order]).detach()
    made.bias_hh.data.zero_()
    return made


class Again:
    """An ODE-RNN with the weights of a look, in float64."""

    def __init__(self, settings, channels, weights):
        ours = series_network(settings, "ode_rnn", channels, SEED)
        nn.utils.vector_to_parameters(torch.as_tensor(weights), ours.parameters())
        self.settings, self.ours = settings, ours.double()
        network = ours.reader.network
        self.jumping = network.cell
        self.cell = None if settings.cell == "gru" else torch_cell(network.cell)
        self.layers = list(zip(network.field.weights, network.field.biases, strict=True))

    def field(self, h):
        for W, b in self.layers[:-1]:
            h = torch.tanh(h @ W.T + b)
        W, b = self.layers[-1]
        return h @ W.T + b

    def flow(self, h, gaps, finer=1):
        """The states after gaps (batch,), and how often the field was asked."""
        settings = self.settings
        if float(gaps.max()) == 0:
            return h, 0
        if settings.solver == "dopri5":
            asked = []
            slope = lambda t, h: (asked.append(t), gaps[:, None] * self.field(h))[1]  # noqa: E731
            tolerance = settings.tolerance / (1 if finer == 1 else finer**5)
            ends = odeint(slope, h, ENDS, rtol=tolerance, atol=tolerance / 10, options={"step_t": ENDS})
            return ends[-1], len(asked)
        own = finer * (gaps / settings.step_cap - 1e-6).ceil().clamp(min=1)[:, None]
        steps = int(own[gaps > 0].max())
        for step in range(steps):
            d = torch.where(step < own, gaps[:, None] / own, 0)
            k = self.field(h)
            h = h + d * k if settings.solver == "euler" else h + d * (k + self.field(h + d * k)) / 2
        return h, steps * (1 if settings.solver == "euler" else 2)

    def jump(self, x, h, memory):
        if self.cell is None:
            return gru_step(self.jumping, x, h), memory
        return self.cell(x, (h, memory)) if self.settings.cell == "lstm" else (self.cell(x, h), memory)

    def follow(self, times, values, mask, finer=1):
        h = memory = torch.zeros(times.shape[1], self.settings.hidden).double()
        trace = SimpleNamespace(before=[], after=[], asked=[])
        gaps = torch.diff(times, dim=0, prepend=times[:1]).float().double()
        for gap, value, seen in zip(gaps, values, mask, strict=True):
            h, asked = self.flow(h, gap, finer)
            trace.before.append(h)
            x = torch.cat([torch.where(seen, value, 0.0), seen], 1).double()
            jumped, kept = self.jump(x, h, memory)
            any_seen = seen.any(1, keepdim=True)
            h, memory = torch.where(any_seen, jumped, h), torch.where(any_seen, kept, memory)
            trace.after.append(h)
            trace.asked.append(asked)
        return trace

    def read(self, states):
        mean, log_scale = (states @ self.ours.W.T + self.ours.b).chunk(2, -1)
        return mean, 5e-3 + log_scale.exp()

    def forecasts(self, seen, finer=1, times=None):
        trace = self.follow(seen.times if times is None else times, seen.values, seen.mask, finer)
        return self.read(torch.stack(trace.before))


def square_error(said, wanted):
    return float((said - wanted)[wanted.isfinite()].square().mean())


@pytest.fixture(scope="module", params=thinned(CASES.values(), 2), ids=CASES.keys())
def both(request):
    settings = ODERNNLaboratory(**SHARED | request.param, networks="ode_rnn")
    run = goldviz.api.run(settings, progress=False)
    source = sequence_source(settings)
    again = Again(settings, len(source.channels), run.weights.values[-1])
    return run.isel(look=-1), again, seed_view(source, stream(SEED, TEST_DATA)), source


def test_errors_coverage_and_what_shuffled_gaps_change(both):
    run, again, view, _ = both
    seen = view.usual
    with torch.no_grad():
        mean, scale = again.forecasts(seen)
        refined, _ = again.forecasts(seen, finer=4)
        moved, _ = again.forecasts(seen, times=view.shuffled)
        long, _ = again.forecasts(view.long)
    own = run.sel(network="ode_rnn").isel(seed=0)
    assert float(own.error) == pytest.approx(square_error(mean[FIRST:], seen.clean[FIRST:]), rel=1e-4)
    assert float(own.refined_error) == pytest.approx(square_error(refined[FIRST:], seen.clean[FIRST:]), rel=1e-4)
    assert float(own.long_gap_error) == pytest.approx(square_error(long[-1], view.long.clean[-1]), rel=1e-4)
    inside = ((seen.values - mean).abs() <= BAND * scale)[FIRST:][seen.mask[FIRST:]].double().mean()
    assert float(own.coverage) == pytest.approx(float(inside), abs=2e-3)
    change = (moved - mean)[FIRST:].square().mean().sqrt() / mean[FIRST:].std()
    assert float(own.gap_sensitivity) == pytest.approx(float(change), rel=1e-3)
    assert run.zero_error.values == pytest.approx(
        [square_error(0 * part, part) for part in (seen.clean[FIRST:], view.long.clean[-1])], rel=1e-5
    )


def test_path_jumps_and_evaluations_of_the_probe(both):
    run, again, view, _ = both
    seen = view.probe.seen
    with torch.no_grad():
        trace = again.follow(seen.times, seen.values, seen.mask)
        before, after = (torch.stack(part)[:, 0] for part in (trace.before, trace.after))
        own = run.sel(network="ode_rnn")
        sides = np.flatnonzero(np.diff(run.moment.values) == 0)
        np.testing.assert_allclose(own.state[sides], before, atol=2e-5)
        np.testing.assert_allclose(own.state[sides + 1], after, atol=2e-5)
        mean, scale = again.read(after)
        np.testing.assert_allclose(own.decoded_mean[sides + 1], mean, atol=2e-5)
        np.testing.assert_allclose(own.decoded_scale[sides + 1], scale, atol=2e-5)
        np.testing.assert_allclose(own["jump"], (after - before).norm(dim=1), atol=5e-5)
        np.testing.assert_array_equal(run.interval_evaluations, trace.asked)
        # The fourth moment inside the second gap, from the state after the second observation.
        wait = torch.tensor([run.moment.values[sides[1] + 1 + 4] - run.moment.values[sides[1]]])
        state, _ = again.flow(after[1][None], wait)
        np.testing.assert_allclose(own.state[sides[1] + 1 + 4], state[0], atol=2e-5)


def test_the_solver_s_error_in_each_gap_is_its_distance_from_scipy_s(both):
    run, again, view, _ = both
    seen = view.probe.seen

    def slope(_, h):
        return again.field(torch.as_tensor(h)).numpy()

    with torch.no_grad():
        trace = again.follow(seen.times, seen.values, seen.mask)
        gaps = np.diff(seen.times[:, 0].numpy())
        for row, gap in enumerate(gaps, start=1):
            start = trace.after[row - 1][0].numpy()
            end = solve_ivp(slope, (0, gap), start, "DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
            apart = np.linalg.norm(trace.before[row][0].numpy() - end)
            # The laboratory's own states are float32, which is what remains of an adaptive solver's error.
            assert float(run.interval_error[row]) == pytest.approx(apart, rel=1e-2, abs=5e-6)


def test_largest_state_stiffness_and_saturation(both):
    run, again, view, _ = both
    own = run.sel(network="ode_rnn").isel(seed=0)
    seen = view.usual
    with torch.no_grad():
        trace = again.follow(seen.times, seen.values, seen.mask)
        both_sides = torch.stack([*trace.before, *trace.after])
        assert float(own.state_size) == pytest.approx(float(both_sides.abs().max()), rel=1e-4)
        # The laboratory looks along the first 16 sequences.
        trace = again.follow(*(part[:, :16] for part in (seen.times, seen.values, seen.mask)))
    states = torch.stack([*trace.before, *trace.after]).flatten(0, 1)
    flat = []
    for layer in range(len(again.layers) - 1):
        h = states
        for W, b in again.layers[: layer + 1]:
            h = torch.tanh(h @ W.T + b)
        flat.append(h.abs() > 0.97)
    assert float(own.field_saturation) == pytest.approx(float(torch.cat(flat, 1).double().mean()), abs=2e-3)
    largest = max(
        np.linalg.svd(torch.autograd.functional.jacobian(again.field, h).numpy(), compute_uv=False)[0]
        for h in states[:: len(states) // 40]
    )
    assert largest <= float(own.field_stiffness) * (1 + 1e-5)
    everywhere = torch.func.vmap(torch.func.jacrev(again.field))(states)
    assert float(own.field_stiffness) == pytest.approx(
        float(torch.linalg.matrix_norm(everywhere, 2).max().detach()), rel=1e-4
    )


def test_loss_gradient_and_its_way_back_through_the_observations(both):
    run, again, view, source = both
    order = stream(SEED, DATA)
    for _ in range(again.settings.steps):
        batch = source.training(again.settings.batch, order)

    def loss_of(seen, kept):
        trace = again.follow(seen.times, seen.values, seen.mask)
        for h in trace.after if kept else ():
            h.retain_grad()
        mean, scale = again.read(torch.stack(trace.before[1:]))
        known = seen.mask[1:]
        return trace, -Normal(mean, scale).log_prob(seen.values[1:].nan_to_num().double())[known].mean()

    _, loss = loss_of(batch, kept=False)
    loss.backward()
    weights = [*again.ours.parameters()] + ([] if again.cell is None else [*again.cell.parameters()])
    norms = [p.grad.norm() for p in weights if p.grad is not None]
    if again.cell is not None:
        norms = norms[:-1]  # PyTorch's second bias has the first one's gradient.
    own = run.sel(network="ode_rnn").isel(seed=0)
    assert float(own.loss[-1]) == pytest.approx(float(loss.detach()), rel=1e-4)
    assert float(own.gradient_norm[-1]) == pytest.approx(float(torch.stack(norms).norm()), rel=1e-3)

    few = SimpleNamespace(**{name: getattr(view.usual, name)[:, :64] for name in ("times", "values", "mask")})
    trace, loss = loss_of(few, kept=True)
    loss.backward()
    slopes = [h.grad.norm(dim=1).mean() * h.shape[0] for h in trace.after[:-1]]
    np.testing.assert_allclose(own.state_gradient_norm[:-1], torch.stack(slopes), rtol=2e-3)
    assert float(own.state_gradient_norm[-1]) == 0


def test_the_grus_before_training(both):
    """Their errors at the first look, by the document's equations, GRU-D's decay and the gaps as inputs."""
    _, again, view, source = both
    settings, seen = again.settings.changed(networks="all", steps=1), view.usual
    run = goldviz.api.run(settings, progress=False).isel(look=0, seed=0)
    gaps = torch.diff(seen.times, dim=0, prepend=seen.times[:1]).float().double()
    later = torch.cat([gaps[1:], torch.zeros_like(gaps[:1])])
    for lane in ("gru", "gru_gap"):
        ours = series_network(settings, lane, len(source.channels), SEED).double()
        cell = ours.reader.cell if lane == "gru" else ours.reader.network.cell
        h, before = torch.zeros(seen.times.shape[1], settings.hidden).double(), []
        with torch.no_grad():
            for row in range(len(seen.times)):
                before.append(h)
                known = seen.mask[row]
                told = [] if lane == "gru" else [gaps[row][:, None], later[row][:, None]]
                h = gru_step(cell, torch.cat([torch.where(known, seen.values[row], 0.0), known, *told], 1).double(), h)
            mean, _ = (torch.stack(before) @ ours.W.T + ours.b).chunk(2, -1)
        found = float(run.error.sel(network=lane))
        assert found == pytest.approx(square_error(mean[FIRST:], seen.clean[FIRST:]), rel=1e-4), lane


ROWS = {
    "ODE-RNN, steps of at most 0.1": ("as-in-the-document", "ode_rnn"),
    "ODE-RNN, one step a gap": ("break-it-one-step-a-gap", "ode_rnn"),
    "GRU that knows nothing of time": ("as-in-the-document", "gru"),
    "GRU that is told the gap": ("as-in-the-document", "gru_gap"),
    "GRU with decay": ("as-in-the-document", "gru_decay"),
}


def test_the_guide_s_table_has_the_recorded_examples_numbers():
    text = (Path(__file__).parents[2] / "docs" / "continuous-time.md").read_text(encoding="utf-8")
    for row, (preset, network) in ROWS.items():
        last = example(LAB.declared, preset).sel(network=network).isel(look=-1, seed=0)
        assert f"| {row} | {float(last['error']):.2g} | {float(last['long_gap_error']):.2g} |" in text
