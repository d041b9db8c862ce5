"""*Continuous depth*, trained once more by torch.nn, torch.optim, plain Runge-Kutta loops and scipy's solvers."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits
from torchdiffeq import odeint, odeint_adjoint

import goldviz.api
from goldviz.labs.continuous_depth.settings import ContinuousDepth
from goldviz.labs.continuous_depth.train import depth_learner, next_batch, seed_points
from tests.thinned import thinned

SHARED = {"samples": 30, "batch": 13, "width": 6, "steps": 5, "look_every": 2, "blocks": 7, "seeds": (11,), "clip": 0.7}
STEPPED = SHARED | {
    "task": "spirals",
    "augmented": 2,
    "in_time": True,
    "method": "rk4",
    "solver_steps": 3,
    "optimiser": "adamw",
    "learning_rate": 0.03,
}
ADAPTIVE = SHARED | {"task": "rings", "augmented": 1, "method": "dopri5", "tolerance": 3e-3, "gradient": "adjoint"}
OPTIMISERS = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
ENDS = torch.tensor([0.0, 1.0], dtype=torch.float64)
CPU = torch.device("cpu")


class Field(nn.Module):
    """dh/dt by torch.nn's layers, with the weights of a network that is about to be trained."""

    def __init__(self, ours):
        super().__init__()
        layers = [nn.Linear(W.shape[1], W.shape[0]).double() for W in ours.weights]
        for layer, W, b in zip(layers, ours.weights, ours.biases, strict=True):
            layer.weight.data, layer.bias.data = W.detach().clone(), b.detach().clone()
        self.first, self.second, self.last = layers
        timed = hasattr(ours, "depth_weights")
        self.by_depth = nn.Parameter(ours.depth_weights.detach().clone()) if timed else None
        self.asked = 0

    def units(self, t, h):
        moved = self.first(h) if self.by_depth is None else self.first(h) + t * self.by_depth
        first = torch.tanh(moved)
        return first, torch.tanh(self.second(first))

    def forward(self, t, h):
        self.asked += 1
        return self.last(self.units(t, h)[1])


def by_three_eighths(field, h, steps):
    """Kutta's 3/8 rule, the method that torchdiffeq calls rk4: the states at the ends of equal steps."""
    d, ends = 1 / steps, [h]
    for step in range(steps):
        t = step * d
        k1 = field(t, h)
        k2 = field(t + d / 3, h + d * k1 / 3)
        k3 = field(t + 2 * d / 3, h + d * (k2 - k1 / 3))
        k4 = field(t + d, h + d * (k1 - k2 + k3))
        h = h + d * (k1 + 3 * (k2 + k3) + k4) / 8
        ends.append(h)
    return torch.stack(ends)


def by_euler(field, h, steps):
    ends = [h]
    for step in range(steps):
        h = h + field(step / steps, h) / steps
        ends.append(h)
    return torch.stack(ends)


def exactly(field, start):
    """Where scipy's DOP853 takes the points."""

    def slope(t, flat):
        with torch.no_grad():
            return field(t, torch.as_tensor(flat).view_as(start)).flatten().numpy()

    return torch.as_tensor(
        solve_ivp(slope, (0, 1), start.flatten().numpy(), "DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    ).view_as(start)


class Twin(nn.Module):
    """A field, a way through depth and a read-out."""

    def __init__(self, settings, lane):
        super().__init__()
        ours = depth_learner(settings, lane, settings.seeds[0], CPU).network
        self.field, self.lane, self.settings = Field(ours.field), lane, settings
        self.read_out = nn.Parameter(ours.read_out.detach().clone())

    def start(self, points):
        return torch.cat([points, points.new_zeros(len(points), self.settings.augmented)], 1)

    def ends(self, points):
        """The states at the ends of steps, or at depths 0 and 1."""
        start, settings = self.start(points), self.settings
        if self.lane == "residual":
            return by_euler(self.field, start, settings.blocks)
        if settings.method == "rk4":
            return by_three_eighths(self.field, start, settings.solver_steps)
        way = odeint_adjoint if settings.gradient == "adjoint" else odeint
        return way(
            self.field,
            start,
            ENDS,
            rtol=settings.tolerance,
            atol=settings.tolerance / 10,
            method="dopri5",
            options={"step_t": ENDS},
        )

    def said(self, h):
        return h @ self.read_out[:-1] + self.read_out[-1]

    def loss(self, said, wanted):
        return binary_cross_entropy_with_logits(said, wanted)


def trained_again(settings, lane):
    """What every step and every look of a run shows, and the network after its last step."""
    twin, data = Twin(settings, lane), seed_points(settings, settings.seeds[0], CPU)
    optimiser = OPTIMISERS[settings.optimiser](twin.parameters(), settings.learning_rate)
    shown = SimpleNamespace(loss=[], norm=[], forward=[], looks={})
    for step in range(1, settings.steps + 1):
        if step in (1, settings.steps) or step % settings.look_every == 0:
            shown.looks[step] = looked_at(twin, data.view)
        batch = next_batch(data, settings.batch)
        twin.field.asked = 0
        loss = twin.loss(twin.said(twin.ends(batch.points)[-1]), batch.answers)
        shown.forward.append(twin.field.asked)
        optimiser.zero_grad()
        loss.backward()
        shown.loss.append(float(loss.detach()))
        shown.norm.append(float(nn.utils.clip_grad_norm_(twin.parameters(), settings.clip)))
        optimiser.step()
    return twin, data.view, shown


def looked_at(twin, view):
    points, wanted = view.unseen.points, view.unseen.answers
    with torch.no_grad():
        ends = twin.ends(points)
        said = twin.said(ends[-1])
        exact = twin.said(exactly(twin.field, twin.start(points)))
        rows, columns = torch.meshgrid(view.up, view.across, indexing="ij")
        plane = twin.said(twin.ends(torch.stack([columns.flatten(), rows.flatten()], 1))[-1]).view_as(rows)
        rows, columns = torch.meshgrid(view.arrows_up, view.arrows_across, indexing="ij")
        arrows = twin.field(0.0, twin.start(torch.stack([columns.flatten(), rows.flatten()], 1)))
    return {
        "test_loss": float(twin.loss(said, wanted)),
        "test_accuracy": float(((said > 0) == (wanted > 0.5)).double().mean()),
        "refined_test_loss": float(twin.loss(exact, wanted)),
        "ends": ends[:, :32].numpy(),
        "decision": plane.numpy(),
        "field": arrows.view(*rows.shape, -1).numpy(),
        "read_out": twin.read_out.detach().clone().numpy(),
        "weights": [p.detach().clone() for p in twin.field.parameters()],
    }


@pytest.fixture(scope="module", params=thinned([ADAPTIVE, STEPPED]), ids=["adaptive", "stepped"])
def both(request):
    settings = ContinuousDepth(**request.param)
    run = goldviz.api.run(settings, progress=False).isel(seed=0)
    return settings, run, {lane: trained_again(settings, lane) for lane in ("ode", "residual")}


def test_loss_gradient_and_evaluations_of_every_step(both):
    _, run, again = both
    for lane, (_, _, shown) in again.items():
        own = run.sel(network=lane)
        np.testing.assert_allclose(own.loss, shown.loss, rtol=1e-6)
        np.testing.assert_allclose(own.gradient_norm, shown.norm, rtol=1e-5)
        np.testing.assert_array_equal(own.evaluations_forward, shown.forward)


def test_what_the_looks_show(both):
    _, run, again = both
    for lane, (_, _, shown) in again.items():
        for step, look in shown.looks.items():
            own = run.sel(network=lane, look=step)
            for name in ("test_loss", "test_accuracy", "decision", "field", "read_out"):
                np.testing.assert_allclose(own[name], look[name], rtol=2e-5, atol=1e-6, err_msg=f"{lane} {name} {step}")
            assert float(own.refined_test_loss) == pytest.approx(look["refined_test_loss"], rel=1e-5)
            depths = np.linspace(0, 1, len(look["ends"]))
            found = own.path.interp(depth=depths).transpose("depth", "point", "dimension")
            np.testing.assert_allclose(found, look["ends"], rtol=1e-4, atol=1e-6)


def test_stiffness_and_saturation_along_the_paths(both):
    _, run, again = both
    for lane, (twin, _, shown) in again.items():
        look = shown.looks[1]
        for parameter, value in zip(twin.field.parameters(), look["weights"], strict=True):
            parameter.data = value
        own = run.sel(network=lane, look=1)
        norms, flat = [], []
        for depth, states in zip(
            run.depth.values, own.path.transpose("depth", "point", "dimension").values, strict=True
        ):
            for h in torch.as_tensor(states).double():
                J = torch.autograd.functional.jacobian(partial(twin.field, float(depth)), h)
                norms.append(np.linalg.svd(J.numpy(), compute_uv=False)[0])
                flat.append(torch.cat(twin.field.units(float(depth), h)).abs() > 0.97)
        assert float(own.field_stiffness) == pytest.approx(max(norms), rel=1e-5)
        assert float(own.field_saturation) == pytest.approx(float(torch.stack(flat).double().mean()), abs=1e-6)


def test_distances_by_euler_steps_and_by_tolerance(both):
    _, run, _ = both
    settings = both[0]
    for lane in ("ode", "residual"):
        twin, view, _ = trained_again(settings, lane)
        start = twin.start(view.unseen.points[:32])
        with torch.no_grad():
            end = exactly(twin.field, start)
            for steps in (1, 4, 64):
                apart = (by_euler(twin.field, start, steps)[-1] - end).norm(dim=1).mean()
                assert float(run.error_by_blocks.sel(network=lane, steps_taken=steps)) == pytest.approx(
                    float(apart), rel=1e-5
                )
            twin.field.asked = 0
            loose = odeint(twin.field, start, ENDS, rtol=1e-4, atol=1e-5, method="dopri5", options={"step_t": ENDS})[-1]
        own = run.sel(network=lane).sel({"tolerance": 1e-4}, method="nearest")
        assert float(own.error_by_tolerance) == pytest.approx(
            float((loose - end).norm(dim=1).mean()), rel=1e-3, abs=1e-9
        )
        assert int(own.evaluations_by_tolerance) == twin.field.asked


def test_the_adjoint_s_distance_from_the_solver_s_gradient(both):
    settings, run, _ = both
    twin, data = Twin(settings, "ode"), seed_points(settings, settings.seeds[0], CPU)
    points, wanted = data.view.unseen.points[:64], data.view.unseen.answers[:64]
    gradients = []
    for way in (odeint, odeint_adjoint):
        how = (
            {"method": "dopri5", "options": {"step_t": ENDS}}
            if settings.method == "dopri5"
            else {"method": "rk4", "options": {"step_size": 1 / settings.solver_steps}}
        )
        end = way(twin.field, twin.start(points), ENDS, rtol=settings.tolerance, atol=settings.tolerance / 10, **how)[
            -1
        ]
        found = torch.autograd.grad(twin.loss(twin.said(end), wanted), list(twin.field.parameters()))
        gradients.append(torch.cat([one.flatten() for one in found]))
    apart = float((gradients[1] - gradients[0]).norm() / gradients[0].norm())
    assert float(run.gradient_difference.sel(look=1)) == pytest.approx(apart, rel=1e-3, abs=1e-9)
