"""What a worker loads beside runs, and when; memory that is handed back."""

import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from goldviz.runs.execution import spare_time
from goldviz.runs.execution.memory_watch import give_back_memory, resident_bytes
from goldviz.runs.execution.spare_time import SpareTime

REST, LOOK = 0.2, 0.01


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two modules that note in themselves when they were loaded."""
    names = ["loaded_in_spare_time", "loaded_after_it"]
    for name in names:
        (tmp_path / f"{name}.py").write_text("import time\nat = time.monotonic()\n")
    monkeypatch.syspath_prepend(tmp_path)
    return names


def test_modules_are_loaded_once_no_run_is_at_work(modules: list[str]) -> None:
    spare = SpareTime()
    loading = threading.Thread(target=spare.load, args=(modules, REST, LOOK))
    with spare.taken():
        loading.start()
        with spare.taken():
            time.sleep(2 * REST)
        assert spare.seconds() == 0
        assert not sys.modules.keys() & set(modules)
        free = time.monotonic()
    loading.join()
    first, second = (sys.modules.pop(name) for name in modules)
    assert free + REST <= first.at <= second.at


def test_a_run_that_begins_while_a_module_is_loaded_finds_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loaded_slowly.py").write_text(f"import time\ntime.sleep({2 * REST})\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    spare = SpareTime()
    loading = threading.Thread(target=spare.load, args=(["loaded_slowly"], 0.0, LOOK))
    loading.start()
    while "loaded_slowly" not in sys.modules:
        time.sleep(LOOK)
    with spare.taken():
        assert sys.modules.pop("loaded_slowly").whole
    loading.join()


def test_what_is_not_installed_is_left_out(modules: list[str]) -> None:
    SpareTime().load(["no_such_module", *modules], rest=0.0)
    assert all(sys.modules.pop(name).at for name in modules)


def test_the_rest_begins_anew_behind_a_run_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(spare_time, "time", SimpleNamespace(monotonic=lambda: now[0]))
    spare = SpareTime()
    now[0] += REST / 2
    with pytest.raises(ZeroDivisionError), spare.taken():
        raise ZeroDivisionError
    now[0] += REST
    assert spare.seconds() == pytest.approx(REST)


def test_what_is_loaded_waits_for_the_whole_rest(modules: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now, looks = [100.0], list[float]()

    def sleep(seconds: float) -> None:
        looks.append(now[0])
        now[0] += seconds

    monkeypatch.setattr(spare_time, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    SpareTime().load(modules[:1], rest=1.0, look=0.25)
    assert looks == [100.0, 100.25, 100.5, 100.75]
    assert sys.modules.pop(modules[0])


@pytest.mark.skipif(sys.platform != "linux", reason="Only glibc is asked to hand memory back.")
def test_freed_memory_goes_back_to_the_system() -> None:
    give_back_memory()
    before = resident_bytes()
    blocks = [b"x" * 100_000 for _ in range(2_000)]
    blocks, last = [], blocks[-1]
    kept = resident_bytes() - before
    give_back_memory()
    assert kept > 100e6
    assert resident_bytes() - before < 50e6
    assert last
