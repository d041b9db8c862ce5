"""Runs of the past on today's pages: settings that are understood, renamed or unknown, and laboratories that went."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goldviz.cli.command import main
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.examples import example
from goldviz.runs.execution.worker import execute
from goldviz.ui.serving import services
from goldviz.ui.words import plain
from tests.pages.visit import LABORATORY, RUNS, Visitor
from tests.runs.test_kept import BY_NAME, THEN, unpacked
from tests.thinned import thinned

PAUSED = BY_NAME["Paused half way"]
FORK = BY_NAME["Fork of it"]


@pytest.fixture(autouse=True)
def _kept(database: Path) -> None:
    unpacked(database.parent)


def alter(file: Path, run_id: str, **values: Any) -> None:
    """Change what the file says of a run's settings."""
    with sqlite3.connect(file) as connection:
        [text] = connection.execute("select settings from runs where id = ?", (run_id,)).fetchone()
        kept = json.dumps(json.loads(text) | values)
        connection.execute("update runs set settings = ? where id = ?", (kept, run_id))
    connection.close()


UNREAD: dict[str, dict[str, Any]] = {
    "depth-gradients has no setting 'skip'": {"skip": True},
    "Width is 100000; allowed is a whole number from 2 to 512": {"width": 100_000},
    "Optimiser is 'lion'; allowed is one of adam, adamw, sgd": {"optimiser": "lion"},
}


def test_a_run_of_the_past_opens_with_everything_that_can_be_asked_of_it() -> None:
    visitor = Visitor(LABORATORY, {"runs": PAUSED})
    assert set(visitor.buttons) >= {"Go on", "Step", "Fork"}
    assert not visitor.warnings
    assert len(visitor.figures()[0]["data"]) == THEN[PAUSED]["traces"]["gradient_by_layer"]


@pytest.mark.parametrize(("reason", "values"), UNREAD.items())
def test_a_run_that_nobody_understands_says_so_and_shows_its_figures(
    database: Path, reason: str, values: dict[str, Any]
) -> None:
    alter(database, PAUSED, **values)
    visitor = Visitor(LABORATORY, {"runs": PAUSED})
    sentence = f"The settings of this run (version 1 of depth-gradients; today's is 1) are not understood: {reason}."
    assert visitor.warnings == [plain(sentence)]
    assert not visitor.errors
    assert "Paused" in visitor.states[0]
    assert len(visitor.figures()[0]["data"]) == THEN[PAUSED]["traces"]["gradient_by_layer"]
    assert not {"Go on", "Step", "Fork"} & set(visitor.buttons)
    assert visitor.runs == [PAUSED]
    visitor.open("take")
    assert [part.proto.label for part in visitor.at.get("download_button")] == ["Curves (CSV)", "Report (HTML)"]


def test_an_unread_run_stands_beside_one_that_is_understood(database: Path) -> None:
    alter(database, FORK, skip=True)
    visitor = Visitor(LABORATORY, {"runs": f"{PAUSED},{FORK}"})
    assert [len(figure["data"]) for figure in visitor.figures()] == [
        THEN[run]["traces"]["gradient_by_layer"] for run in (PAUSED, FORK)
    ]
    assert visitor.buttons.count("Go on") == 1
    visitor.click(f"Close lane-{FORK}")
    assert visitor.runs == [PAUSED]


@pytest.mark.parametrize("run_id", thinned([run for run, then in THEN.items() if then["status"] == "finished"]))
def test_an_unread_run_of_any_laboratory_is_exported_but_not_as_a_script(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], run_id: str
) -> None:
    alter(database, run_id, skip=True, seeds=[])
    for suffix in ("csv", "html", "nc"):
        assert main(["export", run_id, "--to", str(tmp_path / f"run.{suffix}")]) == 0
    report = (tmp_path / "run.html").read_text()
    assert "are not understood: " in report
    assert report.count("<figure>") >= len(THEN[run_id]["traces"])
    assert "<th scope='row'>Skip</th><td>yes</td>" in report
    capsys.readouterr()
    assert main(["export", run_id, "--to", str(tmp_path / "run.py")]) != 0
    assert "has no setting 'skip'" in capsys.readouterr().err
    assert not (tmp_path / "run.py").exists()


def test_a_figure_that_needs_a_setting_that_is_not_understood_says_so(database: Path) -> None:
    forecast = BY_NAME["Kept gold-forecast"]
    alter(database, forecast, network="oracle")
    visitor = Visitor("pages/gold_forecast.py", {"runs": forecast})
    assert not visitor.errors
    assert "Network is 'oracle'" in visitor.warnings[0].replace("\\", "")
    [figure] = visitor.figures("skill")
    assert "This figure needs settings that are not understood" in json.dumps(figure).replace("<br>", " ")


@pytest.fixture
def _later(monkeypatch: pytest.MonkeyPatch, database: Path) -> Iterator[None]:
    """Since version 2, what was the 'span' is the width, and the 'rate' is the learning rate."""

    def upgrade(version: int, values: dict[str, Any]) -> dict[str, Any]:
        names = {"span": "width", "rate": "learning_rate"} if version < 2 else {}
        return {names.get(name, name): value for name, value in values.items()}

    monkeypatch.setattr(DepthGradients, "version", 2)
    monkeypatch.setattr(DepthGradients, "upgrade", staticmethod(upgrade))
    with sqlite3.connect(database) as connection:
        for column, table in (("settings", "runs"), ("changes", "runs"), ("changes", "marks")):
            connection.execute(f"update {table} set {column} = replace({column}, '\"learning_rate\"', '\"rate\"')")
        connection.execute("update runs set settings = replace(settings, '\"width\"', '\"span\"')")
    connection.close()
    yield
    # A recorded run that was read meanwhile is one of version 2, and others would be given it.
    example.cache_clear()


@pytest.mark.usefixtures("_later")
def test_renamed_settings_are_read_shown_and_gone_on_with(tmp_path: Path) -> None:
    visitor = Visitor(LABORATORY, {"runs": f"{PAUSED},{FORK}"})
    assert not visitor.warnings
    assert visitor.buttons.count("Go on") == 1
    kept = services.store().load(FORK).attrs
    settings = DepthGradients.from_store(2, kept["settings"])
    assert (settings.width, kept["settings_version"]) == (8, 2)
    assert json.loads(kept["marks"])[0]["changes"] == {"learning_rate": 0.01}
    assert main(["export", FORK, "--to", str(tmp_path / "run.py")]) == 0
    assert "0.01" in (tmp_path / "run.py").read_text()

    again = services.store().fork(FORK, 6, settings, changes={"learning_rate": 0.02})
    marks = [(mark["step"], mark["changes"]) for mark in services.store().about(again).marks]
    assert marks == [(3, {"learning_rate": 0.01}), (6, {"learning_rate": 0.02})]
    assert services.store().run(again).settings_version == 2
    services.store().set_status(FORK, "stopped")
    assert services.store().enqueue(FORK)
    assert execute(settings, FORK, services.store().url) == "finished"


@pytest.mark.usefixtures("_later")
def test_links_of_before_a_setting_was_renamed_still_open() -> None:
    visitor = Visitor(LABORATORY, {"span": "12", "rate": "0.05"})
    assert not visitor.warnings
    assert (visitor.control("width").value, visitor.control("learning_rate").value) == (12, 0.05)
    visitor.look()
    assert dict(visitor.at.query_params) == {"width": "12", "learning_rate": "0.05", "settings_version": "2"}


def test_a_run_of_a_laboratory_that_went_stays_listed_with_a_sentence(database: Path, tmp_path: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("update runs set experiment = 'depth-of-old', name = '' where id = ?", (PAUSED,))
    connection.close()
    visitor = Visitor(RUNS)
    assert PAUSED in list(visitor.at.dataframe[0].value["Id"])
    [sentence] = [caption for caption in visitor.captions if plain("depth-of-old") in caption]
    assert sentence.startswith(f"This version has no laboratory {plain('depth-of-old')}")
    assert main(["export", PAUSED, "--to", str(tmp_path / "run.csv")]) == 0
