"""The page's scripts in Node.js: one test here for each file of theirs, so that a fault is named."""

import pytest

from tests.javascript import FOLDER, node

FILES = sorted(path.name for path in FOLDER.glob("*.test.mjs"))


@pytest.mark.parametrize("name", FILES)
def test_a_script(name: str) -> None:
    said = node("--test", "--test-reporter=tap", name)
    assert "# fail 0" in said
    assert "# pass 0" not in said
