"""Every laboratory has a file here that recomputes what its page shows."""

from pathlib import Path

import pytest

from goldviz.declare.registry import laboratories

HERE = Path(__file__).parent
FOLDERS = [lab.folder for lab in laboratories().values()]


def without_a_file(folder: Path) -> list[str]:
    """The laboratories of which this folder has no file with a test in it."""
    files = {name: folder / f"test_{name}.py" for name in FOLDERS}
    return [name for name, file in files.items() if not file.is_file() or "def test_" not in file.read_text("utf-8")]


def test_every_laboratory_is_recomputed() -> None:
    assert len(FOLDERS) == len(set(FOLDERS)) > 0
    assert without_a_file(HERE) == [], "tests/truth/test_<lab>.py computes what its page shows once more"


@pytest.mark.parametrize("missing", FOLDERS)
def test_one_that_is_not_would_be_named(missing: str, tmp_path: Path) -> None:
    for name in FOLDERS:
        (tmp_path / f"test_{name}.py").write_text("def test_of_it(): ...")
    (tmp_path / f"test_{missing}.py").write_text('"""Nothing yet."""')
    assert without_a_file(tmp_path) == [missing]
    (tmp_path / f"test_{missing}.py").unlink()
    assert without_a_file(tmp_path) == [missing]
