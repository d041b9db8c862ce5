"""The real client against a loopback hub: what it lists, what it downloads, and what is said when it goes wrong."""

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from huggingface_hub import HfApi, close_session, constants, hf_hub_download, scan_cache_dir, snapshot_download
from huggingface_hub.utils import validate_repo_id
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.hub import models as hub_models
from goldviz.data.hub import wire as hub_wire
from goldviz.data.hub.faults import HubError
from goldviz.data.hub.models import SUGGESTED, HubFile, download, held, look_up, needed_files, valid_repo
from tests.data.hub.fake_hub import FAULTS, FAULTS_OF_ABOUT, FakeHub, git_name, large_name
from tests.places import ROOT
from tests.refusals import refused
from tests.watching.test_commit import bounded

REPO = "owner/name"
WEIGHTS = bytes(range(256)) * 2000
FILES = {
    "README.md": b"# A model\n",
    "config.json": b'{"model_type": "bert"}',
    "vocab.txt": b"[PAD]\n[UNK]\n",
    "model.safetensors": WEIGHTS,
    "pytorch_model.bin": b"p" * 5000,
    "tf_model.h5": b"t" * 5000,
    "onnx/model.onnx": b"o" * 5000,
}
NEEDED = {"config.json", "vocab.txt", "model.safetensors"}
TOTAL = sum(len(FILES[name]) for name in NEEDED)


class StopPressedError(Exception):
    """What a page raises once someone has pressed stop."""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A hub's cache of its own, nobody logged in, no proxy, and no pause between attempts."""
    for name in (
        "HF_ENDPOINT",
        "HF_HUB_OFFLINE",
        "HF_TOKEN",
        "HUGGING_FACE_HUB_TOKEN",
        "GOLDVIZ_HUB",
        "GOLDVIZ_HUB_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    leave_free(monkeypatch, 10**12)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)  # for the hub's own client in these tests
    monkeypatch.setattr(hub_wire, "PAUSE", 0.01)
    close_session()
    yield tmp_path / "hub"
    close_session()


def leave_free(monkeypatch, *free):
    """A disk with so many bytes free, at each time that it is asked; the last number stays."""
    left = list(free)
    monkeypatch.setattr(
        shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**12, 0, left.pop(0) if len(left) > 1 else left[0])
    )


@pytest.fixture
def hub(cache):
    with FakeHub() as server:
        server.add(REPO, FILES)
        yield server


def ignore(*_):
    """A report that nobody reads."""


def got(hub, repo=REPO, report=ignore, **options):
    return download(repo, report, hub.address, **options)


def refused_download(hub, code, *facts, repo=REPO, **options):
    with refused(HubError, code, repo, *facts):
        got(hub, repo, **options)


def asked_for_content(hub):
    return [asked.start for asked in hub.asked if asked.path.startswith("/store/")]


def test_a_listing_names_what_is_needed_and_nothing_else(hub):
    listing = look_up(REPO, hub.address)
    assert {file.name for file in listing.files} == NEEDED
    assert HubFile("config.json", 22, git_name(FILES["config.json"])) in listing.files
    assert HubFile("model.safetensors", len(WEIGHTS), large_name(WEIGHTS)) in listing.files
    assert (listing.repo, listing.revision, listing.total_bytes) == (REPO, hub.models[REPO].commit, TOTAL)
    assert (listing.downloaded, listing.notes) == (False, ())
    assert [asked.path for asked in hub.asked] == [f"/api/models/{REPO}"]


def test_the_stand_in_answers_the_hub_s_own_client_alike(hub, cache):
    """A listing and a file through huggingface_hub's public functions: the loopback hub is a hub to them too."""
    info = HfApi(endpoint=hub.address).model_info(REPO, files_metadata=True)
    sizes = {sibling.rfilename: sibling.size for sibling in info.siblings}
    listing = look_up(REPO, hub.address)
    assert info.sha == listing.revision
    assert {file.name: file.size for file in listing.files} == {name: sizes[name] for name in NEEDED}
    for file in listing.files:
        path = Path(hf_hub_download(REPO, file.name, endpoint=hub.address, cache_dir=cache / "theirs"))
        assert path.read_bytes() == FILES[file.name]
        assert path.resolve().name == file.content


def test_a_download_lies_where_the_hub_s_own_client_looks(hub, cache):
    told = []
    folder = got(hub, report=lambda *bytes_: told.append(bytes_))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {name: FILES[name] for name in NEEDED}
    assert folder.name == hub.models[REPO].commit
    assert Path(snapshot_download(REPO, local_files_only=True)) == folder
    assert Path(hf_hub_download(REPO, "vocab.txt", local_files_only=True)) == folder / "vocab.txt"
    assert len(scan_cache_dir(cache).warnings) == 0
    assert list(cache.rglob("*.incomplete")) == []
    assert told[0] == (0, TOTAL)
    assert told[-1] == (TOTAL, TOTAL)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert held(REPO) == folder
    assert look_up(REPO, hub.address).downloaded
    before = len(asked_for_content(hub))
    assert got(hub) == folder
    assert len(asked_for_content(hub)) == before


def test_what_the_hub_s_own_client_downloaded_is_held(hub):
    folder = None
    for name in NEEDED:
        assert held(REPO) is None
        folder = Path(hf_hub_download(REPO, name, endpoint=hub.address)).parent
    assert held(REPO) == folder


def test_held_asks_nobody(hub, monkeypatch):
    folder = got(hub)
    hub.asked.clear()

    def refuse(*_):
        raise AssertionError("something was asked of the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("GOLDVIZ_HUB", "off")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert held(REPO) == folder
    assert held("owner/other") is None
    (folder / "model.safetensors").unlink()
    assert held(REPO) is None


@pytest.mark.parametrize("content", ["", "../../..", "main", "0" * 40, "\0"])
def test_a_spoilt_cache_holds_nothing(hub, cache, content):
    got(hub)
    (cache / "models--owner--name" / "refs" / "main").write_text(content)
    assert held(REPO) is None


@pytest.mark.untrusted
def test_a_pipe_in_place_of_a_commit_s_name_holds_nothing(hub, cache, tmp_path):
    got(hub)
    place = cache / "models--owner--name" / "refs" / "main"
    place.unlink()
    os.mkfifo(place)
    assert bounded(lambda: held(REPO), tmp_path) is None


def test_a_new_commit_brings_only_what_changed(hub):
    first = got(hub)
    hub.models[REPO].files = {**FILES, "vocab.txt": b"[PAD]\n[UNK]\nnew\n"}
    hub.asked.clear()
    assert not look_up(REPO, hub.address).downloaded
    second = got(hub)
    assert first != second
    assert held(REPO) == second
    assert (second / "vocab.txt").read_bytes().endswith(b"new\n")
    assert asked_for_content(hub) == []


def test_a_revision_is_pinned_to_the_listing(hub):
    listing = look_up(REPO, hub.address)
    assert got(hub, revision=listing.revision).name == listing.revision
    assert any(asked.path.endswith(f"/revision/{listing.revision}") for asked in hub.asked)
    assert all(f"/resolve/{listing.revision}/" in asked.path for asked in hub.asked if "/resolve/" in asked.path)
    hub.models[REPO].files = {**FILES, "vocab.txt": b"other"}
    refused_download(hub, "gone", "404", revision=listing.revision)


@pytest.mark.parametrize("lent", [None, "", "off", "0", "no"])
def test_the_owner_s_key_is_not_sent_for_visitors(hub, monkeypatch, tmp_path, lent):
    monkeypatch.setenv("HF_TOKEN", "hf_a_key")
    (tmp_path / "token").write_text("hf_another_key")
    if lent is not None:
        monkeypatch.setenv("GOLDVIZ_HUB_KEY", lent)
    got(hub)
    assert {asked.key for asked in hub.asked} == {None}


def test_large_files_come_without_the_key_and_nothing_is_told_of_this_machine(hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_a_key")
    monkeypatch.setenv("GOLDVIZ_HUB_KEY", "on")
    got(hub)
    keys = {asked.path.startswith("/store/"): asked.key for asked in hub.asked}
    assert keys == {False: "Bearer hf_a_key", True: None}
    assert {asked.agent for asked in hub.asked} == {"goldviz"}
    assert all(asked.path.startswith(("/api/models/owner/name", "/owner/name", "/store/")) for asked in hub.asked)
    assert {asked.method for asked in hub.asked} == {"GET"}


def test_a_gated_model_needs_a_key(hub, monkeypatch):
    hub.add("gated/model", FILES, gated="manual")
    assert look_up("gated/model", hub.address).notes[0].startswith("Its owner asks for consent")
    refused_download(hub, "key", "401", "`hf auth login`", "GOLDVIZ_HUB_KEY=on", repo="gated/model")
    monkeypatch.setenv("HF_TOKEN", "hf_a_key")
    refused_download(hub, "key", repo="gated/model")
    monkeypatch.setenv("GOLDVIZ_HUB_KEY", "on")
    assert got(hub, "gated/model").is_dir()


def test_the_address_comes_from_the_environment(hub, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", f"{hub.address}/")
    assert look_up(REPO).total_bytes == TOTAL
    assert download(REPO, ignore) == held(REPO)


@pytest.mark.parametrize("how", ["cut", "reset later", "no ranges"])
def test_a_cut_in_the_middle_is_gone_on_with(hub, how):
    hub.faults[REPO] = how
    folder = got(hub)
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    starts = asked_for_content(hub)
    assert len(starts) > 1
    assert starts[:2] == [0, len(WEIGHTS) // 2]


def plant_part(hub, content):
    """What an earlier download would have left of the weights."""
    blobs = Path(constants.HF_HUB_CACHE) / "models--owner--name" / "blobs"
    blobs.mkdir(parents=True, exist_ok=True)
    part = blobs / f"{large_name(WEIGHTS)}.incomplete"
    part.write_bytes(content)
    return part


def test_a_stopped_download_goes_on_where_it_stopped(hub):
    def stop_in_the_middle(done, total):
        if done > total / 3:
            raise StopPressedError

    hub.pace = 2e6
    with pytest.raises(StopPressedError):
        got(hub, report=stop_in_the_middle)
    assert held(REPO) is None
    hub.pace = 0
    hub.asked.clear()
    told = []
    folder = got(hub, report=lambda done, _: told.append(done))
    assert TOTAL / 3 < told[0] < TOTAL
    assert 0 < asked_for_content(hub)[0] < len(WEIGHTS)
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS


def test_a_stop_before_the_first_byte(hub):
    def stop(*_):
        raise StopPressedError

    with pytest.raises(StopPressedError):
        got(hub, report=stop)
    assert asked_for_content(hub) == []


def test_a_part_that_is_whole_already_is_only_checked(hub):
    plant_part(hub, WEIGHTS)
    assert (got(hub) / "model.safetensors").read_bytes() == WEIGHTS
    assert asked_for_content(hub) == []


@pytest.mark.parametrize("content", [b"x" * 1000, b"x" * len(WEIGHTS), b"x" * (len(WEIGHTS) + 1)])
def test_a_part_of_something_else_does_no_lasting_harm(hub, content):
    part = plant_part(hub, content)
    if len(content) <= len(WEIGHTS):
        refused_download(hub, "damaged", "model.safetensors")
        assert not part.exists()
        assert held(REPO) is None
    assert (got(hub) / "model.safetensors").read_bytes() == WEIGHTS


@pytest.mark.parametrize("how", ["other content", "more content"])
def test_content_that_was_not_announced_is_thrown_away(hub, cache, how):
    hub.faults[REPO] = how
    refused_download(hub, "damaged", "model.safetensors")
    assert held(REPO) is None
    kept = [path for path in (cache / "models--owner--name").rglob(f"{large_name(WEIGHTS)}*") if path.stat().st_size]
    assert kept == []
    hub.faults.clear()
    assert (got(hub) / "model.safetensors").read_bytes() == WEIGHTS


def test_two_at_once_download_once(hub):
    hub.pace = 2e6
    results = []
    others = [threading.Thread(target=lambda: results.append(got(hub))) for _ in range(3)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert results == [held(REPO)] * 3
    assert asked_for_content(hub) == [0]


ANSWERS = {
    "401": ("gone", "401", "`hf auth login`", "GOLDVIZ_HUB_KEY=on"),
    "403": ("bad_answer", "403: Access to this resource is disabled."),
    "404": ("gone", "404"),
    "429": ("busy", "429"),
    "500": ("bad_answer", "500: Internal Error - We're working on it!"),
    "503 page": ("bad_answer", "503"),
    "page": ("bad_answer", "a web page"),
    "not json": ("bad_answer", "cannot be read"),
    "deep json": ("bad_answer", "cannot be read"),
    "other json": ("bad_answer", "cannot be read"),
    "no sizes": ("bad_answer", "cannot be read"),
    "hostile names": ("bad_answer", "cannot be read"),
    "slow": ("no_answer", "HOST", "0.3 seconds"),
    "drops": ("no_answer", "HOST", "0.3 seconds"),
    "hang up": ("no_answer", "HOST", "broke off"),
    "reset": ("no_answer", "HOST", "broke off"),
    "loop": ("bad_answer", "HOST", "without end"),
    "file 404": ("gone", "404"),
    "file 500": ("bad_answer", "500: Internal Error"),
    "file reset": ("no_answer", "HOST", "broke off"),
    "cut for good": ("no_answer", "HOST", "broke off"),
    "stalls": ("no_answer", "HOST", "0.3 seconds"),
    "no part": ("bad_answer", "416"),
    "content 403": ("bad_answer", "403"),
}


def test_every_fault_of_the_stand_in_is_tried():
    gone_on_with = {"cut", "reset later", "no ranges", "other content", "more content"}
    assert {*ANSWERS, *gone_on_with} == set(FAULTS)


@pytest.mark.parametrize("fault", ANSWERS)
def test_each_fault_is_named_and_harms_nothing(hub, fault, capfd, caplog):
    hub.faults[REPO] = fault
    code, *facts = (fact.replace("HOST", hub.address.removeprefix("http://")) for fact in ANSWERS[fault])
    slow = {"seconds": 0.3} if "0.3 seconds" in facts else {}
    with caplog.at_level(logging.WARNING):
        refused_download(hub, code, *facts, **slow)
    if fault in FAULTS_OF_ABOUT:
        with refused(HubError, code, *facts):
            look_up(REPO, hub.address, **slow)
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []
    assert held(REPO) is None
    del hub.faults[REPO]
    assert (got(hub) / "model.safetensors").read_bytes() == WEIGHTS


def test_a_line_that_stays_cut_is_given_up_and_what_came_is_kept(hub):
    hub.faults[REPO] = "cut for good"
    refused_download(hub, "no_answer")
    assert asked_for_content(hub) == [0, *[len(WEIGHTS) // 3] * (1 + hub_wire.MOST_FRUITLESS)]
    hub.faults.clear()
    hub.asked.clear()
    got(hub)
    assert asked_for_content(hub) == [len(WEIGHTS) // 3]


def test_a_part_that_the_hub_refuses_is_not_asked_for_twice(hub):
    hub.faults[REPO] = "no part"
    refused_download(hub, "bad_answer")
    hub.faults.clear()
    hub.asked.clear()
    got(hub)
    assert asked_for_content(hub) == [0]


def test_a_model_that_is_not_there(hub):
    refused_download(hub, "gone", "401", repo="owner/missing")


def unreached(address, code="no_answer", **options):
    with refused(HubError, code, REPO, address.split("://")[-1]):
        look_up(REPO, address, **options)


def test_no_network(cache):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        unreached(f"http://127.0.0.1:{closed.getsockname()[1]}")


def test_a_proxy_that_is_not_there(cache, monkeypatch):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.delenv("NO_PROXY")
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{closed.getsockname()[1]}")
        close_session()
        unreached("http://hub.example")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse at once when a queue is full")
def test_a_network_that_swallows_connections(cache):
    with ExitStack() as stack:
        full = stack.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        unreached(f"http://127.0.0.1:{full.getsockname()[1]}", seconds=0.3)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="a certificate is made by openssl")
def test_a_certificate_that_nobody_vouches_for(cache, tmp_path):
    certificate = tmp_path / "both.pem"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "1",
            "-subj",
            "/CN=127.0.0.1",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            tmp_path / "key.pem",
            "-out",
            tmp_path / "cert.pem",
        ],
        check=True,
        capture_output=True,
    )
    certificate.write_bytes((tmp_path / "key.pem").read_bytes() + (tmp_path / "cert.pem").read_bytes())
    with FakeHub(certificate=certificate) as hub:
        hub.add(REPO, FILES)
        unreached(hub.address, "certificate")


@pytest.mark.parametrize("address", ["huggingface.co", "ftp://huggingface.co", "http://[", "http://:0x/"])
def test_an_address_that_is_none(cache, address):
    with refused(HubError, "not_allowed", "HF_ENDPOINT"):
        look_up(REPO, address)


def test_downloads_can_be_switched_off(hub, monkeypatch):
    got(hub)
    hub.asked.clear()
    monkeypatch.setenv("GOLDVIZ_HUB", "off")
    refused_download(hub, "switched_off", "GOLDVIZ_HUB=off")
    with refused(HubError, "switched_off", "GOLDVIZ_HUB=off"):
        look_up(REPO, hub.address)
    assert hub.asked == []
    assert held(REPO) is not None


@pytest.mark.parametrize("how", ["environment", "constant"])
def test_offline_mode_is_honoured(hub, monkeypatch, how):
    if how == "environment":
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    else:
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    refused_download(hub, "switched_off", "HF_HUB_OFFLINE")
    assert hub.asked == []


@pytest.mark.skipif(sys.platform != "linux", reason="the disk that is always full is Linux's")
def test_a_full_disk(hub):
    part = plant_part(hub, b"")
    part.unlink()
    part.symlink_to("/dev/full")
    refused_download(hub, "no_space")


def test_too_little_room_is_seen_before_anything_is_asked_for(hub, monkeypatch):
    plant_part(hub, WEIGHTS[:100_000])
    monkeypatch.setattr(hub_models, "FREE_BYTES", 1_000_000)
    leave_free(monkeypatch, 1_000_000 + TOTAL - 100_000 - 1)
    refused_download(hub, "no_space", "0 MB are still to come", "1 MB free", "1 MB are left alone")
    assert asked_for_content(hub) == []
    leave_free(monkeypatch, 1_000_000 + TOTAL - 100_000, 10**9)
    assert got(hub).is_dir()
    leave_free(monkeypatch, 0)
    assert got(hub).is_dir()  # all of it is here


def test_two_gigabytes_of_the_disk_are_left_alone(hub, monkeypatch):
    leave_free(monkeypatch, 2_000_000_000)
    refused_download(hub, "no_space", "1 MB are still to come", "2,000 MB free", "2,000 MB are left alone")


def test_a_disk_that_others_fill_meanwhile_ends_the_download(hub, monkeypatch):
    leave_free(monkeypatch, 10**10, 10**10, 10**10, 10**10, 2_000_000_000)
    refused_download(hub, "no_space", "2,000 MB are left alone")
    assert held(REPO) is None
    leave_free(monkeypatch, 10**10)
    assert (got(hub) / "model.safetensors").read_bytes() == WEIGHTS


def test_a_cache_that_cannot_be_written(hub, cache):
    cache.write_text("a file where a folder should be")
    refused_download(hub, "disk", "File exists", "HF_HOME")


def test_where_links_cannot_be_the_files_themselves_lie_in_the_snapshot(hub, monkeypatch):
    def refuse(*_):
        raise OSError("links need rights that this user lacks")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    folder = got(hub)
    assert not (folder / "model.safetensors").is_symlink()
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    assert held(REPO) == folder
    hub.asked.clear()
    assert got(hub) == folder
    assert asked_for_content(hub) == []


@pytest.mark.parametrize(
    ("missing", "added", "fact"),
    [
        ({"config.json"}, {}, "no config.json"),
        ({"vocab.txt"}, {}, "no vocabulary"),
        ({"model.safetensors", "pytorch_model.bin"}, {}, "model.safetensors or pytorch_model.bin"),
        (
            {"model.safetensors", "pytorch_model.bin"},
            {"model-00001-of-00002.safetensors": b"1", "model.safetensors.index.json": b"{}"},
            "model.safetensors or pytorch_model.bin",
        ),
    ],
)
def test_a_repository_without_something_that_is_needed(hub, missing, added, fact):
    hub.add("a/b", {name: content for name, content in {**FILES, **added}.items() if name not in missing})
    refused_download(hub, "no_model", fact, repo="a/b")


def test_another_kind_of_model_is_refused_before_its_download(hub):
    hub.add("openai/gpt", FILES, config={"model_type": "gpt2"})
    kinds = "bert, camembert, distilbert, roberta, xlm-roberta"
    refused_download(hub, "other_kind", "gpt2", kinds, repo="openai/gpt")
    hub.add("a/bert", FILES, config={"model_type": "bert"})
    assert look_up("a/bert", hub.address).total_bytes == TOTAL


def test_a_model_that_is_too_large(hub, monkeypatch):
    monkeypatch.setattr(hub_models, "MOST_BYTES", 100_000)
    refused_download(hub, "too_large", "0.0 GB")
    assert asked_for_content(hub) == []


def test_weights_in_pytorch_s_format_where_there_are_no_others(hub):
    hub.add("a/b", {name: content for name, content in FILES.items() if name != "model.safetensors"})
    listing = look_up("a/b", hub.address)
    assert {file.name for file in listing.files} == {"config.json", "vocab.txt", "pytorch_model.bin"}
    assert listing.notes == ("Its weights come in PyTorch's own format; nothing but numbers is read from it.",)


def test_weights_in_parts_and_everything_that_a_vocabulary_can_be():
    parts = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json"]
    vocabulary = ["merges.txt", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json", "vocab.json"]
    others = ["onnx/model.onnx", "flax_model.msgpack", "training_args.bin", "optimizer.bin", "model.py", "../x"]
    found = needed_files(["config.json", *parts, *vocabulary, *others])
    assert set(found) == {"config.json", *parts, *vocabulary}


@given(st.text(max_size=120) | st.from_regex(re.compile(r"[\w./-]{1,20}/[\w./-]{1,20}", re.ASCII), fullmatch=True))
def test_names_are_checked_before_anything_is_asked(text):
    repo = None
    with suppress(HubError):
        repo = valid_repo(text)
    if repo is not None:
        owner, name = repo.split("/")
        assert not {owner, name} & {"", ".", ".."}
        assert re.fullmatch(r"[\w.-]+", owner + name, re.ASCII)
        validate_repo_id(repo)


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "finbert",
        "a/b/c",
        "../../etc",
        "a/..",
        "/etc/passwd",
        "a/b.git",
        "a/b--c",
        "https://huggingface.co/a/b",
        "a/b?x=1",
        "a/b#c",
        "a b/c",
        "a/b\n",
        "-a/b",
        "a/" + "x" * 100,
        "<script>/x",
        "a/b\\c",
        "datasets/a/b",
    ],
)
def test_what_is_no_name_of_a_model(cache, wrong):
    if wrong.strip() != wrong:
        assert valid_repo(wrong) == wrong.strip()
        return
    for ask in (held, look_up, lambda repo: download(repo, ignore)):
        with refused(HubError, "not_allowed", "ProsusAI/finbert"):
            ask(wrong)


def test_the_suggestions_are_names_of_models_each_with_its_own_words():
    assert [valid_repo(repo) for repo, _ in SUGGESTED] == [repo for repo, _ in SUGGESTED]
    assert len({words for _, words in SUGGESTED}) == len(SUGGESTED)
    words = dict(SUGGESTED)
    assert "30,873" in words["yiyanghkust/finbert-pretrain"]
    assert "30,522" in words["yiyanghkust/finbert-pretrain"]


def test_the_stand_in_serves_another_process(cache, tmp_path):
    (tmp_path / "model").mkdir()
    for name in NEEDED:
        (tmp_path / "model" / name).write_bytes(FILES[name])
    with subprocess.Popen(
        [sys.executable, "-m", "tests.data.hub.fake_hub", "--port", "0", "--model", f"a/b={tmp_path / 'model'}"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    ) as server:
        try:
            address = server.stdout.readline().strip().removeprefix("HF_ENDPOINT=")
            folder = download("a/b", ignore, address)
            assert {path.name: path.read_bytes() for path in folder.iterdir()} == {name: FILES[name] for name in NEEDED}
        finally:
            server.terminate()
