"""In every figure a place in view is one, each curve can be seen, and numbers are written so that they differ."""

import numpy as np
import pytest

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment
from goldviz.runs.examples import example
from tests.labs.figures_drawn import figures_of, gold_lines, hidden_lines
from tests.labs.small_runs import EVERY_LABORATORY, TRAINED


@EVERY_LABORATORY
def test_every_figure_has_one_line_in_gold_and_no_hidden_curve(lab: Laboratory) -> None:
    """A line in gold is the place in view, so there is one. Of equal curves each can be seen."""
    figures = figures_of(lab)
    assert {view: lines for view, figure in figures.items() if len(lines := gold_lines(figure)) > 1} == {}
    assert {view: pairs for view, figure in figures.items() if (pairs := hidden_lines(figure))} == {}


def written(values: np.ndarray, form: str) -> set[str]:
    """Numbers as a figure's hover writes them, told by d3's format."""
    return {format(value, form.replace("~", "").replace("s", "g")) for value in values}


def told_apart(values: np.ndarray, form: str, scale: str) -> float:
    """How many differ as they are written, over how many do with two digits: of each, or of what all reach over."""
    if scale == "log":
        return len(written(values, form)) / len(written(values, ".1e"))
    hundredths = np.round((values - values[0]) / (values[-1] - values[0]) * 100)
    return len(written(values, form)) / len(set(hundredths.tolist()))


@pytest.mark.parametrize("lab", TRAINED, ids=lambda lab: lab.name)
def test_a_format_tells_numbers_apart_at_least_a_third_as_well_as_two_digits(lab: Laboratory) -> None:
    """In the middle one of its recorded runs: a format is of numbers of every size."""
    assert issubclass(lab.declared, Experiment)
    runs = [example(lab.declared, preset.slug) for preset in lab.declared.presets]
    blunt = {}
    for name, one in lab.declared.variables.items():
        recorded = [run[name].values.astype(float) for run in runs if name in run and run[name].dtype.kind in "fiu"]
        distinct = [np.unique(values[np.isfinite(values)]) for values in recorded]
        shares = [told_apart(values, one.format, one.scale) for values in distinct if values.size > 1]
        if shares and np.median(shares) < 1 / 3:
            blunt[name] = (one.format, np.median(shares))
    assert blunt == {}
