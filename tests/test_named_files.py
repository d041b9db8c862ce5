"""Files that a person names: pipes and devices are refused at every door, and what is written appears whole."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
import torch
import xarray as xr
from torch import nn

import goldviz
from goldviz.cli import main
from goldviz.data.tables.whole_files import write_beside
from goldviz.models.text.loading import load_text_model
from goldviz.runs.store.rights import close_what_is_kept
from goldviz.runs.store.run_store import Store
from tests.random_bert import write_random_bert
from tests.watching.test_commit import bounded


def _said(door, *arguments: object):  # type: ignore[no-untyped-def]
    """The sentence with which a door refuses, told by a process of bounded time and memory."""

    def asked() -> str:
        try:
            return f"taken: {door(*arguments)}"
        except ValueError as error:
            return str(error)

    return asked


@pytest.mark.untrusted
def test_a_pipe_and_a_device_are_refused_by_their_name_wherever_a_file_is_named(tmp_path: Path) -> None:
    for name, lay in (("pipe.txt", os.mkfifo), ("endless.txt", lambda place: place.symlink_to("/dev/zero"))):
        path = tmp_path / name.partition(".")[0] / name
        path.parent.mkdir()
        lay(path)
        for door, argument in (
            (goldviz.documents, path),
            (goldviz.documents, path.parent),
            (goldviz.labelled_texts, path),
            (goldviz.market, path),
        ):
            assert bounded(_said(door, argument), tmp_path).endswith("cannot be read: it is no regular file."), door
        for option in (["--documents", str(path)], ["--text", f"@{path}"]):
            lab = "policy-documents" if option[0] == "--documents" else "text-tokens"
            command = "compute" if lab == "policy-documents" else "run"
            assert bounded(lambda option=option, lab=lab, command=command: main([command, lab, *option]), tmp_path) in (
                1,
                2,
            )


@pytest.mark.untrusted
def test_a_pipe_in_a_model_s_folder_is_refused_before_the_library_waits_for_it(tmp_path: Path) -> None:
    write_random_bert(tmp_path / "model")
    os.mkfifo(tmp_path / "model" / "special_tokens_map.json")
    said = bounded(_said(load_text_model, tmp_path / "model"), tmp_path)
    assert "special_tokens_map.json is no regular file" in said


def test_a_file_that_a_person_named_keeps_its_rights_and_stays_where_writing_fails(tmp_path: Path) -> None:
    place, link = tmp_path / "run.csv", tmp_path / "link.csv"
    place.write_text("old")
    place.chmod(0o640)
    link.symlink_to(place)

    def fails(beside: Path) -> None:
        beside.write_text("half")
        raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        write_beside(link, fails)
    assert place.read_text() == "old"
    write_beside(link, lambda beside: beside.write_text("new"))
    assert (link.is_symlink(), place.read_text(), stat.S_IMODE(place.stat().st_mode)) == (True, "new", 0o640)
    earlier = os.umask(0o022)
    write_beside(tmp_path / "fresh.csv", lambda beside: beside.write_text("new"))
    os.umask(earlier)
    assert stat.S_IMODE((tmp_path / "fresh.csv").stat().st_mode) == 0o644
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh.csv", "link.csv", "run.csv"]


@pytest.fixture
def watched_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'kept' / 'runs.sqlite'}")
    torch.manual_seed(0)
    model = nn.Sequential()
    model.add_module("a\0b", nn.Linear(3, 4))
    model.add_module("<blink>", nn.Linear(4, 1))
    rate = torch.optim.SGD(model.parameters(), 0.1)
    with goldviz.watch(model, rate, name="a\0b", config={"a\0b": "c\0d"}, every=1, budget=None) as record:
        for _ in range(3):
            loss = model(torch.ones(2, 3)).square().mean()
            rate.zero_grad()
            loss.backward()
            rate.step()
            record.step(loss=loss)
    return record.run_id


@pytest.mark.untrusted
def test_a_watched_run_with_strange_names_is_exported_whole_or_refused_in_a_sentence(
    watched_run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "to"
    folder.mkdir()
    for suffix in (".nc", ".csv", ".html"):
        assert main(["export", watched_run, "--to", str(folder / f"run{suffix}")]) == 0, suffix
    capsys.readouterr()
    assert main(["export", watched_run, "--to", str(folder / "run.py")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["run.csv", "run.html", "run.nc"]
    assert xr.load_dataset(folder / "run.nc", engine="h5netcdf")["layer"].values.tolist() == ["a\u2400b", "<blink>"]
    assert "<blink>" not in (folder / "run.html").read_text()


@pytest.mark.untrusted
@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems have such rights")
@pytest.mark.parametrize("kind", ["words", "another program's"])
def test_a_file_that_is_no_database_of_goldviz_is_not_touched(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "notes"
    if kind == "words":
        file.write_text("not a run, " * 200)
    else:
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("CREATE TABLE bookmarks (page TEXT)")
    file.chmod(0o644)
    before = file.read_bytes()
    model = nn.Linear(2, 1)
    with goldviz.watch(model, to=file) as record:
        record.step(loss=1.0)
    assert "is not a goldviz database" in caplog.text
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{file}")
    close_what_is_kept()
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (before, 0o644)
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_a_database_of_goldviz_is_still_closed_to_others(tmp_path: Path) -> None:
    file = tmp_path / "run.gv"
    Store(f"sqlite:///{file}").close()
    file.chmod(0o644)
    Store(f"sqlite:///{file}").close()
    assert not stat.S_IMODE(file.stat().st_mode) & 0o077
