"""Frames of every laboratory's figures: Python and the browser fill a template alike, and it grows without a seam."""

import base64
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from goldviz.declare.laboratory import Laboratory
from goldviz.export.report import LARGEST, report_of_run
from goldviz.figures.frames import AtStep
from goldviz.figures.reading import GROWING
from goldviz.figures.table import Arrays, FrameTable, packed
from goldviz.runs.examples import example
from tests.export.report_parts import message_in
from tests.javascript import node
from tests.labs.small_runs import EVERY_TRAINED, REPRESENTED, TRAINED
from tests.thinned import represented

EXAMPLES = represented((lab, preset.slug) for lab in TRAINED for preset in lab.declared.presets)
CLOSE = 1e-6


def decoded(value: Any) -> Any:
    """A part of a figure's JSON with its bytes as numbers."""
    if isinstance(value, dict) and "bdata" in value:
        numbers = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
        shape = [int(side) for side in str(value.get("shape", numbers.size)).split(",")]
        return decoded(numbers.reshape(shape).tolist())
    if isinstance(value, dict):
        return {name: decoded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [decoded(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """Where two figures differ; what is not said is the same as null."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one.keys() | other.keys():
            yield from differences(one.get(name), other.get(name), f"{place}/{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{place}/{number}")
    elif isinstance(one, int | float) and isinstance(other, int | float):
        if not math.isclose(one, other, rel_tol=CLOSE):
            yield f"{place}: {one} and {other}"
    elif one != other:
        yield f"{place}: {one!r} and {other!r}"


def parts_of(lab: Laboratory) -> list[list[str]]:
    """The figures that a page shows together: its first part, and each of the others over the one below."""
    page = lab.part("page").PAGE
    first = [name for name in (page.main, page.beside, page.below) if name]
    below = [page.below] if page.below else []
    return [first, *([name, *below] for name in page.figures if name not in first)]


@pytest.mark.parametrize(("lab", "slug"), EXAMPLES, ids=str)
def test_python_and_the_browser_fill_every_figure_alike_and_at_the_slider_s_step(
    lab: Laboratory, slug: str, tmp_path: Path
) -> None:
    run, figures = example(lab.declared, slug), lab.figures().FIGURES
    recorded = run[run.attrs["step_dimension"]].values
    steps = sorted({int(recorded[0]), int(recorded[len(recorded) // 2]), int(recorded[-1])})
    table, arrays = FrameTable("light"), Arrays()
    table.bring("finished", run, None)
    (tmp_path / "message").write_bytes(packed(table.since(None, [], figures, arrays), arrays))
    shown = json.dumps(parts_of(lab))
    said = json.loads(node("fill_all.mjs", tmp_path / "message", tmp_path / "filled.json", json.dumps(steps), shown))
    for part, in_view, named in said:
        assert all(step == in_view for name in part for step in named.get(name, [])), (part, in_view, named)
    filled = json.loads((tmp_path / "filled.json").read_text())
    assert filled.keys() == figures.keys()
    first_look = int(run["look"].values[0]) if run.sizes.get("look") else 0
    for name, spec in figures.items():
        # What has no frames is drawn at each look by itself, and before the first there is nothing to see.
        for step in [step for step in steps if spec.frames or step >= first_look]:
            at_step = filled[name][str(step)]
            assert at_step["exact"], (name, step)
            drawn = json.loads(spec.draw(run, epoch=step).to_json())
            found = list(differences(decoded(drawn), decoded(at_step["figure"])))
            assert not found, (name, step, found[:3])


def as_it_was(run: xr.Dataset, step: int) -> xr.Dataset:
    """A run when this step had been recorded, and nothing after it."""
    over = step >= int(run[run.attrs["step_dimension"]].values[-1])
    so_far = run.sel({dim: slice(None, step) for dim in GROWING if dim in run.dims})
    return so_far.assign_attrs(status=run.attrs["status"] if over else "running")


@REPRESENTED
def test_a_table_that_grew_is_the_same_as_one_drawn_at_once(lab: Laboratory) -> None:
    run, figures = example(lab.declared, lab.declared.presets[0].slug), lab.figures().FIGURES
    last = int(run[run.attrs["step_dimension"]].values[-1])
    grown, at_once = FrameTable("light"), FrameTable("light")
    for step in (1, last // 3, last // 3 + 1, last // 3 + 1, last):
        grown.bring(step, as_it_was(run, step), None)
        grown.since(None, [], figures, Arrays())
    at_once.bring("all", run, None)
    at_once.since(None, [], figures, Arrays())
    for name, drawn in at_once.drawn.items():
        other = grown.drawn[name]
        assert json.loads(other.figure) == json.loads(drawn.figure), name
        assert other.kept == drawn.kept, name
        for one, two in zip(drawn.rows, other.rows, strict=True):
            assert not list(differences(in_words(one), in_words(two))), name


@EVERY_TRAINED
def test_before_a_run_s_first_look_no_figure_names_steps_that_are_not_there(lab: Laboratory) -> None:
    run = as_it_was(example(lab.declared, lab.declared.presets[0].slug), 1)
    early = run.drop_dims([dim for dim in GROWING if dim in run.dims and dim != run.attrs["step_dimension"]])
    table = FrameTable("light")
    table.bring("begun", early, None)
    sent = table.since(None, [], lab.figures().FIGURES, Arrays())
    for name, figure in sent["figures"].items():
        assert figure["kept"].keys() <= sent["steps"].keys(), name


def in_words(row: AtStep | np.ndarray) -> Any:
    """A row as JSON has it."""
    values = {"dim": row.dim, "values": row.values} if isinstance(row, AtStep) else row
    return decoded(json.loads(json.dumps(values, default=lambda array: array.tolist())))


def test_a_figure_without_frames_is_sent_whole_when_its_run_is_over() -> None:
    lab = next(lab for lab in TRAINED if lab.name == "gold-forecast")
    run = example(lab.declared, lab.declared.presets[0].slug)
    specs = {"calibration": lab.figures().FIGURES["calibration"]}
    table = FrameTable("light")
    table.bring("running", run.assign_attrs(status="running"), None)
    growing = table.since(None, [], specs, Arrays())
    assert growing["figures"]["calibration"]["redrawn"]
    table.bring("finished", run, None)
    over = table.since(growing["version"], ["calibration"], specs, Arrays())["figures"]["calibration"]
    assert not over["redrawn"]
    assert over["kept"]["look"] == {"from": 0, "places": list(range(run.sizes["look"]))}
    assert {row["from"] for row in over["rows"]} == {0}


@pytest.mark.slow
@pytest.mark.parametrize(("lab", "slug"), EXAMPLES, ids=str)
def test_a_report_draws_what_the_page_draws_at_its_first_middle_and_last_step(
    lab: Laboratory, slug: str, tmp_path: Path
) -> None:
    run, figures = example(lab.declared, slug), lab.figures().FIGURES
    report = report_of_run(lab.declared.preset(slug), run, figures)
    assert len(report.encode()) <= LARGEST
    header, arrays = message_in(report)
    [lane], sent = header["lanes"], Arrays()
    sent.parts = [arrays]
    (tmp_path / "message").write_bytes(packed(lane, sent))
    labels = lane["steps"].get(run.attrs["step_dimension"], {}).get("labels") or [lane["last"]]
    steps = sorted({labels[0], labels[len(labels) // 2], labels[-1]})
    node("fill_all.mjs", tmp_path / "message", tmp_path / "filled.json", json.dumps(steps), "[]")
    filled = json.loads((tmp_path / "filled.json").read_text())
    first_look = int(run["look"].values[0]) if run.sizes.get("look") else 0
    assert filled
    for name, at_steps in filled.items():
        for step in [step for step in steps if figures[name].frames or step >= first_look]:
            drawn = json.loads(figures[name].draw(run, epoch=step).to_json())
            found = list(differences(decoded(drawn), decoded(at_steps[str(step)]["figure"])))
            assert not found, (name, step, found[:3])
