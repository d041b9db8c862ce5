"""A preset opens on what it promises: its recorded run's first figure has finite numbers at the step that is in view,
and those that its words tell."""

from math import inf
from typing import Any

import numpy as np
import pytest

from goldviz.declare.laboratory import Laboratory
from goldviz.figures.reading import OVER
from goldviz.runs.examples import has_example
from goldviz.ui.panels import lanes
from tests.labs.figure_words import words
from tests.labs.preset_promises import OF_THE_LOSS, PROMISES
from tests.labs.small_runs import TRAINED
from tests.thinned import represented

RECORDED = [
    (lab, preset.slug) for lab in TRAINED for preset in lab.declared.presets if has_example(lab.declared, preset.slug)
]


def _id(value: Any) -> str:
    return str(getattr(value, "name", value))


EVERY_RECORDED = pytest.mark.parametrize(("lab", "slug"), represented(RECORDED, inf), ids=_id)


def is_seen(trace: Any) -> bool:
    """Whether a trace has a finite number: a height, a colour, or a length along x where y is words."""
    for values in (trace.z if trace.type == "heatmap" else None, trace.y, trace.x):
        numbers = np.asarray([] if values is None else values)
        if numbers.size and numbers.dtype.kind in "fiu":
            return bool(np.isfinite(numbers).any())
    return False


def first_figure_of(lab: Laboratory, slug: str) -> Any:
    """What stands first when a preset was chosen, at the step at which its run opens."""
    lane = lanes.read(lab.declared, lanes.EXAMPLE + slug)
    page = lab.part("page").PAGE
    preset = next(one for one in lab.declared.presets if one.slug == slug)
    name = "loss" if lab.name in OF_THE_LOSS and not preset.figure else page.first_figure([lane])
    return page.figures[name](lane.dataset, epoch=lane.last_finite_step or lane.last_step)


@EVERY_RECORDED
def test_its_first_figure_shows_finite_numbers_where_it_opens(lab: Laboratory, slug: str) -> None:
    figure = first_figure_of(lab, slug)
    assert not figure.data or any(is_seen(trace) for trace in figure.data), "a sentence says why nothing is drawn"


@pytest.mark.parametrize(
    ("lab", "slug"), [pair for pair in RECORDED if pair[1] in PROMISES.get(pair[0].name, {})], ids=_id
)
def test_its_first_figure_shows_what_its_words_say(lab: Laboratory, slug: str) -> None:
    assert PROMISES[lab.name][slug](first_figure_of(lab, slug))


def test_promises_are_of_presets_that_there_are() -> None:
    known = {(lab.name, slug) for lab, slug in RECORDED}
    assert {(name, slug) for name, promises in PROMISES.items() for slug in promises} <= known


@EVERY_RECORDED
def test_no_run_that_is_over_waits_for_its_test_loss(lab: Laboratory, slug: str) -> None:
    lane = lanes.read(lab.declared, lanes.EXAMPLE + slug)
    assert lane.records.attrs["status"] in OVER
    for name in lab.figures().FIGURES.keys() & {"loss"}:
        assert "follows" not in words(lab.figures().FIGURES[name](lane.dataset))
