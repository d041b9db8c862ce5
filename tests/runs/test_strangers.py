"""A database that others have written to, taken away or filled: a sentence each, and other runs go on."""

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from goldviz.cli.command import main
from goldviz.data.texts.kept_texts import keep_text
from goldviz.data.texts.pieces import TextError
from goldviz.declare.settings import SettingsError
from goldviz.runs.execution.worker import execute
from goldviz.runs.store import arrays
from goldviz.runs.store.rescue import rescue
from goldviz.runs.store.rows import UNCLEAR, DamagedRunError, TooLargeRunError
from goldviz.runs.store.run_store import DAMAGED_RECORDS, Store, UnknownRunError
from goldviz.runs.store.schema import StoreError
from tests.runs.strangers import FILES, READ, RECORDS, ROWS, Change, content, lost_pages, told, trained
from tests.runs.toy import Toy
from tests.thinned import thinned


def one_sentence(text: str) -> bool:
    return "\n" not in text and "Traceback" not in text and text.endswith(".") and len(text) < 600


@pytest.mark.parametrize("change", thinned(ROWS.values(), 3), ids=ROWS)
def test_a_row_that_is_not_understood_is_listed_as_unclear_beside_the_others(store: Store, change: Change) -> None:
    sound, run_id = trained(store, "sound"), trained(store)
    before = store.run(sound)
    change(Path(store.place), run_id)
    run = store.run(run_id)
    assert run.status == UNCLEAR
    assert one_sentence(run.message)
    assert sorted(found.id for found in store.list()[0]) == sorted([sound, run_id])
    assert store.run(sound) == before
    assert store.load(sound)["norm"].sizes["epoch"] == 2
    store.delete([run_id])
    assert store.list() == ([before], 1)


@pytest.mark.parametrize(("name", "change"), thinned(READ.items(), 2))
def test_a_strange_row_is_listed_as_it_is(store: Store, name: str, change: Change) -> None:
    sound, run_id = trained(store), trained(store)
    change(Path(store.place), run_id)
    assert store.run(run_id).status == "finished"
    assert {found.id for found in store.list()[0]} == {sound, run_id}
    if "settings" in name:
        with pytest.raises(SettingsError, match=r"are not understood: versions begin with 1|are not valid JSON"):
            Toy.from_store(store.run(run_id).settings_version, store.run(run_id).settings)


@pytest.mark.parametrize("change", thinned(RECORDS.values(), 7), ids=RECORDS)
def test_damaged_records_concern_their_run_alone(store: Store, change: Change) -> None:
    sound, run_id = trained(store), trained(store)
    change(Path(store.place), run_id)
    with pytest.raises(
        DamagedRunError, match=f"records of run {run_id} are damaged.*Other runs are not affected"
    ) as raised:
        store.load(run_id)
    assert one_sentence(str(raised.value))
    assert store.load(sound)["norm"].values.ravel().tolist() == [1, 2]
    assert store.run(run_id).status == "finished"
    assert set(store.sizes([sound, run_id])) == {sound, run_id}
    store.results([sound, run_id])


def filled(**tensors: np.ndarray) -> Change:
    """Records of many steps, of which one has a wide row that would stand for all."""
    steps = {f"{name}@steps": np.arange(1, len(values) + 1) for name, values in tensors.items()}
    return content("batches", data=save(tensors | steps))


TOO_LARGE = {
    "a row for all steps": filled(norm=np.ones((200_000, 1), np.float32), position=np.ones((1, 2, 1_000), np.float32)),
    "large records": content("batches", data=b"\0" * 1_000_000),
    "a large last value": content("finals", data=b"\0" * 2_000_000),
}


@pytest.mark.parametrize("kind", TOO_LARGE)
def test_a_run_that_would_take_more_memory_than_any_may_is_told_before_it_is_read(
    store: Store, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound, run_id = trained(store), trained(store)
    TOO_LARGE[kind](Path(store.place), run_id)
    monkeypatch.setattr(arrays, "MOST_BYTES", 10**9 if "row" in kind else 1_500_000)
    with pytest.raises(TooLargeRunError, match=r"would take \S+ \S+ of memory; allowed are up to \S+ \S+\.") as raised:
        store.load(run_id)
    assert one_sentence(str(raised.value))
    assert store.load(sound)["norm"].values.ravel().tolist() == [1, 2]


def test_what_is_computed_of_a_column_is_not_rescued(store: Store) -> None:
    trained(store)
    store.close()
    told(Path(store.place), "alter table batches add column more as (hex(zeroblob(400000000)))")
    assert (rescue(store.url).runs, rescue(store.url).lost) == (1, 0)


def test_a_damaged_loss_leaves_the_results_of_others(store: Store) -> None:
    ids = [trained(store, variable="loss") for _ in range(3)]
    RECORDS["records that are noise"](Path(store.place), ids[0])
    RECORDS["records that are a text"](Path(store.place), ids[1])
    results = store.results(ids)
    assert [results[run_id].name for run_id in ids] == [DAMAGED_RECORDS, DAMAGED_RECORDS, "loss"]
    assert results[ids[2]].values == {"": 2.0}


def looked_at(url: str) -> None:
    """Ask for runs and what they came to."""
    store = Store(url)
    store.list()
    store.results(["x"])


@pytest.mark.parametrize(("change", "said"), thinned(FILES.values(), 4), ids=FILES)
def test_a_useless_database_is_a_sentence_with_a_way_out(
    store: Store, change: Callable[[Path], None], said: str
) -> None:
    trained(store)
    store.close()
    change(Path(store.place))
    with pytest.raises(StoreError, match=said) as raised:
        looked_at(store.url)
    assert one_sentence(str(raised.value))
    assert "goldviz rescue" in str(raised.value)


def test_a_check_finds_pages_that_were_lost_and_a_sound_file_says_nothing(store: Store) -> None:
    run_id = trained(store)
    store.check()
    assert store.notices == []
    lost_pages(Path(store.place))
    store.check()
    [sentence] = store.notices
    assert sentence.startswith(f"The database {store.place} is damaged")
    assert one_sentence(sentence)
    assert "goldviz rescue" in sentence
    assert store.run(run_id).status == "finished"


def rescued(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["rescue"]) == 0
    return capsys.readouterr().out


RESCUED = ["a missing column", "lost pages", "no version", "version 0", "a version that is a word"]


@pytest.mark.parametrize("name", thinned(RESCUED, 2))
def test_a_rescue_saves_every_run_that_can_be_read(
    store: Store, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", store.url)
    ids = [trained(store, f"run {number}") for number in range(3)]
    before = dict(store.load(ids[1]).data_vars)
    file = Path(store.place)
    store.close()
    (lost_pages if name == "lost pages" else FILES[name][0])(file)
    damaged = file.read_bytes()
    said = rescued(capsys)
    assert said.startswith("3 runs with 18 rows of records were saved. The old file is ")
    assert Path(said.strip().rpartition(" is ")[2].removesuffix(".")).read_bytes()[:4096] == damaged[:4096]
    found = Store(store.url)
    found.check()
    assert found.notices == []
    assert [run.name for run in found.list()[0]] == ["run 2", "run 1", "run 0"]
    assert all(found.load(ids[1])[name].equals(array) for name, array in before.items())
    assert found.checkpoint_steps(ids[0]) == [1, 2]
    assert sorted(path.name for path in file.parent.iterdir() if ".rescued" in path.name) == []


def test_a_rescue_steps_over_rows_on_lost_pages(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", store.url)
    for number in range(40):
        store.create(Toy(), name=f"run {number}")
    file = Path(store.place)
    told(file, "pragma wal_checkpoint(truncate)")
    content = bytearray(file.read_bytes())
    place = content.index(b"run 20") // 4096 * 4096
    content[place : place + 4096] = b"\xa5" * 4096
    file.write_bytes(content)
    saved = int(rescued(capsys).split()[0])
    names = {run.name for run in Store(store.url).list(limit=50)[0]}
    assert 30 < saved == len(names) < 40
    assert {"run 0", "run 39"} <= names


def test_a_table_whose_description_is_damaged_is_told_of_and_rescue_saves_the_others(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", store.url)
    run_id, file = trained(store), Path(store.place)
    told(file, "pragma wal_checkpoint(truncate)")
    store.close()
    content = bytearray(file.read_bytes())
    # SQLite's message quotes what it cannot read, and Python cannot read the message.
    place = content.index(b"CREATE TABLE orders")
    content[place : place + 6] = b"CRE\x9eTE"
    file.write_bytes(content)
    with pytest.raises(StoreError, match=r"is damaged\. Stop goldviz and say 'goldviz rescue'"):
        Store(store.url).list()
    assert rescued(capsys).startswith("1 run with ")
    assert Store(store.url).load(run_id)["norm"].sizes["epoch"] == 2


def test_a_rescue_refuses_what_it_cannot_do(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    trained(store)
    with closing(sqlite3.connect(store.place, isolation_level=None)) as other:
        other.execute("begin immediate")
        with pytest.raises(StoreError, match="is in use: stop goldviz first"):
            rescue(store.url)
    (tmp_path / "notes.txt").write_text("nothing to see here, " * 300)
    for url, said in (
        (f"sqlite:///{tmp_path / 'none.sqlite'}", "There is no file"),
        (f"sqlite:///{tmp_path / 'notes.txt'}", "Nothing in .*notes.txt can be read; it stays as it was"),
        ("postgresql://127.0.0.1:1/x", "is no file"),
    ):
        monkeypatch.setenv("GOLDVIZ_DATABASE_URL", url)
        assert main(["rescue"]) == 1
        assert re.search(said, capsys.readouterr().err)
    assert {path.name for path in tmp_path.iterdir()} == {"runs.sqlite", "notes.txt"} | {
        path.name for path in tmp_path.iterdir() if path.name.startswith("runs.sqlite-")
    }


@pytest.mark.parametrize("with_folder", [False, True])
def test_a_database_that_is_deleted_under_the_server_is_made_anew_and_that_is_said(
    tmp_path: Path, with_folder: bool
) -> None:
    store = Store(f"sqlite:///{tmp_path / 'kept' / 'runs.sqlite'}")
    run_id = trained(store)
    if with_folder:
        shutil.rmtree(tmp_path / "kept")
    else:
        Path(store.place).unlink()
    assert store.list() == ([], 0)
    with pytest.raises(UnknownRunError):
        store.run(run_id)
    [sentence] = store.notices
    assert sentence.startswith(f"The database {store.place} was gone and has been made anew at ")
    assert one_sentence(sentence)
    assert execute(Toy(epochs=2), store.create(Toy(epochs=2)), store.url) == "finished"


def test_a_database_that_a_worker_made_anew_first_is_noticed(store: Store) -> None:
    trained(store)
    Path(store.place).unlink()
    Store(store.url).close()
    assert store.list() == ([], 0)
    assert "was replaced by another file" in store.notices[0]


def test_a_worker_whose_database_is_deleted_ends(store: Store) -> None:
    toy = Toy(epochs=30)
    run_id = store.create(toy)
    taken: list[int] = []

    def take_away(_progress: object) -> None:
        if not taken:
            taken.append(1)
            Path(store.place).unlink()

    assert execute(toy, run_id, store.url, watch=take_away) in ("stopped", "finished")
    assert store.list() == ([], 0)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder as on a disk that is mounted for reading alone, by whatever way this user has."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not root:
        folder.chmod(0o500)
        yield
        folder.chmod(0o700)
        return
    if subprocess.run(["mount", "--bind", folder, folder], capture_output=True, check=False).returncode:
        pytest.skip("this root may mount nothing")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_a_read_only_disk_shows_its_runs_and_says_that_nothing_new_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "a disk & more"
    store = Store(f"sqlite:///{folder / 'runs.sqlite'}")
    run_id = trained(store)
    with read_only(folder):
        for reader in (store, Store(store.url)):
            assert [run.id for run in reader.list()[0]] == [run_id]
            assert reader.load(run_id)["norm"].sizes["epoch"] == 2
            assert reader.notices == [
                f"The database {store.place} can only be read: its runs can be seen, and no new one can be kept."
            ]
            with pytest.raises(StoreError, match="cannot be written: it is read-only"):
                reader.create(Toy())
    assert store.run(store.create(Toy())).status == "queued"
    assert store.notices == []


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """A disk of so many kilobytes."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "goldviz", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may mount nothing")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def filled(url: str) -> None:
    """Keep runs until there is no room."""
    store = Store(url)
    while True:
        trained(store)


@pytest.mark.parametrize("kilobytes", thinned([60, 200]))
def test_a_full_disk_is_called_a_full_disk(tmp_path: Path, kilobytes: int) -> None:
    with small_disk(tmp_path / "disk", kilobytes):
        with pytest.raises(StoreError, match="the disk is full") as raised:
            filled(f"sqlite:///{tmp_path / 'disk' / 'runs.sqlite'}")
        assert one_sentence(str(raised.value))


def test_a_file_that_is_brought_to_a_full_disk_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "disk"))
    with small_disk(tmp_path / "disk", 100), pytest.raises(TextError, match="the disk is full"):
        keep_text(b"gold is a metal " * 20_000, "notes.txt")


@pytest.mark.parametrize(
    "url",
    thinned(
        [
            "nonsense",
            "",
            "://",
            "sqlite:///a\x00b/runs.sqlite",
            "sqlite:////tmp/x.sqlite?timeout=long",
            "sqlite+nodriver:////tmp/x",
            "sqlite:////dev/null/x",
            "sqlite:////proc/x/runs.sqlite",
            "postgresql://h:port/x",
            "postgresql://[::1/x",
            "postgresql://127.0.0.1:1/a\x00b",
            "mysql://h/x",
            "sqlite:////tmp/" + "x" * 5000,
        ],
        7,
    ),
    ids=lambda url: url[:40].encode("ascii", "replace").decode(),
)
def test_a_wrong_address_is_a_sentence(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {**os.environ, "GOLDVIZ_DATABASE_URL": url or " :"})
    with pytest.raises(StoreError) as raised:
        Store()
    assert one_sentence(str(raised.value))


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\ud800", chr(0xDFFF), "\udcff x", "%" * 60_000, "é\u2028'\"--"])
def test_a_search_for_what_no_name_has_finds_nothing(store: Store, text: str) -> None:
    trained(store, "a b é")
    assert store.list(text=text) == ([], 0)
    for ask in (store.run, store.load, store.enqueue):
        with pytest.raises(UnknownRunError):
            ask(text)


def test_a_link_and_a_name_with_bytes_that_are_no_text(store: Store) -> None:
    run_id = trained(store)
    store.rename(run_id, "a \ud800 b \x00 c")
    assert store.run(run_id).name == "a b c"


def test_the_shell_says_no_more_than_a_sentence(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", store.url)
    bytes_of_no_text = os.fsdecode(b"\xff\xfe")
    assert main(["export", bytes_of_no_text, "--to", str(tmp_path / "run.csv")]) != 0
    assert one_sentence(capsys.readouterr().err.strip())
