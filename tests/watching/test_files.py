"""A file of watched runs: brought in whole, and nothing of a stranger's that does not fit."""

import json
import multiprocessing
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save

import goldviz
from goldviz.cli import main
from goldviz.runs.store.run_store import Store
from goldviz.runs.store.schema import StoreFullError
from goldviz.runs.versions import versions
from goldviz.watching.files import RunFileError, brought_in
from goldviz.watching.versions import known
from tests.watching.loops import classified, mlp


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a script wrote on a machine without a server."""
    file = tmp_path_factory.mktemp("run") / "run.gv"
    torch.manual_seed(0)
    model = mlp()
    model[2].requires_grad_(False)
    chosen = torch.optim.AdamW(model.parameters(), 3e-3)
    settings = {"every": 1, "budget": None, "histograms": True}
    with goldviz.watch(model, chosen, name="<mine>", config={"rate": 3e-3}, to=file, **settings) as record:
        for step in range(1, 12):
            loss = classified(model, step)
            chosen.zero_grad()
            loss.backward()
            chosen.step()
            record.step(loss=loss)
    return file


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    return Store()


def test_a_run_from_a_file_is_the_run_that_was_watched(run_file: Path, store: Store) -> None:
    [run_id] = brought_in(run_file, store)
    there, here = Store(f"sqlite:///{run_file}"), store.run(run_id)
    [original], _ = there.list()
    first, second = there.load(original.id), goldviz.load(run_id)
    there.close()
    assert set(first.data_vars) == set(second.data_vars)
    for name in first.data_vars:
        np.testing.assert_array_equal(first[name].values, second[name].values)
    assert (here.status, here.step, here.name) == ("finished", 11, "<mine>")
    assert json.loads(here.settings) == {"rate": 3e-3}
    assert [card.kind for card in goldviz.findings(second)] == ["frozen"]


def test_the_shell_opens_a_file_and_tells_its_findings(
    run_file: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["open", str(run_file)]) == 0
    assert "on the page Your network" in capsys.readouterr().out
    [run], _ = store.list()
    assert main(["findings", run.id, "--json"]) == 0
    [told] = json.loads(capsys.readouterr().out)
    assert set(told) == {
        "kind", "severity", "title", "number", "threshold", "confidence", "explanation", "effect", "cure", "tried",
    }  # fmt: skip
    assert told["kind"] == "frozen"
    assert "requires_grad_(True)" in told["cure"]
    assert told["tried"] is None
    assert main(["findings", run.id]) == 0
    assert "Layers are frozen" in capsys.readouterr().out


def by_another_version(file: Path, copy: Path, version: str) -> Path:
    """The file as another goldviz would have written it: quantities that this one lacks, and none that it lacked."""
    copy.write_bytes(file.read_bytes())
    bins = {"value_bin": [-1.0, 0.0, 1.0]} if version == "newer" else {}
    with closing(sqlite3.connect(copy)) as connection, connection:
        [(variables, labels, facts)] = connection.execute("SELECT variables, coordinates, attributes FROM runs")
        declared = json.loads(variables)
        about = {"dims": ["step", "layer"], "long_name": "Curvature", "units": "1", "kind": "curvature_by_layer"}
        declared = {name: one for name, one in declared.items() if version == "newer" or name != "headroom"}
        declared["curvature"] = about
        changed = (declared, {**json.loads(labels), **bins}, {**json.loads(facts), "goldviz": version, "mood": "good"})
        connection.execute(
            "UPDATE runs SET variables = ?, coordinates = ?, attributes = ?", [*map(json.dumps, changed)]
        )
        for number, data in connection.execute("SELECT id, data FROM batches").fetchall():
            tensors = load(data)
            steps = tensors["loss@steps"]
            tensors |= {"curvature": np.ones((len(steps), 5), np.float32), "curvature@steps": steps}
            if bins:
                few = np.ones((len(tensors["activation_histogram"]), 5, 3), np.float32)
                tensors["activation_histogram"] = few
            connection.execute("UPDATE batches SET data = ? WHERE id = ?", (save(tensors), number))
    return copy


@pytest.mark.parametrize(("version", "names"), [("newer", "activation_histogram, curvature"), ("older", "curvature")])
def test_a_run_of_another_version_is_shown_without_what_is_not_known_which_is_said(
    version: str,
    names: str,
    run_file: Path,
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    copy = by_another_version(run_file, tmp_path / "other.gv", version)
    assert main(["open", str(copy)]) == 0
    mine = versions()["goldviz"]
    sentence = f"Its script had goldviz {version}; this one, {mine}, leaves out what it does not know: {names}."
    assert sentence in " ".join(capsys.readouterr().out.split())
    [run], _ = store.list()
    opened = goldviz.load(run.id)
    assert [card.kind for card in goldviz.findings(opened)] == ["frozen"]
    assert ("activation_histogram" in opened) is (version == "older")
    # The same run in a store that both versions use.
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{copy}")
    [there], _ = Store().list()
    shared = goldviz.load(there.id)
    assert "curvature" in shared
    caplog.clear()
    assert [card.kind for card in goldviz.findings(shared)] == ["frozen"]
    assert "leaves out what it does not know: curvature." in caplog.text
    assert goldviz.measures(shared).keys() == goldviz.measures(opened).keys()
    assert "curvature" not in known(shared)
    assert goldviz.figure(shared, "loss").data


def test_a_file_of_tables_that_another_version_has_is_refused_in_a_sentence(
    run_file: Path, store: Store, tmp_path: Path
) -> None:
    copy = tmp_path / "later.gv"
    copy.write_bytes(run_file.read_bytes())
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.executescript("UPDATE schema_version SET version = 99; ALTER TABLE runs RENAME COLUMN name TO title")
    with pytest.raises(RunFileError, match=r"later\.gv was written by another goldviz: its tables are of version 99"):
        brought_in(copy, store)


BEYOND = save({"loss": np.ones(1, np.float32), "loss@steps": np.array([2**31])})
FAULTS = {
    "a last step beyond 32 bits": ("UPDATE runs SET step = 2147483648", "its step is none from 0 to 2,147,483,647"),
    "records of a step beyond 32 bits": (f"UPDATE batches SET data = x'{BEYOND.hex()}'", "do not fit"),
    "a view in a table's place": (
        "ALTER TABLE runs RENAME TO own; CREATE VIEW runs AS SELECT * FROM own",
        "no file of watched runs",
    ),
    "a column that is computed": (
        "ALTER TABLE runs ADD COLUMN more TEXT GENERATED ALWAYS AS (hex(zeroblob(900000000)))",
        "no file of watched runs",
    ),
    "a value that is too large": ("UPDATE batches SET data = zeroblob(70000000)", "cannot be read"),
    "records that are none": ("UPDATE batches SET data = x'00'", "cannot be read"),
    "a huge header": ("UPDATE batches SET data = x'ffffffffffffff7f7b7d'", "cannot be read"),
    "layers that are none": ("UPDATE runs SET coordinates = '{\"layer\": 7}'", "does not name its layers"),
    "fewer layers": ('UPDATE runs SET coordinates = \'{"layer": ["0"]}\'', "do not fit"),
    "facts that are none": ("UPDATE runs SET attributes = '[1'", "cannot be read"),
    "another laboratory": ("UPDATE runs SET experiment = 'toy'", "holds no watched run"),
}


@pytest.mark.untrusted
@pytest.mark.parametrize("fault", FAULTS)
def test_what_does_not_fit_is_refused_in_a_sentence(fault: str, run_file: Path, store: Store, tmp_path: Path) -> None:
    change, sentence = FAULTS[fault]
    copy = tmp_path / "strange.gv"
    copy.write_bytes(run_file.read_bytes())
    assert not run_file.with_name("run.gv-wal").exists()
    with sqlite3.connect(copy) as connection:
        connection.executescript(change)
    connection.close()
    with pytest.raises(RunFileError, match=sentence):
        brought_in(copy, store)
    assert store.list()[1] == 0


@pytest.mark.untrusted
def test_numbers_that_are_not_finite_are_none_among_a_run_s_facts(run_file: Path, store: Store, tmp_path: Path) -> None:
    copy = tmp_path / "endless.gv"
    copy.write_bytes(run_file.read_bytes())
    facts = '{"tried": [NaN, -Infinity, 1e999, 0.5]}'
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE runs SET attributes = ?, settings = '{\"rate\": Infinity}'", (facts,))
    [run_id] = brought_in(copy, store)
    assert store.run(run_id).settings == '{"rate": null}'
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as connection:
        [(kept,)] = connection.execute("SELECT attributes FROM runs")
    assert json.loads(kept)["tried"] == [None, None, None, 0.5]


def same_run_many_times(connection: sqlite3.Connection) -> None:
    connection.executescript(
        "CREATE TABLE more AS SELECT * FROM runs; DROP TABLE runs; ALTER TABLE more RENAME TO runs"
    )
    connection.executescript("UPDATE batches SET data = data; " + "INSERT INTO runs SELECT * FROM runs LIMIT 50; " * 7)
    connection.execute("UPDATE batches SET data = ?", (records(300_000, 5),))


def records(steps: int, layers: int) -> bytes:
    """A loss at every step, and rows by layer at one."""
    numbers = np.arange(1, steps + 1)
    by_layer = {name: np.ones((1, layers), np.float32) for name in ("gradient_by_layer", "update_to_data")}
    tensors = {"loss": np.ones(steps, np.float32), "loss@steps": numbers, **by_layer}
    return save(tensors | {f"{name}@steps": numbers[:1] for name in by_layer})


def a_row_for_all_steps(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE runs SET coordinates = ?", (json.dumps({"layer": ["x"] * 1100}),))
    connection.execute("DELETE FROM batches WHERE id > 1")
    connection.execute("UPDATE batches SET data = ?", (records(400_000, 1100),))


def many_steps_of_nothing(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE runs SET coordinates = ?", (json.dumps({"layer": []}),))
    connection.execute("DELETE FROM batches WHERE id > 1")
    steps = np.arange(1, 2_000_001)
    data = save({"weight_norm": np.ones((len(steps), 0), np.float32), "weight_norm@steps": steps})
    connection.execute("UPDATE batches SET data = ?", (data,))


def facts_of_many_values(connection: sqlite3.Connection) -> None:
    lists = "[" + "[]," * 1_300_000 + "1]"
    connection.execute("UPDATE runs SET attributes = ?", (f'{{"tried": {lists}}}',))


COSTLY = {
    same_run_many_times: "names more records than it can hold",
    a_row_for_all_steps: r"numbers would take 3\.5 GB of memory; allowed are up to 1\.0 GB",
    many_steps_of_nothing: "taken",
    facts_of_many_values: "no text of up to 4 MB and 500,000 values",
}
MOST_MEGABYTES = 300
"""Beside what the process has before."""


def peak(question: Callable[[], object]) -> float:
    """Megabytes that this process comes to have more than before."""

    def megabytes(name: str) -> float:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024

    before = megabytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    question()
    return megabytes("VmHWM") - before


def asked(answers, file: Path, url: str) -> None:  # type: ignore[no-untyped-def]
    said = []

    def question() -> None:
        try:
            said.append(f"taken: {brought_in(file, Store(url))}")
        except RunFileError as error:
            said.append(str(error))

    answers.put((peak(question), said[0]))


@pytest.mark.untrusted
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells how much a process had")
@pytest.mark.parametrize("change", COSTLY, ids=lambda change: change.__name__)
def test_what_a_file_would_cost_is_known_before_it_is_made(
    change: Callable[[sqlite3.Connection], None], run_file: Path, store: Store, tmp_path: Path
) -> None:
    copy = tmp_path / "costly.gv"
    copy.write_bytes(run_file.read_bytes())
    with closing(sqlite3.connect(copy)) as connection, connection:
        change(connection)
    fork = multiprocessing.get_context("fork")
    answers = fork.Queue()
    process = fork.Process(target=asked, args=(answers, copy, store.url), daemon=True)
    process.start()
    megabytes, said = answers.get(timeout=60)
    process.join()
    assert re.search(COSTLY[change], said), said
    assert megabytes < MOST_MEGABYTES
    assert store.list()[1] == (COSTLY[change] == "taken")


@pytest.mark.untrusted
def test_a_run_that_cannot_be_kept_whole_leaves_nothing(
    run_file: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, calls = store.append, []

    def append(*arguments: object, **more: object) -> object:
        calls.append(1)
        if len(calls) == 2:
            raise StoreFullError("The disk is full.")
        return whole(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "append", append)
    with pytest.raises(StoreFullError):
        brought_in(run_file, store)
    assert store.list()[1] == 0


@pytest.mark.untrusted
def test_a_file_of_something_else_is_refused(store: Store, tmp_path: Path) -> None:
    text = tmp_path / "notes.gv"
    text.write_text("not a run")
    for file, sentence in ((text, "cannot be read"), (tmp_path / "none.gv", "There is no file none.gv")):
        with pytest.raises(RunFileError, match=sentence):
            brought_in(file, store)
