"""A process's temporary folder: closed to others, gone with the process, and swept after one that was killed."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from goldviz.runs.execution.scratch import HELD, PREFIX, YOUNG_SECONDS, remove_abandoned, scratch_folder

HOLD = "from goldviz.runs.execution.scratch import scratch_folder; print(scratch_folder(), flush=True); input()"


def holder(place: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process with a folder in ``place``, and the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env={**os.environ, "TMPDIR": str(place), "PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def aged(folder: Path) -> None:
    old = time.time() - 2 * YOUNG_SECONDS
    os.utime(folder / HELD, (old, old))


def test_it_is_this_accounts_alone_and_the_same_at_every_call() -> None:
    folder = scratch_folder()
    assert folder == scratch_folder()
    assert folder.parent == Path(tempfile.gettempdir())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_it_goes_with_its_process_and_what_a_killed_one_left_goes_at_the_next_start(tmp_path: Path) -> None:
    ended, first = holder(tmp_path)
    killed, left = holder(tmp_path)
    alive, held = holder(tmp_path)
    assert first.is_dir()
    ended.communicate("\n")
    assert not first.exists()
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    for folder in (left, held):
        (folder / "content").write_text("kept")
    remove_abandoned(tmp_path)
    assert left.is_dir(), "one that is young may be just being made"
    for folder in (left, held):
        aged(folder)
    remove_abandoned(tmp_path)
    assert not left.exists()
    assert (held / "content").is_file()
    alive.communicate("\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["another's", "open to all", "a link", "without a lock"])
def test_what_may_not_be_its_own_stays(tmp_path: Path, what: str) -> None:
    target, folder = tmp_path / "target", tmp_path / f"{PREFIX}x"
    target.mkdir(0o700)
    if what == "a link":
        folder.symlink_to(target)
    else:
        folder.mkdir()
        folder.chmod(0o755 if what == "open to all" else 0o700)
    if what != "without a lock":
        (folder / HELD).touch()
        aged(folder)
    if what == "another's":
        if os.getuid() != 0:
            pytest.skip("only the administrator can give a folder to another account")
        os.chown(folder, 65534, 65534)
    (folder / "content").touch()
    remove_abandoned(tmp_path)
    assert (folder / "content").is_file()
