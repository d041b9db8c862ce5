"""Every system that the documents tell of has a laboratory with a page, and stands in a section that there is."""

import re

import pytest

from goldviz.declare.claims import claims
from goldviz.declare.registry import laboratories
from tests.labs.laboratories_table import ROOT, System, listed, system_row

LISTED, DOCUMENTS = listed()
NUMBERED = re.compile(r"\d+(?:\.\d+)*")
CHAPTERS = {
    "001": ("1", "2", "3", "4", "5"),
    "002": ("1", "2", "3", "4", "5"),
    "003": ("softmax", "clipping"),
    "004": ("3",),
}
"""Of each document, the chapters of which a system has to be listed."""


@pytest.mark.parametrize("system", LISTED, ids=lambda system: system.name)
def test_a_system_has_a_page_and_a_section(system: System) -> None:
    assert system.section in DOCUMENTS[system.document].sections
    assert system.laboratories
    for name in system.laboratories:
        page = ROOT / "pages" / f"{laboratories()[name].folder}.py"
        assert f"goldviz.labs.{page.stem}.page" in page.read_text(encoding="utf-8")


def test_each_is_listed_once_and_every_chapter_has_one() -> None:
    names = [system.name for system in LISTED]
    assert len(set(names)) == len(names)
    for document, chapters in CHAPTERS.items():
        of_it = {system.section.split(".")[0] for system in LISTED if system.document == document}
        assert set(chapters) <= of_it, document


def test_claims_stand_in_sections_that_are_listed() -> None:
    """What claims cite by number is in the list."""
    for claim in claims().values():
        section = NUMBERED.match(claim.place.split(", ")[1])
        assert section is None or section[0] in DOCUMENTS[claim.document].sections, claim.place


def test_a_laboratory_that_is_not_there_is_no_row() -> None:
    with pytest.raises(KeyError, match="no-such"):
        system_row(System("Nothing", "001", "1.1", ("no-such",)), {})
