"""What all tests share."""

import gc
import os
import sys
import tempfile
from collections.abc import Generator, Iterator

# Before torch is loaded: two test processes with two threads each spend their time in waiting for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What a page opens with hangs on no package of this machine.
os.environ["GOLDVIZ_FIRST_MODEL"] = "shipped"

import pytest
from _plotly_utils.basevalidators import BaseTemplateValidator
from hypothesis import settings
from streamlit.components.v2 import manifest_scanner
from threadpoolctl import threadpool_limits

from tests import parts

# A plugin of pytest's loaded NumPy before this file: its matrices are multiplied in as many threads as there are cores.
threadpool_limits(1)

MAIN = sys.modules["__main__"]

USUAL_UMASK = 0o022
os.umask(USUAL_UMASK)

# A deadline would be an assertion about time. A change is tested with the same examples every time, so that red means
# that something changed; `make test-long` looks further with a seed that it prints.
settings.register_profile("change", deadline=None, max_examples=15, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=200, print_blob=True)
settings.load_profile("change")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", default="", help="a part of all tests, such as 2/5: tests/parts.py")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is in other parts."""
    if chosen := config.getoption("part"):
        mine = parts.of_part([item.nodeid for item in items], chosen)
        config.hook.pytest_deselected(items=[item for item, taken in zip(items, mine, strict=True) if not taken])
        items[:] = [item for item, taken in zip(items, mine, strict=True) if taken]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays: looking through all of it for garbage takes half a second each time.

    The tests' own objects are looked through less often than Python would: most are gone by then.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)
        gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Where several parts are tested one after another, the names of what failed are listed behind the last one."""
    kept = os.environ.get("GOLDVIZ_FAILED_TESTS")
    failed = {report.nodeid for kind in ("failed", "error") for report in terminalreporter.stats.get(kind, [])}
    if kept and failed:
        with open(kept, "a", encoding="utf-8") as log:
            log.write("".join(f"failed: {name}\n" for name in sorted(failed)))


@pytest.fixture(autouse=True, scope="session")
def _data_folder() -> Iterator[None]:
    """What tests keep, such as vectors of texts, does not go where a person's own data are."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDVIZ_DATA", folder)
        yield


@pytest.fixture(autouse=True, scope="session")
def _shared_runs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Processes that test beside each other train each small run once."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        from tests.labs import small_runs

        small_runs.shared_folder = tmp_path_factory.getbasetemp().parent / "small-runs"
        small_runs.shared_folder.mkdir(exist_ok=True)


@pytest.fixture(autouse=True, scope="session")
def _installed_components() -> Iterator[None]:
    """Which installed packages bring components: every page of the test harness reads all their metadata anew, a
    quarter of a second each, and tests install nothing."""
    found = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: list(found))
        yield


@pytest.fixture(autouse=True, scope="session")
def _checked_looks() -> Iterator[None]:
    """Plotly checks a theme's template anew for every figure, half of the time that one takes; they were checked when
    they were made."""
    looks: dict[str, dict[str, object]] = {}
    check = BaseTemplateValidator.validate_coerce

    def once(self: BaseTemplateValidator, given: object, skip_invalid: bool = False) -> object:
        if not (isinstance(given, str) and given.startswith("goldviz_")):
            return check(self, given, skip_invalid)
        if given not in looks:
            looks[given] = check(self, given).to_plotly_json()
        return self.data_class(looks[given], _validate=False)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseTemplateValidator, "validate_coerce", once)
        yield


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    """A server or a worker that is begun within the tests' process keeps other accounts out of all that it makes from
    then on: the next test would find folders closed that it makes open."""
    os.umask(USUAL_UMASK)
    yield
    os.umask(USUAL_UMASK)


@pytest.fixture(autouse=True)
def _main_module() -> Iterator[None]:
    """Streamlit's test harness leaves its script as ``__main__``, which processes started later would import."""
    sys.modules["__main__"] = MAIN
    yield
    sys.modules["__main__"] = MAIN
