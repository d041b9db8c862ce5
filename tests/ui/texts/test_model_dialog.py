"""What the dialog of models lists and does, without its frame."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from goldviz.data.hub.models import HubFile, HubListing
from goldviz.models.text.loading import SHIPPED_NAME
from goldviz.text_models import MINILM as PUBLISHED
from goldviz.ui.panels import background
from goldviz.ui.serving import services
from goldviz.ui.texts import model_dialog as text_model_dialog
from goldviz.ui.texts.model_dialog import megabytes
from tests.random_bert import write_random_bert
from tests.runs.conftest import until

REPO = "owner/model"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("GOLDVIZ_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    monkeypatch.setattr(text_model_dialog, "held", lambda repo: None)
    yield tmp_path / "models"
    background.forget(f"download-{REPO}")
    services.close()


def _here() -> None:
    import streamlit as st

    from goldviz.ui.texts import model_dialog as text_model_dialog

    text_model_dialog._here(lambda name: st.session_state.update(used=name), optional=True)


def _hub() -> None:
    import streamlit as st

    from goldviz.ui.texts import model_dialog as text_model_dialog

    text_model_dialog._hub(lambda name: st.session_state.update(used=name))
    text_model_dialog.show_download(lambda name: st.session_state.update(used=name))


def _shown(script: Callable[[], None]) -> AppTest:
    at = AppTest.from_function(script, default_timeout=30).run()
    assert not at.exception
    return at


def test_models_of_this_machine_can_be_chosen(place: Path) -> None:
    write_random_bert(place / "own <b>")
    write_random_bert(place / "mine")
    (place / "empty").mkdir()
    at = _shown(_here)
    offered = [option.replace("\\", "") for option in at.radio[0].options]
    assert [option for option in offered if option != f"Folder {PUBLISHED}"] == [
        "The same model",
        f"{SHIPPED_NAME}, which comes with goldviz",
        "Folder mine",
    ]
    at.radio[0].set_value("folder:mine").run()
    at.button(key="use-text-model").click().run()
    assert at.session_state["used"] == "folder:mine"


def test_a_hub_that_may_not_be_asked_is_told_and_nothing_is_asked_before_the_button(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GOLDVIZ_HUB", "off")
    at = _shown(_hub)
    at.selectbox[0].set_value("ProsusAI/finbert").run()
    assert not at.error
    at.button(key="look-up-model").click().run()
    assert "ProsusAI/finbert" in at.error[0].value.replace("\\", "")


def test_a_name_that_is_none_is_told() -> None:
    at = _shown(_hub)
    at.text_input[0].set_value("../etc").run()
    assert not at.exception
    assert at.error


def test_a_download_shows_its_size_progress_and_stop_and_then_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    there: list[Path] = []
    go_on: list[int] = []
    listing = HubListing(REPO, "0" * 40, (HubFile("config.json", 400, "0" * 40),), 441_551_705, False, ("A note.",))

    def download(repo: str, report: Callable[[int, int], None], **_: Any) -> Path:
        while not go_on:
            report(100, 400)
            time.sleep(0.01)
        there.append(Path(repo))
        return there[0]

    monkeypatch.setattr(text_model_dialog, "look_up", lambda repo: listing)
    monkeypatch.setattr(text_model_dialog, "download", download)
    monkeypatch.setattr(text_model_dialog, "held", lambda repo: there[0] if there else None)
    at = _shown(_hub)
    at.text_input[0].set_value(REPO).run()
    at.button(key="look-up-model").click().run()
    assert any("1 file, 442 MB" in line.value for line in at.markdown)
    at.button(key="download-model").click().run()
    assert at.button(key=f"stop-download-{REPO}").label == "Stop"
    assert any("A note" in caption.value for caption in at.caption)
    at.button(key=f"stop-download-{REPO}").click().run()
    _wait_for("stopped")
    at.run()
    assert any("What has come so far is kept" in caption.value for caption in at.caption)
    go_on.append(1)
    at.button(key="download-again").click().run()
    _wait_for("done")
    at.run()
    at.button(key="use-downloaded").click().run()
    assert at.session_state["used"] == REPO
    assert not at.exception


def _wait_for(state: str) -> None:
    until(lambda: (job := background.job(f"download-{REPO}")) is None or job.state == state)


def test_bytes_are_told_in_megabytes() -> None:
    assert [megabytes(count) for count in (441_551_705, 226_000)] == ["442 MB", "0.2 MB"]
