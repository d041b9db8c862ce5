"""No two cards of a page contradict each other: which findings exclude which, of one and the same network."""

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.diagnostics.findings import Case, Conclusions, Rule
from goldviz.runs.examples import example
from tests.labs.small_runs import SMALL, Small, small_run

USELESS_FORECAST = (
    "learned", "ignoring_gaps", "extrapolation_poor", "under_trained", "holds_in_long_gaps", "solver_consistent",
    "bands_too_narrow", "bands_too_wide",
)  # fmt: skip
OF_DAYS_IN_ORDER = ("not_regimes", "sign_skill", "worse", "worse_than_garch", "no_skill", "size_skill")
TOKEN_SCORES = ("shuffled_skill", "shuffled_check_passed", *OF_DAYS_IN_ORDER[1:])
EXCLUDED = {
    "ode-rnn": {
        "no_skill": (*USELESS_FORECAST, "learned_nothing"),
        "learned_nothing": USELESS_FORECAST,
        "solver_too_coarse": (
            "learned", "ignoring_gaps", "stiff_field", "extrapolation_poor", "under_trained", "holds_in_long_gaps",
            "solver_consistent",
        ),
        "learned": ("ignoring_gaps", "under_trained"),
        "ignoring_gaps": ("holds_in_long_gaps", "solver_consistent"),
        "holds_in_long_gaps": ("extrapolation_poor",),
        "bands_too_narrow": ("bands_too_wide",),
    },
    "continuous-depth": {
        "learned": ("nested_classes", "order_kept", "growing_stiff", "saturated_field", "not_learned"),
        "solver_s_map": ("nested_classes", "order_kept", "residual_is_flow"),
        "nested_classes": ("order_kept", "not_learned"),
        "order_kept": ("not_learned",),
        "not_learned": ("residual_is_flow",),
    },
    "char-language-model": {
        "by_heart": (
            "beats_pairs", "no_better_than_pairs", "learning_rate_too_small", "learning_rate_too_large", "saturated",
        ),
        "impossible_pair": ("beats_letters", "by_heart"),
        "no_better_than_pairs": ("beats_pairs",),
        "learning_rate_too_large": ("learning_rate_too_small", "batch_too_small"),
    },
    "depth-gradients": {
        "diverged": (
            "no_gradient", "learning_rate_too_large", "exploding", "large_error", "vanishing", "no_better_than_zero",
            "degradation", "saturated", "dead_units", "learning_rate_too_small", "gradient_kept",
        ),
        "no_gradient": (
            "learning_rate_too_large", "learning_rate_too_small", "vanishing", "exploding", "no_better_than_zero",
            "gradient_kept",
        ),
        "exploding": ("vanishing", "gradient_kept", "learning_rate_too_small"),
        "vanishing": ("gradient_kept", "learning_rate_too_small"),
        "learning_rate_too_large": ("learning_rate_too_small",),
    },
    "recurrent-gradients": {
        "diverged": (
            "exploding", "task_solved", "learning_rate_too_large", "vanishing", "learned_nothing",
            "forget_bias_too_small", "saturated_gates", "saturated_states", "clipping_every_step",
            "learning_rate_too_small", "gradient_kept",
        ),
        "exploding": ("vanishing", "gradient_kept", "learning_rate_too_small"),
        "vanishing": ("gradient_kept", "task_solved"),
        "task_solved": (
            "learned_nothing", "forget_bias_too_small", "learning_rate_too_small", "saturated_gates",
            "clipping_every_step",
        ),
        "learning_rate_too_large": ("learning_rate_too_small", "learned_nothing"),
    },
    "char-gpt": {
        "by_heart": (
            "beats_pairs", "beats_gzip", "no_better_than_pairs", "learning_rate_too_small", "learning_rate_too_large",
        ),
        "no_better_than_pairs": ("beats_pairs",),
        "learning_rate_too_large": ("learning_rate_too_small", "even_attention"),
        "sees_ahead": (
            "by_heart", "beats_pairs", "beats_gzip", "no_better_than_pairs", "even_attention",
            "learning_rate_too_small", "learning_rate_too_large",
        ),
    },
    "price-tokens": {
        "knows_future": (*TOKEN_SCORES, "not_regimes"),
        "labels_switch": (*TOKEN_SCORES, "not_regimes"),
        "shuffled_skill": ("shuffled_check_passed", *OF_DAYS_IN_ORDER),
        "shuffled_check_passed": OF_DAYS_IN_ORDER,
        "codes_unused": ("not_regimes", "no_skill", "size_skill"),
        "sign_skill": ("no_skill", "size_skill", "worse"),
        "worse": ("no_skill", "size_skill"),
        "no_skill": ("size_skill",),
    },
}  # fmt: skip
"""By laboratory and kind: the kinds that no network may have beside it. What is said ``alone`` excludes all others."""

LABS = [laboratories()[name] for name in EXCLUDED]
EVERY_LAB = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
OTHERWISE: dict[str, dict[str, tuple[Any, ...]]] = {
    "ode-rnn": {
        "task": ("oscillator", "market"), "solver": ("rk4", "euler", "dopri5"), "step_cap": (0.005, 0.1, 10.0),
        "longest_gap": (0.05, 0.6),
    },
    "continuous-depth": {
        "task": ("rings", "moons", "flip"), "method": ("dopri5", "euler"), "gradient": ("solver", "adjoint"),
        "augmented": (0, 1), "in_time": (False, True),
    },
    "char-language-model": {
        "optimiser": ("sgd", "adam"), "initialisation": ("kaiming", "normal"), "output_gain": (0.0, 0.01, 1.0),
        "weight_decay": (0.0, 0.01),
    },
    "depth-gradients": {
        "activation": ("leaky_relu", "relu", "tanh"), "normalisation": ("none", "batch"), "clip": (0.0, 1.0),
        "initialisation": ("default", "orthogonal", "zero"), "dropout": (0.0, 0.3), "slope": (0.0, 0.3),
    },
    "recurrent-gradients": {
        "activation": ("tanh", "relu"), "clip": (0.0, 1.0), "initialisation": ("orthogonal", "gaussian"),
        "gain": (1.0, 3.0), "forget_bias": (0.0, 3.0),
    },
    "char-gpt": {
        "masked": (True, False), "residual": (True, False), "layer_norm": (True, False), "clip": (0.0, 1.0),
    },
    "price-tokens": {
        "tokeniser": ("hmm", "vqvae", "quantile"), "network": ("bigram", "mlp", "gpt"), "shuffle_days": (False, True),
        "fitted_on": ("past", "all"), "returns": ("market", "regimes"),
    },
}  # fmt: skip
"""Settings that rules read and that leave a run's dimensions as they are."""

LEVELS = (0.0, 1e-9, 1e-4, 0.01, 0.04, 0.15, 0.35, 0.6, 0.85, 0.95, 0.99, 1.0, 1.1, 2.0, 5.0, 40.0, 2e3, np.nan, np.inf)
POWERS = (-9.0, -2.5, -1.5, -0.7, -0.1, 0.0, 0.4, 1.2, 4.0)
SLOPES = (0.0, 0.0, 0.0, 0.0, -0.1, 0.1, -1.0, 1.0, -5.0, 5.0)
LOGARITHMS = ("farthest", "peak", "cell_path")
THINGS = ("network", "model", "metric")
"""Dimensions along which nothing leans: each has a size of its own."""
OF_THEIR_OWN = {
    "changed_by_future": (0.0, 0.0, 0.2), "same_label": (0.9, 0.9, 0.5), "same_meaning": (0.9,),
    "tokens_per_byte": (0.2, 1.0), "gzip_bits": (0.5, 5.0), "gzip": (0.5, 5.0),
    "uniform_loss": (3.3,), "uniform": (3.3,),
}  # fmt: skip
"""Levels of what would else silence nearly every other finding, and of what a text can be."""
LARGE = 2000
USUAL = hypothesis_settings.default
FEWER = hypothesis_settings(max_examples=8 if USUAL.derandomize else USUAL.max_examples)
"""In the ordinary suite, so that each laboratory has its turn in a few seconds."""
READINGS_A_DRAW = 20 if USUAL.derandomize else 10
SEVERAL = {"seeds": (0, 1, 2)}


def named(case: Case) -> str:
    """The networks that a case is about; a run as a whole is about all of them."""
    return "|".join(case.names or {str(getattr(n, "name", "")) for n in case.everything})


def said(conclusions: Conclusions, settings: Experiment, dataset: xr.Dataset) -> list[tuple[Rule, set[str]]]:
    """The rules that speak, by the product's own conclusions, each with the networks that it speaks of."""
    by_place = [
        replace(rule, title=lambda case, place=place: f"{place}:{named(case)}")
        for place, rule in enumerate(conclusions.rules)
    ]
    found = replace(conclusions, rules=by_place).all(settings, dataset)
    parts = [finding.title.split(":") for finding in found]
    return [(conclusions.rules[int(place)], set(names.split("|"))) for place, names in parts]


def contradictions(
    lab: Laboratory, conclusions: Conclusions, settings: Experiment, dataset: xr.Dataset
) -> Iterator[str]:
    """Pairs of findings of one network that exclude each other."""
    excluded = EXCLUDED[lab.name]
    for (one, names), (other, others) in combinations(said(conclusions, settings, dataset), 2):
        exclusive = other.kind in excluded.get(one.kind, ()) or one.kind in excluded.get(other.kind, ())
        if names & others and (exclusive or one.alone or other.alone or one.kind == other.kind):
            yield f"{one.kind} and {other.kind} of {' and '.join(sorted(names & others))}"


def conclusions_of(lab: Laboratory) -> Conclusions:
    found: Conclusions = lab.part("findings").findings_of
    return found


def test_every_laboratory_with_cards_has_a_table_of_those_that_exclude_each_other() -> None:
    with_a_test_of_their_own = {path.parent.name for path in Path(__file__).parent.glob("*/test_contradictions.py")}
    with_cards = {lab.folder for lab in laboratories().values() if lab.has("findings")}
    assert with_cards == {lab.folder for lab in LABS} | with_a_test_of_their_own


@EVERY_LAB
def test_the_table_names_findings_that_there_are(lab: Laboratory) -> None:
    kinds = {rule.kind for rule in lab.part("findings").RULES}
    excluded = EXCLUDED[lab.name]
    assert set(excluded) <= kinds
    assert {other for others in excluded.values() for other in others} <= kinds


@EVERY_LAB
def test_no_recorded_example_contradicts_itself(lab: Laboratory) -> None:
    for preset in lab.declared.presets:
        settings = lab.declared.preset(preset.slug)
        run = example(lab.declared, preset.slug)
        assert not list(contradictions(lab, conclusions_of(lab), settings, run)), preset.slug


def drawn_values(name: str, values: xr.DataArray, generator: np.random.Generator) -> np.ndarray:
    """Numbers of any size in a variable's shape, which may differ by network and seed and lean along the rest."""
    logarithms = name.startswith("log_")
    fixed = {*THINGS, "seed"} if generator.random() < 0.5 else {*THINGS}
    size = [values.sizes[dim] if dim in fixed else 1 for dim in values.dims]
    level = generator.choice(OF_THEIR_OWN.get(name, POWERS if logarithms else LEVELS), size=size)
    if name.startswith("score"):
        level = level * generator.choice([-1.0, 1.0, 1.0], size=size)
    lean = np.zeros(values.shape)
    for axis, dim in enumerate(values.dims):
        if dim not in (*THINGS, "seed"):
            along = np.linspace(0, 1, values.shape[axis]) * generator.choice(SLOPES)
            lean = lean + along.reshape([-1 if place == axis else 1 for place in range(values.ndim)])
    return np.broadcast_to(level + lean if logarithms else level * 10**lean, values.shape)


def drawn_settings(small: Small, generator: np.random.Generator) -> Experiment:
    choices = OTHERWISE[small.lab.name].items()
    return small.settings(**SEVERAL, **{name: some[generator.integers(len(some))] for name, some in choices})


def drawn_run(run: xr.Dataset, generator: np.random.Generator) -> xr.Dataset:
    """Numbers that have nothing to do with each other, in the shape of a run; an interval holds its score."""
    drawn = run.assign(
        {
            name: values.copy(data=drawn_values(str(name), values, generator))
            for name, values in run.data_vars.items()
            if values.dtype.kind == "f" and values.size < LARGE and generator.random() < 0.8
        }
    )
    interval = [name for name in ("score_low", "score", "score_high") if name in drawn]
    ordered = np.sort([drawn[name].values for name in interval], axis=0)
    return drawn.assign({name: drawn[name].copy(data=ends) for name, ends in zip(interval, ordered, strict=True)})


def drawn_reading(reading: Any, generator: np.random.Generator) -> Any:
    """A reading whose measures have nothing to do with each other."""
    drawn: dict[str, Any] = {}
    for part in fields(reading):
        value = getattr(reading, part.name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "b":
            drawn[part.name] = generator.random(value.shape) < generator.choice([0.0, 0.0, 0.5, 1.0])
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            levels = OF_THEIR_OWN.get(part.name, POWERS if part.name in LOGARITHMS else LEVELS)
            drawn[part.name] = generator.choice(levels) * generator.choice([1.0, 1.0, 1.0, 0.5, 1.5], size=value.shape)
        elif isinstance(value, xr.Dataset):
            drawn[part.name] = drawn_run(value, generator)
    return replace(reading, **drawn)


EVERY_SHAPE = pytest.mark.parametrize(
    "small", [small for small in SMALL if small.lab in LABS and small.number == 0], ids=str
)


@EVERY_SHAPE
@FEWER
@given(seed=st.integers(0, 2**32 - 1))
def test_no_drawn_run_contradicts_itself(small: Small, seed: int) -> None:
    generator = np.random.default_rng(seed)
    run = drawn_run(small_run(small.settings(**SEVERAL)), generator)
    settings = drawn_settings(small, generator)
    # Drawn numbers may be infinite where those of one run are not, and then have no difference.
    with np.errstate(invalid="ignore"):
        assert not list(contradictions(small.lab, conclusions_of(small.lab), settings, run))


@EVERY_SHAPE
@FEWER
@given(seed=st.integers(0, 2**32 - 1))
def test_no_drawn_readings_contradict_each_other(small: Small, seed: int) -> None:
    generator = np.random.default_rng(seed)
    conclusions, run = conclusions_of(small.lab), small_run(small.settings(**SEVERAL))
    readings = conclusions.readings(small.settings(**SEVERAL), run)
    for _ in range(READINGS_A_DRAW):
        drawn = [drawn_reading(reading, generator) for reading in readings]
        fixed = replace(conclusions, readings=lambda settings, dataset, drawn=drawn: drawn)
        with np.errstate(invalid="ignore"):
            assert not list(contradictions(small.lab, fixed, drawn_settings(small, generator), run))
