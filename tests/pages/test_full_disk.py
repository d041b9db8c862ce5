"""A run that grows while the disk is full: its page says so, and no longer once there is room."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.recorder import Progress
from goldviz.ui.panels import lanes
from goldviz.ui.panels.lanes import OPEN
from goldviz.ui.serving import frames, services
from goldviz.ui.words import plain
from tests.pages.visit import HOME, LABORATORY, RUNS, Visitor
from tests.runs.test_full_disk import fill
from tests.runs.test_strangers import small_disk


def test_a_growing_run_says_that_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "disk" / "runs.sqlite"
    with small_disk(tmp_path / "disk", 4000), closing(sqlite3.connect(database)) as process_of_the_run:
        monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{database}")
        store = services.store()
        run_id = store.create(DepthGradients(), status="running")
        store.append(run_id, Progress(7, 20, 1.0, 0.0))
        offer = frames.Offer(DepthGradients.name, (run_id,), "light")
        visitor = Visitor(LABORATORY, {OPEN: run_id})
        said = frames.felt(offer, lanes.read(DepthGradients, run_id))
        assert not visitor.errors

        # Where no process has a database open, SQLite needs room to read it, and a page can tell of the disk alone.
        process_of_the_run.execute("SELECT count(*) FROM runs").fetchall()
        filler = fill(tmp_path / "disk")
        sentence = (
            f"The database {store.place} cannot be written: the disk is full. Make room on it. Records "
            "up to epoch 7 are kept. Later ones wait in the memory of the run's process, which writes them as soon as "
            "there is room."
        )
        assert plain(sentence) in visitor.look().errors
        # The page's browser is told that the page has something else to say, although the run stands still.
        assert frames.felt(offer, lanes.read(DepthGradients, run_id)) != said
        seen = {run_id: (store.run(run_id).version, services.trouble(run_id))}
        board = frames.boards.board(offer, run_id)
        board.version = seen[run_id][0]
        assert frames._is_as_seen(board, seen[run_id])

        filler.unlink()
        assert not frames._is_as_seen(board, (seen[run_id][0], services.trouble(run_id)))
        assert plain(sentence) not in visitor.look().errors
        services.close()


@pytest.mark.parametrize("page", [HOME, RUNS])
def test_a_page_of_runs_says_that_the_disk_is_full(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "disk" / "runs.sqlite"
    with small_disk(tmp_path / "disk", 4000), closing(sqlite3.connect(database)) as another_process:
        monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{database}")
        services.store().create(DepthGradients())
        visitor = Visitor(page)
        assert not visitor.errors
        another_process.execute("SELECT count(*) FROM runs").fetchall()
        filler = fill(tmp_path / "disk")
        assert [plain(services.store().full)] == visitor.look().errors
        filler.unlink()
        assert not visitor.look().errors
        services.close()
