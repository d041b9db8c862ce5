"""What every laboratory of the registry promises, whatever it is about. A new folder is held to it from its first day.

Its ``cases.py`` names small runs. What training keeps stands in ``test_contract_runs.py``, pages in
``test_contract_pages.py``.
"""

import xml.etree.ElementTree as ET
from collections.abc import Mapping

import numpy as np
import pytest
import xarray as xr

from goldviz.declare.laboratory import Laboratory, laboratory_of
from goldviz.declare.settings import Experiment
from goldviz.figures.spec import FigureSpec
from goldviz.runs.examples import example, has_example, picture_path
from tests.labs.laboratories_table import FILE, ROOT, table
from tests.labs.small_runs import EVERY_LABORATORY, EVERY_TRAINED, REPRESENTED, TRAINED, cases
from tests.thinned import represented

RECORDED = pytest.mark.parametrize(
    ("lab", "slug"),
    [(lab, preset.slug) for lab in TRAINED for preset in lab.declared.presets],
    ids=lambda part: part if isinstance(part, str) else part.name,
)
SOME_RECORDED = pytest.mark.parametrize(
    ("lab", "slug"),
    represented(((lab, preset.slug) for lab in TRAINED for preset in lab.declared.presets), ordinary=2),
    ids=lambda part: part if isinstance(part, str) else part.name,
)
SEVERITIES = ("bad", "warning", "good")


def most_findings(lab: Laboratory) -> int:
    return getattr(cases(lab), "MOST_FINDINGS", 5)


def figures_of(lab: Laboratory) -> Mapping[str, FigureSpec]:
    return getattr(lab.figures(), "FIGURES", {})


@EVERY_LABORATORY
def test_presets_are_of_the_document_break_it_and_mend_it(lab: Laboratory) -> None:
    first, *others = lab.declared.presets
    assert not first.name.startswith(("Break it: ", "Fix it: "))
    assert lab.declared.preset(first.slug) == lab.declared()
    assert any(preset.name.startswith("Break it: ") for preset in others)
    slugs = [preset.slug for preset in lab.declared.presets]
    assert len(set(slugs)) == len(slugs)
    settings = [lab.declared.preset(slug).model_dump_json() for slug in slugs]
    assert len(set(settings)) == len(settings), "every preset has a link of its own"
    for preset in lab.declared.presets:
        assert preset.words.endswith((".", "?")), preset.name
        assert lab.declared.preset(preset.slug).like_preset() == preset


@EVERY_LABORATORY
def test_it_says_what_it_asks_and_where_to_read_more(lab: Laboratory) -> None:
    assert lab.declared.question.endswith("?")
    assert lab.declared.title in (ROOT / cases(lab).DOCUMENTED_IN).read_text(encoding="utf-8")
    picture = ET.fromstring(picture_path(lab).read_text(encoding="utf-8"))
    assert picture.tag.endswith("svg")


@EVERY_LABORATORY
def test_every_figure_says_its_question_what_it_shows_and_what_it_cannot(lab: Laboratory) -> None:
    for name, figure in figures_of(lab).items():
        assert figure.question.endswith("?"), name
        assert figure.shows.endswith("."), name
        assert figure.cannot_show.endswith("."), name


@RECORDED
def test_a_recorded_example_is_of_today_s_declaration(lab: Laboratory, slug: str) -> None:
    declared = lab.declared
    assert issubclass(declared, Experiment)
    assert has_example(declared, slug)
    dataset = example(declared, slug)
    assert declared.checked_json(dataset.attrs["settings"]) == declared.preset(slug)
    assert dataset.attrs["status"] in ("finished", "diverged")
    assert set(dataset.data_vars) <= set(declared.variables)
    for name, array in dataset.data_vars.items():
        assert array.dims == declared.variables[str(name)].dims, name


@REPRESENTED
def test_runs_side_by_side_share_their_axes(lab: Laboratory) -> None:
    datasets = [example(lab.declared, preset.slug) for preset in lab.declared.presets[:3]]
    limits = lab.figures().shared_limits(datasets)
    assert limits
    for figure in figures_of(lab).values():
        for dataset in datasets:
            assert figure.draw(dataset, limits=limits).settled().to_json()


@EVERY_TRAINED
def test_a_run_that_has_just_begun_is_drawn_as_such(lab: Laboratory) -> None:
    dataset = example(lab.declared, lab.declared.presets[0].slug)
    variables = lab.declared.variables
    grows = {variable.dims[0] for variable in variables.values() if not variable.once}
    at_the_end = [name for name, variable in variables.items() if variable.once and name in dataset]
    empty = dataset.isel({dim: slice(0, 0) for dim in grows}).drop_vars(at_the_end)
    for figure in figures_of(lab).values():
        made = figure(empty)
        assert not made.data, figure.question
        assert made.layout.annotations, f"{figure.question} does not say why nothing is drawn"
    assert lab.findings(lab.declared(), empty) == []


@RECORDED
def test_findings_are_few_sorted_and_advise_what_is_allowed(lab: Laboratory, slug: str) -> None:
    settings = lab.declared.preset(slug)
    found = laboratory_of(settings).findings(settings, example(lab.declared, slug))
    assert lab.has("findings") <= len(found) <= most_findings(lab)
    ranks = [SEVERITIES.index(finding.severity) for finding in found]
    assert ranks == sorted(ranks)
    kinds = [finding.kind for finding in found]
    assert len(set(kinds)) == len(kinds)
    for finding in found:
        assert finding.number, finding.kind
        assert bool(finding.advice) == bool(finding.changes), finding.kind
        assert settings.changed(**finding.changes).estimated_seconds() > 0


@SOME_RECORDED
def test_without_a_variable_findings_go_and_others_come_only_in_their_place(lab: Laboratory, slug: str) -> None:
    settings, dataset = lab.declared.preset(slug), example(lab.declared, slug)
    known = {(finding.kind, finding.severity) for finding in laboratory_of(settings).findings(settings, dataset)}
    for missing in set(dataset.data_vars):
        found = {
            (finding.kind, finding.severity)
            for finding in laboratory_of(settings).findings(settings, dataset.drop_vars(missing))
        }
        assert found <= known or known - found, f"without {missing}: {found - known}"


@REPRESENTED
def test_numbers_that_are_none_are_drawn_and_judged_without_a_warning(lab: Laboratory) -> None:
    """Warnings are errors here; a diverged run is full of what is no number."""
    settings = lab.declared()
    dataset = example(lab.declared, lab.declared.presets[0].slug)
    for value in (np.nan, np.inf, 0.0):
        odd = dataset.map(
            lambda array, value=value: xr.full_like(array, value) if array.dtype.kind == "f" else array, keep_attrs=True
        )
        for figure in figures_of(lab).values():
            assert figure.draw(odd).settled().to_json()
        if not np.isinf(value):  # A share that is infinite cannot be recorded.
            assert len(laboratory_of(settings).findings(settings, odd)) <= most_findings(lab)


def test_the_page_about_laboratories_is_of_today() -> None:
    assert FILE.read_text(encoding="utf-8") == table(), "make laboratories writes it anew"
