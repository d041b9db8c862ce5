"""What visitors share of texts and models: readings by weights and text, jobs, and models of kept runs."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import goldviz
from goldviz.labs.inside_bert import tasks
from goldviz.labs.inside_bert.compute import chunks_of
from goldviz.labs.inside_bert.overview import overview
from goldviz.labs.inside_bert.parts import explorer as text_exhibit
from goldviz.labs.inside_bert.parts import state as text_models
from goldviz.labs.inside_bert.parts.explorer import exhibit_token
from goldviz.labs.inside_bert.parts.state import ReadText
from goldviz.models.text.model import TextModelError
from goldviz.runs.store.run_store import Store
from goldviz.text_models import text_model
from goldviz.ui.serving import services
from goldviz.ui.serving.queries import shelf
from tests.refusals import refused
from tests.text_model_folders import with_classifier

TINY = {
    "texts": 200,
    "labelled": 60,
    "vocabulary": 300,
    "layers": 1,
    "heads": 2,
    "width": 8,
    "inner": 16,
    "pretraining_steps": 2,
    "fine_tuning_steps": 2,
    "batch": 4,
    "look_every": 100,
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("GOLDVIZ_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    monkeypatch.setenv("GOLDVIZ_WORKERS", "0")
    yield tmp_path / "models"
    services.close()


def _read(text: str = "gold prices rose", name: str = "folder:m") -> ReadText:
    return ReadText.cut(name, text)


def test_a_model_is_loaded_once_until_its_files_change(place: Path) -> None:
    with_classifier(place / "m")
    first = text_model("folder:m")
    assert text_model("folder:m") is first
    time.sleep(0.02)
    with_classifier(place / "m", seed=5)
    assert text_model("folder:m").fingerprint != first.fingerprint


def test_a_text_is_read_once_and_the_same_weights_under_another_name_are_another_model(place: Path) -> None:
    with_classifier(place / "m")
    with_classifier(place / "copy")
    first, again, copy = _read(), _read(), _read(name="folder:copy")
    assert first.key == again.key != _read("gold prices fell").key
    assert tasks.reading_of(first.where) is tasks.reading_of(again.where)
    assert exhibit_token(first, tasks.reading_of(first.where)) == exhibit_token(again, tasks.reading_of(again.where))
    assert copy.key != first.key
    assert tasks.reading_of(copy.where).model.name == "copy"


def test_an_exhibit_gives_exact_maps_by_piece_and_by_word(place: Path) -> None:
    with_classifier(place / "m")
    read = _read("gold lending rose")
    reading = tasks.reading_of(read.where)
    token = exhibit_token(read, reading)
    held = shelf.get(token)
    assert held is not None
    np.testing.assert_array_equal(held.weights(1, 2, "piece", "shown", "weights").values, reading.head(1, 2).weights)
    words = held.weights(1, 2, "word", "shown", "weights")
    assert words.units.labels == ("[CLS]", "gold", "lending", "rose", "[SEP]")
    np.testing.assert_allclose(words.values.sum(axis=1), 1, atol=1e-5)
    hidden = held.weights(0, 0, "piece", "hidden", "weights")
    np.testing.assert_allclose(hidden.values.sum(axis=1), 1, atol=1e-5)
    for measure in ("norms", "rollout"):
        assert held.weights(2, 0, "piece", "shown", measure).values.dtype == np.float32
    shelf.drop(token)
    assert exhibit_token(read, reading) != token
    assert text_exhibit._tokens


def test_results_are_made_once(place: Path) -> None:
    with_classifier(place / "m")
    made = []

    def make() -> xr.Dataset:
        made.append(1)
        return xr.Dataset({"x": 1.0})

    for _ in range(3):
        text_models.result_of(_read(), ("what", 1), make)
    assert len(made) == 1


def test_a_reading_travels_as_arrays_and_is_the_same_again(place: Path) -> None:
    with_classifier(place / "m")
    read = _read()
    made = tasks.reading_of(read.where)
    again = tasks.ReadingArrays.of(made).reading(read.model, read.pieces)
    for layer in range(3):
        np.testing.assert_array_equal(again.head(layer, 1).weights, made.head(layer, 1).weights)
    xr.testing.assert_identical(overview(again), overview(made))


def test_a_model_whose_files_have_changed_is_not_read_as_the_old_one(place: Path) -> None:
    with_classifier(place / "m")
    stale = _read().where._replace(fingerprint="another")
    with refused(TextModelError, "gone", "files of m "):
        tasks.reading_of(stale)


def test_a_kept_run_of_pretraining_is_a_model(place: Path) -> None:
    kept = goldviz.run("bert-pretraining", progress=False, keep=True, **TINY)
    model = text_model(f"run:{kept.attrs['run_id']}")
    assert model.labels == ("negative", "neutral", "positive")
    assert len(chunks_of(model, "Gold prices rose.")) == 1


def test_other_runs_are_no_models(place: Path) -> None:
    other = goldviz.run("depth-gradients", progress=False, keep=True, depth=2, epochs=1)
    with pytest.raises(TextModelError, match="trained no model of texts; allowed are runs of bert-pretraining"):
        text_model(f"run:{other.attrs['run_id']}")
    with pytest.raises(TextModelError, match="There is no run '0123456789ab'"):
        text_model("run:0123456789ab")
    queued = Store().create(goldviz.experiments()["bert-pretraining"].checked(TINY))
    with pytest.raises(TextModelError, match="has kept no weights"):
        text_model(f"run:{queued}")
