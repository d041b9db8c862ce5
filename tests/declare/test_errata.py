"""Errata: said once, and the document in ``docs/`` is made of them."""

from goldviz.declare.claims import DOCUMENTS
from goldviz.declare.errata import as_markdown, errata
from tests.places import ROOT


def test_every_erratum_is_of_a_document_whole_and_said_once() -> None:
    assert all(one.document in DOCUMENTS and one.place and one.says and one.holds for one in errata())
    assert len({(one.document, one.place, one.says) for one in errata()}) == len(errata())


def test_the_document_is_what_make_errata_writes() -> None:
    assert (ROOT / "docs" / "errata.md").read_text(encoding="utf-8") == as_markdown()
