"""The commit of a watched script: told of a repository in whatever form Git keeps it, and of nothing else."""

import multiprocessing
import os
import resource
import subprocess
from pathlib import Path

import pytest

from goldviz.plain_files import content_found, content_of
from goldviz.watching.commit import commit_here

GIT = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
OBJECT = "0123456789abcdef" * 2 + "01234567"


def git(folder: Path, *words: str) -> str:
    done = subprocess.run([*GIT, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_the_commit_is_git_s_own_in_a_branch_a_pack_a_worktree_and_a_bare_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, beside = tmp_path / "whole", tmp_path / "beside"
    (whole / "below").mkdir(parents=True)
    git(whole, "init", "-q")
    git(whole, "commit", "-q", "--allow-empty", "-m", "first")
    git(whole, "worktree", "add", "-q", "-b", "topic/one", str(beside))
    git(beside, "commit", "-q", "--allow-empty", "-m", "second")

    def told(folder: Path) -> bool:
        monkeypatch.chdir(folder)
        return commit_here() == git(folder, "rev-parse", "HEAD")[:12] != ""

    assert told(whole / "below")
    assert told(beside)
    git(whole, "pack-refs", "--all")
    assert told(whole)
    assert told(beside)
    git(whole, "checkout", "-q", "--detach")
    assert told(whole)


def pipe(place: Path) -> None:
    os.mkfifo(place)


def endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


def secret(place: Path) -> None:
    place.with_name("secret").write_text(f"{OBJECT}\n")
    place.symlink_to(place.with_name("secret"))


def no_text(place: Path) -> None:
    place.write_bytes(b"\xff\xfe\x00" * 20)


def other_words(place: Path) -> None:
    place.write_text("password of all\n")


def huge(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(10 * 10**9)


def elsewhere(place: Path) -> None:
    place.write_text("ref: refs/../../secret\n")
    place.parent.parent.joinpath("secret").write_text(f"{OBJECT}\n")


def folder(place: Path) -> None:
    place.mkdir()


STRANGE = (pipe, endless, secret, no_text, other_words, huge, elsewhere, folder)


def _bounded(answers, question, place: Path) -> None:  # type: ignore[no-untyped-def]
    resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))
    os.chdir(place)
    answers.put(question())


def bounded(question, place: Path):  # type: ignore[no-untyped-def]
    """An answer given within seconds by a process of little memory."""
    fork = multiprocessing.get_context("fork")
    answers = fork.Queue()
    process = fork.Process(target=_bounded, args=(answers, question, place), daemon=True)
    process.start()
    try:
        return answers.get(timeout=20)
    finally:
        process.kill()
        process.join()


@pytest.mark.untrusted
@pytest.mark.parametrize("name", [".git", ".git/HEAD", ".git/refs/heads/main", ".git/packed-refs", ".git/commondir"])
def test_whatever_somebody_lays_above_a_script_nothing_of_it_is_told(name: str, tmp_path: Path) -> None:
    for strange in STRANGE:
        place = tmp_path / f"by_{strange.__name__}" / name
        place.parent.mkdir(parents=True)
        if name.count("/") and name != ".git/HEAD":
            place.parents[name.count("/") - 1].joinpath("HEAD").write_text("ref: refs/heads/main\n")
        strange(place)
        assert bounded(commit_here, tmp_path / f"by_{strange.__name__}") == "", strange


@pytest.mark.untrusted
@pytest.mark.skipif(os.geteuid() != 0, reason="Only the system's account can lay a file for another one.")
def test_a_file_that_another_account_laid_does_not_count(tmp_path: Path) -> None:
    place = tmp_path / "HEAD"
    place.write_text(OBJECT)
    assert content_found(place, 100) == OBJECT.encode()
    assert content_found(place, 39) is None
    os.chown(place, 65534, 65534)
    assert content_found(place, 100) is None


@pytest.mark.untrusted
def test_a_named_file_is_read_whole_or_refused_with_a_reason(tmp_path: Path) -> None:
    sound, link, waiting = tmp_path / "sound", tmp_path / "link", tmp_path / "pipe"
    sound.write_bytes(b"abc")
    link.symlink_to(sound)
    os.mkfifo(waiting)
    assert content_of(link, 3) == b"abc"
    for path, most in ((sound, 2), (waiting, 9), (Path("/dev/zero"), 9), (tmp_path, 9), (tmp_path / "a\0b", 9)):
        with pytest.raises(OSError) as refused:
            content_of(path, most)
        assert refused.value.strerror
