"""The long suite falls into parts: every test is in one, a file's tests are in the same, and none lasts for all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parts import SECONDS, of_part, part, shares

FILES = st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 9)), max_size=40, unique=True)


@given(FILES, st.integers(1, 6))
def test_every_test_is_in_one_part_beside_those_of_its_file(files: list[tuple[str, int]], parts: int) -> None:
    tests = [f"tests/{file}.py::test_{number}" for file, number in files]
    taken = [of_part(tests, f"{number}/{parts}") for number in range(1, parts + 1)]
    assert [sum(row) for row in zip(*taken, strict=True)] == [1] * len(tests)
    part_of = {test: [row[number] for row in taken].index(True) for number, test in enumerate(tests)}
    assert len({(test.partition("::")[0], share) for test, share in part_of.items()}) == len(
        {file for file, _ in files}
    )


def test_parts_take_as_long_as_each_other() -> None:
    seconds = {"a.py::test_long": 90.0, "a.py": 10.0, "b.py": 60.0, "c.py": 40.0}
    share = shares(["a.py::test_long", "a.py::test_1", "b.py::test_1", "c.py::test_1"], 2, seconds)
    assert share == {"a.py::test_long": 0, "b.py": 1, "c.py": 1, "a.py": 0}


@pytest.mark.parametrize("text", ["", "2", "0/3", "4/3", "1/0", "-1/2", "a/b"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="PART="):
        part(text)


def test_what_takes_long_is_known_of_files_that_are_there() -> None:
    named = {name.partition("::")[0] for name in json.loads(SECONDS.read_text(encoding="utf-8"))}
    assert [name for name in named if not (SECONDS.parents[1] / name).exists()] == []
