"""What a worker loads beside runs, and when; memory that is handed back."""

import sys
import threading
import time
from pathlib import Path

import pytest

from goldviz.runs.execution.memory_watch import give_back_memory, resident_bytes
from goldviz.runs.execution.spare_time import SHORT_TURN, SpareTime

REST, LOOK = 0.2, 0.01


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two modules that note in themselves when they were loaded, and how long a thread kept the interpreter then."""
    names = ["loaded_in_spare_time", "loaded_after_it"]
    for name in names:
        (tmp_path / f"{name}.py").write_text("import sys, time\nat, turn = time.monotonic(), sys.getswitchinterval()\n")
    monkeypatch.syspath_prepend(tmp_path)
    return names


def test_modules_are_loaded_once_no_run_is_at_work_and_let_others_have_turns(modules: list[str]) -> None:
    spare, usual = SpareTime(), sys.getswitchinterval()
    loading = threading.Thread(target=spare.load, args=(modules, REST, LOOK))
    with spare.taken():
        loading.start()
        with spare.taken():
            time.sleep(2 * REST)
        assert spare.seconds() == 0
        assert not sys.modules.keys() & set(modules)
        free = time.monotonic()
    loading.join(30)
    first, second = (sys.modules.pop(name) for name in modules)
    assert free + REST <= first.at <= second.at
    assert first.turn == second.turn == pytest.approx(SHORT_TURN)
    assert sys.getswitchinterval() == usual


def test_a_run_that_begins_between_two_modules_comes_first(modules: list[str]) -> None:
    spare = SpareTime()
    loading = threading.Thread(target=spare.load, args=(modules[:1], REST, LOOK))
    loading.start()
    time.sleep(REST / 2)
    with pytest.raises(ZeroDivisionError), spare.taken():
        raise ZeroDivisionError
    free = time.monotonic()
    loading.join(30)
    assert sys.modules.pop(modules[0]).at >= free + REST - LOOK


@pytest.mark.skipif(sys.platform != "linux", reason="Only glibc is asked to hand memory back.")
def test_freed_memory_goes_back_to_the_system() -> None:
    before = resident_bytes()
    blocks = [b"x" * 100_000 for _ in range(2_000)]
    blocks, last = [], blocks[-1]
    kept = resident_bytes() - before
    give_back_memory()
    assert kept > 100e6
    assert resident_bytes() - before < 50e6
    assert last
