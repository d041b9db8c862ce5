"""Models by the names that settings give them, from every place where this machine may hold them."""

import shutil
import socket
from pathlib import Path

import pytest
from huggingface_hub import close_session, constants

from goldviz import text_models
from goldviz.data.hub.models import MOST_BYTES, READABLE_KINDS, download, look_up
from goldviz.models.text.files import LARGEST_WEIGHT_FILES
from goldviz.models.text.loading import SHIPPED_FOLDER, load_text_model, shipped_text_model
from goldviz.models.text.model import TextModelError
from goldviz.models.text.weights import CHECKPOINT_FAMILIES
from goldviz.text_models import resolve_text_model
from tests.data.hub.fake_hub import FakeHub
from tests.random_bert import write_random_bert
from tests.refusals import refused


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return write_random_bert(tmp_path_factory.mktemp("models") / "small bert", layers=1, heads=2, width=8)


@pytest.fixture
def places(tmp_path, bert, monkeypatch):
    """No model but in the folder of models; nobody may be asked."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("GOLDVIZ_MODELS", str(bert.parent))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.delenv("GOLDVIZ_HUB", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    close_session()
    yield bert
    close_session()


def test_a_model_in_the_folder_of_models(places):
    model = resolve_text_model("folder:small bert")
    assert (model.name, model.fingerprint) == ("small bert", load_text_model(places).fingerprint)


def test_a_model_of_the_hub_once_it_has_been_downloaded(places, monkeypatch):
    with refused(TextModelError, "gone", "owner/name"):
        resolve_text_model("owner/name")
    with FakeHub() as hub:
        hub.add_folder("owner/name", places)
        assert not look_up("owner/name", hub.address).downloaded
        download("owner/name", lambda *_: None, hub.address)
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("something was asked of the network"))
    model = resolve_text_model("owner/name")
    assert (model.name, model.fingerprint) == ("owner/name", load_text_model(places, "owner/name").fingerprint)


def test_a_download_that_is_no_model_says_so_under_its_own_name(places, tmp_path):
    with FakeHub() as hub:
        files = {path.name: path.read_bytes() for path in places.iterdir() if path.is_file()}
        hub.add("owner/name", {**files, "model.safetensors": b"rubbish" * 1000})
        download("owner/name", lambda *_: None, hub.address)
    with refused(TextModelError, "damaged", "owner/name: model.safetensors"):
        resolve_text_model("owner/name")


def test_a_folder_that_cannot_be_read_is_read_once_until_its_files_change(places, tmp_path, monkeypatch):
    folder = Path(shutil.copytree(places, tmp_path / "models" / "bad"))
    monkeypatch.setenv("GOLDVIZ_MODELS", str(folder.parent))
    weights = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(b"rubbish" * 1000)
    reads, now = [], [0.0]

    def counted(*where):
        reads.append(where)
        return load_text_model(*where)

    monkeypatch.setattr(text_models, "load_text_model", counted)
    monkeypatch.setattr(text_models.time, "monotonic", lambda: now[0])

    def reads_when_refused():
        with refused(TextModelError, "damaged", "bad: model.safetensors"):
            text_models.text_model("folder:bad")
        return len(reads)

    assert [reads_when_refused() for _ in range(3)] == [1, 1, 1]
    now[0] = text_models.COMPLAINT_SECONDS + 1
    assert [reads_when_refused() for _ in range(3)] == [2, 2, 2]
    (folder / "model.safetensors").write_bytes(b"other rubbish")
    assert reads_when_refused() == 3
    (folder / "model.safetensors").write_bytes(weights)
    assert text_models.text_model("folder:bad").name == "bad"
    assert len(reads) == 4


@pytest.mark.skipif(not (SHIPPED_FOLDER / "config.json").is_file(), reason="the shipped model has not been made yet")
def test_the_model_that_comes_with_the_package(places):
    assert resolve_text_model("shipped").fingerprint == shipped_text_model().fingerprint


@pytest.mark.parametrize("name", ["", "bert", "Shipped", "run", "folder", "x" * 500])
def test_what_names_no_model(places, name):
    with refused(TextModelError, "not_allowed", "'shipped'", "'ProsusAI/finbert'") as caught:
        resolve_text_model(name)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", ["folder:../x", "folder:", "folder:a/b", "../../etc", "a/b/c", "/etc/passwd"])
def test_no_name_leads_elsewhere(places, name):
    with refused(TextModelError, "not_allowed"):
        resolve_text_model(name)


def test_what_is_downloaded_is_what_can_be_read():
    assert set(READABLE_KINDS) == set(CHECKPOINT_FAMILIES)
    assert MOST_BYTES == LARGEST_WEIGHT_FILES
