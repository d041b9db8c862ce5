"""Every number on every card of every recorded example, computed once more off the recorded arrays.

The numbers come from the definitions that variables' long names and the literature give, by code that shares nothing
with the laboratories' own readings; each has to be what is printed, to one unit of its last digit. So is the title: it
has to be true by the same arrays.
"""

from functools import cache
from importlib import import_module

import pytest

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import experiments, laboratories
from goldviz.runs.examples import example, has_example
from tests.truth.recorded_cards.card import disagreements
from tests.truth.recorded_cards.printed import numbers_in, numbers_of_line

EXAMPLES = [
    (laboratory, preset.slug)
    for laboratory, declared in experiments().items()
    if laboratories()[laboratory].has("findings")
    for preset in declared.presets
    if has_example(declared, preset.slug)
]
WITH_CARDS = list(dict.fromkeys(laboratory for laboratory, _ in EXAMPLES))


@cache
def recomputed(laboratory):
    """What computes a laboratory's cards once more: the file of its folder's name."""
    return import_module(f"tests.truth.recorded_cards.{laboratories()[laboratory].folder}")


@cache
def recorded(laboratory, preset):
    declared = experiments()[laboratory]
    run = example(declared, preset)
    return run, laboratory_of(declared).findings(declared.preset(preset), run)


@pytest.mark.parametrize(("laboratory", "preset"), EXAMPLES)
def test_a_card_says_what_the_recorded_arrays_give(laboratory, preset):
    module, (run, findings) = recomputed(laboratory), recorded(laboratory, preset)
    wrong = [
        words for finding in findings for words in disagreements(finding, module.CARDS[finding.kind](run), module.NAMES)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("laboratory", WITH_CARDS)
def test_every_kind_of_card_that_examples_show_is_recomputed_and_no_other(laboratory):
    shown = {finding.kind for name, preset in EXAMPLES if name == laboratory for finding in recorded(name, preset)[1]}
    assert set(recomputed(laboratory).CARDS) == shown


@pytest.mark.parametrize(
    ("words", "measured", "another"),
    [
        ("6,700 times smaller", 6749.0, 6760.0),
        ("2.8 × 10⁻⁵ times as long", 2.84e-5, 2.86e-5),
        ("4 × 10²³ times smaller", 4.04e23, 4.06e23),
        ("R² −0.07 %", -0.00074, -0.00076),
        ("95 % interval 84.4 to 87.9 %", 0.844, 0.85),
        ("100 % of zero's test loss (document 001, Annex 5.3)", 1.004, 1.006),
        ("90 layers", 90, 91),
        ("less than 1 % of the memoryless one", 0.009, 0.011),
        ("below 1/100", 0.01, 0.011),
        ("the error about as long as it was", 0.96, 0.94),
    ],
)
def test_a_printed_number_agrees_with_what_rounds_to_it_alone(words, measured, another):
    printed = numbers_in(words)[-1 if " to " not in words else 1]
    assert printed.agrees_with(measured)
    assert not printed.agrees_with(another)


def test_citations_and_formulas_are_no_numbers_of_a_run():
    assert numbers_in("by k Jacobians dh(t)/dh(t−1) (document 001, eq. 6-9), slope 1 − t² (Clark et al. 2019)") == []


def test_a_line_is_read_with_the_numbers_that_it_spells():
    line = "a half-life of a tenth of the 47 steps, a change of less than 10 %, two and a half times, or half"
    assert [number.value for number in numbers_of_line(line)] == [0.1, 47, 0.1, 2.5, 0.5]
