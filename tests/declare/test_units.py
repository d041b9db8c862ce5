"""What is recorded and computed carries the unit that its words say."""

import re

import pytest

from goldviz.declare.laboratory import Laboratory
from tests.labs.small_runs import EVERY_INSTANT, EVERY_TRAINED

WORDS = {
    r"^bits\b": {"bit"},
    r"\bnats\b": {"nat"},
    r"\bminus the log density\b": {"nat"},
    r"\bentropy\b(?!.* over that of)": {"bit", "nat"},
    r"^days until\b": {"d"},
    r"^decay rate: log\b": {"nat"},
    r"\bln V\b": {"nat"},
}
"""What a long name says, and the units that it may have then."""


@EVERY_TRAINED
def test_a_recorded_variable_has_the_unit_that_its_name_says(lab: Laboratory) -> None:
    for name, variable in lab.declared.variables.items():
        for words, units in WORDS.items():
            if re.search(words, variable.long_name, re.IGNORECASE):
                assert variable.units in units, name
        if name.startswith("log_"):
            assert variable.units == "log10", name


@EVERY_INSTANT
def test_units_are_of_variables_that_are_computed(lab: Laboratory) -> None:
    if not lab.declared.units:
        pytest.skip("All that it computes are pure numbers, or in units that depend on its data.")
    computed = [lab.declared().changed(**changes).compute() for changes in ({}, *_other_kinds(lab))]
    for name, unit in lab.declared.units.items():
        assert {ds[name].attrs["units"] for ds in computed if name in ds} == {unit}, name
    assert {name for ds in computed for name in ds if "entropy" in str(name)} <= {"head_entropy", "head_entropy_share"}


def _other_kinds(lab: Laboratory) -> list[dict[str, str]]:
    """Settings under which other variables are computed."""
    return [{"cell": "lstm"}, {"cell": "min_gru"}] if lab.name == "jacobian-lens" else []
