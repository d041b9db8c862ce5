"""What settings say that a run takes in memory, against what a run of them takes in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from goldviz.declare.laboratory import Laboratory
from tests.labs.small_runs import TRAINED, cases

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TOO_CAREFUL, NOTHING = 3.0, 128
"""An estimate may be so many times what a run takes, or so many megabytes above it: more would refuse what has
room. A process takes several hundred before its first run."""
LARGE = [(lab, number) for lab in TRAINED for number in range(len(cases(lab).LARGE))]


@pytest.mark.parametrize(("lab", "number"), LARGE, ids=lambda part: part.name if isinstance(part, Laboratory) else part)
def test_an_estimate_covers_what_a_large_run_takes_and_is_not_three_times_as_much(lab: Laboratory, number: int) -> None:
    command = [sys.executable, "-m", "tests.labs.peak_memory", lab.name, json.dumps(cases(lab).LARGE[number])]
    said = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True, timeout=280).stdout
    told = json.loads(said)
    assert told["ended"] == "finished"
    assert told["peak"] <= told["estimate"] <= max(TOO_CAREFUL * told["peak"], told["peak"] + NOTHING), told
