"""Files that a visitor chose are kept under their keys, read once by a worker, and held by the server no longer."""

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing import spawn
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from goldviz.data.tables.brought_files import BROUGHT_FILES
from goldviz.runs.jobs.jobs import Jobs, Task
from goldviz.ui.serving import services
from tests.conftest import MAIN
from tests.runs.conftest import until
from tests.runs.job_tasks import process

DAYS = pd.bdate_range("2020-01-01", periods=200)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    services.jobs().results.clear()
    return tmp_path


def page() -> None:
    import streamlit as st

    from goldviz.ui.markets import upload

    st.text("above")
    market = upload.show(None)
    if market is not None:
        st.session_state["taken"] = market


def csv() -> bytes:
    return pd.DataFrame({"Date": DAYS, "Close": 1900 + DAYS.day}).to_csv(index=False).encode()


def workbook(columns: int) -> bytes:
    sink = io.BytesIO()
    frame = pd.DataFrame({f"Close {place}": 1900 + DAYS.day for place in range(columns)}, index=DAYS)
    frame.to_excel(sink)
    return sink.getvalue()


def look(at: AppTest) -> AppTest:
    at.run(timeout=120)
    assert not at.exception
    return at


def bring(at: AppTest, name: str, content: bytes) -> AppTest:
    at.file_uploader[0].set_value([(name, content, "")])
    return look(at)


def errors(at: AppTest) -> list[str]:
    return [error.value.replace("\\", "") for error in at.error]


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


@pytest.fixture
def managers(monkeypatch: pytest.MonkeyPatch) -> list[MemoryUploadedFileManager]:
    """What holds the bytes of uploaded files, of each page that a test draws."""
    managers: list[MemoryUploadedFileManager] = []

    def made(self: LocalScriptRunner, *arguments: Any, **named: Any) -> None:
        start(self, *arguments, **named)
        managers.append(self._uploaded_file_mgr)  # type: ignore[arg-type]

    start = LocalScriptRunner.__init__
    monkeypatch.setattr(LocalScriptRunner, "__init__", made)
    return managers


def held(managers: list[MemoryUploadedFileManager]) -> list[int]:
    return [len(file.data) for files in managers[-1].file_storage.values() for file in files.values()]


def test_a_file_is_read_once_and_its_bytes_are_let_go_of(managers: list[MemoryUploadedFileManager]) -> None:
    at = bring(look(AppTest.from_function(page)), "gold.csv", csv())
    assert "Use these data" in labels(at)
    assert held(managers) == [0], "Streamlit holds no byte of a file that is kept"
    [kept] = BROUGHT_FILES.path("x").parent.iterdir()
    kept.unlink()
    assert "Use these data" in labels(look(at)), "what was read is not read again"
    assert not at.error


def test_bytes_of_too_many_files_are_let_go_of(managers: list[MemoryUploadedFileManager]) -> None:
    at = look(AppTest.from_function(page))
    at.file_uploader[0].set_value([(f"gold {place}.csv", csv(), "") for place in range(13)])
    assert errors(look(at)) == ["13 files were chosen; allowed are at most 12."]
    assert held(managers) == [0] * 13


def test_bytes_of_a_file_beyond_the_size_are_let_go_of(
    managers: list[MemoryUploadedFileManager], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goldviz.data.markets.files.LARGEST_FILE", 1000)
    at = bring(look(AppTest.from_function(page)), "gold.csv", csv())
    assert "gold.csv has" in errors(at)[0]
    assert held(managers) == [0]
    assert errors(look(at)) == errors(at), "the sentence stays as the page is drawn again"


def documents_page() -> None:
    from goldviz.labs.policy_documents.parts import upload

    upload.ask(lambda _: None)


def test_bytes_of_documents_that_do_not_go_together_are_let_go_of(managers: list[MemoryUploadedFileManager]) -> None:
    at = look(AppTest.from_function(documents_page))
    at.file_uploader[0].set_value([("a.csv", b"Date,Text\n2024-01-01,x\n", ""), ("b.txt", b"x", "")])
    assert "holds all documents by itself" in errors(look(at))[0]
    assert held(managers) == [0, 0]


def text_page() -> None:
    from goldviz.labs.inside_bert.parts import text
    from goldviz.labs.inside_bert.settings import InsideBert
    from goldviz.ui.panels import controls

    controls.ensure(InsideBert)
    text.text_box()


@pytest.mark.parametrize(
    "content", [b"Prices rose.", b"Prices rose. " * 10**5, bytes(99)], ids=["short", "long", "binary"]
)
def test_bytes_of_a_text_for_the_box_are_let_go_of(content: bytes, managers: list[MemoryUploadedFileManager]) -> None:
    at = look(AppTest.from_function(text_page))
    at.file_uploader[0].set_value(("own.txt", content, "text/plain"))
    look(at)
    assert held(managers) == [0]


def test_a_refusal_is_an_answer_that_is_not_asked_for_again() -> None:
    at = bring(look(AppTest.from_function(page)), "gold.csv", b"Date,Close\n")
    [kept] = BROUGHT_FILES.path("x").parent.iterdir()
    kept.unlink()
    [said] = errors(look(at))
    assert said.startswith("gold.csv has no rows under its header")
    assert "Try again" not in labels(at)


def test_a_file_that_the_server_has_let_go_of_is_asked_for_again() -> None:
    at = bring(look(AppTest.from_function(page)), "gold.csv", csv())
    services.jobs().results.clear()
    [kept] = BROUGHT_FILES.path("x").parent.iterdir()
    kept.unlink()
    [said] = errors(look(at))
    assert said == "gold.csv is no longer on this server, which needed its room: choose it again."


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Jobs]:
    usual = spawn.get_preparation_data

    def prepared(name: str) -> Any:
        # Streamlit's test harness leaves its script there, which a new worker would import.
        sys.modules["__main__"] = MAIN
        return usual(name)

    monkeypatch.setattr(spawn, "get_preparation_data", prepared)
    monkeypatch.setenv("GOLDVIZ_JOB_WORKERS", "1")
    services.close()
    yield services.jobs()
    services.close()


@pytest.mark.slow
def test_a_file_that_takes_its_worker_down_gives_a_sentence_and_the_page_works_on(worker: Jobs) -> None:
    pid = worker.wait(Task("who", process, (), "Looking", 1.0))
    assert pid != os.getpid()
    at = look(AppTest.from_function(page))
    killer = threading.Thread(target=_kill_once_it_reads, args=(worker, pid))
    killer.start()
    bring(at, "wide.xlsx", workbook(190))
    killer.join()
    [said] = errors(at)
    assert said == "The worker process that did this died: it was killed from outside, or ran out of memory."
    assert at.text[0].value == "above"
    [again] = [button for button in at.button if button.label == "Try again"]
    again.click()
    assert "Use these data" in labels(look(at))
    assert not at.error


def _kill_once_it_reads(jobs: Jobs, pid: int) -> None:
    until(lambda: not jobs.idle)
    until(lambda: any(job.total for job in list(jobs._line.values())))
    os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
def test_what_a_hostile_workbook_takes_is_a_worker_s_and_little(worker: Jobs) -> None:
    from tests.hostile_workbooks import huge_row_number, row_of_empty_cells

    worker.wait(Task("who", process, (), "Looking", 1.0))
    own = psutil.Process()
    for made, refused in ((huge_row_number(), True), (row_of_empty_cells(), False)):
        before = sum(own.cpu_times()[:2])
        at = bring(look(AppTest.from_function(page)), "gold.xlsx", made)
        assert ["takes more memory or time than" in said for said in errors(at)] == [True] * refused
        assert ("Use these data" in labels(at)) is not refused
        assert sum(own.cpu_times()[:2]) - before < 10
