"""The model with which a page of texts opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from goldviz import text_models
from goldviz.labs.inside_bert.compute import compute
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.models.text.packaged import packaged_folders
from goldviz.text_models import FIRST_MODEL, MINILM, MINILM_SUMS, first_model, is_minilm
from tests.random_bert import write_random_bert

NEITHER = pytest.mark.skipif(MINILM not in packaged_folders(), reason="MiniLM is not installed here: make run does it")


@pytest.fixture(autouse=True)
def asked_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(FIRST_MODEL)
    first_model.cache_clear()
    yield
    first_model.cache_clear()


def test_the_environment_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FIRST_MODEL, " folder:finbert ")
    assert first_model() == "folder:finbert"


def test_without_the_package_it_is_goldviz_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_models, "packaged_folders", dict)
    assert first_model() == "shipped"


def test_other_files_under_its_name_are_not_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write_random_bert(tmp_path)
    assert not is_minilm(tmp_path)
    assert not is_minilm(tmp_path / "nowhere")
    monkeypatch.setattr(text_models, "packaged_folders", lambda: {MINILM: tmp_path})
    assert first_model() == "shipped"
    assert len(MINILM_SUMS) == 2


@NEITHER
def test_its_heads_do_what_is_known_of_them() -> None:
    """Layer 1, head 3 looks at the piece before, layer 2, head 9 at the next one."""
    assert first_model() == f"folder:{MINILM}"
    text = "Gold prices rose because inflation remained elevated."
    weights = compute(InsideBert(model=first_model(), text=text))["all_attention"].values
    pieces = weights.shape[-1]
    before, after = weights[0, 2], weights[1, 8]
    assert min(before[place, place - 1] for place in range(2, pieces)) > 0.9
    assert sum(after[place, place + 1] for place in range(1, pieces - 1)) / (pieces - 2) > 0.5
