"""Pages whose work is done by a real worker process show what they show where it is done in threads."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.labs.residual_flow.settings import ResidualFlow
from goldviz.runs.jobs import Jobs, Task
from goldviz.ui import background, services
from tests.pages.instant import InstantVisitor
from tests.runs.job_tasks import process
from tests.text_model_folders import with_classifier


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Jobs]:
    """One process for jobs, to which all that takes any time goes."""
    monkeypatch.setenv("GOLDVIZ_JOB_WORKERS", "1")
    monkeypatch.setattr(background, "AT_ONCE_SECONDS", -1.0)
    services.jobs().results.clear()
    yield services.jobs()
    services.close()
    services.jobs().results.clear()


def _drawn(visitor: InstantVisitor, wanted: set[str]) -> dict[str, dict[str, Any]]:
    """The figures, once a page that is drawn again while jobs end has them all."""
    for _ in range(100):
        if wanted <= set(visitor.drawn()):
            break
        visitor.look()
    assert not visitor.errors
    return visitor.drawn()


@pytest.mark.slow
def test_a_text_is_read_and_explained_by_a_worker(
    worker: Jobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDVIZ_MODELS", str(tmp_path))
    with_classifier(tmp_path / "m")
    link = {"model": "folder:m", "text": "Gold prices rose."}
    wanted = {"tone", "shares", "evidence", "heads_off", "guesses", "neighbours"}
    there = _drawn(InstantVisitor(InsideBert, link), wanted)
    assert worker.wait(Task("who", process, (), "Looking", 1.0)) != os.getpid()
    worker.results.clear()
    monkeypatch.setattr(background, "AT_ONCE_SECONDS", 1e9)
    here = _drawn(InstantVisitor(InsideBert, link), wanted)
    assert {name: there[name] for name in wanted} == {name: here[name] for name in wanted}


@pytest.mark.slow
def test_a_trained_field_is_computed_by_a_worker(worker: Jobs) -> None:
    wanted = {"carried", "right"}
    assert wanted <= set(_drawn(InstantVisitor(ResidualFlow, {"field": "rings"}), wanted))
    assert any(job.task.key.startswith("instant-residual-flow") for job in worker._ended._held.values())
