import ast
import csv
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import xarray as xr

import goldviz
from goldviz.cli import main
from goldviz.declare.registry import experiment, experiments, laboratories
from goldviz.declare.settings import allowed, description
from goldviz.runs.store.run_store import Store
from tests.ports import free_port

NAME = "depth-gradients"
SMALL = ["--depth", "3", "--width", "6", "--epochs", "3", "--samples", "32", "--features", "4"]
COMMAND = [sys.executable, "-m", "goldviz"]


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    url = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", url)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    monkeypatch.setenv("GOLDVIZ_WORKERS", "1")
    return url


@pytest.fixture
def kept(database: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["run", NAME, *SMALL, "--seeds", "0,7", "--keep", "--quiet"]) == 0
    return Store().list()[0][0].id


def complaints(capsys: pytest.CaptureFixture[str], *argv: str) -> list[str]:
    """What a refused command says, one sentence a line, and that nothing else was printed or kept."""
    assert main(list(argv)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert Store().list()[1] == 0
    lines = said.err.splitlines()
    assert all(line.startswith("goldviz: ") and line.endswith((".", "?")) for line in lines)
    return [line.removeprefix("goldviz: ") for line in lines]


def test_list_shows_every_experiment_with_its_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    for name, declared in goldviz.experiments().items():
        assert name in text
        assert declared.question in text
        assert all(preset.slug in text for preset in declared.presets)


def test_kept_runs_are_listed(kept: str, capsys: pytest.CaptureFixture[str]) -> None:
    Store().rename(kept, "my run")
    assert main(["list", "--runs"]) == 0
    text = capsys.readouterr().out
    assert kept in text
    assert "finished" in text
    assert "3 of 3" in text
    assert "my run" in text
    assert "1 of 1 kept run\n" in text
    Store().delete([kept])
    assert main(["list", "--runs"]) == 0
    assert capsys.readouterr().out == "No run has been kept yet.\n"


def unspaced(text: str) -> str:
    """Without what differs where a line is broken, which may be within a word."""
    return "".join(text.split())


@pytest.mark.parametrize("name", list(laboratories()))
def test_help_explains_every_setting(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    declared, command = laboratories()[name].declared, "run" if name in experiments() else "compute"
    with pytest.raises(SystemExit) as ended:
        main([command, name, "--help"])
    assert ended.value.code == 0
    text = unspaced(capsys.readouterr().out)
    for setting in declared.model_fields:
        option = "network-output" if setting == "output" else setting.replace("_", "-")
        assert unspaced(f"--{option} VALUE {description(declared, setting)}") in text
        assert unspaced(f"Allowed: {allowed(declared, setting)}.") in text
    assert all(unspaced(preset.words) in text for preset in declared.presets)


def test_a_run_is_written_as_netcdf_with_the_numbers_of_the_python_face(tmp_path: Path) -> None:
    file = tmp_path / "run.nc"
    assert (
        main(["run", NAME, "--preset", "break-it-sigmoid", *SMALL, "--seeds", "1,0", "--output", str(file), "--quiet"])
        == 0
    )
    settings = (
        experiment(NAME)
        .preset("break-it-sigmoid")
        .changed(depth=3, width=6, epochs=3, samples=32, features=4, seeds=(1, 0))
    )
    expected = goldviz.run(settings, progress=False)
    found = xr.load_dataset(file, engine="h5netcdf")
    xr.testing.assert_equal(found, expected)
    assert found.attrs["settings"] == settings.model_dump_json()
    assert found["loss"].attrs == expected["loss"].attrs
    assert Store().list()[1] == 0


def test_a_run_is_written_as_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.csv"
    assert main(["run", NAME, *SMALL, "--output", str(file)]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert f"What was recorded is in {file}." in said.err
    with file.open() as opened:
        rows = list(csv.DictReader(opened))
    assert {"loss", "gradient_norm", "test_loss"} <= {row["variable"] for row in rows}


@pytest.mark.parametrize(
    ("options", "sentences"),
    [
        (["--depth", "300"], ["Depth is '300'; allowed is a whole number from 1 to 100."]),
        (
            ["--activation", "swish"],
            ["Activation is 'swish'; allowed is one of leaky_relu, relu, tanh, sigmoid, gelu."],
        ),
        (["--preset", "nothing"], ["There is no preset 'nothing'; there are "]),
        (["--dept", "3"], ["Unrecognized arguments: --dept 3."]),
        (["--depth"], ["Argument --depth: expected one argument."]),
        (["--depth=--"], ["Option --depth is '--'; give it a value, or leave it out."]),
        (["--preset=--"], ["Option --preset is '--'; give it a value, or leave it out."]),
        (["--output", "run.txt"], ["The file run.txt ends in .txt; allowed is .nc or .csv."]),
        (["--output", "run"], ["The file run has no suffix; allowed is .nc or .csv."]),
        (["--output", "/nowhere/run.nc"], ["The folder /nowhere does not exist."]),
    ],
)
def test_what_is_not_allowed_is_said_and_nothing_starts(
    options: list[str], sentences: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = complaints(capsys, "run", NAME, "--keep", *options)
    assert all(text.startswith(start) for text, start in zip(found, sentences, strict=True))


def test_every_bad_setting_gets_its_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    found = complaints(capsys, "run", NAME, "--seeds", "1,x", "--dropout", "2", "--epochs", "1.5")
    assert sorted(text.split(" is ")[0] for text in found) == ["Dropout", "Epochs", "Seeds"]


@pytest.mark.parametrize(
    ("argv", "start"),
    [
        ((), "The following arguments are required: COMMAND."),
        (("fly",), "Argument COMMAND: invalid choice: 'fly'"),
        (("run", "depth-gradiants"), "There is no experiment 'depth-gradiants'; did you mean 'depth-gradients'?"),
        (("run", "nothing"), "There is no experiment 'nothing'; there are adaptive-computation"),
        (("export", "abc", "--to", "run.nc"), "There is no run 'abc' in this store"),
        (("export", "abc", "--to", "run.exe"), "The file run.exe ends in .exe; allowed is .html, .csv, .nc or .py."),
        (("serve", "--port", "0"), "Port is 0; allowed is a whole number from 1 to 65535."),
        (("serve", "--port", "many"), "Argument --port: invalid int value: 'many'"),
        (
            ("serve", "--allow-host", "http://a/b"),
            "--allow-host is 'http://a/b'; allowed is a name or a number, perhaps with a port or a scheme: ",
        ),
        (
            ("serve", "--allow-embedding", "site.example"),
            "--allow-embedding is 'site.example'; allowed is the scheme and host of the pages that show goldviz, ",
        ),
        (
            ("serve", "--base-path", "a/../b"),
            "--base-path is 'a/../b'; allowed are letters, digits, '-', '.', '_' and '~'",
        ),
        (("serve", "--address", "300.0.0.1"), "goldviz cannot listen at 300.0.0.1, port 8501: "),
    ],
)
def test_a_wrong_command_is_explained(argv: tuple[str, ...], start: str, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = complaints(capsys, *argv)
    assert found.startswith(start)


def test_a_folder_is_no_output_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.nc").mkdir()
    (found,) = complaints(capsys, "run", NAME, "--output", str(tmp_path / "run.nc"))
    assert found == f"The file {tmp_path / 'run.nc'} cannot be written."


@pytest.mark.parametrize("keep", [[], pytest.param(["--keep"], marks=pytest.mark.slow)])
def test_a_device_that_is_absent_is_said_in_one_line(keep: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", NAME, *SMALL, "--device", "mps", "--quiet", *keep]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("goldviz: Device is 'mps', but this machine has no Apple GPU; allowed here: auto, cpu")


def test_a_database_that_cannot_be_used_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("no database, " * 200)
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'notes.txt'}")
    assert main(["list", "--runs"]) == 1
    assert capsys.readouterr().err == f"goldviz: The file {tmp_path / 'notes.txt'} is not a goldviz database.\n"


@pytest.mark.parametrize("suffix", [".nc", ".csv", ".html", ".py"])
def test_a_kept_run_is_exported(kept: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / f"run{suffix}"
    assert main(["export", kept, "--to", str(file)]) == 0
    assert capsys.readouterr().out == f"Run {kept} is in {file}.\n"
    if suffix == ".nc":
        xr.testing.assert_equal(xr.load_dataset(file, engine="h5netcdf"), goldviz.load(kept))
    elif suffix == ".csv":
        assert file.read_text().startswith("variable,")
    elif suffix == ".html":
        text = file.read_text()
        assert text.startswith("<!doctype html>")
        assert "Gradient flow in depth" in text
    else:
        ast.parse(file.read_text())


def test_a_kept_run_is_exported_still_and_only_as_a_report(
    kept: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, still = tmp_path / "whole.html", tmp_path / "still.html"
    assert main(["export", kept, "--to", str(whole)]) == 0
    assert main(["export", kept, "--to", str(still), "--still"]) == 0
    assert still.stat().st_size < whole.stat().st_size / 2
    assert main(["export", kept, "--to", str(tmp_path / "run.csv"), "--still"]) != 0
    assert "allowed is .html" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ["list"],
        pytest.param(["claims"], marks=pytest.mark.slow),
        pytest.param(["--help"], marks=pytest.mark.slow),
        pytest.param(["run", NAME, "--help"], marks=pytest.mark.slow),
        pytest.param(["claims", "C76"], marks=pytest.mark.slow),
        pytest.param(["list", "--runs"], marks=pytest.mark.slow),
        pytest.param(["compute", "jacobian-lens"], marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_a_reader_that_leaves_is_no_error(argv: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.run([*COMMAND, *argv], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert process.stderr == ""
    # argparse says its help to nobody without a word.
    assert process.returncode == (0 if "--help" in argv else 141)


@pytest.mark.slow
def test_a_run_goes_on_where_nobody_reads_its_bar(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    file = tmp_path / "run.nc"
    ended = subprocess.run([*COMMAND, "run", NAME, *SMALL, "--output", str(file)], stderr=write, check=False)
    os.close(write)
    assert ended.returncode == 141
    assert xr.load_dataset(file).attrs["status"] == "finished"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_under_what_is_printed_is_said() -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run([*COMMAND, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr == "goldviz: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("keep", [pytest.param([], marks=pytest.mark.slow), ["--keep"]])
@pytest.mark.slow
def test_ctrl_c_writes_what_was_recorded(keep: list[str], tmp_path: Path) -> None:
    file = tmp_path / "run.nc"
    long = [*SMALL, "--epochs", "2000", "--output", str(file), *keep]
    tells_what_it_loads = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    process = subprocess.Popen([*COMMAND, "run", NAME, *long], stderr=subprocess.PIPE, env=tells_what_it_loads)
    assert process.stderr is not None
    os.set_blocking(process.stderr.fileno(), False)
    seen, deadline = b"", time.monotonic() + 240
    while b"epoch/s]" not in seen.replace(b"?epoch/s]", b"") and time.monotonic() < deadline:
        seen += process.stderr.read() or b""
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    os.set_blocking(process.stderr.fileno(), True)
    said = (seen + process.stderr.read()).decode()
    process.stderr.close()
    assert "Stopping after this epoch; Ctrl-C once more stops at once." in said
    assert f"What was recorded is in {file}." in said
    assert "Traceback" not in said
    assert " torch.optim.adam\n" in said
    assert " torch._dynamo\n" not in said, "PyTorch's compiler takes as long to load as PyTorch"
    found = xr.load_dataset(file, engine="h5netcdf")
    steps = found.sizes["epoch"]
    assert 0 < steps < 2000
    assert found.attrs["status"] == "stopped"
    assert found.attrs["message"] == f"Stopped after epoch {steps}."
    assert bool(found["loss"].notnull().all())
    assert [run.status for run in Store().list()[0]] == ["stopped"] * len(keep)


@pytest.mark.parametrize(
    ("number", "base", "below"),
    [
        (signal.SIGTERM, ["--base-path", "/class/lab/"], "/class/lab/"),
        pytest.param(signal.SIGINT, [], "", marks=pytest.mark.slow),
    ],
)
def test_serve_says_where_it_is_and_stops_cleanly(
    number: signal.Signals, base: list[str], below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDVIZ_WORKERS", "1" if number == signal.SIGINT else "0")
    port = free_port()
    command = [*COMMAND, "serve", "--port", str(port), *base]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=tmp_path, start_new_session=True
        )
        assert server.stdout is not None
        assert server.stdout.readline() == f"goldviz is at http://127.0.0.1:{port}{below} (Ctrl-C stops it)\n"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{below or '/'}_stcore/health", timeout=60) as answer:
            assert answer.status == 200
        second = subprocess.run(command, capture_output=True, text=True, check=False)
        assert second.returncode == 2
        assert second.stderr.startswith(
            f"goldviz: goldviz cannot listen at 127.0.0.1, port {port}: address already in use."
        )
        os.killpg(server.pid, number)
        assert server.wait(60) == 0
        server.stdout.close()
    assert "Traceback" not in (tmp_path / "log").read_text()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))


def test_what_an_instant_page_shows_is_computed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lens.nc"
    assert main(["compute", "jacobian-lens", "--length", "12", "--output", str(file)]) == 0
    assert str(file) in capsys.readouterr().err
    xr.testing.assert_identical(xr.load_dataset(file), goldviz.compute("jacobian-lens", length=12))
    assert main(["compute", "jacobian-lens", "--length", "12"]) == 0
    assert "<xarray.Dataset>" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["compute", "depth-gradients"], "There is no instant page 'depth-gradients'; there are "),
        (["compute", "jacobian-lens", "--length", "-1"], "Length is '-1'; allowed is a whole number from "),
        (["compute", "jacobian-lens", "--output", "lens.csv"], "The file lens.csv ends in .csv; allowed is .nc."),
        (["compute", "jacobian-lens", "--keep"], "Unrecognized arguments: --keep. See goldviz compute jacobian-lens"),
    ],
)
def test_a_wrong_computation_is_explained(argv: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert complaints(capsys, *argv)[0].startswith(sentence)
