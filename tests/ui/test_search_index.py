"""What the search can find, and where it leads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from goldviz.declare.claims import claims
from goldviz.declare.glossary import terms
from goldviz.declare.registry import laboratories
from goldviz.declare.stories import stories
from goldviz.ui import chrome, search_index
from goldviz.ui.search_index import Entry, entries
from tests.javascript import node
from tests.pages.visit import HOME, LABORATORY, Visitor

PEOPLE_TYPE = {
    "RNN": "recurrent-gradients",
    "vanishing": "depth-gradients",
    "FinBERT": "inside-bert",
    "BPTT": "recurrent-gradients",
    "attention head": "inside-bert",
    "gold price": "gold-market",
    "skip connection": "depth-gradients",
    "neural ODE": "ode-rnn",
    "byte pair encoding": "text-tokens",
    "nanoGPT": "char-gpt",
    "backtest": "gold-forecast",
    "my own loop": "your-network",
    "eq. 8": "recurrent-gradients",
}
"""The field's words, and a page to which one of the first answers leads."""
SLIPS = {"vanihsing": "vanishing", "attenton": "attention", "trasnformer": "transformer", "gradeint": "gradient"}


def found(folder: Path, *typed: str) -> dict[str, list[Entry]]:
    """What the browser's own code answers to each."""
    (folder / "list.json").write_text(search_index.as_json(), encoding="utf-8")
    answers = json.loads(node("search_all.mjs", json.dumps(typed), folder / "list.json"))
    return {words: [entries()[number] for number in numbers] for words, numbers in zip(typed, answers, strict=True)}


def test_the_fields_words_lead_to_their_laboratories(tmp_path: Path) -> None:
    files = {page.path: page.file for page in [*chrome.laboratories(), *chrome.pages_of_no_laboratory()]}
    answers = found(tmp_path, *PEOPLE_TYPE)
    for typed, path in PEOPLE_TYPE.items():
        assert files[path] in [entry.file for entry in answers[typed]], typed


def test_a_slip_of_the_keys_finds_what_was_meant(tmp_path: Path) -> None:
    answers = found(tmp_path, *SLIPS, *SLIPS.values(), "xqzv")
    for slip, meant in SLIPS.items():
        assert answers[slip], slip
        assert {entry.title for entry in answers[slip]} & {entry.title for entry in answers[meant]}
    assert answers["xqzv"] == []


def test_everything_that_has_a_name_can_be_found_by_it() -> None:
    titles = {entry.title for entry in entries()}
    assert titles >= {lab.declared.title for lab in laboratories().values()}
    assert titles >= {preset.name for lab in laboratories().values() for preset in lab.declared.presets}
    assert titles >= {story.title for _, story in stories().values()}
    assert titles >= {term.name for term in terms()}
    assert {entry.title.partition(" ")[0] for entry in entries() if entry.kind == "Claim"} == set(claims())


def one_of_each_kind() -> Iterator[Entry]:
    kinds = set()
    for entry in entries():
        if entry.kind not in kinds:
            kinds.add(entry.kind)
            yield entry


@pytest.mark.parametrize("entry", [*one_of_each_kind()], ids=lambda entry: entry.kind)
def test_what_is_chosen_is_opened_as_it_was_meant(entry: Entry) -> None:
    visitor = Visitor(entry.file, dict(entry.query))
    assert not visitor.errors
    assert not visitor.warnings


def test_who_only_draws_a_page_does_not_wait_for_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    def made() -> None:
        raise AssertionError("the list was made")

    monkeypatch.setattr(search_index, "entries", made)
    for page in (HOME, LABORATORY):
        assert not Visitor(page).at.exception
