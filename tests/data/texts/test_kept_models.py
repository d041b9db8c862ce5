"""Models that are kept: what a damaged file says of itself."""

from pathlib import Path

import pytest

from goldviz.data.texts.kept_models import about_model, keep_model


@pytest.mark.parametrize("content", [b"", b"a model's bytes", b"\2\0\0\0\0\0\0\0{}", b"\2\0\0\0\0\0\0\0[]"])
def test_a_damaged_file_tells_nothing_of_itself(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    assert about_model(keep_model(content)) is None
