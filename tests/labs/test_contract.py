"""What every laboratory of the registry promises, whatever it is about. A new folder is held to it from its first day.

Its ``cases.py`` names small runs. What training keeps stands in ``test_contract_runs.py``, pages in
``test_contract_pages.py``.
"""

import re

import numpy as np
import pytest
import xarray as xr

from goldviz import contract
from goldviz.contract import figures_of
from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory, laboratory_of
from goldviz.declare.settings import Experiment
from goldviz.runs.examples import example, picture_path
from tests.labs.laboratories_table import FILE, ROOT, table
from tests.labs.small_runs import EVERY_LABORATORY, EVERY_TRAINED, REPRESENTED, TRAINED, cases
from tests.thinned import represented

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
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


def most_findings(lab: Laboratory) -> int:
    return getattr(cases(lab), "MOST_FINDINGS", contract.MOST_FINDINGS)


@EVERY_LABORATORY
def test_presets_are_of_the_document_break_it_and_mend_it(lab: Laboratory) -> None:
    assert [*contract.presets_hold(lab)] == []


@EVERY_LABORATORY
def test_what_it_offers_and_records_is_kept_for_the_tests(lab: Laboratory) -> None:
    names = [
        "offered.json",
        "outlines.json",
        *(["small.json"] if lab in TRAINED else []),
    ]
    folder = ROOT / "tests" / "labs" / lab.folder
    assert [name for name in names if not (folder / name).exists()] == [], f"make kept keeps it in {folder}"


@EVERY_LABORATORY
def test_it_says_what_it_asks_and_what_figures_show(lab: Laboratory) -> None:
    assert [*contract.words_hold(lab)] == []
    assert picture_path(lab).is_file()


@EVERY_LABORATORY
def test_its_picture_is_of_what_is_recorded(lab: Laboratory) -> None:
    declared = lab.declared
    if issubclass(declared, Experiment):
        seen = example(declared, declared.presets[0].slug)
    else:
        assert issubclass(declared, Instant)
        seen = declared().compute()
    picture = lab.figures().picture(seen)
    kept = picture_path(lab).read_text(encoding="utf-8").strip()
    assert NUMBER.sub("", picture) == NUMBER.sub("", kept), "make examples draws it anew"
    # Another processor may round a number the other way.
    numbers, kept_numbers = ([float(number) for number in NUMBER.findall(one)] for one in (picture, kept))
    assert numbers == pytest.approx(kept_numbers, abs=0.11)


@RECORDED
def test_a_recorded_example_is_of_today_s_declaration(lab: Laboratory, slug: str) -> None:
    assert [*contract.example_holds(lab, slug)] == []


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
    assert [*contract.begins_empty(lab, example(lab.declared, lab.declared.presets[0].slug))] == []


@RECORDED
def test_findings_are_few_sorted_and_advise_what_is_allowed(lab: Laboratory, slug: str) -> None:
    settings = lab.declared.preset(slug)
    assert [*contract.findings_hold(lab, settings, example(lab.declared, slug), most_findings(lab))] == []


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
