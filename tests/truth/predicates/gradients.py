"""Sentences on gradients through layers and through time (document 001, eq. 2 and 6-9), and on flows."""

import json

import numpy as np

from tests.truth.predicates.told import between, by_seed, finite, last_quarter, rose, typical
from tests.truth.predicates.training import LONG, SHORT, diverged, of_training


def ends(told, name, dim, first):
    """Means over the epochs at both ends of the depth."""
    means = finite(told.of(name)).mean("epoch")
    return means.sel({dim: first}), means.sel({dim: told.settings.depth})


def first_over_last(told):
    first, last = ends(told, "gradient_norm", "layer", 1)
    return first / last


def way_back(told):
    first, last = ends(told, "hidden_gradient_norm", "hidden", 0)
    return first / last


def longest(told):
    """No longer than the cap in epochs in which it was in force."""
    norms, cap = told.of("gradient_norm"), told.settings.clip
    if cap:
        norms = norms.where(~((told.of("clipped") > 0) & (norms > cap)), cap)
    return norms.fillna(0).max([dim for dim in norms.dims if dim != "seed"])


def within(values, factor):
    return between(values, 1 / factor, factor)


def best_of_fewer_layers(told):
    return told.last("loss_by_depth").isel(trained_depth=slice(0, -1)).min("trained_depth")


DEPTH_GRADIENTS = {
    **of_training("learning_rate_too_large", "learning_rate_too_small", "saturated", "dead_units"),
    "no_gradient": lambda told: (told.of("gradient_norm") == 0).all(["epoch", "layer"]),
    "exploding": lambda told: (first_over_last(told) > 100) | ((longest(told) > 1000) & (way_back(told) > 10)),
    "large_error": lambda told: (longest(told) > 1000) & within(way_back(told), 10),
    "vanishing": lambda told: first_over_last(told) < 0.01,
    "no_better_than_zero": lambda told: told.of("test_loss") >= 0.98 * told.of("zero_loss"),
    "degradation": lambda told: told.last("loss") > 1.5 * best_of_fewer_layers(told),
    "gradient_kept": lambda told: within(first_over_last(told), 10) & within(way_back(told), 100),
}


def signal(told):
    return told.last("log_jacobian_norm")


def worth(told):
    tested = "test_loss" in told.run
    return (told.of("test_loss") if tested else told.of("loss").isel(step=slice(-40, None)).mean("step")) / told.of(
        "memoryless_loss"
    )


def halved_in(told):
    """At a mean opening f the cell path halves in k steps, f^k = 1/2 (eq. 18)."""
    return -1 / np.log2(by_seed(told.last("gate_opening", gate="forget")))


STEERING = ("input", "output", "update", "reset")


def steering(told):
    shares = told.last("gate_saturation")
    return by_seed(shares.sel(gate=[gate for gate in shares.gate.values if gate in STEERING]))


RECURRENT_GRADIENTS = {
    **of_training("clipping_every_step"),
    "learning_rate_too_large": lambda told: (typical(told.of("update_to_data")) > LONG) | rose(told.of("loss")),
    "learning_rate_too_small": lambda told: (typical(told.of("update_to_data")) < SHORT) & ~rose(told.of("loss")),
    "exploding": lambda told: (
        (signal(told).max("lag") > 2) | (told.of("clipped_gradient_norm").fillna(0).max("step") > 1000)
    ),
    "task_solved": lambda told: worth(told) < 0.2,
    "vanishing": lambda told: (signal(told) < -2).any("lag"),
    "learned_nothing": lambda told: worth(told) >= 0.98,
    "forget_bias_too_small": lambda told: halved_in(told) < 0.1 * float(told.run.lag.max()),
    "saturated_gates": lambda told: steering(told) > 0.6,
    "saturated_states": lambda told: told.last("state_saturation") > 0.3,
    "gradient_kept": lambda told: abs(signal(told).isel(lag=-1)) <= 1,
}


def flow_score(told):
    """The share of points right, or, where numbers are answered, one less their error: both are better where larger."""
    if told.settings.task == "flip":
        return 1 - told.last("test_loss")
    return last_quarter(told.of("test_accuracy"), "look")


def learned_flow(told):
    return flow_score(told) >= (0.95 if told.settings.task == "flip" else 0.995)


def apart(told):
    """By which share of the larger one the loss changes where the field is followed exactly."""
    own, refined = told.last("test_loss"), told.last("refined_test_loss")
    larger = np.maximum(own, refined)
    return (abs(refined - own) / larger).where(larger > 0.02, 0.0)


def paid(told):
    counts = told.of("evaluations_forward")
    return counts.isel(step=slice(0, 5)).mean("step", skipna=False), last_quarter(counts, "step")


CONTINUOUS_DEPTH = {
    "diverged": diverged,
    "learned": learned_flow,
    "solver_s_map": lambda told: apart(told) > 0.1,
    "nested_classes": lambda told: ~learned_flow(told) & (told.run.sizes["dimension"] == 2),
    "order_kept": lambda told: (told.last("test_loss") > 0.2) & (told.run.sizes["dimension"] == 1),
    "adjoint_too_loose": lambda told: (
        told.of("gradient_difference").isel(look=slice(-max(1, told.run.sizes["look"] // 4), None)).median("look")
        > 0.01
    ),
    "growing_stiff": lambda told: paid(told)[1] > 2.5 * paid(told)[0],
    "saturated_field": lambda told: told.last("field_saturation") > 0.3,
    "not_learned": lambda told: ~learned_flow(told),
    "residual_is_flow": lambda told: (apart(told) <= 0.1) & np.isfinite(told.last("refined_test_loss")),
}


def of_zero(told, horizon="in range", error="error"):
    name = "zero_error_by_seed" if "zero_error_by_seed" in told.run else "zero_error"
    return told.last(error) / told.run[name].sel(horizon=horizon).astype(np.float64)


def refined_by(told):
    return told.last("refined_error") / told.last("error")


def of_plain(told):
    """The error over that of the GRU without times; over predicting zero's where none was trained to its end."""
    if "gru" not in told.run.network.values or not np.isfinite(told.run.loss.sel(network="gru")).all():
        return of_zero(told)
    return told.last("error") / told.run["error"].isel(look=-1).sel(network="gru").astype(np.float64)


def stiffer(told):
    if told.settings.solver == "dopri5":
        counts = told.of("evaluations")
        tenth = max(1, counts.sizes["step"] // 10)
        return counts.isel(step=slice(-tenth, None)).mean("step") / counts.isel(step=slice(0, tenth)).mean("step")
    norms = told.of("field_stiffness")
    return norms.isel(look=-1) / norms.isel(look=norms.sizes["look"] // 3)


def gained(told):
    errors = told.of("error")
    return 1 - errors.isel(look=-1) / errors.isel(look=-1 - errors.sizes["look"] // 4)


ODE_RNN = {
    "diverged": diverged,
    "column_ahead": lambda told: bool(json.loads(told.run.attrs["columns_ahead"])),
    "state_exploding": lambda told: told.last("state_size") > 30,
    "solver_too_coarse": lambda told: ~between(refined_by(told), 1 / 1.1, 1.1),
    "no_skill": lambda told: of_zero(told) >= 0.9,
    "learned_nothing": lambda told: of_zero(told) >= 0.98,
    "learned": lambda told: (of_plain(told) < 0.1) & (of_zero(told) < 0.9),
    "ignoring_gaps": lambda told: (told.last("gap_sensitivity") < 0.05) | (of_plain(told) > 0.9),
    "stiff_field": lambda told: stiffer(told) > 2,
    "extrapolation_poor": lambda told: of_zero(told, "long gap", "long_gap_error") > 1.05,
    "bands_too_narrow": lambda told: told.last("coverage") < 0.8,
    "bands_too_wide": lambda told: told.last("coverage") > 0.97,
    "field_saturated": lambda told: told.last("field_saturation") > 0.3,
    "under_trained": lambda told: gained(told) > 0.2,
    "holds_in_long_gaps": lambda told: of_zero(told, "long gap", "long_gap_error") < 0.5,
    "solver_consistent": lambda told: between(refined_by(told), 1 / 1.1, 1.1) & (of_zero(told) < 0.5),
}
