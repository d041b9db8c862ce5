"""Documents and vectors that are kept by content."""

import hashlib
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save

from goldviz.data.markets.simulated import simulated_market
from goldviz.data.tables.kept_files import KeptFiles
from goldviz.data.texts import kept_documents
from goldviz.data.texts.dated_texts import DatedText, DatedTextError, DatedTexts, ordered
from goldviz.data.texts.kept_documents import KEPT_DOCUMENTS, documents_at_hand, keep_documents
from goldviz.data.texts.policy.generated_documents import WEEKS_BETWEEN, generated_documents
from goldviz.labs.policy_documents.documents.vectors import (
    KEPT_VECTORS,
    keep_vector,
    kept_vector,
    shipped_vectors,
    vector_name,
)
from goldviz.labs.policy_documents.text_vector import TextVector, encoded
from goldviz.text_models import text_model

DAY = date(2024, 12, 18)
DOCUMENTS = DatedTexts((DatedText(DAY, DAY, "Statement", "Zinsen – <b>☃</b>"),), "by hand", notes=("noted",))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    documents_at_hand.cache_clear()
    return tmp_path


def test_documents_come_back_as_they_were() -> None:
    name = keep_documents(DOCUMENTS)
    assert documents_at_hand(name) == DOCUMENTS
    assert keep_documents(DOCUMENTS) == name


def test_letters_beyond_ascii_take_the_room_that_they_take_in_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "é" * 50_000
    documents = DatedTexts((DatedText(DAY, DAY, "Statement", text),), "by hand")
    monkeypatch.setattr(kept_documents, "LARGEST_UNPACKED", 101_000)
    assert documents_at_hand(keep_documents(documents)) == documents


def test_what_would_not_be_read_again_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = DatedTexts((DatedText(DAY, DAY, "Statement", "é" * 600_000),), "by hand")
    monkeypatch.setattr(kept_documents, "LARGEST_UNPACKED", 10**6)
    with pytest.raises(
        DatedTextError, match=r"^The documents of by hand take 1\.2 MB in all; allowed are at most 1 MB\."
    ):
        keep_documents(documents)
    assert not (folder / "documents").exists()


def test_half_a_surrogate_pair_is_kept_as_it_is() -> None:
    documents = DatedTexts((DatedText(DAY, DAY, "Statement", "a\ud800b\0"),), "by hand")
    assert documents_at_hand(keep_documents(documents)) == documents


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "a file"))
    with pytest.raises(DatedTextError, match=r"^The documents cannot be kept on this server: .+\.$"):
        keep_documents(DOCUMENTS)
    ones = np.ones(4, np.float32)
    keep_vector("print", "text", TextVector(ones, ones, ones, 12, 2))
    kept = kept_vector("print", "text")
    assert kept is not None
    assert kept.pieces == 12
    with pytest.raises(DatedTextError, match=r"^The documents f{16} cannot be read: .+\.$"):
        documents_at_hand("f" * 16)


def test_an_old_file_that_cannot_be_removed_does_not_lose_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_documents, "KEPT_DOCUMENTS", KeptFiles("documents", ".json.gz", 1))
    KEPT_DOCUMENTS.path("0" * 16).mkdir(parents=True)
    assert documents_at_hand(keep_documents(DOCUMENTS)) == DOCUMENTS


@pytest.mark.slow
def test_the_generated_documents_come_encoded_by_the_shipped_model() -> None:
    model, texts = text_model("shipped"), generated_documents().texts
    assert set(shipped_vectors()) == {vector_name(model.fingerprint, text.name) for text in texts}
    for text in texts[5::120]:
        found, known = encoded(model, text.text), kept_vector(model.fingerprint, text.name)
        assert known is not None
        assert (known.pieces, known.chunks) == (found.pieces, found.chunks)
        for name in ("cls", "mean", "tone"):
            np.testing.assert_allclose(getattr(known, name), getattr(found, name), atol=1e-4)


def test_generated_documents_last_as_long_as_the_simulated_market() -> None:
    market, days = simulated_market(0), generated_documents().release_days
    first, last = market.target.observed.index[[0, -1]]
    assert abs(days[0] - first) < timedelta(weeks=1)
    gaps = np.diff(days.unique().append(pd.DatetimeIndex([last])))
    assert gaps.max() <= np.timedelta64(max(WEEKS_BETWEEN), "W")


@pytest.mark.slow
def test_generated_documents_are_the_same_every_time() -> None:
    assert documents_at_hand("generated") == generated_documents()
    assert generated_documents(1) != generated_documents(0)
    assert generated_documents().generated


@pytest.mark.parametrize(
    "change", [lambda content: content[:-9], lambda content: content[:30] + b"?" + content[31:], lambda _: b"x"]
)
def test_damaged_documents_are_refused(change: object) -> None:
    name = keep_documents(DOCUMENTS)
    path = KEPT_DOCUMENTS.path(name)
    path.write_bytes(change(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(DatedTextError, match="damaged"):
        documents_at_hand(name)


def test_other_documents_under_a_name_are_refused() -> None:
    name = keep_documents(DOCUMENTS)
    KEPT_DOCUMENTS.path(name).rename(KEPT_DOCUMENTS.path("0" * 16))
    with pytest.raises(DatedTextError, match="damaged"):
        documents_at_hand("0" * 16)


@pytest.mark.parametrize("name", ["f" * 16, "../../etc/passwd", "F" * 16])
def test_documents_that_are_not_here(name: str) -> None:
    with pytest.raises(DatedTextError):
        documents_at_hand(name)


def test_vectors_come_back_and_damage_means_not_there() -> None:
    vector = TextVector(np.arange(4, dtype=np.float32), np.ones(4, np.float32), np.zeros(0, np.float32), 12, 2)
    keep_vector("print", "text", vector)
    found = kept_vector("print", "text")
    assert found is not None
    assert found.cls.tolist() == vector.cls.tolist()
    assert (found.pieces, found.chunks, found.tone.size) == (12, 2, 0)
    assert kept_vector("other", "text") is None
    path = KEPT_VECTORS.path(vector_name("print", "text"))
    path.write_bytes(path.read_bytes()[:-1])
    assert kept_vector("print", "text") is None


def test_a_vector_of_an_older_form_is_not_there() -> None:
    """It counted special pieces and those that two chunks share, and called the counts otherwise."""
    old = save({**{part: np.zeros(4, np.float32) for part in ("cls", "mean", "tone")}, "counts": np.array([14, 2])})
    KEPT_VECTORS.write(vector_name("print", "text"), hashlib.sha256(old).digest() + old)
    assert kept_vector("print", "text") is None
    ones = np.ones(4, np.float32)
    keep_vector("print", "text", TextVector(ones, ones, ones, 12, 2))
    found = kept_vector("print", "text")
    assert found is not None
    assert found.pieces == 12


def test_the_least_recently_used_go(folder: Path) -> None:
    files = KeptFiles("some", ".x", 25)
    for number, name in enumerate("abc"):
        files.write(name, b"0123456789")
        import os

        os.utime(files.path(name), (number, number))
    assert files.read("a") is not None
    files.make_room(survivor="c")
    assert [files.read(name) is not None for name in "abc"] == [True, False, True]


def test_what_cannot_be_seen_is_left_out_and_said() -> None:
    nothing = DatedText(DAY, DAY, "Minutes", "\u200b\u00ad")
    found, notes = ordered([DatedText(DAY, DAY, "Statement", "Gold rose."), nothing])
    assert [text.kind for text in found] == ["Statement"]
    assert notes == (f"Left out, because no character of it can be seen: {DAY} Minutes.",)
