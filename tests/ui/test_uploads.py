"""What visitors upload: both sums hold, a file that is exchanged counts once, and what no page shows goes."""

from types import SimpleNamespace

import pytest
from starlette.exceptions import HTTPException
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from goldviz.ui.serving import uploads
from goldviz.ui.serving.uploads import BoundedUploads

UNIT = 10**5
"""Bytes: in these a record, which counts as well, is little."""


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> BoundedUploads:
    monkeypatch.setattr(uploads, "MOST_OF_A_VISITOR", 101 * UNIT)
    monkeypatch.setattr(uploads, "MOST_OF_ALL", 251 * UNIT)
    return BoundedUploads("/upload")


def came(held: BoundedUploads, visitor: str, file: str, size: int) -> int:
    """The status of the upload of so many units."""
    try:
        held.add_file(visitor, UploadedFileRec(file, "a.csv", "text/csv", bytes(size * UNIT)))
    except HTTPException as refused:
        return refused.status_code
    return 204


def visitor(name: str, *files: str) -> SimpleNamespace:
    """As much of a session as tells what its page shows."""
    states = WidgetStates()
    for file in files:
        states.widgets.add().file_uploader_state_value.uploaded_file_info.add().file_id = file
    return SimpleNamespace(session=SimpleNamespace(id=name, _client_state=SimpleNamespace(widget_states=states)))


@pytest.mark.untrusted
def test_a_visitor_s_sum_and_the_sum_of_all_hold(held: BoundedUploads) -> None:
    assert [came(held, "a", str(file), 40) for file in range(4)] == [204, 204, 507, 507]
    # A page that has read a file empties it.
    assert came(held, "a", "0", 0) == 204
    assert came(held, "a", "2", 60) == 204
    assert [came(held, name, "0", 90) for name in "bcd"] == [204, 507, 507]
    held.remove_session_files("b")
    assert came(held, "c", "0", 90) == 204


@pytest.mark.untrusted
def test_uploads_of_no_bytes_count(held: BoundedUploads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_OF_A_VISITOR", 10**6)
    names = [f"{number:060000}" for number in range(20)]
    statuses = [came(held, "a", name, 0) for name in names]
    assert statuses == [204] * 16 + [507] * 4
    held.remove_file("a", names[0])
    held.remove_file("a", names[0])
    assert [came(held, "a", name, 0) for name in names[-2:]] == [204, 507]
    held.remove_session_files("a")
    assert came(held, "a", names[0], 0) == 204


@pytest.mark.untrusted
def test_what_no_uploader_shows_goes_after_a_while(held: BoundedUploads, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in ("shown", "dropped"):
        came(held, "a", file, 40)
    held.free_unseen([visitor("a", "shown")])
    assert len(held.get_files("a", ["shown", "dropped"])) == 2
    monkeypatch.setattr(uploads, "PATIENCE_SECONDS", -1.0)
    held.free_unseen([visitor("a", "shown"), visitor("b")])
    assert [file.file_id for file in held.get_files("a", ["shown", "dropped"])] == ["shown"]
    assert came(held, "a", "next", 60) == 204
