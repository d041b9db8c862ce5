"""Rules of the depth laboratory on runs whose numbers are set by hand."""

import numpy as np
import pytest
import torch
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import goldviz.api
from goldviz.labs.depth_gradients.findings import findings_of, orthogonal
from goldviz.labs.depth_gradients.networks import DeepMLP
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.examples import example

DEPTH = 15
EPOCHS = 20


def run_of(
    plain=(2.7e-6, 1e-2),
    residual=(2.6, 8.0),
    *,
    depth=DEPTH,
    seeds=1,
    losses=(1.0, 0.6),
    update=1e-3,
    test=(0.87, 0.60),
    zero=0.873,
    saturation=0.0,
    dead=0.0,
    amplified=(1.0, 8.0),
    clipped=0.0,
    status="finished",
):
    """A run whose gradients go geometrically from the first to the last hidden layer.

    ``amplified`` says of each network how many times longer the error is at the first hidden state than at the last.
    """
    layers = np.arange(depth + 1)
    place = np.clip((layers - 1) / max(depth - 1, 1), 0, 1)
    norms = np.stack(
        [low + (high - low) * place if low <= 0 else low * (high / low) ** place for low, high in (plain, residual)]
    )
    errors = np.stack([factor ** (1 - layers / depth) for factor in amplified])
    steps = np.linspace(*losses, EPOCHS)
    per_epoch = (EPOCHS, 2, seeds)
    return xr.Dataset(
        {
            "gradient_norm": (
                ("epoch", "network", "seed", "layer"),
                np.tile(norms[None, :, None], (EPOCHS, 1, seeds, 1)),
            ),
            "hidden_gradient_norm": (
                ("epoch", "network", "seed", "hidden"),
                np.tile(errors[None, :, None], (EPOCHS, 1, seeds, 1)),
            ),
            "clipped": (("epoch", "network", "seed"), np.full(per_epoch, clipped)),
            "loss": (("epoch", "network", "seed"), np.tile(steps[:, None, None], (1, 2, seeds))),
            "update_to_data": (("epoch", "network", "seed", "layer"), np.full((*per_epoch, depth + 1), update)),
            "saturation": (("epoch", "network", "seed", "hidden"), np.full((*per_epoch, depth + 1), saturation)),
            "dead_units": (("epoch", "network", "seed", "hidden"), np.full((*per_epoch, depth + 1), dead)),
            "test_loss": (("network", "seed"), np.tile(np.array(test)[:, None], (1, seeds))),
            "zero_loss": (("seed",), np.full(seeds, zero)),
        },
        coords={
            "epoch": np.arange(1, EPOCHS + 1),
            "network": ["plain", "residual"],
            "seed": np.arange(seeds),
            "layer": layers,
            "hidden": np.arange(depth + 1),
        },
        attrs={"status": status},
    )


def found(run, **settings):
    settings.setdefault("depth", int(run["layer"].max()))
    return {finding.kind: finding for finding in findings_of(DepthGradients(**settings), run)}


def test_the_documents_run_vanishes_in_the_plain_network_and_is_kept_in_the_residual_one():
    findings = findings_of(DepthGradients(), run_of())
    assert [finding.kind for finding in findings] == ["vanishing", "no_better_than_zero", "gradient_kept"]
    vanishing, useless, kept = findings
    assert vanishing.number == "3,700 times smaller"
    assert "plain" in vanishing.title
    assert "residual" not in vanishing.title
    assert "eq. 2" in vanishing.explanation
    assert "one seed" in vanishing.confidence
    assert useless.number == "100 % of zero's test loss"
    assert kept.title == "The residual network keeps its gradient"
    assert "a factor of 3.1" in kept.number
    assert "3,700" in kept.explanation
    assert kept.severity == "good"


def test_seeds_are_counted():
    run = run_of(seeds=3)
    assert found(run)["vanishing"].confidence == "all 3 seeds agree"
    run["gradient_norm"].loc[{"seed": 2, "network": "plain"}] = 1.0
    assert found(run)["vanishing"].confidence == "2 of 3 seeds agree"
    run["gradient_norm"].loc[{"seed": 1, "network": "plain"}] = 1.0
    assert "vanishing" not in found(run)


@pytest.mark.parametrize(("factor", "vanishes"), [(99.0, False), (101.0, True)])
def test_the_threshold_of_vanishing_is_one_hundred(factor, vanishes):
    assert ("vanishing" in found(run_of(plain=(1.0, factor)))) == vanishes


def test_gradients_that_grow_downwards_explode_and_capping_is_no_cure():
    findings = found(run_of(plain=(150.0, 1.0)))
    assert findings["exploding"].number == "150 times larger at the first hidden layer, largest norm 150"
    assert "vanishing" not in findings
    assert all("clip" not in remedy.changes for remedy in findings["exploding"].remedies)


def test_an_error_that_grows_explodes_and_capping_clears_it():
    run = run_of(plain=(2000.0, 2000.0), amplified=(50.0, 8.0))
    finding = found(run)["exploding"]
    assert "plain" in finding.title
    assert finding.changes == {"clip": 1.0}
    said = "All 15 blocks leave the plain network's error 50 times as long (document 001, eq. 2)."
    assert finding.explanation == said
    assert "exploding" in found(run, clip=1.0), "the cap was not in force in any epoch of this run"
    run["clipped"][:] = 1.0
    assert "exploding" not in found(run, clip=1.0)


def test_a_norm_that_comes_from_a_large_error_is_no_explosion():
    findings = found(run_of(residual=(1500.0, 1500.0), amplified=(1.0, 1.03), losses=(450.0, 18.0)))
    assert "exploding" not in findings
    large = findings["large_error"]
    assert "residual" in large.title
    assert "plain" not in large.title
    assert large.explanation == "The residual network's loss began at 450."
    assert large.changes == {"residual_scale": 0.2}


def test_steps_that_made_the_factors_grow_are_named_and_shortened():
    run = run_of(plain=(2000.0, 2000.0), amplified=(50.0, 8.0))
    run["hidden_gradient_norm"].loc[{"epoch": 1}] = 1.0
    finding = found(run)["exploding"]
    assert finding.explanation == (
        "All 15 blocks left the plain network's error about as long as it was in the first epoch, 50 times as long in "
        "the last."
    )
    assert finding.changes == {"learning_rate": pytest.approx(1e-4)}


def test_causes_are_named_network_by_network():
    run = run_of(residual=(1.0, 1.0), test=(0.88, 12.0), losses=(430.0, 18.0))
    finding = found(run)["no_better_than_zero"]
    assert finding.number == "plain: 101 % of zero's test loss; residual: 14 times zero's test loss"
    assert "The plain network's training loss went from 430 to 18" in finding.explanation
    assert "the residual network's training loss went from 430 to 18." in finding.explanation


def test_what_is_kept_in_layers_is_no_praise_where_the_error_is_not():
    assert "gradient_kept" in found(run_of(plain=(1.0, 2.0)))
    assert "plain" not in found(run_of(plain=(1.0, 2.0), amplified=(3600.0, 8.0)))["gradient_kept"].title


def test_a_network_beside_one_that_keeps_its_gradient_is_told_by_what_it_does_not_keep():
    far = found(run_of())["gradient_kept"]
    assert "In the plain network they differ by a factor of 3,700." in far.explanation
    alike = found(run_of(plain=(1.0, 2.0), amplified=(3600.0, 8.0)))["gradient_kept"]
    assert "they differ" not in alike.explanation
    assert "All 15 blocks leave the plain network's error 3,600 times as long" in alike.explanation


def test_deeper_is_worse_where_a_shallower_network_trains_much_better():
    run = run_of(losses=(1.0, 0.6))
    shallower = np.array([[0.5, 0.3, 0.6], [0.7, 0.5, 0.6]])[None, :, None]
    run["loss_by_depth"] = (("epoch", "network", "seed", "trained_depth"), np.tile(shallower, (EPOCHS, 1, 1, 1)))
    finding = found(run)["degradation"]
    assert finding.title == "Deeper trains worse in the plain network"
    assert finding.number == "training loss 0.6 with 15 layers, 0.3 with fewer"
    assert finding.changes == {"depth": 7}
    assert "degradation" not in found(run_of())


def test_the_loss_before_any_step_says_nothing_of_how_depth_trains():
    run = run_of(losses=(1.0, 0.6))
    shallower = np.array([[0.1, 0.1, 0.6], [0.1, 0.1, 0.6]])[None, :, None]
    run["loss_by_depth"] = (("epoch", "network", "seed", "trained_depth"), np.tile(shallower, (EPOCHS, 1, 1, 1)))
    assert "degradation" in found(run, epochs=100)
    assert "degradation" not in found(run.isel(epoch=slice(0, 1)), epochs=100)


def test_a_gradient_that_was_no_number_has_no_length():
    run = run_of()
    run["loss"][-1] = np.inf
    assert "longest gradient was 0.01" in found(run)["diverged"].explanation
    run["gradient_norm"] = run["gradient_norm"].where(run["gradient_norm"] < 0)
    assert "longest gradient" not in found(run)["diverged"].explanation


@pytest.mark.parametrize("activation", ["leaky_relu", "relu", "tanh", "sigmoid", "gelu"])
def test_orthogonal_weights_are_never_advised_with_whole_branches(activation):
    run = run_of(saturation=0.6)
    offered = [remedy.changes for finding in found(run, activation=activation).values() for remedy in finding.remedies]
    orthogonal = [changes for changes in offered if changes.get("initialisation") == "orthogonal"]
    assert orthogonal
    assert all(changes["residual_scale"] == 0.2 for changes in orthogonal)
    normalised = [changes for changes in offered if changes.get("normalisation") == "batch"]
    assert normalised
    assert all(changes["dropout"] == 0 and changes["residual_scale"] == 0.2 for changes in normalised)


@pytest.mark.parametrize(("slope", "gain"), [(0.0, 1.41), (0.3, 1.35), (0.6, 1.21), (0.9, 1.05), (1.0, 1.0)])
@pytest.mark.parametrize("activation", ["leaky_relu", "sigmoid"])
def test_the_gain_of_orthogonal_weights_follows_the_slope(activation, slope, gain):
    words, changes = orthogonal(DepthGradients(activation=activation, slope=slope))
    assert changes["activation"] == "leaky_relu"
    assert changes["gain"] == gain
    assert ("Use LeakyReLU" in words) == (activation == "sigmoid")


@pytest.mark.parametrize(
    ("activation", "slope"), [("leaky_relu", slope) for slope in (0.0, 0.3, 0.9, 1.0)] + [("relu", 0.9)]
)
def test_at_that_gain_signal_and_error_keep_their_size_through_thirty_layers(activation, slope):
    _, changes = orthogonal(DepthGradients(activation=activation, slope=slope))
    drawn = torch.Generator().manual_seed(5)
    network = DeepMLP(
        network="plain",
        features=100,
        width=100,
        depth=30,
        activation=activation,
        slope=slope,
        initialisation="orthogonal",
        gain=changes["gain"],
        weights=lambda layer: torch.Generator().manual_seed(100 + layer),
    )
    done = network(torch.randn(50, 100, generator=drawn))
    for signal in done.hidden:
        signal.retain_grad()
    (done.hidden[-1] * torch.randn(50, 100, generator=drawn)).sum().backward()
    assert 1 / 3 < done.hidden[-1].norm() / done.hidden[0].norm() < 3
    assert 1 / 3 < done.hidden[0].grad.norm() / done.hidden[-1].grad.norm() < 3


@pytest.mark.slow
def test_advice_on_the_document_s_experiment_helps_both_networks():
    settings = DepthGradients(samples=200, seeds=(0, 1), histogram_every=0)
    before = goldviz.api.run(settings, progress=False)
    [vanishing] = [finding for finding in findings_of(settings, before) if finding.kind == "vanishing"]
    after = goldviz.api.run(settings.changed(**vanishing.remedies[0].changes), progress=False)
    worth = [run.test_loss / run.zero_loss for run in (before, after)]
    assert (worth[0].sel(network="plain") > 0.95).all()
    assert (worth[1].sel(network="plain") < 0.8).all()
    assert (worth[1].sel(network="residual") < 0.7 * worth[0].sel(network="residual")).all()


def test_both_networks_are_one_finding():
    finding = found(run_of(residual=(1e-9, 1.0), amplified=(1e-5, 1e-9)))["vanishing"]
    assert finding.title == "The gradient vanishes in the plain and residual networks"
    assert finding.number.startswith("plain: 3,700 times smaller; residual: ")
    assert "; all 15 blocks leave the residual network's error" in finding.explanation


@pytest.mark.parametrize(("factor", "length"), [(0.011, "0.011"), (1e-20, "1 × 10⁻²⁰"), (0.0, ""), (np.nan, "")])
def test_the_error_on_its_way_back_is_told_where_it_has_a_length(factor, length):
    with np.errstate(all="ignore"):
        said = found(run_of(amplified=(factor, 8.0)))["vanishing"].explanation
    told = f"All 15 blocks leave the plain network's error {length} times as long (document 001, eq. 2)."
    assert said == (told if length else "")


def test_each_network_that_vanishes_is_told_by_its_own_error():
    said = found(run_of(residual=(1e-9, 1.0), amplified=(1e-5, 1.0)))["vanishing"].explanation
    assert "the plain network's error 1 × 10⁻⁵ times as long" in said
    assert "the residual network's error about as long as it was" in said


def test_a_loss_that_is_no_number_silences_all_else_about_that_network():
    run = run_of(update=0.5)
    run["loss"].loc[{"network": "plain", "epoch": slice(3, None)}] = np.nan
    findings = found(run)
    assert findings["diverged"].changes == {"learning_rate": pytest.approx(1e-4), "clip": 1.0}
    assert "plain" in findings["diverged"].title
    assert "vanishing" not in findings
    assert "plain" not in findings["learning_rate_too_large"].title


@pytest.mark.parametrize("one", ["plain", "residual"])
def test_a_network_that_diverged_is_not_also_called_exploding(one):
    run = run_of(plain=(2000.0, 2000.0), residual=(2000.0, 2000.0), amplified=(50.0, 50.0))
    run["loss"].loc[{"network": one, "epoch": slice(3, None)}] = np.nan
    findings = found(run)
    assert findings["diverged"].title == f"Training diverged in the {one} network"
    other = "residual" if one == "plain" else "plain"
    assert findings["exploding"].title == f"The gradient explodes in the {other} network"


def test_the_recorded_explosion_is_called_diverged_and_nothing_else():
    settings = DepthGradients.preset("break-it-exploding")
    assert {f.kind for f in findings_of.all(settings, example(DepthGradients, "break-it-exploding"))} == {"diverged"}


def test_a_run_that_was_stopped_as_diverged_is_believed():
    findings = found(run_of(status="diverged"))
    assert set(findings) == {"diverged"}


def test_zero_weights_have_no_gradient_and_no_other_verdict():
    findings = found(run_of(plain=(0, 0), residual=(0, 0), update=np.nan), initialisation="zero")
    assert set(findings) == {"no_gradient"}
    assert findings["no_gradient"].changes == {"initialisation": "default"}


def test_a_residual_branch_of_weight_zero_gets_one_back():
    findings = found(run_of(residual=(0, 0)), residual_scale=0.0)
    assert findings["no_gradient"].changes == {"residual_scale": 1.0}


def test_a_first_layer_of_exactly_zero_vanishes():
    finding = found(run_of(plain=(0.0, 1.0)))["vanishing"]
    assert finding.number == "exactly 0 at the first hidden layer"


def test_one_hidden_layer_neither_vanishes_nor_is_praised():
    findings = found(run_of(depth=1, test=(0.5, 0.5)))
    assert findings == {}


@pytest.mark.parametrize(
    ("update", "kind"),
    [(10**-4.6, "learning_rate_too_small"), (10**-4.4, None), (10**-1.6, None), (10**-1.4, "learning_rate_too_large")],
)
def test_thresholds_of_the_step(update, kind):
    findings = found(run_of(plain=(1.0, 2.0), update=update))
    assert {name for name in findings if name.startswith("learning_rate")} == ({kind} if kind else set())


def test_a_rising_loss_is_too_large_a_step_even_where_the_ratio_is_small():
    findings = found(run_of(plain=(1.0, 2.0), losses=(1.0, 2.0), update=1e-6))
    assert findings["learning_rate_too_large"].severity == "bad"
    assert "the loss rises" in findings["learning_rate_too_large"].number
    assert "overwrites" not in findings["learning_rate_too_large"].explanation, "its steps are short"
    assert "overwrites" in found(run_of(update=0.1))["learning_rate_too_large"].explanation
    assert "learning_rate_too_small" not in findings


def test_steps_that_change_nothing_are_never_too_long_however_the_loss_jumps():
    settings = DepthGradients(
        learning_rate=1e-7, epochs=8, depth=8, width=8, samples=32, dropout=0.8, seeds=(0, 3, 5, 6, 8)
    )
    kinds = {finding.kind for finding in findings_of(settings, goldviz.api.run(settings, progress=False))}
    assert "learning_rate_too_large" not in kinds
    assert "learning_rate_too_small" in kinds


def test_a_network_whose_gradient_vanishes_is_not_called_slow():
    finding = found(run_of(update=1e-7))["learning_rate_too_small"]
    assert "residual" in finding.title
    assert "plain" not in finding.title


def test_a_network_that_overshoots_is_not_told_to_train_for_longer():
    findings = found(run_of(plain=(1.0, 2.0), update=0.3, test=(50.0, 0.5)))
    assert "no_better_than_zero" not in findings
    slow = found(run_of(plain=(1.0, 2.0), test=(50.0, 0.5)))["no_better_than_zero"]
    assert slow.number == "57 times zero's test loss"
    assert slow.changes == {"epochs": 100}


def test_saturation_counts_where_the_nonlinearity_has_flat_ends():
    run = run_of(saturation=0.6)
    assert (
        found(run, activation="tanh")["saturated"].number
        == "plain: 60 % of the activations; residual: 60 % of the activations"
    )
    assert "saturated" not in found(run, activation="relu")


def test_dead_units_count_where_there_is_no_slope_below_zero():
    run = run_of(dead=0.4)
    assert found(run, activation="relu")["dead_units"].changes == {"activation": "leaky_relu"}
    assert "dead_units" not in found(run, activation="leaky_relu")
    assert found(run, activation="leaky_relu", slope=0.0)["dead_units"].changes == {"slope": 0.3}


def test_a_running_experiment_says_how_far_it_is():
    run = run_of().isel(epoch=slice(0, 5)).drop_vars(["test_loss", "zero_loss"])
    findings = found(run)
    assert "so far, at epoch 5 of 20" in findings["vanishing"].confidence
    assert "no_better_than_zero" not in findings


def test_nothing_recorded_finds_nothing():
    assert findings_of(DepthGradients(), xr.Dataset()) == []
    begun = run_of().isel(epoch=slice(0, 0)).drop_vars(["test_loss", "zero_loss"])
    assert findings_of(DepthGradients(), begun) == []


norm = st.one_of(st.just(0.0), st.floats(1e-30, 1e30), st.sampled_from([np.nan, np.inf]))


@given(
    plain=st.tuples(norm, norm),
    residual=st.tuples(norm, norm),
    update=norm,
    share=st.floats(0, 1),
    loss=st.tuples(st.floats(0, 10), st.floats(0, 10)),
    status=st.sampled_from(["running", "finished", "diverged"]),
    activation=st.sampled_from(["leaky_relu", "relu", "tanh", "sigmoid", "gelu"]),
    normalisation=st.sampled_from(["none", "batch"]),
    clip=st.sampled_from([0.0, 1.0]),
    gain=st.sampled_from([0.01, 1.0, 4.0]),
    learning_rate=st.sampled_from([1e-7, 1e-3, 10.0]),
    epochs=st.sampled_from([20, 2000]),
    depth=st.sampled_from([1, 2, 15]),
)
def test_findings_are_few_ordered_valid_and_never_contradict(
    plain, residual, update, share, loss, status, activation, normalisation, clip, gain, learning_rate, epochs, depth
):
    settings = DepthGradients(
        activation=activation,
        normalisation=normalisation,
        clip=clip,
        gain=gain,
        learning_rate=learning_rate,
        epochs=epochs,
        depth=depth,
    )
    with np.errstate(all="ignore"):
        run = run_of(
            plain, residual, depth=depth, update=update, saturation=share, dead=share, losses=loss, status=status
        )
    findings = findings_of(settings, run)
    order = ["bad", "warning", "good"]
    ranks = [order.index(finding.severity) for finding in findings]
    kinds = [finding.kind for finding in findings]
    assert len(findings) <= 5
    assert ranks == sorted(ranks)
    assert len(set(kinds)) == len(kinds)
    for finding in findings:
        assert finding.title
        assert finding.number
        assert finding.threshold
        assert finding.confidence
        assert "nan" not in finding.number
        assert settings.changed(**finding.changes) != settings or not finding.changes
        assert bool(finding.advice) == bool(finding.changes)
    for network in ("plain", "residual"):
        about = {f.kind for f in findings if network in f.title}
        assert len(about & {"vanishing", "exploding", "gradient_kept", "no_gradient"}) <= 1
        assert len(about & {"learning_rate_too_large", "learning_rate_too_small"}) <= 1
        assert not ("diverged" in about and "gradient_kept" in about)
