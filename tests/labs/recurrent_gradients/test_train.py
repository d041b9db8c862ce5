import math

import numpy as np
import pytest
import torch

import goldviz.api
from goldviz.export.standalone import StandaloneRecord
from goldviz.labs.recurrent_gradients.instruments import answers, look, state_gradient_norms
from goldviz.labs.recurrent_gradients.settings import FOLLOWED, RecurrentGradients
from goldviz.labs.recurrent_gradients.tasks import evaluation, memoryless_loss, score, scored_steps, sequences
from goldviz.labs.recurrent_gradients.train import learner, train, unseen_sequences
from goldviz.training.seeds import stream
from tests.labs.recurrent_gradients.cases import absent as absent_from

SMALL = {"length": 6, "hidden": 5, "steps": 7, "batch": 4, "look_every": 3}
AWKWARD = SMALL | {"task": "copy", "activation": "relu", "reset": "after", "optimiser": "sgd", "clip": 0.05}
TASKS = ["adding", "recall", "copy", "sine", "reviews"]
CPU = torch.device("cpu")


def run(**settings):
    return goldviz.api.run("recurrent-gradients", progress=False, **settings)


def absent(dataset, name):
    """Where a variable is NaN by its declaration."""
    network = dataset.network
    if name.startswith("accuracy"):
        return dataset[name].isnull() | True if dataset.attrs["task"] in ("adding", "sine") else False
    if name == "log_cell_path":
        return network != "lstm"
    if name == "log_bound":
        return network != "rnn"
    if name.startswith("gate_"):
        has = {"rnn": (), "lstm": ("input", "forget", "output"), "gru": ("update", "reset")}
        lacks = [[gate not in has[lane] for gate in dataset.gate.values] for lane in network.values]
        return network.copy(data=network).expand_dims(gate=dataset.gate).transpose("network", "gate").copy(data=lacks)
    return False


@pytest.mark.parametrize("task", TASKS)
def test_every_declared_variable_is_recorded(task):
    dataset = run(**SMALL, task=task, seeds=(0, 3)).assign_attrs(task=task)
    assert dataset.attrs["status"] == "finished"
    assert list(dataset.network) == ["rnn", "lstm", "gru"]
    assert list(dataset.step) == list(range(1, 8))
    assert list(dataset.look) == [1, 3, 6]
    steps = {"adding": 6, "recall": 7, "copy": 26, "sine": 6, "reviews": 14}[task]
    assert list(dataset.time) == list(range(1, steps + 1))
    assert list(dataset.lag) == list(range(steps))
    assert list(dataset.task_lag) == [3, 4, 5, 6]
    assert ("weights" in dataset) == (task == "reviews")
    for name, variable in RecurrentGradients.variables.items():
        if name not in dataset:
            assert name in absent_from({"task": task})
            continue
        assert dataset[name].dims == variable.dims, name
        assert (dataset[name].isnull() == absent(dataset, name)).all(), name
        assert (np.isfinite(dataset[name]) | dataset[name].isnull()).all(), name


def test_without_looks_only_those_are_missing():
    dataset = run(**SMALL | {"look_every": 0})
    missing = {name for name in RecurrentGradients.variables if name not in dataset}
    of_looks = {name for name, variable in RecurrentGradients.variables.items() if variable.dims[0] == "look"}
    assert missing == absent_from({}) | of_looks


def test_hot_settings_hold_from_the_next_step_on():
    settings = RecurrentGradients(**SMALL | {"clip": 0.0})
    losses = {}
    for name, changes in {"as it is": {}, "rate": {"learning_rate": 0.5}, "clip": {"clip": 1e-9}}.items():
        record = StandaloneRecord(settings, {2: changes})
        train(settings, record)
        losses[name] = record.curves["loss"]["values"]
        clipped = np.array(record.curves["clipped"]["values"])
        assert not clipped[:2].any()
        assert clipped[2:].all() == (name == "clip")
    assert losses["rate"][:3] == losses["as it is"][:3]
    assert losses["rate"][3] != losses["as it is"][3]


def test_clipping_caps_the_norm_and_nothing_else():
    dataset = run(**SMALL | {"clip": 0.5, "steps": 30})
    before, after, clipped = dataset.gradient_norm, dataset.clipped_gradient_norm, dataset.clipped
    assert 0 < clipped.mean() < 1
    assert (after <= 0.5 * (1 + 1e-5)).all()
    np.testing.assert_array_equal(clipped, before > 0.5)
    np.testing.assert_allclose(after, np.minimum(before, 0.5), rtol=1e-5)


@pytest.mark.parametrize("initialisation", ["orthogonal", "identity", "gaussian", "non_normal"])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_bound_is_never_broken(initialisation, activation):
    dataset = run(
        networks="rnn",
        length=20,
        hidden=12,
        batch=8,
        steps=12,
        look_every=4,
        learning_rate=0.03,
        initialisation=initialisation,
        activation=activation,
    )
    assert (dataset.log_jacobian_norm <= dataset.log_bound + 1e-5).all()
    np.testing.assert_array_equal(dataset.log_bound.isel(lag=0), 0)


@pytest.mark.parametrize("lane", ["rnn", "lstm", "gru"])
@pytest.mark.parametrize("task", TASKS)
def test_a_look_agrees_with_autograd(lane, task):
    settings = RecurrentGradients(**SMALL | {"task": task}, forget_bias=3.0)
    looked_at = evaluation(settings, stream(0, 1))
    network = learner(settings, lane, 0, looked_at, CPU).network.double()
    looked_at.inputs.data = looked_at.inputs.double()
    for group in looked_at.groups:
        if group.targets.is_floating_point():
            group.targets.data = group.targets.double()
    seen = look(network, looked_at)
    longest = looked_at.groups[-1]
    inputs = longest.inputs.double()

    trace = network(inputs)
    loss, accuracy = score(longest, answers(network, trace, scored_steps(longest)))
    assert seen["loss_by_lag"][-1] == pytest.approx(loss.item(), rel=1e-9)
    assert seen["accuracy_by_lag"][-1] == pytest.approx(accuracy.item(), nan_ok=True)

    followed = network(inputs[:, :FOLLOWED])
    state = [followed.states, followed.cells] if lane == "lstm" else [followed.states]
    final = torch.cat([part[-1] for part in state], 1)
    for lag in (1, 2):
        start = [part[-1 - lag].detach().clone().requires_grad_() for part in state]

        def onwards(*start, lag=lag):
            rest = network.layer(inputs[-lag:, :FOLLOWED], start if lane == "lstm" else start[0])
            return torch.cat([part[-1] for part in ([rest.states, rest.cells] if lane == "lstm" else [rest.states])], 1)

        torch.testing.assert_close(onwards(*start), final)
        # Sequences are apart, so the Jacobian of the sum over them holds each one's own.
        blocks = torch.autograd.functional.jacobian(lambda *start: onwards(*start).sum(0), tuple(start))
        each = torch.linalg.matrix_norm(torch.cat(blocks, 2).transpose(0, 1), ord=2).log10()
        assert len(each) == FOLLOWED
        assert each.std() > 0
        assert seen["log_jacobian_norm"][lag] == pytest.approx(each.mean().item(), abs=1e-9)
    if lane == "lstm":
        products = (trace.forget_gates[-1] * trace.forget_gates[-2])[:FOLLOWED].amax(1)
        assert seen["log_cell_path"][2] == pytest.approx(products.log10().mean().item(), abs=1e-9)


@pytest.mark.parametrize("lane", ["rnn", "lstm", "gru"])
def test_state_gradients_are_those_of_each_sequence_alone(lane):
    settings = RecurrentGradients(**SMALL)
    looked_at = evaluation(settings, stream(0, 1))
    network = learner(settings, lane, 0, looked_at, CPU).network
    batch = sequences(settings, 6, 4, stream(0, 0))

    def norms(rows):
        trace = network(batch.inputs[:, rows])
        for state in trace.states[1:]:
            state.retain_grad()
        answer = answers(network, trace, scored_steps(batch)).squeeze(-1)
        (answer - batch.targets[batch.scored][:, rows]).square().mean().backward()
        return state_gradient_norms(trace)

    alone = torch.stack([norms(slice(row, row + 1)) for row in range(4)])
    torch.testing.assert_close(norms(slice(0, 4)), alone.mean(0))


def test_a_network_that_is_not_finite_is_not_measured():
    settings = RecurrentGradients(**SMALL)
    looked_at = evaluation(settings, stream(0, 1))
    network = learner(settings, "lstm", 0, looked_at, CPU).network
    healthy = look(network, looked_at)
    with torch.no_grad():
        network.layer.W_h[0, 0] = math.nan
    sick = look(network, looked_at)
    assert {name: values.shape for name, values in sick.items()} == {n: values.shape for n, values in healthy.items()}
    assert all(values.isnan().all() for values in sick.values())


def test_a_run_that_explodes_says_where():
    dataset = run(**SMALL | {"length": 60, "activation": "relu", "initialisation": "identity", "gain": 4.0})
    assert dataset.attrs["status"] == "diverged"
    assert "network rnn, seed 0" in dataset.attrs["message"]


@pytest.mark.parametrize("task", TASKS)
def test_the_loss_without_memory_is_of_the_same_sequences_and_on_average_what_mathematics_says(task):
    """Of 512 sequences that add, the answer 1 costs 0.154 to 0.177, where it costs 1/6 on average."""
    settings = RecurrentGradients(task=task, length=20)
    batch = sequences(settings, 20, 20_000, stream(0, 0))
    targets = batch.targets[batch.scored]
    if task in ("adding", "sine"):
        now = batch.inputs[batch.scored][..., 0]
        guess = torch.ones_like(targets) if task == "adding" else math.cos(math.pi / 20) * now
        answer = guess.unsqueeze(-1)
    else:
        answer = torch.zeros(*targets.shape, batch.classes)
    known = {"adding": 1 / 6, "sine": math.sin(math.pi / 20) ** 2 / 2, "reviews": math.log(2)}
    assert memoryless_loss(settings, batch) == pytest.approx(known.get(task, math.log(8)), rel=0.03)
    assert memoryless_loss(settings, batch) == pytest.approx(score(batch, answer)[0].item(), rel=1e-6)


def test_a_network_that_always_says_one_has_the_loss_without_memory():
    """It remembers nothing, whichever sequences it is tested on."""
    settings = RecurrentGradients(**SMALL | {"task": "adding", "seeds": (0, 1, 2)})
    for seed in settings.seeds:
        batch = unseen_sequences(settings, seed, torch.device("cpu"))
        ones = torch.ones(*batch.targets[batch.scored].shape, 1)
        assert score(batch, ones)[0].item() == pytest.approx(memoryless_loss(settings, batch), rel=1e-6)
    run_of_it = run(**SMALL | {"task": "adding", "seeds": (0, 1, 2)})
    np.testing.assert_allclose(
        run_of_it["memoryless_loss"],
        [memoryless_loss(settings, unseen_sequences(settings, seed, torch.device("cpu"))) for seed in settings.seeds],
        rtol=1e-6,
    )
    assert np.ptp(run_of_it["memoryless_loss"].values) > 0.002
    assert run_of_it["memoryless_loss_by_lag"].dims == ("seed", "task_lag")
