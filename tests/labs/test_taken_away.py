"""Runs without some of their networks or parts: every figure, the report and all findings come of what is left."""

from collections.abc import Iterator
from typing import Any

import pytest

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment, SettingsError, schemas
from goldviz.export.report import report_of_run
from tests.labs.small_runs import TRAINED, cases, small_run

ORDINARY = {("neural-turing-machine", "networks gru"), ("series-attention", "networks gru")}
"""Of which the ordinary suite tries two whose figures speak of parts that are not there."""


def ways(lab: Laboratory) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each choice of each setting that chooses among few, alone; and every choice of networks with each part off."""
    declared = lab.declared
    choices = {
        name: schema.get("enum") or [False, True]
        for name, schema in schemas(declared).items()
        if "enum" in schema or schema.get("type") == "boolean"
    }
    choices.pop("device", None)
    for name, values in choices.items():
        for value in values:
            yield f"{name} {value}", {name: value}
    for network in choices.get("networks", ()):
        for name, values in choices.items():
            if values == [False, True]:
                yield f"networks {network}, {name} False", {"networks": network, name: False}


def allowed(lab: Laboratory, changes: dict[str, Any]) -> Experiment | None:
    """The small run so changed, of the first of a laboratory's small runs that may be."""
    for small in cases(lab).RUNS:
        try:
            settings: Experiment = lab.declared.checked({**small, **changes})
        except SettingsError:
            continue
        return settings
    return None


CASES = [
    pytest.param(settings, id=f"{lab.name}-{words}", marks=[pytest.mark.slow] * ((lab.name, words) not in ORDINARY))
    for lab in TRAINED
    for words, changes in ways(lab)
    if (settings := allowed(lab, changes)) is not None
]


@pytest.mark.parametrize("settings", CASES)
def test_what_is_left_is_drawn_told_and_reported(settings: Experiment) -> None:
    run = small_run(settings).assign_attrs(settings=settings.model_dump_json(), settings_version=settings.version)
    lab = next(one for one in TRAINED if one.declared is type(settings))
    figures = lab.figures().FIGURES
    for spec in figures.values():
        assert spec.draw(run).to_dict()["layout"]
        if spec.frames is not None:
            spec.frames(run)
    lab.findings(settings, run)
    assert report_of_run(settings, run, figures)
