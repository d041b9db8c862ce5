"""Models in the web process: small ones are read there, all others are handed over by a job."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from goldviz import text_models
from goldviz.labs.inside_bert import models
from goldviz.labs.inside_bert.models import Named, hand_over, model_at_hand, named, take_over
from goldviz.labs.inside_bert.parts import state
from goldviz.labs.inside_bert.parts.state import ReadText, model_named
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.labs.inside_bert.tasks import layer_seconds, reading_seconds
from goldviz.models.text.encoder import EncoderShape
from goldviz.models.text.model import TextModelError
from goldviz.runs.jobs.jobs import JobFailedError, Jobs, Task
from goldviz.text_models import loaded_models, text_model
from goldviz.ui.panels import background
from goldviz.ui.panels.background import AT_ONCE_SECONDS
from goldviz.ui.serving import services
from tests.pages.instant import InstantVisitor
from tests.refusals import refused
from tests.text_model_folders import with_classifier

pytestmark = pytest.mark.usefixtures("on_pages")
BASE = EncoderShape(12, 12, 768, 3072, 30_522, 512, 2, 0, "gelu", 1e-12)
BASE_BYTES = 440_000_000
SHORT = {"text": "Gold prices rose.", "model": "folder:m"}
FIRST = {"scores", "mixing", "network"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """One small model, and nothing remembered of it."""
    monkeypatch.setenv("GOLDVIZ_MODELS", str(tmp_path))
    yield with_classifier(tmp_path / "m")
    loaded_models.clear()
    services.jobs().results.clear()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading any model is thought to take a second."""
    monkeypatch.setattr(models, "SECONDS_TO_BEGIN", 1.0)


def test_a_page_reads_no_model_itself_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = []

    def noted(name: str) -> Any:
        readers.append(threading.current_thread().name)
        return resolve(name)

    resolve = text_models.resolve_text_model
    monkeypatch.setattr(text_models, "resolve_text_model", noted)
    at_once = InstantVisitor(InsideBert, SHORT).drawn()
    assert set(at_once) >= FIRST
    readers.clear()
    loaded_models.clear()
    services.jobs().results.clear()
    monkeypatch.setattr(background, "AT_ONCE_SECONDS", -1.0)
    visitor = InstantVisitor(InsideBert, SHORT)
    assert not visitor.errors
    assert {name: visitor.drawn()[name] for name in FIRST} == {name: at_once[name] for name in FIRST}
    assert readers
    assert {name.startswith("goldviz-job-") for name in readers} == {True}, "jobs read models, and nobody else"


def test_what_is_handed_over_is_the_same_model_until_its_files_change(slow: None, folder: Path, tmp_path: Path) -> None:
    model = model_named("folder:m")
    whole = text_model("folder:m")
    assert model is not whole
    assert (model.fingerprint, model.labels, model.notes) == (whole.fingerprint, whole.labels, whole.notes)
    theirs = whole.encoder.state_dict()
    assert all(torch.equal(weight, theirs[name]) for name, weight in model.encoder.state_dict().items())
    assert not any(weight.requires_grad for weight in model.encoder.parameters())
    assert model_named("folder:m") is model is model_at_hand("folder:m")
    assert not list(state._handing_place().iterdir()), "nothing is left on the disk"
    time.sleep(0.02)
    with_classifier(folder, seed=5)
    assert model_named("folder:m").fingerprint != model.fingerprint


def test_tasks_at_once_take_the_model_that_was_handed_over(slow: None, monkeypatch: pytest.MonkeyPatch) -> None:
    read = ReadText.cut("folder:m", "gold prices rose")
    monkeypatch.setattr(models, "text_model", lambda name: pytest.fail("the files were read again"))
    reading = state.reading_of(read)
    assert reading is not None
    assert reading.model is read.model


def test_of_two_who_wait_one_takes_it_for_both(slow: None, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_named("folder:m")
    loaded_models.forget(named("folder:m"))

    def gone(task: Task[str]) -> str:
        loaded_models.put(named("folder:m"), model)
        raise JobFailedError("Loading the model: stopped.")

    monkeypatch.setattr(background, "awaited", gone)
    assert model_named("folder:m") is model


def test_why_there_is_no_model_is_said_in_a_sentence(slow: None, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(TextModelError, match="This machine has no model folder 'gone'"):
        model_named("folder:gone")
    with pytest.raises(TextModelError, match="There is no run '0123456789ab'"):
        model_named("run:0123456789ab")
    (folder / "model.safetensors").write_bytes(b"rubbish" * 1000)
    with pytest.raises(TextModelError, match=r"^m: model.safetensors is damaged or cut off; get it again\.$"):
        model_named("folder:m")
    visitor = InstantVisitor(InsideBert, SHORT)
    assert any("damaged or cut off" in line.replace("\\", "") for line in visitor.markdown)
    with refused(TextModelError, "gone", "load the page again"):
        take_over(named("folder:m"), str(tmp_path / "gone.pt"))


def test_a_folder_without_room_is_told_and_left_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(model: object, file: object) -> None:
        raise RuntimeError("unexpected pos")

    monkeypatch.setattr(torch, "save", full)
    place = tmp_path / "place"
    place.mkdir()
    with refused(TextModelError, "no_space", "m cannot"):
        hand_over(lambda done, total: None, "folder:m", str(place))
    assert not list(place.iterdir())


def test_what_takes_long_for_bert_base_is_a_worker_s_and_for_the_shipped_model_the_page_s() -> None:
    """Measured on one processor: 0.46 and 0.03 s to read the files, 1.2 and 0.07 s to read 512 pieces, 0.11 and 0.01 s
    to follow these through a layer."""
    shipped = text_model("shipped").encoder.shape
    assert Named("base", (("model.safetensors", BASE_BYTES, 0),)).seconds > AT_ONCE_SECONDS > named("shipped").seconds
    assert named("run:0123456789ab").seconds > AT_ONCE_SECONDS
    for seconds in (reading_seconds, layer_seconds):
        assert seconds(BASE, 512) > AT_ONCE_SECONDS > seconds(shipped, 14)
    assert reading_seconds(shipped, 512) > AT_ONCE_SECONDS > layer_seconds(shipped, 512)


def test_the_layer_of_a_long_text_is_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[str] = set()

    def noted(jobs: Jobs, task: Task[object], visitor: str = "") -> object:
        asked.update(task.key.split("-"))
        return ask(jobs, task, visitor)

    ask = Jobs.ask
    monkeypatch.setattr(Jobs, "ask", noted)
    monkeypatch.setattr(background, "AT_ONCE_SECONDS", -1.0)
    visitor = InstantVisitor(InsideBert, {**SHORT, "shown": "beyond"})
    assert {"layer", "layer_lengths", "neurons"} <= set(visitor.drawn())
    assert {"model", "read_chunk", "encoder_layer"} <= asked
