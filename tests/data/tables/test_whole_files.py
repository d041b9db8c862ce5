"""Files are there whole or not at all, and a folder holds no more than it may."""

import os
import time

import pytest

from goldviz.coded_errors import CodedError
from goldviz.data.tables.kept_files import PLACES
from goldviz.data.tables.whole_files import disk_faults_as, make_room, write_whole
from tests.refusals import refused


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "one.txt"
    write_whole(path, b"first")
    write_whole(path, b"second")
    assert path.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "one.txt"
    write_whole(path, b"first")
    with pytest.raises(TypeError):
        write_whole(path, "no bytes")
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_the_least_recently_used_go_but_never_the_spared_one(tmp_path):
    paths = [tmp_path / f"{number}.txt" for number in range(4)]
    for age, path in enumerate(paths):
        write_whole(path, b"x" * 10)
        os.utime(path, (1000 + age, 1000 + age))
    make_room(tmp_path, paths, 20, survivor=paths[0])
    assert sorted(tmp_path.iterdir()) == [paths[0], paths[3]]
    make_room(tmp_path, [*paths, tmp_path / "gone.txt"], 0, survivor=paths[0])
    assert list(tmp_path.iterdir()) == [paths[0]]


def test_what_was_left_unfinished_goes_in_time(tmp_path):
    old, new = tmp_path / "old.part", tmp_path / "new.part"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    make_room(tmp_path, [], 0, survivor=tmp_path / "none")
    assert list(tmp_path.iterdir()) == [new]


def test_what_cannot_be_removed_stays_and_others_go_for_it(tmp_path):
    stuck, old, new, unfinished = (tmp_path / name for name in ("stuck.txt", "old.txt", "new.txt", "old.part"))
    for folder in (stuck, unfinished):  # A folder cannot be unlinked, whoever tries.
        folder.mkdir()
    for path in (old, new):
        write_whole(path, b"x" * 10)
    for age, path in enumerate((unfinished, stuck, old, new)):
        os.utime(path, (1000 + age, 1000 + age))
    make_room(tmp_path, [stuck, old, new], stuck.stat().st_size + 10, survivor=new)
    assert sorted(tmp_path.iterdir()) == sorted([stuck, new, unfinished])


def test_a_fault_of_the_disk_is_told_with_its_reason(tmp_path):
    with (
        refused(CodedError, "disk", "Notes cannot be read: No such file", "Try another folder."),
        disk_faults_as(CodedError, "Notes cannot be read", " Try another folder."),
    ):
        (tmp_path / "none").read_bytes()


def test_every_folder_of_files_holds_at_least_a_megabyte() -> None:
    assert min(place.budget for place in PLACES.values()) >= 10**6
