"""Where no extra is installed, workers start all the same, and train what needs none."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from goldviz.extras import EXTRAS
from tests.labs.small_runs import TRAINED, Small, cases
from tests.thinned import thinned

ROOT = Path(__file__).parents[2]
LEAN = [Small(lab, 0, cases(lab).RUNS[0]) for lab in TRAINED if not lab.extra]
SUITES = {"ordinary": LEAN[:3], "all": LEAN}
WITHOUT = f"import sys\nsys.modules.update(dict.fromkeys({[one for extra in EXTRAS.values() for one in extra]!r}))\n"
"""Run by every process of Python as it starts: what an extra has cannot be imported."""
SCRIPT = """
import json, sys, time
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import experiments, laboratories
from goldviz.extras import is_installed
from goldviz.runs.execution.execution import Executor
from goldviz.runs.execution.spare_time import LATER, SpareTime
from goldviz.runs.jobs.jobs import Jobs
from goldviz.runs.store.rows import UNFINISHED
from goldviz.runs.store.run_store import Store

if __name__ == "__main__":
    assert not is_installed("texts")
    database, runs = sys.argv[1], json.loads(sys.argv[2])
    SpareTime().load(LATER, rest=0.0)
    jobs = Jobs(1)
    jobs.warm_up()
    executor = Executor(Store(database), workers=1)
    sent = {name: executor.submit(experiments()[name].checked(changes)) for name, changes in runs.items()}
    until = time.monotonic() + 200
    while any(executor.store.run(run).status in UNFINISHED for run in sent.values()):
        assert time.monotonic() < until
        time.sleep(0.05)
    print(json.dumps({name: [(run := executor.store.run(id)).status, run.message] for name, id in sent.items()}))
    executor.close()
"""


@pytest.mark.parametrize("suite", thinned(SUITES))
def test_a_laboratory_that_names_no_extra_trains_without_any(suite: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    (tmp_path / "train.py").write_text(SCRIPT)
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    runs = {small.lab.name: small.settings().model_dump(mode="json") for small in SUITES[suite]}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "train.py"), f"sqlite:///{tmp_path / 'runs.sqlite'}", json.dumps(runs)],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert len(told) == len(SUITES[suite]) >= 3
    assert set(map(tuple, told.values())) == {("finished", "")}, told
