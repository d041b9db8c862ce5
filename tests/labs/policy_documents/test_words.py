"""The changed words on a timeline of statements."""

import numpy as np
import pytest
import xarray as xr

from goldviz.data.texts.dated_texts import DatedTexts
from goldviz.labs.policy_documents.parts import words
from goldviz.labs.policy_documents.parts.words import Row, rows_of, timeline_html
from goldviz.labs.policy_documents.settings import PolicyDocuments
from tests.labs.policy_documents.small_documents import some_documents


@pytest.fixture
def documents(monkeypatch: pytest.MonkeyPatch) -> DatedTexts:
    own = some_documents()
    monkeypatch.setattr(PolicyDocuments, "texts", lambda settings: own)
    return own


def read(documents: DatedTexts) -> xr.Dataset:
    count = len(documents.texts)
    tone = np.linspace(0.4, 0.9, count)
    return xr.Dataset(
        {
            "tone": (("document", "label"), np.stack([tone, 1 - tone], axis=1)),
            "balance": ("document", 2 * tone - 1),
            **{name: ("document", np.ones(count)) for name in ("words", "pieces", "chunks", "change", "previous")},
        },
        coords={
            "title": ("document", [text.title for text in documents.texts]),
            "released": ("document", documents.release_days.to_numpy().astype("datetime64[s]")),
        },
    )


def test_each_row_has_the_words_that_went_and_came_since_the_one_before_of_its_kind(documents: DatedTexts) -> None:
    ds = read(documents)
    rows = list(rows_of(PolicyDocuments(document=8), ds))
    assert len(rows) == words.ROWS
    latest = rows[0]
    assert (latest.day, latest.tone) == (str(ds["released"].values[7])[:10], float(ds["balance"][7]))
    assert latest.certainty == pytest.approx(0.9)
    [(went, came)] = latest.changes
    assert went.startswith("lower")
    assert came.startswith("raise")
    # The note among them is no statement.
    assert all(row.day != str(ds["released"].values[3])[:10] for row in rows)


def test_a_first_document_says_so(documents: DatedTexts) -> None:
    [row] = rows_of(PolicyDocuments(document=1), read(documents))
    assert row.first
    assert "The first of its kind." in timeline_html([row], "light")


@pytest.mark.untrusted
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_of_a_file_are_text(theme: str) -> None:
    bad = "<img src=x onerror=alert(1)>\"'"
    page = timeline_html([Row(bad, "2024-01-03", np.nan, np.nan, ((bad, bad),), 0, False)], theme)  # type: ignore[arg-type]
    assert "<img" not in page
    assert 'role="img"' not in page
