"""Pages whose work is done by a real worker process show what they show where it is done in threads."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.labs.residual_flow.settings import ResidualFlow
from goldviz.runs.jobs.jobs import Jobs, Task
from goldviz.ui.panels import background
from goldviz.ui.panels.parts import FIRST
from goldviz.ui.serving import services
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


def _drawn(visitor: InstantVisitor, wanted: Mapping[str, set[str]]) -> dict[str, dict[str, Any]]:
    """The wanted figures of each part, once a page that is drawn again while jobs end has them all."""
    found = {}
    for part, names in wanted.items():
        visitor.open(part)
        for _ in range(100):
            if names <= set(visitor.drawn()):
                break
            visitor.look()
        assert not visitor.errors
        found.update({name: visitor.drawn()[name] for name in names})
    return found


@pytest.mark.slow
def test_a_text_is_read_and_explained_by_a_worker(
    worker: Jobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDVIZ_MODELS", str(tmp_path))
    with_classifier(tmp_path / "m")
    link = {"model": "folder:m", "text": "Gold prices rose."}
    wanted = {
        FIRST: {"scores", "mixing"},
        "beyond": {"shares"},
        "evidence": {"evidence", "heads_off"},
        "pieces": {"neighbours"},
    }
    there = _drawn(InstantVisitor(InsideBert, link), wanted)
    assert worker.wait(Task("who", process, (), "Looking", 1.0)) != os.getpid()
    worker.results.clear()
    monkeypatch.setattr(background, "AT_ONCE_SECONDS", 1e9)
    assert there == _drawn(InstantVisitor(InsideBert, link), wanted)


@pytest.mark.slow
def test_a_trained_field_is_computed_by_a_worker(worker: Jobs) -> None:
    _drawn(InstantVisitor(ResidualFlow, {"field": "rings"}), {FIRST: {"carried", "flow"}})
    assert any(job.task.key.startswith("instant-residual-flow") for job in worker._ended._held.values())
