"""A time limit that ends while a first call still loads what it needs: nothing is left half imported."""

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from goldviz.declare.laboratory import laboratory_of
from goldviz.runs.execution.watchdog import GRACE_SECONDS, Watchdog
from goldviz.runs.recorder import Ended, Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from tests.runs.toy import Toy

NOTEBOOK = """
import sys, time

class SlowDisk:
    "In the middle of torch the disk takes longer than the time limit and its grace."

    def find_spec(self, name, path=None, target=None):
        end = time.monotonic() + (4.5 if name == "torch.nn" else 0)
        while time.monotonic() < end:
            time.sleep(0.01)

sys.meta_path.insert(0, SlowDisk())

import goldviz

small = {"depth": 1, "width": 4, "epochs": 2, "samples": 30, "seeds": (0,), "time_limit": 1, "progress": False}
for call in range(2):
    print(goldviz.run("depth-gradients", **small).attrs["status"])
"""


@pytest.mark.slow
def test_the_first_call_of_a_notebook_trains_whatever_loading_takes() -> None:
    words = [sys.executable, "-c", NOTEBOOK]
    called = subprocess.run(words, check=False, capture_output=True, text=True, timeout=300)
    assert (called.stdout.split(), called.stderr) == (["finished", "finished"], "")


class Loading(Toy):
    """Its second step imports a module, and then computes for long."""

    def train(self, record: Recorder) -> None:
        record.coordinates(network=["plain", "residual"], seed=list(self.seeds))
        for epoch in record.steps(self.epochs):
            record("norm", [epoch for _ in self.seeds])
            if epoch == 2:
                import slow_to_load

                end = time.monotonic() + self.seconds
                while slow_to_load.WHOLE and time.monotonic() < end:
                    pass


def test_a_step_that_imports_is_ended_behind_its_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = f"""
    import time

    end = time.monotonic() + {1 + GRACE_SECONDS + 1}
    while time.monotonic() < end:
        time.sleep(0.01)
    WHOLE = True
    """
    (tmp_path / "slow_to_load.py").write_text(textwrap.dedent(slow))
    monkeypatch.syspath_prepend(tmp_path)
    record = Recorder(Loading(epochs=4, seconds=10.0, time_limit=1), Memory(), NobodyAsks())
    with (
        pytest.raises(Ended, match="Stopped during epoch 2, which went on beyond the time limit of 1 s"),
        Watchdog(record),
    ):
        laboratory_of(record.settings).run(record.settings, record)
    assert sys.modules.pop("slow_to_load").WHOLE
