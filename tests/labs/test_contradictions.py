"""No two cards of a page contradict each other: which findings exclude which, of one and the same network."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.diagnostics.findings import Conclusions
from goldviz.runs.examples import example
from tests.labs.drawn_findings import (
    FEWER,
    SEVERAL,
    SHAPES,
    WITH_CARDS,
    conclusions_of,
    drawn_conclusions,
    drawn_settings,
    of_several,
    said,
)
from tests.labs.small_runs import Small
from tests.thinned import represented

USELESS_FORECAST = (
    "learned",
    "ignoring_gaps",
    "extrapolation_poor",
    "under_trained",
    "holds_in_long_gaps",
    "solver_consistent",
    "bands_too_narrow",
    "bands_too_wide",
)
OF_DAYS_IN_ORDER = ("not_regimes", "sign_skill", "worse", "worse_than_garch", "no_skill", "size_skill")
TOKEN_SCORES = ("shuffled_skill", "shuffled_check_passed", *OF_DAYS_IN_ORDER[1:])
OF_ANSWERS = {"learned": ("some_wrong", "most_wrong"), "some_wrong": ("most_wrong",)}
EXCLUDED: dict[str, dict[str, tuple[str, ...]]] = {
    "leaderboard": {"undecided": ("ahead",)},
    "adaptive-computation": {
        "stops_at_once": ("cut_off", "longer_where_harder", "not_longer_where_harder"),
        **OF_ANSWERS,
        "most_wrong": ("longer_where_harder", "not_longer_where_harder"),
        "longer_where_harder": ("not_longer_where_harder",),
    },
    "attention-against-recurrence": {
        "finds_it_anywhere": ("loses_far_ones", "told_little_at_first"),
        "guesses": ("loses_far_ones",),
    },
    "attention-interface": {
        **OF_ANSWERS,
        "most_wrong": ("beside_the_word", "on_the_word"),
        "beside_the_word": ("on_the_word",),
    },
    "neural-programmer": OF_ANSWERS,
    "translation-transformer": OF_ANSWERS,
    "neural-turing-machine": {
        **OF_ANSWERS,
        "most_wrong": ("longer", "one_cell"),
        "longer": ("only_trained_lengths",),
    },
    "series-attention": {
        "column_ahead": ("beats_simple",),
        "worse_than_simple": ("beats_simple", "about_as_simple"),
        "beats_simple": ("about_as_simple",),
        "flow_ahead": ("flow_behind",),
    },
    "ode-rnn": {
        "no_skill": (*USELESS_FORECAST, "learned_nothing"),
        "learned_nothing": USELESS_FORECAST,
        "solver_too_coarse": (
            "learned",
            "ignoring_gaps",
            "stiff_field",
            "extrapolation_poor",
            "under_trained",
            "holds_in_long_gaps",
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
            "beats_pairs",
            "no_better_than_pairs",
            "learning_rate_too_small",
            "learning_rate_too_large",
            "saturated",
        ),
        "impossible_pair": ("beats_letters", "by_heart"),
        "no_better_than_pairs": ("beats_pairs",),
        "learning_rate_too_large": ("learning_rate_too_small", "batch_too_small"),
    },
    "depth-gradients": {
        "diverged": (
            "no_gradient",
            "learning_rate_too_large",
            "exploding",
            "large_error",
            "vanishing",
            "no_better_than_zero",
            "degradation",
            "saturated",
            "dead_units",
            "learning_rate_too_small",
            "gradient_kept",
        ),
        "no_gradient": (
            "learning_rate_too_large",
            "learning_rate_too_small",
            "vanishing",
            "exploding",
            "no_better_than_zero",
            "gradient_kept",
        ),
        "exploding": ("vanishing", "gradient_kept", "learning_rate_too_small"),
        "vanishing": ("gradient_kept", "learning_rate_too_small"),
        "learning_rate_too_large": ("learning_rate_too_small",),
    },
    "recurrent-gradients": {
        "diverged": (
            "exploding",
            "task_solved",
            "learning_rate_too_large",
            "vanishing",
            "learned_nothing",
            "forget_bias_too_small",
            "saturated_gates",
            "saturated_states",
            "clipping_every_step",
            "learning_rate_too_small",
            "gradient_kept",
        ),
        "exploding": ("vanishing", "gradient_kept", "learning_rate_too_small"),
        "vanishing": ("gradient_kept", "task_solved"),
        "classes_told": ("classes_not_told",),
        "task_solved": (
            "learned_nothing",
            "forget_bias_too_small",
            "learning_rate_too_small",
            "saturated_gates",
            "clipping_every_step",
        ),
        "learning_rate_too_large": ("learning_rate_too_small", "learned_nothing"),
    },
    "char-gpt": {
        "by_heart": (
            "beats_pairs",
            "beats_gzip",
            "no_better_than_pairs",
            "learning_rate_too_small",
            "learning_rate_too_large",
        ),
        "no_better_than_pairs": ("beats_pairs",),
        "learning_rate_too_large": ("learning_rate_too_small", "even_attention"),
        "sees_ahead": (
            "by_heart",
            "beats_pairs",
            "beats_gzip",
            "no_better_than_pairs",
            "even_attention",
            "learning_rate_too_small",
            "learning_rate_too_large",
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
}
"""By laboratory and kind: the kinds that no network may have beside it. What is said ``alone`` excludes all others."""

LABS = [laboratories()[name] for name in EXCLUDED]
EVERY_LAB = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
EVERY_SHAPE = pytest.mark.parametrize("small", represented(small for small in SHAPES if small.lab in LABS), ids=str)


def contradictions(
    lab: Laboratory, conclusions: Conclusions, settings: Experiment, dataset: xr.Dataset
) -> Iterator[str]:
    """Pairs of findings of one network that exclude each other."""
    excluded = EXCLUDED[lab.name]
    for (one, names), (other, others) in combinations(said(conclusions, settings, dataset), 2):
        exclusive = other.kind in excluded.get(one.kind, ()) or one.kind in excluded.get(other.kind, ())
        if names & others and (exclusive or one.alone or other.alone or one.kind == other.kind):
            yield f"{one.kind} and {other.kind} of {' and '.join(sorted(names & others))}"


def test_every_laboratory_with_cards_has_a_table_of_those_that_exclude_each_other() -> None:
    with_a_test_of_their_own = {path.parent.name for path in Path(__file__).parent.glob("*/test_contradictions.py")}
    assert {lab.folder for lab in WITH_CARDS} == {lab.folder for lab in LABS} | with_a_test_of_their_own


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


@EVERY_SHAPE
@FEWER
@given(seed=st.integers(0, 2**32 - 1))
def test_no_drawn_readings_contradict_each_other(small: Small, seed: int) -> None:
    generator = np.random.default_rng(seed)
    run = of_several(small)
    for drawn in drawn_conclusions(small, run, generator):
        with np.errstate(invalid="ignore"):
            assert not list(contradictions(small.lab, drawn, drawn_settings(small, generator, **SEVERAL), run))
