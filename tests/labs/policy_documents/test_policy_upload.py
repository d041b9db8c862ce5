"""The dialog in which documents are brought."""

from datetime import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from goldviz.data.texts.kept_documents import documents_at_hand

pytestmark = pytest.mark.usefixtures("on_pages")

ROWS = "".join(f"{month:02d}/02/2024,Minutes,The council kept rates in month {month}.\n" for month in (1, 3, 2))


def page() -> None:
    import streamlit as st

    from goldviz.labs.policy_documents.parts import upload as policy_upload

    # An app under test runs as a whole where a browser runs the dialog alone, so it is opened at every run.
    if "chosen" not in st.session_state:
        policy_upload.ask(lambda name: st.session_state.update(chosen=name))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    documents_at_hand.cache_clear()


def opened(*files: tuple[str, bytes]) -> AppTest:
    at = AppTest.from_function(page, default_timeout=60).run()
    at.file_uploader(key="policy-files").set_value([(name, content, "text/plain") for name, content in files])
    at.run()
    assert not at.exception
    return at


def test_a_table_is_looked_into_asked_about_and_kept() -> None:
    at = opened(("mine.csv", f"Date,Type,Text\n{ROWS}".encode()))
    assert at.markdown[-1].value.startswith("**3 rows**") or any("**3 rows**" in line.value for line in at.markdown)
    assert at.info[0].value == "Choose how the dates are to be read."
    at.radio(key="policy-day-first").set_value(True)
    at.number_input(key="policy-wait").set_value(30)
    at.run()
    at.button(key="use-documents").click()
    at.run()
    documents = documents_at_hand(at.session_state["chosen"])
    assert [text.about.isoformat() for text in documents.texts] == ["2024-02-01", "2024-02-02", "2024-02-03"]
    assert documents.texts[0].released.isoformat() == "2024-03-02"


def test_what_is_assumed_of_old_documents_is_said() -> None:
    at = opened(("2004-11-10 minutes.txt", b"Rates rose."))
    said = " ".join(caption.value for caption in at.caption)
    assert "Before 2004-12-14 it is 60" in said
    assert "out at 14:15" in said
    at.time_input(key="policy-clock").set_value(time(12, 30))
    at.run()
    assert not any("out at 14:15" in caption.value for caption in at.caption)


def test_text_files_are_read_together() -> None:
    at = opened(("2024-01-31 statement.txt", b"Rates rose."), ("2024-03-20.md", b"Rates fell."))
    at.button(key="use-documents").click()
    at.run()
    assert documents_at_hand(at.session_state["chosen"]).origin == "2 files"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([("a.csv", b"Name,Text\nA,Rates <b>rose</b>\n")], "has no column of dates"),
        ([("a.csv", b"\x00" * 100)], "binary"),
        ([("a.csv", b"Date,Text\n2024-01-01,x\n"), ("b.txt", b"x")], "holds all documents by itself"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(files: list[tuple[str, bytes]], words: str) -> None:
    at = opened(*files)
    assert any(words in error.value for error in at.error)
    assert "chosen" not in at.session_state


def test_files_without_a_date_are_refused_when_they_are_to_be_used() -> None:
    at = opened(("*statement*.txt", b"Rates rose."))
    at.button(key="use-documents").click()
    at.run()
    assert "\\*statement\\*" in at.error[0].value


def test_the_generated_documents_can_be_chosen() -> None:
    at = AppTest.from_function(page, default_timeout=60).run()
    at.button(key="use-generated").click()
    at.run()
    assert at.session_state["chosen"] == "generated"
