"""Who may open what goldviz keeps: its account alone, whatever the umask, and also what was left open before."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from goldviz.cli import main
from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.simulated import simulated_market
from goldviz.data.tables.kept_files import PLACES
from goldviz.data.tables.kept_labels import keep_label
from goldviz.labs.gold_forecast.process_pool import ProcessPool
from goldviz.runs.execution.execution import Executor
from goldviz.runs.execution.worker import execute
from goldviz.runs.store.rights import close_what_is_kept
from goldviz.runs.store.run_store import Store
from tests.browser.app_server import running
from tests.runs.conftest import until
from tests.runs.other_account import NOBODY, as_nobody, needs_another_account
from tests.runs.toy import Toy

KEY = "0123456789abcdef"
SHELL = "import sys; from goldviz.cli import main; sys.exit(main())"
ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(os.name != "posix", reason="only POSIX systems have such rights")
as_root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only the administrator gives away")

pytestmark = posix


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place that every account can look into, where goldviz is to keep all it keeps."""
    with TemporaryDirectory(prefix="rights-") as name:
        place = Path(name)
        place.chmod(0o755)
        monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{place / 'database' / 'runs.sqlite'}")
        monkeypatch.setenv("GOLDVIZ_DATA", str(place / "data"))
        monkeypatch.setenv("XDG_DATA_HOME", str(place / "home"))
        yield place


def kept() -> str:
    """One of everything that goldviz keeps; returns the name of a market."""
    name = keep(simulated_market(3))
    for folder in PLACES.values():
        folder.write(KEY, b"kept")
    keep_label(KEY, "my own.csv")
    store = Store()
    execute(Toy(epochs=4), store.create(Toy(epochs=4)), store.url)
    store.close()
    return name


def rights(place: Path) -> dict[str, str]:
    """The rights to everything below a place."""
    return {str(path.relative_to(place)): oct(stat.S_IMODE(path.stat().st_mode)) for path in place.rglob("*")}


def open_of(place: Path) -> dict[str, str]:
    return {name: mode for name, mode in rights(place).items() if int(mode, 8) & 0o077}


def opened(place: Path) -> None:
    """As an earlier version left it."""
    for path in place.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_what_is_kept_is_for_its_account_alone_and_own_files_keep_their_umask(place: Path) -> None:
    kept()
    store = Store()
    with store._writing(), store._reading():
        assert {path.name for path in (place / "database").iterdir()} >= {"runs.sqlite", "runs.sqlite-wal"}
        assert open_of(place) == {}
    own = place / "run.nc"
    small = "--depth 1 --width 2 --epochs 1 --samples 20 --seeds 0"
    run = ["run", "depth-gradients", *small.split(), "--quiet", "--keep", "--output"]
    assert main([*run, str(own)]) == 0
    report = place / "report.html"
    [listed], _ = store.list(experiment="depth-gradients")
    assert main(["export", listed.id, "--to", str(report)]) == 0
    assert open_of(place) == {"run.nc": "0o644", "report.html": "0o644"}
    assert os.umask(0o022) == 0o022


def test_a_database_on_a_disk_without_hard_links_is_for_its_account_alone(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", no_links)
    (place / "database").mkdir(0o755)
    store = Store()
    with store._writing(), store._reading():
        assert {path.name for path in (place / "database").iterdir()} >= {"runs.sqlite", "runs.sqlite-wal"}
        assert open_of(place) == {"database": "0o755"}
    store.close()


@needs_another_account
def test_another_account_can_read_neither_the_database_nor_the_names_of_files(place: Path) -> None:
    kept()
    tried = """
    import os, sys
    for path in sys.argv[1:]:
        try:
            print(os.listdir(path) if os.path.isdir(path) else len(open(path, "rb").read()))
        except PermissionError:
            print("refused")
    """
    paths = [place / "database" / "runs.sqlite", place / "data", place / "data" / "texts"]
    assert as_nobody(tried, *paths).split() == ["refused"] * 3
    # A database beside files of others is closed by itself.
    store = Store(f"sqlite:///{place / 'runs.sqlite'}")
    with store._writing():
        beside = [path for path in place.iterdir() if path.name.startswith("runs.sqlite")]
        assert len(beside) >= 2
        assert as_nobody(tried, *beside).split() == ["refused"] * len(beside)
    store.close()


def test_what_was_left_open_is_closed_with_a_notice_and_only_once(place: Path) -> None:
    name = kept()
    (place / "data" / "yfinance").mkdir()
    (place / "data" / "yfinance" / "tkr-tz.db").touch()
    database = place / "database" / "runs.sqlite"
    for ending in ("-wal", "-shm", ".damaged", ".damaged-wal"):
        Path(f"{database}{ending}").touch()
    opened(place)
    assert open_of(place)
    assert close_what_is_kept() == [
        f"Other accounts of this machine had rights to the database {database} and the folder {place / 'data'}; they "
        "have none any more."
    ]
    assert open_of(place) == {"database": "0o755"}
    assert (place / "data" / f"{name}.parquet").is_file()
    assert close_what_is_kept() == []


def test_a_folder_that_was_made_for_goldviz_is_closed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOLDVIZ_DATABASE_URL")
    monkeypatch.delenv("GOLDVIZ_DATA")
    home = place / "home" / "goldviz"
    kept()
    assert open_of(place / "home") == {}
    opened(place / "home")
    assert close_what_is_kept() == [
        f"Other accounts of this machine had rights to the folder {home}, the database {home / 'runs.sqlite'} and the "
        f"folder {home / 'markets'}; they have none any more."
    ]
    assert open_of(place / "home") == {}


def test_a_folder_with_files_of_others_stays_open_and_says_what_that_means(place: Path) -> None:
    kept()
    data = place / "data"
    (data / "of others.txt").touch()
    (data / "texts" / "link").symlink_to(place / "elsewhere")
    (place / "elsewhere").touch(0o644)
    opened(place)
    [closed, stays] = close_what_is_kept()
    assert str(data) in closed
    assert stays == (
        f"The folder {data} holds other files, too, and stays open: other accounts can list the kept markets in it, "
        "whose names are their keys. Name a folder of goldviz's own in GOLDVIZ_DATA."
    )
    assert open_of(place).keys() == {"data", "data/of others.txt", "data/texts/link", "elsewhere", "database"}


@as_root
def test_what_belongs_to_another_account_is_told_and_left(place: Path) -> None:
    kept()
    opened(place)
    os.chown(place / "data", NOBODY, NOBODY)
    [_, told] = close_what_is_kept()
    assert told.startswith(
        f"Other accounts of this machine have rights to the folder {place / 'data'}, which could not be taken away: it "
        "belongs to the account "
    )
    assert told.endswith(f". Let its owner say chmod -R go-rwx {place / 'data'}.")
    assert open_of(place).keys() == {"data", "database"}


def test_a_folder_that_is_shared_with_a_group_stays_shared(place: Path) -> None:
    for name in ("data", "database"):
        (place / name).mkdir()
        (place / name).chmod(0o2770)
    os.umask(0o077)
    kept()
    store = Store()
    with store._writing():
        found = rights(place)
    assert "database/runs.sqlite-wal" in found
    assert {mode for name, mode in found.items() if (place / name).is_dir()} == {"0o2770"}
    assert {mode for name, mode in found.items() if (place / name).is_file()} == {"0o660"}
    assert close_what_is_kept() == []
    assert found.items() >= rights(place).items()
    store.close()


def umask_of(_task: str) -> "Umask":
    return Umask()


class Umask:
    """A member of a pool that says what its process has."""

    def told(self) -> int:
        now = os.umask(0o777)
        os.umask(now)
        return now


def test_processes_that_are_goldviz_s_own_make_files_for_their_account_alone(executor: Executor) -> None:
    assert executor._workers.submit(Umask().told).result(30) == 0o077
    with ProcessPool(umask_of, ["here", "there"], processes=2) as pool:
        assert pool.call("told") == [0o022, 0o077]


@pytest.mark.slow
def test_a_server_closes_what_was_open_and_makes_nothing_that_others_can_read(place: Path) -> None:
    kept()
    opened(place)
    log = place / "log"
    log.mkdir()
    database, data = f"sqlite:///{place / 'database' / 'runs.sqlite'}", str(place / "data")
    with running(database, log / "server.log", more={"GOLDVIZ_DATA": data, "TMPDIR": str(place)}):
        until(lambda: "they have none any more." in (log / "server.log").read_text())
        until((place / "database" / "runs.sqlite-wal").exists)
        run = [sys.executable, "-c", SHELL, "run", "depth-gradients", "--epochs", "1", "--keep", "--quiet"]
        subprocess.run(run, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert open_of(place).keys() <= {"log", "log/server.log", "database"}
